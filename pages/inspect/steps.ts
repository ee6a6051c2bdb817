import type { Step, StoryData, Turn } from "../../src/command/story_data.ts";

/** Filter of the steps to show. */
export interface Filter {
  /** None are all. */
  readonly kinds: ReadonlySet<string>;
  readonly isErrorsOnly: boolean;
  /** In lower case. */
  readonly words: string;
}

/** The steps of a story in the order in which they are read: what a subagent did stands below the call that began it. */
export class Steps {
  readonly #all: Step[] = [];
  #turns: readonly Turn[] = [];
  #ordered: readonly Step[] = [];
  /** Searched texts, by step, from the first search on. */
  readonly #texts = new Map<number, string>();

  /** Number of steps. */
  get count(): number {
    return this.#all.length;
  }

  /** Takes steps that came or changed. */
  take({ steps, turns }: Pick<StoryData, "steps" | "turns">): void {
    this.#turns = turns;
    for (const step of steps) {
      this.#all[step.id] = step;
      this.#texts.delete(step.id);
    }
    this.#ordered = ordered(this.#all);
  }

  /** A step by its id in the page. */
  byId(id: string): Step | undefined {
    return id.startsWith("s") ? this.#all[Number(id.slice(1))] : undefined;
  }

  /** Number of calls above it. */
  depthOf(step: Step): number {
    let depth = 0;
    for (const _ of this.#above(step)) depth++;
    return depth;
  }

  /** Heading of a turn. */
  headingOf(number: number): string {
    const turn = this.#turns[number - 1];
    return turn === undefined
      ? "Before the first prompt"
      : `Turn ${turn.number}: ${turn.prompt}`;
  }

  /** Number of steps of each kind, and of failed ones. */
  counts(): { readonly kinds: ReadonlyMap<string, number>; failed: number } {
    const kinds = new Map<string, number>();
    let failed = 0;
    for (const { isError, kind } of this.#all) {
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      if (isError) failed++;
    }
    return { kinds, failed };
  }

  /** Visible items, as ids of the page: turns, and their steps. */
  list(filter: Filter): {
    readonly ids: readonly string[];
    readonly found: number;
  } {
    const fitting = new Set<Step>();
    let found = 0;
    for (const step of this.#all) {
      if (!this.#fits(step, filter)) continue;
      found++;
      fitting.add(step);
      // The calls above a step stay visible, to show its place.
      for (const one of this.#above(step)) fitting.add(one);
    }
    const ids: string[] = [];
    let turn: number | undefined;
    for (const step of this.#ordered) {
      if (!fitting.has(step)) continue;
      const isInner = step.parent !== undefined;
      if (!isInner && step.turn !== turn) ids.push(`turn${turn = step.turn}`);
      ids.push(`s${step.id}`);
    }
    return { ids, found };
  }

  *#above(step: Step): Generator<Step> {
    let one = this.#all[step.parent ?? -1];
    while (one !== undefined) {
      yield one;
      one = this.#all[one.parent ?? -1];
    }
  }

  #fits(step: Step, { isErrorsOnly, kinds, words }: Filter): boolean {
    if (isErrorsOnly && !step.isError) return false;
    if (kinds.size > 0 && !kinds.has(step.kind)) return false;
    return words === "" || this.#textOf(step).includes(words);
  }

  #textOf({ answer = "", change = "", id, text = "", title }: Step): string {
    const known = this.#texts.get(id);
    if (known !== undefined) return known;
    const all = `${title}\n${text}\n${change}\n${answer}`.toLowerCase();
    this.#texts.set(id, all);
    return all;
  }
}

function ordered(steps: readonly Step[]): readonly Step[] {
  const below = new Map<number, Step[]>();
  const turns = new Map<number, Step[]>();
  for (const step of steps) {
    const { parent, turn } = step;
    const [lists, key] = parent === undefined ? [turns, turn] : [below, parent];
    const list = lists.get(key);
    if (list === undefined) lists.set(key, [step]);
    else list.push(step);
  }
  const all: Step[] = [];
  const add = (list: readonly Step[]) => {
    for (const step of list) {
      all.push(step);
      const inner = below.get(step.id);
      if (inner !== undefined) add(inner);
    }
  };
  for (const list of turns.values()) add(list);
  return all;
}
