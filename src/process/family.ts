import type { Host } from "../ports/host.ts";
import type { ProcessEntry } from "../ports/process.ts";

/** Environment variable that marks a process as ours, even after its parent has changed. */
const FAMILY_VARIABLE = "SLUICE_FAMILY";

/** Parent of the threads of Linux itself, which have no environment. */
const KERNEL = 2;

type FamilyHost = Pick<
  Host,
  "environmentOf" | "nextTurn" | "processes" | "processIds"
>;

/** The environments that processes began with, each read once. */
class Environments {
  readonly #host: Pick<Host, "environmentOf">;
  readonly #known = new Map<number, string | undefined>();

  constructor(host: Pick<Host, "environmentOf">) {
    this.#host = host;
  }

  of(pid: number): string | undefined {
    if (!this.#known.has(pid)) {
      this.#known.set(pid, this.#host.environmentOf(pid));
    }
    return this.#known.get(pid);
  }
}

/** Running processes at one moment; one snapshot serves all children of a program. */
export class Snapshot {
  /** Empty where the system does not list processes. */
  readonly entries: readonly ProcessEntry[];
  readonly environments: Environments;

  constructor(host: Pick<Host, "environmentOf" | "processes">) {
    this.entries = host.processes();
    this.environments = new Environments(host);
  }
}

/** Process ids of one moment, which is cheaper than a snapshot. */
interface Listing {
  readonly ids: readonly number[];
  readonly environments: Environments;
}

/** Process ids listed in this turn, by host: many processes are often started at once. */
const before = new WeakMap<FamilyHost, ReadonlySet<number>>();

function runningBefore(host: FamilyHost): ReadonlySet<number> {
  let ids = before.get(host);
  if (ids === undefined) {
    before.set(host, ids = new Set(host.processIds()));
    host.nextTurn(() => before.delete(host));
  }
  return ids;
}

/** Listings of the next turn, by host: many processes often end at once. */
const after = new WeakMap<FamilyHost, Promise<Listing>>();

function runningAfter(host: FamilyHost): Promise<Listing> {
  let listing = after.get(host);
  if (listing === undefined) {
    listing = new Promise<void>((resolve) => host.nextTurn(resolve))
      .then(() => {
        after.delete(host);
        return {
          ids: host.processIds(),
          environments: new Environments(host),
        };
      });
    after.set(host, listing);
  }
  return listing;
}

/** Children of this program that run, by its host: each is of its own family, and of no other. */
const roots = new WeakMap<FamilyHost, Set<number>>();

function rootsOf(host: FamilyHost): Set<number> {
  const known = roots.get(host) ?? new Set();
  roots.set(host, known);
  return known;
}

/** Processes that a process started: current and former descendants, and those that carry its mark. */
export class Family {
  readonly #host: FamilyHost;
  readonly #mark: string;
  readonly #older: ReadonlySet<number>;
  /** Process ids with their start times. */
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

  /** Records its descendants: a signal may orphan them. */
  note(root: number, { entries }: Snapshot = new Snapshot(this.#host)): void {
    this.#find(root, entries, () => false);
  }

  /** Finds its members, without the process itself. */
  look(
    root: number | undefined,
    seen: Snapshot = new Snapshot(this.#host),
  ): readonly number[] {
    const isMarked = (pid: number) =>
      !this.#older.has(pid) &&
      seen.environments.of(pid)?.includes(this.#mark) === true;
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
   * Its remaining members now that the process itself is gone; cheap where there are none. `undefined` while unknown:
   * one that is just becoming another program shows no environment.
   */
  async rest(): Promise<readonly number[] | undefined> {
    const { ids, environments } = await runningAfter(this.#host);
    const blank: number[] = [];
    let isAlone = this.#known.size === 0;
    const others = rootsOf(this.#host);
    for (const pid of ids) {
      if (this.#older.has(pid) || others.has(pid)) continue;
      const environment = environments.of(pid);
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
