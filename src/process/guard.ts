import { systemClock } from "../async/system_clock.ts";
import { textOfError } from "../errors/text.ts";
import type { Log } from "../observe/log.ts";
import type { Host } from "../ports/host.ts";
import type { Helper, HostSignal } from "../ports/process.ts";
import type { Shutdown } from "./stop.ts";
import { Snapshot } from "./family.ts";
import { GUARD_SCRIPT } from "./guard_script.ts";

const SHELL = "/bin/sh";
/** Only the system's own directories: variables of the user may be secret. */
const ENVIRONMENT = { PATH: "/usr/bin:/bin" };

/** Delay of the host's exit for processes that handle SIGTERM, in milliseconds. */
const EXIT_GRACE_MS = 250;
const EXIT_LOOK_MS = 5;

const SIGNALS: readonly HostSignal[] = [
  "SIGINT",
  "SIGTERM",
  "SIGHUP",
  "SIGQUIT",
];

interface Guarded {
  readonly pid: number;
  /** Whether signals of the host are passed on to it. */
  readonly takesSignals: boolean;
  /** Milliseconds from SIGTERM to SIGKILL after the host was killed; unset = no guard process. */
  readonly guardMs: number | undefined;
  readonly shutdown: Pick<Shutdown, "forward" | "terminate" | "kill">;
}

/** Stops running children when the host ends, and forwards its signals; listens only while a child runs. */
class Guard {
  readonly #host: Host;
  /** Marks the children of this program. */
  readonly #mark = crypto.randomUUID();
  readonly #living = new Set<Guarded>();
  readonly #guarded = new Set<Guarded>();
  #count = 0;
  #stopWatchingExit: (() => void) | undefined;
  readonly #stopWatchingSignal = new Map<HostSignal, () => void>();
  /** A shell that ends remaining children after this program was killed; it runs while a child does. */
  #process: Helper | undefined;
  #hasWarned = false;

  constructor(host: Host) {
    this.#host = host;
  }

  /** A mark for the next child; the guard process finds by it what has the same milliseconds. */
  nextMark(guardMs: number | undefined): string {
    return `${this.#mark}.${guardMs ?? "-"}.${++this.#count}.`;
  }

  /** Watches over a process until the returned function is called. */
  add(child: Guarded, log: Log): () => Promise<void> {
    this.#living.add(child);
    this.#listen();
    // On Windows the system itself does it: what runs is part of a job.
    if (child.guardMs !== undefined && this.#host.platform !== "win32") {
      this.#guarded.add(child);
      this.#tellProcess(child, log);
    }
    return async () => {
      this.#living.delete(child);
      const removed = this.#guarded.delete(child) && this.#letGo(child);
      // A signal that comes as the last child goes must end the host all the same.
      if (this.#takers().length === 0) await this.#host.signalsTold();
      this.#listen();
      await removed;
    };
  }

  /** The shell starts beside the first child, while that starts up itself. */
  #tellProcess({ pid, guardMs }: Guarded, log: Log): void {
    if (this.#process !== undefined) {
      return this.#process.write(`+ ${pid} ${guardMs}\n`);
    }
    const all = [...this.#guarded].map(({ pid, guardMs }) => [pid, guardMs]);
    try {
      const helper = this.#process = this.#host.startHelper({
        command: SHELL,
        // Not by its input: this program may be killed before that is written.
        args: [
          "-c",
          GUARD_SCRIPT,
          "sluice-guard",
          this.#mark,
          ...all.flat().map(String),
        ],
        // Keeps no folder busy that the user may want to remove.
        cwd: "/",
        env: ENVIRONMENT,
      });
      helper.exited.then(() => {
        // It was killed; the next process starts another one.
        if (this.#process === helper) this.#process = undefined;
      });
    } catch (error) {
      if (this.#hasWarned) return;
      this.#hasWarned = true;
      log.warn(
        "Guard process could not be started: if this program is killed, tools of the CLI may live on; allow it, or set shutdown.guardProcess to false",
        { command: SHELL, reason: textOfError(error) },
      );
    }
  }

  /** Lets a child go; resolves at once, or with the end of the shell when nothing else is left. */
  async #letGo({ pid }: Guarded): Promise<void> {
    const helper = this.#process;
    if (this.#guarded.size > 0) return helper?.write(`- ${pid}\n`);
    this.#process = undefined;
    helper?.kill();
    await helper?.exited;
  }

  /** Adds or removes listeners as running children need them. */
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
      guardMs === undefined || this.#process === undefined
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

  /** Waits briefly for terminated processes, then kills the remaining ones. */
  #end(children: readonly Guarded[], seen: Snapshot): void {
    if (children.length === 0) return;
    const pids = children.map(({ pid }) => pid);
    const isRunning = () =>
      // One look at all of them, where the system tells of many at once.
      seen.entries.length > 0
        ? this.#host.processes(pids).length > 0
        : pids.some((pid) => this.#host.isRunning(pid));
    const end = systemClock.monotonic() + EXIT_GRACE_MS;
    while (isRunning() && systemClock.monotonic() < end) blockFor(EXIT_LOOK_MS);
    const left = new Snapshot(this.#host);
    for (const child of children) child.shutdown.kill(left);
  }
}

const guards = new WeakMap<Host, Guard>();

export function guardOf(host: Host): Guard {
  const guard = guards.get(host) ?? new Guard(host);
  guards.set(host, guard);
  return guard;
}

function blockFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
