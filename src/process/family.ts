import type { Host } from "../ports/host.ts";
import type { ProcessEntry } from "../ports/process.ts";

/** The variable by which a process is known as one of ours, whoever its parent is by now. */
const FAMILY_VARIABLE = "SLUICE_FAMILY";

/** Parent of the threads of Linux itself, which have no environment. */
const KERNEL = 2;

/** What runs at one moment; one is enough for all children of a program. */
export class Snapshot {
  /** What runs; empty where the system does not tell. */
  readonly entries: readonly ProcessEntry[];
  readonly #host: Pick<Host, "environmentOf">;
  readonly #environments = new Map<number, string>();

  constructor(host: Pick<Host, "environmentOf" | "processes">) {
    this.entries = host.processes();
    this.#host = host;
  }

  /** Whether a text stands in the environment that a process began with. */
  carries(pid: number, text: string): boolean {
    let environment = this.#environments.get(pid);
    if (environment === undefined) {
      environment = this.#host.environmentOf(pid) ?? "";
      this.#environments.set(pid, environment);
    }
    return environment.includes(text);
  }
}

type FamilyHost = Pick<
  Host,
  "environmentOf" | "nextTurn" | "processes" | "processIds"
>;

/** What ran at some moment of this turn, by the host that tells it: many processes are often started at once. */
const before = new WeakMap<FamilyHost, ReadonlySet<number>>();

/** What ran before a process that starts now. */
function runningBefore(host: FamilyHost): ReadonlySet<number> {
  let ids = before.get(host);
  if (ids === undefined) {
    before.set(host, ids = new Set(host.processIds()));
    host.nextTurn(() => before.delete(host));
  }
  return ids;
}

/** Children of this program that run, by its host: each is of its own family, and of no other. */
const roots = new WeakMap<FamilyHost, Set<number>>();

function rootsOf(host: FamilyHost): Set<number> {
  const known = roots.get(host) ?? new Set();
  roots.set(host, known);
  return known;
}

/** What a process started: what is below it, was below it, or carries its mark. */
export class Family {
  readonly #host: FamilyHost;
  readonly #mark: string;
  /** What ran before it, and is none of its. */
  readonly #older: ReadonlySet<number>;
  /** What was found, and since when it runs. */
  #known = new Map<number, string>();

  /** To be made before the process starts. */
  constructor(host: FamilyHost, mark: string) {
    this.#host = host;
    this.#mark = mark;
    this.#older = runningBefore(host);
  }

  /** The process itself runs from now on, or no longer. */
  noteRoot(pid: number, isRunning: boolean): void {
    const roots = rootsOf(this.#host);
    if (isRunning) roots.add(pid);
    else roots.delete(pid);
  }

  /** The environment with the mark in it, besides those of programs further up. */
  marked(env: Readonly<Record<string, string>>): Record<string, string> {
    const outer = env[FAMILY_VARIABLE];
    const mark = outer === undefined ? this.#mark : `${outer} ${this.#mark}`;
    return { ...env, [FAMILY_VARIABLE]: mark };
  }

  /** Remembers who is below it: a signal may leave them without a parent. */
  note(root: number, { entries }: Snapshot = new Snapshot(this.#host)): void {
    this.#find(root, entries, () => false);
  }

  /** Finds who belongs to it; the process itself, unless it is gone, is not among them. */
  look(
    root: number | undefined,
    seen: Snapshot = new Snapshot(this.#host),
  ): readonly number[] {
    const isMarked = (pid: number) =>
      !this.#older.has(pid) && seen.carries(pid, this.#mark);
    return this.#find(root, seen.entries, isMarked);
  }

  #find(
    root: number | undefined,
    entries: readonly ProcessEntry[],
    isMarked: (pid: number) => boolean,
  ): readonly number[] {
    const children = new Map<number, ProcessEntry[]>();
    const found = new Map<number, string>();
    if (root !== undefined) found.set(root, "");
    for (const entry of entries) {
      const { pid, parent, began } = entry;
      const siblings = children.get(parent);
      if (siblings === undefined) children.set(parent, [entry]);
      else siblings.push(entry);
      if (this.#known.get(pid) === began || isMarked(pid)) {
        found.set(pid, began);
      }
    }
    // Grows while it is walked: children of children.
    for (const parent of found.keys()) {
      for (const { pid, began } of children.get(parent) ?? []) {
        found.set(pid, began);
      }
    }
    if (root !== undefined) found.delete(root);
    this.#known = found;
    return [...found.keys()];
  }

  /**
   * Who is left of it now that the process itself is gone; cheap where nobody is. `undefined` while that cannot be told:
   * one that is just becoming another program shows no environment.
   */
  rest(): readonly number[] | undefined {
    const blank: number[] = [];
    let isAlone = this.#known.size === 0;
    const others = rootsOf(this.#host);
    for (const pid of this.#host.processIds()) {
      if (this.#older.has(pid) || others.has(pid)) continue;
      const environment = this.#host.environmentOf(pid);
      if (environment === "") blank.push(pid);
      else if (environment?.includes(this.#mark)) isAlone = false;
    }
    const rest = isAlone ? [] : this.look(undefined);
    if (rest.length > 0 || blank.length === 0) return rest;
    // Those that wait to be reaped are not listed.
    const isUnsure = this.#host.processes(blank)
      .some(({ parent }) => parent !== KERNEL);
    return isUnsure ? undefined : rest;
  }
}
