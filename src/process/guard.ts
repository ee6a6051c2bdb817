import type { Host } from "../ports/host.ts";

/** How long the end of the host is held up for processes that take SIGTERM, in milliseconds. */
const EXIT_GRACE_MS = 250;
const EXIT_LOOK_MS = 5;

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** A process that must not outlive the host. */
export interface Guarded {
  /** Process id. */
  readonly pid: number;
  /** Whether signals of the host are passed on to it. */
  readonly takesSignals: boolean;
  /** Passes a signal of the host on. */
  forward(signal: "SIGINT" | "SIGTERM"): void;
  /** Sends SIGTERM. */
  terminate(): void;
  /** Kills it and all below it. */
  kill(): void;
}

/** Stops what still lives when the host goes, and passes its signals on; listens only while something lives. */
export class Guard {
  readonly #host: Host;
  readonly #living = new Set<Guarded>();
  #stopWatchingExit: (() => void) | undefined;
  readonly #stopWatchingSignal = new Map<string, () => void>();

  constructor(host: Host) {
    this.#host = host;
  }

  /** Watches over a process until the returned function is called. */
  add(child: Guarded): () => void {
    this.#living.add(child);
    this.#listen();
    return () => {
      this.#living.delete(child);
      this.#listen();
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

  #ignore(signal: "SIGINT" | "SIGTERM"): void {
    this.#stopWatchingSignal.get(signal)?.();
    this.#stopWatchingSignal.delete(signal);
  }

  #onSignal(signal: "SIGINT" | "SIGTERM"): void {
    for (const child of this.#takers()) child.forward(signal);
    if (this.#host.otherSignalListeners(signal) > 0) return;
    // Without us the host would have died of it, so it shall.
    this.#ignore(signal);
    this.#host.raise(signal);
  }

  #takers(): readonly Guarded[] {
    return [...this.#living].filter((child) => child.takesSignals);
  }

  /** Runs in the last moment of the host, where no promise and no timer is waited for. */
  #onExit(): void {
    for (const child of this.#living) child.terminate();
    const end = Date.now() + EXIT_GRACE_MS;
    while (this.#stillRunning().length > 0 && Date.now() < end) {
      blockFor(EXIT_LOOK_MS);
    }
    for (const child of this.#stillRunning()) child.kill();
  }

  #stillRunning(): readonly Guarded[] {
    return [...this.#living].filter(({ pid }) => this.#host.isRunning(pid));
  }
}

const guards = new WeakMap<Host, Guard>();

/** The one guard of a host. */
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
