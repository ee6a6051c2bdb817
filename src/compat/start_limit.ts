import { Deferred } from "../async/deferred.ts";
import { systemClock } from "../async/system_clock.ts";
import { after } from "../async/timer.ts";
import type { Timer } from "../ports/clock.ts";
import type { JsonObject } from "../types/json.ts";

/** Default timeout of a start, in milliseconds. Source: official SDK 0.3.330. */
export const START_MS = 60_000;
/** Most time of hooks that is not counted, in milliseconds. */
const HOOKS_MS = 600_000;

/** Hooks that run before the CLI answers `initialize`. */
const STARTUP_HOOKS: ReadonlySet<unknown> = new Set(["SessionStart", "Setup"]);

const CAUSES =
  "Slow plugins, MCP servers, other hooks, disks or network can each cause this.";

/** Timeout of a start. Unless the user sets it, it pauses while the CLI reports a startup hook running. */
export class StartLimit {
  readonly #limitMs: number;
  readonly #clock: Timer;
  readonly #passed = new Deferred<never>().quiet();
  /** Names of the hooks that run, by id. */
  readonly #running = new Map<unknown, string>();
  #hooks = 0;
  #leftMs: number;
  #hooksLeftMs: number;
  #hooksMs = 0;
  /** The phase that the CLI reported last. */
  #phase: { readonly name: string; readonly since: number } | undefined;
  #isPaused = false;
  #armedAt = 0;
  #isOver = false;
  #cancel = (): void => {};

  constructor(limitMs: number | undefined, clock: Timer = systemClock) {
    this.#limitMs = this.#leftMs = limitMs ?? START_MS;
    this.#hooksLeftMs = limitMs === undefined ? HOOKS_MS : 0;
    this.#clock = clock;
  }

  /** Waits for a start; rejects when its time is used up. */
  async within<T>(start: Promise<T>): Promise<T> {
    this.#arm();
    try {
      return await Promise.race([start, this.#passed.promise]);
    } finally {
      this.#isOver = true;
      this.#cancel();
    }
  }

  /** Looks at a message of the CLI, or at a sign of life. */
  see(message: JsonObject): void {
    const { type, subtype, hook_id: id, hook_event, hook_name } = message;
    const { startup_mark: name } = message;
    if (type === "keep_alive" && typeof name === "string") {
      this.#phase = { name, since: this.#clock.monotonic() };
    }
    if (this.#isOver || type !== "system") return;
    if (subtype === "hook_started" && STARTUP_HOOKS.has(hook_event)) {
      this.#hooks++;
      this.#running.set(id, String(hook_name ?? hook_event));
    } else if (subtype !== "hook_response" || !this.#running.delete(id)) return;
    this.#count(this.#clock.monotonic() - this.#armedAt);
    this.#isPaused = this.#running.size > 0 && this.#hooksLeftMs > 0;
    this.#arm();
  }

  #arm(): void {
    this.#cancel();
    this.#armedAt = this.#clock.monotonic();
    const ms = this.#isPaused ? this.#hooksLeftMs : this.#leftMs;
    this.#cancel = after(this.#clock, ms, () => {
      this.#count(ms);
      if (!this.#isPaused) return this.#passed.reject(this.#error());
      this.#isPaused = false;
      this.#arm();
    });
  }

  /** Takes time off what is left. */
  #count(ms: number): void {
    if (this.#isPaused) {
      this.#hooksLeftMs -= ms;
      this.#hooksMs += ms;
    } else this.#leftMs -= ms;
  }

  #error(): Error {
    const phase = this.#phase;
    const phaseMs = phase &&
      Math.round(this.#clock.monotonic() - phase.since);
    const running = [...this.#running.values()];
    const seconds = Math.round(this.#hooksMs / 1_000);
    const parts = [
      `Subprocess initialization did not complete within ${this.#limitMs}ms.`,
      phase &&
      `The last phase of the start, for ${phaseMs} ms: ${phase.name}.`,
      seconds > 0 && `Not counted: ${seconds} s of startup hooks.`,
      running.length > 0
        ? `Hooks that have not finished: ${running.join(", ")}.`
        : this.#hooks > 0
        ? `All startup hooks have finished. ${CAUSES}`
        : `No SessionStart or Setup hook was reported running. ${CAUSES}`,
    ];
    // Fields of the official SDK.
    return Object.assign(new Error(parts.filter(Boolean).join(" ")), {
      errorClass: "initialize_timeout",
      startupHooksOpen: running.length,
      startupMark: phase?.name ?? "none",
      ...phase && { startupMarkAgeMs: phaseMs },
    });
  }
}
