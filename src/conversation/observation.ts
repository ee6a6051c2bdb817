import type { Redact } from "../observe/metrics.ts";
import { type SafeObserver, safeObserver } from "../observe/observer.ts";
import { activeTrace } from "../observe/trace_context.ts";
import type { Settings } from "../options/settings.ts";
import type { TraceContext } from "../types/observer.ts";
import type { Life } from "./life.ts";

/** The observer of a conversation, from its first prompt to its end. */
export class Observation {
  /** Absent before the first prompt, after the end, and without metrics of conversations. */
  observer: SafeObserver | undefined;
  readonly #settings: Settings;
  readonly #life: Life;
  readonly #shown: Redact;

  constructor(settings: Settings, life: Life, shown: Redact) {
    this.#settings = settings;
    this.#life = life;
    this.#shown = shown;
  }

  /** Begins; called in the stack of the caller, whose span is the active one. */
  begin(isWarm: boolean): void {
    const { metrics, model } = this.#settings.options;
    const start = { isWarm, ...model !== undefined && { model } };
    const observer = safeObserver(metrics?.conversation, start, this.#shown);
    if (observer === undefined) return;
    this.observer = observer;
    const { errors } = this.#life;
    errors.watch((error) => this.observer?.error(error));
    this.#life.onEnding((end) => {
      this.observer = undefined;
      observer.end(end);
    });
  }

  /** The span that the CLI continues: the observer's, or else the active one. */
  trace(): TraceContext | undefined {
    return this.observer?.trace() ?? activeTrace();
  }
}
