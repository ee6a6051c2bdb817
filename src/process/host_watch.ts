import { systemClock } from "../async/system_clock.ts";
import type { Log } from "../observe/log.ts";
import type { Host } from "../ports/host.ts";
import type { HostSignal } from "../ports/process.ts";
import { Snapshot } from "./family.ts";
import type { Shutdown } from "./stop.ts";
import { Watchdog, type Watched } from "./watchdog.ts";

/** Delay of the host's exit for processes that handle SIGTERM, in milliseconds. */
const EXIT_GRACE_MS = 250;
const EXIT_LOOK_MS = 5;

const SIGNALS: readonly HostSignal[] = [
  "SIGINT",
  "SIGTERM",
  "SIGHUP",
  "SIGQUIT",
];

interface RunningChild extends Watched {
  /** Whether signals of the host are forwarded to it. */
  readonly takesSignals: boolean;
  readonly shutdown: Pick<Shutdown, "forward" | "terminate" | "kill">;
}

/** Stops running children when the host ends, and forwards its signals; listens only while a child runs. */
class HostWatch {
  readonly #host: Host;
  /** Marks the children of this program. */
  readonly #mark = crypto.randomUUID();
  readonly #running = new Set<RunningChild>();
  readonly #watchdog: Watchdog;
  #count = 0;
  /** Children that start and are not watched over yet. */
  #starting = 0;
  #stopWatchingExit: (() => void) | undefined;
  readonly #stopWatchingSignal = new Map<HostSignal, () => void>();

  constructor(host: Host) {
    this.#host = host;
    this.#watchdog = new Watchdog(host, this.#mark);
  }

  /** A mark for the next child, by which the watchdog finds all with the same milliseconds. */
  nextMark(watchdogMs: number | undefined): string {
    return `${this.#mark}.${watchdogMs ?? "-"}.${++this.#count}.`;
  }

  /** Keeps a signal from ending the host before a child is watched over that the signals of its terminal do not reach; until the returned function is called. */
  hold(): () => Promise<void> {
    this.#starting++;
    this.#listen();
    return async () => {
      await this.#host.signalsTold();
      this.#starting--;
      this.#listen();
    };
  }

  /** Watches over a process until the returned function is called. */
  add(child: RunningChild, log: Log): () => Promise<void> {
    this.#running.add(child);
    this.#listen();
    this.#watchdog.add(child, log);
    return async () => {
      this.#running.delete(child);
      const removed = this.#watchdog.remove(child);
      // A signal that comes as the last child goes must end the host all the same.
      if (this.#takers().length === 0) await this.#host.signalsTold();
      this.#listen();
      await removed;
    };
  }

  /** Adds or removes listeners as running children need them. */
  #listen(): void {
    if (this.#running.size === 0) {
      this.#stopWatchingExit?.();
      this.#stopWatchingExit = undefined;
    } else {
      this.#stopWatchingExit ??= this.#host.onExit(() => this.#onExit());
    }
    const takers = this.#takers();
    for (const signal of SIGNALS) {
      // A program that ignores SIGHUP under nohup has to go on doing so.
      const isHeld = this.#starting > 0 && signal !== "SIGHUP";
      if (takers.length === 0 && !isHeld) this.#ignore(signal);
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
    // The watchdog waits longer than a dying program should.
    const left = [...this.#running]
      .filter((child) => !this.#watchdog.covers(child));
    for (const child of left) {
      if (!child.takesSignals) child.shutdown.terminate(seen);
    }
    this.#end(left, seen);
    // Without a listener the host would have died of it.
    this.#ignore(signal);
    this.#host.raise(signal);
  }

  #takers(): readonly RunningChild[] {
    return [...this.#running].filter((child) => child.takesSignals);
  }

  /** Runs in the last moment of the host, when promises and timers no longer run. */
  #onExit(): void {
    const seen = new Snapshot(this.#host);
    for (const child of this.#running) child.shutdown.terminate(seen);
    this.#end([...this.#running], seen);
  }

  /** Waits briefly for terminated processes, then kills the remaining ones. */
  #end(children: readonly RunningChild[], seen: Snapshot): void {
    if (children.length === 0) return;
    const pids = children.map(({ pid }) => pid);
    const isRunning = () =>
      // One look at all of them, where the system lists many at once.
      seen.entries.length > 0
        ? this.#host.processes(pids).length > 0
        : pids.some((pid) => this.#host.isRunning(pid));
    const end = systemClock.monotonic() + EXIT_GRACE_MS;
    while (isRunning() && systemClock.monotonic() < end) blockFor(EXIT_LOOK_MS);
    const left = new Snapshot(this.#host);
    for (const child of children) child.shutdown.kill(left);
  }
}

const watches = new WeakMap<Host, HostWatch>();

export function hostWatch(host: Host): HostWatch {
  const watch = watches.get(host) ?? new HostWatch(host);
  watches.set(host, watch);
  return watch;
}

function blockFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
