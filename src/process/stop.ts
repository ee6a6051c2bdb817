import { systemClock } from "../async/system_clock.ts";
import type { Timer } from "../ports/clock.ts";
import type { Host } from "../ports/host.ts";
import {
  type ChildHandle,
  type HostSignal,
  planOf,
  type ProcessEntry,
} from "../ports/process.ts";
import type { StopPlan } from "../ports/transport.ts";

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

/** How often those that are left are looked after, in milliseconds; processes die in real time. */
const LOOK_MS = 5;
/** What SIGKILL has not ended after so many looks, it does not end; what shows no environment after them never will. */
const MOST_LOOKS = 200;

/** A process, and what it takes to stop it. */
interface Target {
  readonly handle: Pick<ChildHandle, "pid" | "kill">;
  readonly family: Family;
  /** Kills what the process started. */
  readonly host: Pick<Host, "killPid" | "killTree" | "platform">;
  /** Ends its input; not waited for, since a process that does not read may hold that up. */
  readonly endInput: () => void;
  readonly clock: Timer;
}

/** Stops a process, and then what it left behind, by the ladder: end of input, SIGTERM, SIGKILL. */
export class Shutdown {
  readonly #target: Target;
  /** Ends the waits when nothing is left; until then their timers keep the host alive. */
  readonly #over = new AbortController();
  #isGone = false;
  #isTerminated = false;
  #isKilled = false;
  #ending: Promise<void> | undefined;

  constructor(target: Target) {
    this.#target = target;
    target.family.noteRoot(target.handle.pid, true);
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Whether what it started is gone as well. */
  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** Begins with the first step; a later plan can only bring a step forward. */
  begin(plan: StopPlan): void {
    const { graceMs, killMs } = planOf(plan.reason, plan);
    if (graceMs <= 0) this.terminate();
    else this.#after(graceMs, () => this.terminate());
    this.#target.endInput();
    this.#after(killMs, () => this.kill());
  }

  /** Passes a signal of the host on. */
  forward(signal: HostSignal, seen?: Snapshot): void {
    if (signal === "SIGTERM") this.#isTerminated = true;
    this.#send(signal, seen);
  }

  /** Sends SIGTERM, once. */
  terminate(seen?: Snapshot): void {
    if (this.#isTerminated) return;
    this.#isTerminated = true;
    this.#send("SIGTERM", seen);
  }

  /** Kills the process and all that it started, once: tools run in sessions of their own and would stay behind. */
  kill(seen?: Snapshot): void {
    if (this.#isKilled || this.isOver) return;
    this.#isKilled = true;
    const { family, handle, host } = this.#target;
    // Afterwards nothing would tell whose they were.
    const below = family.look(this.#isGone ? undefined : handle.pid, seen);
    if (!this.#isGone) {
      host.killTree(handle.pid);
      // Nothing says whether that worked.
      handle.kill("SIGKILL");
    }
    for (const pid of below) host.killPid(pid, "SIGKILL");
  }

  /** Notes that the process is gone, and maybe with it all that it started. */
  async noteGone(): Promise<void> {
    this.#isGone = true;
    const { family, handle } = this.#target;
    family.noteRoot(handle.pid, false);
    if ((await this.#rest()).length === 0) this.#over.abort();
  }

  /** Ends what the process left behind: SIGTERM now, SIGKILL when the plan would have killed the process after it. */
  endRest({ graceMs, killMs }: StopPlan): Promise<void> {
    if (this.isOver) return Promise.resolve();
    if (killMs <= graceMs) this.kill();
    else this.#after(killMs - graceMs, () => this.kill());
    return this.#ending ??= this.#waitForRest();
  }

  async #waitForRest(): Promise<void> {
    const { host } = this.#target;
    let rest = await this.#rest();
    if (!this.#isKilled) {
      for (const pid of rest) host.killPid(pid, "SIGTERM");
    }
    for (let looks = 0; rest.length > 0 && looks < MOST_LOOKS;) {
      await systemClock.sleep(LOOK_MS);
      rest = await this.#rest();
      if (!this.#isKilled) continue;
      looks++;
      for (const pid of rest) host.killPid(pid, "SIGKILL");
    }
    this.#over.abort();
  }

  /** Who is left, once that can be told. */
  async #rest(): Promise<readonly number[]> {
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      const rest = this.#target.family.rest();
      if (rest !== undefined) return rest;
      await systemClock.sleep(LOOK_MS);
    }
    return [];
  }

  #send(signal: HostSignal, seen?: Snapshot): void {
    // Its id may be somebody else's by now.
    if (this.#isGone) return;
    const { endInput, family, handle, host } = this.#target;
    // There every signal kills; the end of input is all the grace there is.
    if (host.platform === "win32") return endInput();
    family.note(handle.pid, seen);
    handle.kill(signal);
  }

  #after(ms: number, step: () => void): void {
    this.#target.clock.sleep(ms, this.#over.signal).then(step, () => {});
  }
}
