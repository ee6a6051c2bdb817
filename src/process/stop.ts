import type { Clock } from "../ports/clock.ts";
import type { Host } from "../ports/host.ts";
import type { ChildHandle, StopSignal } from "../ports/process.ts";
import type { StopPlan } from "../ports/transport.ts";

/** What a {@link Ladder} is made from. */
export interface LadderInit {
  /** The process. */
  readonly handle: Pick<ChildHandle, "pid" | "kill">;
  /** Finds and kills what the process started. */
  readonly host: Pick<Host, "descendants" | "beginningOf" | "killPid">;
  /** Ends its input; not waited for, since a process that does not read may hold that up. */
  readonly endInput: () => void;
  /** Time. */
  readonly clock: Clock;
}

/** The ladder down which a process is stopped: end of input, SIGTERM, SIGKILL. */
export class Ladder {
  readonly #init: LadderInit;
  /** Ends the waits when the process is gone; until then their timers keep the host alive. */
  readonly #gone = new AbortController();
  /** What ran below it when it was told to end, and since when. */
  readonly #below = new Map<number, string | undefined>();
  #isTerminated = false;
  #isKilled = false;

  constructor(init: LadderInit) {
    this.#init = init;
  }

  /** Whether the process is gone. */
  get isGone(): boolean {
    return this.#gone.signal.aborted;
  }

  /** Begins the way down; a later plan can only bring a step forward. */
  climb(plan: StopPlan): void {
    const { termMs, killMs } = stepsOf(plan);
    // After an abort it comes first: with the end of input alone a CLI finishes what it does.
    if (termMs <= 0) this.terminate();
    else this.#after(termMs, () => this.terminate());
    this.#init.endInput();
    this.#after(killMs, () => this.kill());
  }

  /** Passes a signal of the host on. */
  forward(signal: "SIGINT" | "SIGTERM"): void {
    if (signal === "SIGTERM") this.#isTerminated = true;
    this.#send(signal);
  }

  /** Sends SIGTERM, once. */
  terminate(): void {
    if (this.#isTerminated) return;
    this.#isTerminated = true;
    this.#send("SIGTERM");
  }

  /** Kills the process and all below it, once: tools run in sessions of their own and would stay behind. */
  kill(): void {
    if (this.#isKilled || this.isGone) return;
    this.#isKilled = true;
    const { handle, host } = this.#init;
    // Afterwards nothing would tell whose they were.
    const below = new Set([
      ...host.descendants(handle.pid),
      ...this.#orphans(),
    ]);
    handle.kill("SIGKILL");
    for (const pid of below) host.killPid(pid, "SIGKILL");
  }

  /** What lost its parent to a signal and stays, as a tool does that ignores it. */
  #orphans(): readonly number[] {
    const { host } = this.#init;
    return [...this.#below]
      .filter(([pid, began]) =>
        began !== undefined && began === host.beginningOf(pid)
      )
      // They may have started more since.
      .flatMap(([pid]) => [pid, ...host.descendants(pid)]);
  }

  /** The process is gone. */
  end(): void {
    this.#gone.abort();
  }

  #send(signal: StopSignal): void {
    // Its id may be somebody else's by now.
    if (this.isGone) return;
    const { handle, host } = this.#init;
    for (const pid of host.descendants(handle.pid)) {
      this.#below.set(pid, host.beginningOf(pid));
    }
    handle.kill(signal);
  }

  #after(ms: number, step: () => void): void {
    this.#init.clock.sleep(ms, this.#gone.signal).then(step, () => {});
  }
}

function stepsOf(
  { reason, graceMs, killMs }: StopPlan,
): { readonly termMs: number; readonly killMs: number } {
  return reason === "aborted"
    ? { termMs: 0, killMs: killMs - graceMs }
    : { termMs: graceMs, killMs };
}
