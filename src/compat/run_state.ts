import { asList } from "../errors/text.ts";
import type { Deadline, Deadlines } from "../async/deadline.ts";
import { Deferred } from "../async/deferred.ts";
import type { JsonObject } from "../types/json.ts";
import { ENDED } from "./errors.ts";

/** Time for background work after the last result before input is ended, in milliseconds. */
const RUN_LIMIT_MS = 600_000;

/** Kinds of messages that have nothing to do with the run. Source: official SDK 0.3.330. */
const BESIDE: ReadonlySet<string> = new Set([
  "active_goal",
  "autocompact_state",
  "plugin_install",
  "post_turn_summary",
  "session_metadata",
  "session_writes_lost",
  "task_summary",
]);

/** State of the run, and its last error. */
export class RunState {
  /** Whether there is a single prompt, whose run ends the input. */
  isSingle = false;
  /** Whether the CLI may still ask this program when a result is there. */
  readonly isAsked: () => boolean;
  readonly #onOver: () => void;
  readonly #deadlines: Deadlines;
  readonly #limitMs: number;
  #isClosed = false;
  #hasResult = false;
  #prompts = 0;
  #state: unknown;
  #limit: Deadline | undefined;
  #over = new Deferred<void>();
  /** Text of the last message, if that was an error. */
  #error: string | undefined;
  /** The same, if turns without the model followed it. */
  #errorBefore: string | undefined;
  #isModelLess = false;

  constructor(
    { isAsked, onOver, deadlines, runLimitMs = RUN_LIMIT_MS }: {
      readonly isAsked: () => boolean;
      readonly onOver: () => void;
      readonly deadlines: Deadlines;
      readonly runLimitMs?: number | undefined;
    },
  ) {
    this.isAsked = isAsked;
    this.#onOver = onOver;
    this.#deadlines = deadlines;
    this.#limitMs = runLimitMs;
  }

  /** Whether the newest prompt has a result. */
  get hasResult(): boolean {
    return this.#hasResult;
  }

  /** Whether there was at most one prompt, and a result; with more, that may be of background work. */
  get isAnswered(): boolean {
    return this.#hasResult && this.#prompts <= 1;
  }

  /** Resolves when the run is over. */
  ended(): Promise<void> {
    return this.#over.promise;
  }

  /** A prompt begins a run. */
  prompted(): void {
    this.#begin();
    this.#hasResult = false;
    this.#prompts++;
    this.#limit?.cancel();
  }

  end(): void {
    this.#isClosed = true;
    this.#limit?.cancel();
    this.#over.resolve();
  }

  /** Looks at a message; returns true to hide it from the consumer. */
  see(message: JsonObject): boolean {
    const { type, subtype } = message;
    if (type === "result") this.#seeResult(message);
    else if (type === "system" && subtype === "session_state_changed") {
      this.#seeState(message.state);
      return message.sdk_host_only === true;
    } else if (!BESIDE.has(String(type === "system" ? subtype : type))) {
      this.#seeOther(message);
    }
    return false;
  }

  /** Uses the text of an error result for the failure that it announced. */
  explain(failure: Error): Error {
    const text = this.#error ??
      (this.#isModelLess ? this.#errorBefore : undefined);
    return text === undefined
      ? failure
      : new Error(`${ENDED.errorResult} ${text}`, { cause: failure });
  }

  #seeResult(message: JsonObject): void {
    const { is_error: isError, subtype, result, errors, num_turns } = message;
    const text = !isError
      ? undefined
      : subtype === "success"
      ? String(result ?? "")
      : asList(errors).map((one) => String(one).trim())
        .filter((one) => one !== "").join("; ");
    this.#error = text || undefined;
    this.#isModelLess = subtype === "success" && !isError && num_turns === 0 &&
      result === "";
    if (!this.#isModelLess) this.#errorBefore = this.#error;
    this.#hasResult = true;
    const mayEnd = this.#state === undefined || this.#state === "idle" ||
      !this.isAsked();
    if (mayEnd) this.#finish();
    else this.#startLimit();
  }

  #seeState(state: unknown): void {
    this.#state = state;
    if (state === "idle") {
      if (this.#hasResult) this.#finish();
      return;
    }
    if (this.isSingle && this.#isOver) return;
    this.#begin();
    if (state === "requires_action") this.#limit?.cancel();
    else if (this.#hasResult) this.#startLimit();
  }

  #seeOther(message: JsonObject): void {
    const { type, subtype, parent_tool_use_id: parent } = message;
    this.#error = undefined;
    if (type === "system" && subtype === "init") this.#isModelLess = false;
    else if (type !== "system" || subtype === "compact_boundary") {
      this.#errorBefore = undefined;
      this.#isModelLess = false;
    }
    const isMain = (type === "assistant" || type === "stream_event") &&
      parent === null;
    if (isMain && !(this.isSingle && this.#isOver)) {
      this.#begin();
      this.#limit?.cancel();
    }
  }

  get #isOver(): boolean {
    return this.#over.isSettled;
  }

  #begin(): void {
    if (this.#isOver && !this.#isClosed) this.#over = new Deferred();
  }

  #finish(): void {
    this.#limit?.cancel();
    if (this.#isOver) return;
    this.#over.resolve();
    this.#onOver();
  }

  #startLimit(): void {
    this.#limit?.cancel();
    if (this.#isOver || this.#isClosed || this.#limitMs <= 0) return;
    this.#limit = this.#deadlines.add(this.#limitMs, () => this.#finish());
  }
}
