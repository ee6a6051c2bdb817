import { systemClock } from "../async/system_clock.ts";
import { after } from "../async/timer.ts";
import type { Timer } from "../ports/clock.ts";
import type { Host } from "../ports/host.ts";
import { type ChildHandle, type HostSignal, planOf } from "../ports/process.ts";
import type { StopPlan } from "../ports/transport.ts";
import type { Family, Snapshot } from "./family.ts";

/** Interval of looking for remaining processes, in milliseconds; processes die in real time. */
const LOOK_MS = 5;
/** Looks after which a process that survives SIGKILL, or shows no environment, is given up. */
const MOST_LOOKS = 200;

interface Target {
  readonly handle: Pick<ChildHandle, "pid" | "kill">;
  readonly family: Family;
  readonly host: Pick<Host, "killPid" | "killTree" | "platform">;
  /** Ends its input; not waited for, since a process that does not read may hold that up. */
  readonly endInput: () => void;
  readonly clock: Timer;
}

/** Stops a process, and then what it left behind, by the shutdown escalation: end of input, SIGTERM, SIGKILL. */
export class Shutdown {
  readonly #target: Target;
  /** Steps that are due later; until nothing is left their timers keep the host alive. */
  readonly #due: (() => void)[] = [];
  #isOver = false;
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

  /** Whether its descendants are gone too. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Begins with the first step; a later plan can only bring a step forward. */
  begin(plan: StopPlan): void {
    const { graceMs, killMs } = planOf(plan.reason, plan);
    if (graceMs <= 0) this.terminate();
    else this.#after(graceMs, () => this.terminate());
    this.#target.endInput();
    this.#after(killMs, () => this.kill());
  }

  forward(signal: HostSignal, seen?: Snapshot): void {
    if (signal === "SIGTERM") this.#isTerminated = true;
    this.#send(signal, seen);
  }

  terminate(seen?: Snapshot): void {
    if (this.#isTerminated) return;
    this.#isTerminated = true;
    this.#send("SIGTERM", seen);
  }

  /** Kills the process and its descendants, once: tools run in sessions of their own and would survive. */
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

  /** Records the exit of the process, and perhaps of its descendants. */
  async noteGone(): Promise<void> {
    this.#isGone = true;
    const { family, handle } = this.#target;
    family.noteRoot(handle.pid, false);
    if ((await this.#rest()).length === 0) this.#end();
  }

  /** Ends remaining descendants: SIGTERM now, SIGKILL when the plan would have killed the process. */
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
    this.#end();
  }

  #end(): void {
    this.#isOver = true;
    for (const cancel of this.#due) cancel();
  }

  async #rest(): Promise<readonly number[]> {
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      const rest = await this.#target.family.rest();
      if (rest !== undefined) return rest;
      await systemClock.sleep(LOOK_MS);
    }
    return [];
  }

  #send(signal: HostSignal, seen?: Snapshot): void {
    // Its id may belong to another process by now.
    if (this.#isGone) return;
    const { endInput, family, handle, host } = this.#target;
    // There every signal kills; the end of input is all the grace there is.
    if (host.platform === "win32") return endInput();
    family.note(handle.pid, seen);
    handle.kill(signal);
  }

  #after(ms: number, step: () => void): void {
    if (this.#isOver) return;
    this.#due.push(after(this.#target.clock, ms, step));
  }
}
