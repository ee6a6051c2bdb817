import type { Step, StoryData } from "../../src/command/story_data.ts";
import { count, find, make, usd } from "../inspect/elements.ts";
import { factsOf, showFacts, warning } from "../inspect/head.ts";
import { LongList } from "../inspect/long_list.ts";
import { Row } from "../inspect/row.ts";
import { Steps } from "../inspect/steps.ts";
import { Speech } from "./speech.ts";

/** Kinds of steps that are seen unless all are wanted. */
const KINDS: ReadonlySet<string> = new Set([
  "prompt",
  "text",
  "thinking",
  "tool",
  "permission",
  "result",
  "error",
]);

/** Shows the steps of a session as they come. */
export class Chat {
  readonly #steps = new Steps();
  readonly #rows = new Map<string, Row | Speech>();
  readonly #headings = new Map<string, HTMLElement>();
  readonly #list = new LongList((id) => this.#nodeOf(id));
  #story: StoryData | undefined;
  #showsAll = false;

  /** Shows all kinds of steps, or those of a chat. */
  toggle(): boolean {
    this.#showsAll = !this.#showsAll;
    this.#fill();
    return this.#showsAll;
  }

  /** Shows a story, or what came to it. */
  show(story: StoryData): void {
    this.#story = story;
    this.#steps.take(story);
    const { context, head, turns } = story;
    const tokens = context.at(-1)?.[1];
    showFacts([
      ...factsOf({ ...head, form: undefined }),
      ...tokens === undefined ? [] : [["Context", count(tokens)] as const],
    ]);
    find("#warnings").replaceChildren(...head.warnings.map(warning));
    const [first] = turns;
    find("h1").textContent = first?.prompt ?? "New session";
    for (const step of story.steps) {
      this.#rows.get(`s${step.id}`)
        ?.show(this.#shown(step), this.#steps.depthOf(step));
    }
    this.#fill();
  }

  #fill(): void {
    const kinds = this.#showsAll ? new Set<string>() : KINDS;
    const filter = { kinds, isErrorsOnly: false, words: "" };
    this.#list.show(this.#steps.list(filter).ids);
  }

  #nodeOf(id: string): HTMLElement {
    const step = this.#steps.byId(id);
    if (step === undefined) return this.#headingOf(id);
    let row = this.#rows.get(id);
    if (row === undefined) {
      const depth = this.#steps.depthOf(step);
      const isSpeech = step.parent === undefined &&
        (step.kind === "prompt" || step.kind === "text");
      row = isSpeech ? new Speech(step) : new Row(this.#shown(step), depth);
      this.#rows.set(id, row);
    }
    return row.node;
  }

  #headingOf(id: string): HTMLElement {
    const known = this.#headings.get(id);
    if (known !== undefined) return known;
    const number = Number(id.slice(4));
    const text = number === 0 ? "Start" : `Turn ${number}`;
    const heading = make("h2", "", text);
    heading.id = id;
    this.#headings.set(id, heading);
    return heading;
  }

  /** A result with the time and the cost of its turn. */
  #shown(step: Step): Step {
    const turn = this.#story?.turns[step.turn - 1];
    if (step.kind !== "result" || turn === undefined) return step;
    const { ms, usd: cost } = turn;
    const title = cost === undefined
      ? step.title
      : `${step.title} · ${usd(cost)}`;
    return { ...step, title, ...ms !== undefined && { ms } };
  }
}
