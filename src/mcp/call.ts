import type { Deadline, Deadlines } from "../async/deadline.ts";
import { onAbort, unlessAborted } from "../async/on_abort.ts";
import type { McpDirectCall, McpServeHandler } from "../ports/mcp.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";

/** What a {@link DirectCall} is made from. */
export interface DirectCallInit {
  /** Who has the caller's signal; it is read only when the callee asks for its own. */
  readonly source: { readonly signal?: AbortSignal | undefined };
  /** Hears of progress. */
  readonly onProgress?: ((progress: JsonObject) => void) | undefined;
  /** The limit in milliseconds; starts anew with each progress. */
  readonly limitMs?: number | undefined;
  /** Where limits run. */
  readonly deadlines: Deadlines;
  /** Makes the error for a passed limit. */
  readonly onLimit: () => unknown;
}

/** One call without a wire: its signal, its limit and its progress, each made when it is needed. */
export class DirectCall implements McpDirectCall {
  readonly #init: DirectCallInit;
  #controller: AbortController | undefined;
  #limit: Deadline | undefined;
  /** What is left of the limit while it rests. */
  #restMs: number | undefined;
  #reject: ((reason: unknown) => void) | undefined;
  #unfollow: (() => void) | undefined;
  #isOver = false;

  constructor(init: DirectCallInit) {
    this.#init = init;
  }

  /** Aborted when the call ends before its answer. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      this.follow();
    }
    return this.#controller.signal;
  }

  /** Passes progress on; after the end nothing is heard any more. */
  onProgress(progress: JsonObject): void {
    if (this.#isOver) return;
    if (this.#restMs !== undefined) this.#restMs = this.#init.limitMs;
    else if (this.#limit !== undefined) {
      this.#limit.cancel();
      this.#startLimit();
    }
    this.#init.onProgress?.(progress);
  }

  /** Waits for an answer that is not there yet; rejects at once when the call ends first. */
  wait(answer: Promise<JsonValue>): Promise<JsonValue> {
    return new Promise((resolve, reject) =>
      this.watch(answer, resolve, reject)
    );
  }

  /** The same with functions, for those to whom a promise more matters; exactly one is called, once. */
  watch(
    answer: Promise<JsonValue>,
    resolve: (value: JsonValue) => void,
    reject: (error: unknown) => void,
  ): void {
    this.#reject = reject;
    this.#startLimit();
    answer.then(
      (value) => {
        if (this.#isOver) return;
        this.#settle();
        resolve(value);
      },
      (error) => {
        if (this.#isOver) return;
        this.#settle();
        reject(error);
      },
    );
  }

  /** Ends the call with the caller's signal from now on, not only when the callee asks for its own. */
  follow(): void {
    const { signal } = this.#init.source;
    if (signal === undefined || this.#unfollow !== undefined) return;
    if (signal.aborted) return this.end(signal.reason);
    this.#unfollow = onAbort(signal, () => this.end(signal.reason));
  }

  /** Ends the call: its signal is aborted, and whoever waits gets the reason. */
  end(reason: unknown): void {
    if (this.#isOver) return;
    this.#settle();
    this.#controller?.abort(reason);
    this.#reject?.(reason);
  }

  /** Lets the limit rest: the callee waits for an answer of ours. */
  rest(): void {
    if (this.#limit === undefined || this.#restMs !== undefined) return;
    this.#restMs = this.#init.deadlines.leftOf(this.#limit);
    this.#limit.cancel();
  }

  /** The callee has its answer. */
  goOn(): void {
    const ms = this.#restMs;
    if (ms === undefined) return;
    this.#restMs = undefined;
    this.#startLimit(ms);
  }

  #startLimit(leftMs = this.#init.limitMs): void {
    const { deadlines, onLimit } = this.#init;
    if (leftMs === undefined || this.#isOver) return;
    this.#limit = deadlines.add(leftMs, () => this.end(onLimit()));
  }

  #settle(): void {
    this.#isOver = true;
    this.#limit?.cancel();
    this.#unfollow?.();
  }
}

/** A call whose limit can rest. */
export interface Resting {
  /** Lets it rest. */
  rest(): void;
  /** Ends the rest. */
  goOn(): void;
}

/**
 * Answers the questions of one connection, while the limits of its calls rest.
 *
 * A server that asks a person cannot answer before the person does, and does not tell which call it asks for.
 */
export class Questions {
  readonly #calls: () => Iterable<Resting>;
  #open = 0;

  /** Takes where the calls are. */
  constructor(calls: () => Iterable<Resting>) {
    this.#calls = calls;
  }

  /** A call that begins while a question is open rests at once. */
  admit(call: Resting): void {
    if (this.#open > 0) call.rest();
  }

  /** The same handler, whose answers are waited for so; one that was taken back is not. */
  resting(handler: McpServeHandler): McpServeHandler {
    return async (method, params, context) => {
      if (this.#open++ === 0) { for (const call of this.#calls()) call.rest(); }
      try {
        const answer = Promise.resolve(handler(method, params, context));
        return await unlessAborted(answer, context.signal);
      } finally {
        if (--this.#open === 0) {
          for (const call of this.#calls()) call.goOn();
        }
      }
    };
  }
}
