import type { Log } from "../observe/log.ts";
import type { Host } from "../ports/host.ts";
import type { HostSignal } from "../ports/process.ts";
import { Snapshot } from "./family.ts";
import { GuardProcess } from "./guard_process.ts";
import type { Shutdown } from "./stop.ts";

/** How long the end of the host is held up for processes that take SIGTERM, in milliseconds. */
const EXIT_GRACE_MS = 250;
const EXIT_LOOK_MS = 5;

const SIGNALS: readonly HostSignal[] = [
  "SIGINT",
  "SIGTERM",
  "SIGHUP",
  "SIGQUIT",
];

/** A process that must not outlive the host. */
interface Guarded {
  /** Process id. */
  readonly pid: number;
  /** Whether signals of the host are passed on to it. */
  readonly takesSignals: boolean;
  /** Milliseconds from SIGTERM to SIGKILL when the host is gone without a word; unset = the guard process leaves it alone. */
  readonly guardMs: number | undefined;
  readonly shutdown: Pick<Shutdown, "forward" | "terminate" | "kill">;
}

/** Stops what still lives when the host goes, and passes its signals on; listens only while something lives. */
class Guard {
  readonly #host: Host;
  readonly #process: GuardProcess;
  readonly #living = new Set<Guarded>();
  #count = 0;
  #stopWatchingExit: (() => void) | undefined;
  readonly #stopWatchingSignal = new Map<HostSignal, () => void>();

  constructor(host: Host) {
    this.#host = host;
    this.#process = new GuardProcess(host);
  }

  /** A mark for the next child; the guard process finds by it what has the same milliseconds. */
  nextMark(guardMs: number | undefined): string {
    return `${this.#process.mark}.${guardMs ?? "-"}.${++this.#count}.`;
  }

  /** Watches over a process until the returned function is called. */
  add(child: Guarded, log: Log): () => Promise<void> {
    this.#living.add(child);
    this.#listen();
    if (child.guardMs !== undefined) {
      this.#process.add(child.pid, child.guardMs, log);
    }
    return async () => {
      this.#living.delete(child);
      const removed = this.#process.remove(child.pid);
      // A signal that comes as the last child goes must end the host all the same.
      if (this.#takers().length === 0) await this.#host.signalsTold();
      this.#listen();
      await removed;
    };
  }

  /** Takes or gives back listeners, as the living ask for it. */
  #listen(): void {
    if (this.#living.size === 0) {
      this.#stopWatchingExit?.();
      this.#stopWatchingExit = undefined;
    } else {
      this.#stopWatchingExit ??= this.#host.onExit(() => this.#onExit());
    }
    const takers = this.#takers();
    for (const signal of SIGNALS) {
      if (takers.length === 0) this.#ignore(signal);
      else if (!this.#stopWatchingSignal.has(signal)) {
        const stop = this.#host.onSignal(signal, () => this.#onSignal(signal));
        this.#stopWatchingSignal.set(signal, stop);
      }
    }
  }

  #ignore(signal: HostSignal): void {
    this.#stopWatchingSignal.get(signal)?.();
    this.#stopWatchingSignal.delete(signal);
  }

  #onSignal(signal: HostSignal): void {
    const seen = new Snapshot(this.#host);
    for (const child of this.#takers()) child.shutdown.forward(signal, seen);
    if (this.#host.otherSignalListeners(signal) > 0) return;
    // With time for what a CLI has to do: the guard process waits longer than a dying program should.
    const left = [...this.#living].filter(({ guardMs }) =>
      guardMs === undefined || !this.#process.isWatching
    );
    for (const child of left) {
      if (!child.takesSignals) child.shutdown.terminate(seen);
    }
    this.#end(left, seen);
    // Without us the host would have died of it, so it shall.
    this.#ignore(signal);
    this.#host.raise(signal);
  }

  #takers(): readonly Guarded[] {
    return [...this.#living].filter((child) => child.takesSignals);
  }

  /** Runs in the last moment of the host, where no promise and no timer is waited for. */
  #onExit(): void {
    const seen = new Snapshot(this.#host);
    for (const child of this.#living) child.shutdown.terminate(seen);
    this.#end([...this.#living], seen);
  }

  /** Waits a little for processes that were told to end, and kills what is left of them. */
  #end(children: readonly Guarded[], seen: Snapshot): void {
    if (children.length === 0) return;
    const pids = children.map(({ pid }) => pid);
    const isRunning = () =>
      // One look at all of them, where the system tells of many at once.
      seen.entries.length > 0
        ? this.#host.processes(pids).length > 0
        : pids.some((pid) => this.#host.isRunning(pid));
    const end = Date.now() + EXIT_GRACE_MS;
    while (isRunning() && Date.now() < end) blockFor(EXIT_LOOK_MS);
    const left = new Snapshot(this.#host);
    for (const child of children) child.shutdown.kill(left);
  }
}

const guards = new WeakMap<Host, Guard>();

export function guardOf(host: Host): Guard {
  const known = guards.get(host);
  if (known !== undefined) return known;
  const guard = new Guard(host);
  guards.set(host, guard);
  return guard;
}

function blockFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
