import { Correlator, type OpenRequest } from "../async/correlator.ts";
import type { Deadlines } from "../async/deadline.ts";
import { ignoreResult, isPromise } from "../async/deferred.ts";
import { onAbort, unlessAborted } from "../async/on_abort.ts";
import type {
  McpDirectCall,
  McpRequestOptions,
  McpServeHandler,
} from "../ports/mcp.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { timeoutFailure } from "./failure.ts";
import { internalError } from "./jsonrpc.ts";

/** A call while it is answered. Its signal is made when it is first read, and the source's signal is read only then. */
export class ServedCall implements McpDirectCall {
  /** Its timeout starts anew with each progress. */
  request: { restart(): void } | undefined;
  readonly #source: { readonly signal?: AbortSignal | undefined };
  readonly #report: ((progress: JsonObject) => void) | undefined;
  #controller: AbortController | undefined;
  #unfollow: (() => void) | undefined;
  #isOver = false;

  constructor(
    source: { readonly signal?: AbortSignal | undefined } = {},
    report?: (progress: JsonObject) => void,
  ) {
    this.#source = source;
    this.#report = report;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = this.#controller = new AbortController();
      const { signal } = this.#source;
      if (signal?.aborted) controller.abort(signal.reason);
      else if (signal !== undefined) {
        this.#unfollow = onAbort(
          signal,
          () => controller.abort(signal.reason),
        );
      }
    }
    return this.#controller.signal;
  }

  onProgress(progress: JsonObject): void {
    if (this.#isOver) return;
    this.request?.restart();
    this.#report?.(progress);
  }

  /** Leaves no listener behind, and reports no progress any more. */
  release(): void {
    this.#isOver = true;
    this.#unfollow?.();
  }

  abort(reason: unknown): void {
    this.release();
    this.#controller?.abort(reason);
  }
}

interface Asked {
  readonly method: string;
  readonly options: McpRequestOptions;
  readonly onEnd: (reason: unknown) => void;
}

export type OpenCall = OpenRequest<number, Asked, JsonValue>;

/** Most answers that a server may wait for at once. */
const MOST_QUESTIONS = 256;

/**
 * Our open requests on one connection, with their limits.
 *
 * Limits pause while a question of the server is open: one that asks a person cannot answer before the person does, and
 * does not say for which call it asks.
 */
export class OpenCalls extends Correlator<number, Asked, JsonValue> {
  readonly #server: string;
  #questions = 0;
  #nextId = 1;

  constructor(server: string, deadlines: Deadlines) {
    super(deadlines);
    this.#server = server;
  }

  wasSent(id: number): boolean {
    return Number.isInteger(id) && id > 0 && id < this.#nextId;
  }

  /** Adds a request; it rejects with its timeout, with the reason of its signal, or with that of {@link end}. */
  add(
    method: string,
    options: McpRequestOptions,
    onEnd: Asked["onEnd"],
  ): OpenCall {
    const { timeoutMs, signal } = options;
    const asked = { method, options, onEnd };
    const call = this.open(this.#nextId++, asked, {
      timeoutMs,
      signal,
      onTimeout: () => {
        const failure = timeoutFailure(this.#server, method, timeoutMs ?? 0);
        onEnd(failure);
        return failure;
      },
      onAbort: () => onEnd(signal?.reason),
    });
    if (this.#questions > 0) call.pause();
    return call;
  }

  /** Has a function answer a request, under the same limits. */
  async run(
    method: string,
    options: McpRequestOptions,
    answer: (call: McpDirectCall) => JsonValue | Promise<JsonValue>,
  ): Promise<JsonValue> {
    options.signal?.throwIfAborted();
    const served = new ServedCall(options, options.onProgress);
    const answered = answer(served);
    if (!isPromise(answered)) return answered;
    if (options.signal?.aborted) {
      ignoreResult(answered);
      throw options.signal.reason;
    }
    const call = this.add(method, options, (reason) => served.abort(reason));
    served.request = call;
    answered.then(
      (value) => this.take(call.id)?.resolve(value),
      (error) => this.take(call.id)?.reject(error),
    ).finally(() => served.release());
    return await call.promise;
  }

  fail(id: number, reason: unknown): void {
    const call = this.take(id);
    call?.facts.onEnd(reason);
    call?.reject(reason);
  }

  end(reason: unknown): void {
    for (const { id } of [...this]) this.fail(id, reason);
  }

  /**
   * The same handler; limits are paused until it has answered, or the question was taken back.
   *
   * A server that asks too much at once is refused: each question may open a dialog or start a program of the user.
   */
  pausing(handler: McpServeHandler): McpServeHandler {
    return async (method, params, context) => {
      if (this.#questions >= MOST_QUESTIONS) {
        const text = `Over ${MOST_QUESTIONS} requests are open already`;
        throw internalError(text);
      }
      if (this.#questions++ === 0) {
        for (const call of this) call.pause();
      }
      try {
        const answer = Promise.resolve(handler(method, params, context));
        return await unlessAborted(answer, context.signal);
      } finally {
        if (--this.#questions === 0) {
          for (const call of this) call.resume();
        }
      }
    };
  }
}
