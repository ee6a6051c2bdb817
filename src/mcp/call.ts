import { isPromise } from "../async/deferred.ts";
import type { Deadline, Deadlines } from "../async/deadline.ts";
import { onAbort, unlessAborted } from "../async/on_abort.ts";
import type {
  McpDirectCall,
  McpRequestOptions,
  McpServeHandler,
} from "../ports/mcp.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { timeoutFailure } from "./failure.ts";
import { internalError } from "./jsonrpc.ts";

/** Whose calls they are: the server by its name in the configuration, and where their limits run. */
interface Callee {
  readonly server: string;
  readonly deadlines: Deadlines;
}

/**
 * One request, and what may end it before its answer: the caller's signal, its limit, whoever calls `end()`.
 *
 * Signal and limit are made when they are needed, and the caller's signal is read only then.
 */
export class Call implements McpDirectCall {
  /** Called with the reason when the call ends before its answer. */
  onEnd: ((reason: unknown) => void) | undefined;
  readonly #method: string;
  readonly #options: McpRequestOptions;
  readonly #callee: Callee;
  #controller: AbortController | undefined;
  #limit: Deadline | undefined;
  /** What is left of the limit while it rests. */
  #restMs: number | undefined;
  #reject: ((reason: unknown) => void) | undefined;
  #unfollow: (() => void) | undefined;
  #isOver = false;

  constructor(method: string, options: McpRequestOptions, callee: Callee) {
    this.#method = method;
    this.#options = options;
    this.#callee = callee;
  }

  /** Aborted when the call ends before its answer. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      this.follow();
    }
    return this.#controller.signal;
  }

  /** Passes progress on, and starts the limit anew; after the end nothing is heard any more. */
  onProgress(progress: JsonObject): void {
    if (this.#isOver) return;
    if (this.#restMs !== undefined) this.#restMs = this.#options.timeoutMs;
    else if (this.#limit !== undefined) {
      this.#limit.cancel();
      this.#startLimit();
    }
    this.#options.onProgress?.(progress);
  }

  /** Waits for an answer that is not there yet; exactly one of the functions is called, once. */
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
    const { signal } = this.#options;
    if (signal === undefined || this.#unfollow !== undefined) return;
    if (signal.aborted) return this.end(signal.reason);
    this.#unfollow = onAbort(signal, () => this.end(signal.reason));
  }

  /** Ends the call: its signal is aborted, and whoever waits gets the reason at once. */
  end(reason: unknown): void {
    if (this.#isOver) return;
    this.#settle();
    this.#controller?.abort(reason);
    this.onEnd?.(reason);
    this.#reject?.(reason);
  }

  /** Lets the limit rest: the callee waits for an answer of ours. */
  rest(): void {
    if (this.#limit === undefined || this.#restMs !== undefined) return;
    this.#restMs = this.#callee.deadlines.leftOf(this.#limit);
    this.#limit.cancel();
  }

  /** The callee has its answer. */
  goOn(): void {
    const ms = this.#restMs;
    if (ms === undefined) return;
    this.#restMs = undefined;
    this.#startLimit(ms);
  }

  #startLimit(leftMs = this.#options.timeoutMs): void {
    if (leftMs === undefined || this.#isOver) return;
    const { server, deadlines } = this.#callee;
    this.#limit = deadlines.add(leftMs, () => {
      const { timeoutMs: ms = leftMs } = this.#options;
      this.end(timeoutFailure(server, this.#method, ms));
    });
  }

  #settle(): void {
    this.#isOver = true;
    this.#limit?.cancel();
    this.#unfollow?.();
  }
}

/** A server may wait for so many answers at once. */
const MOST_QUESTIONS = 256;

/**
 * The open calls of one connection. Their limits rest while a question of its server is open: one that asks a person
 * cannot answer before the person does, and does not tell which call it asks for.
 */
export class OpenCalls {
  readonly #callee: Callee;
  readonly #answers = new Map<Call, Promise<JsonValue>>();
  #questions = 0;

  constructor(callee: Callee) {
    this.#callee = callee;
  }

  /** Makes a call, has it asked, and waits for the answer; rejects at once when the call ends first. */
  async run(
    method: string,
    options: McpRequestOptions,
    ask: (call: Call) => JsonValue | Promise<JsonValue>,
  ): Promise<JsonValue> {
    options.signal?.throwIfAborted();
    const call = new Call(method, options, this.#callee);
    const asked = ask(call);
    if (!isPromise(asked)) return asked;
    const answer = new Promise<JsonValue>((resolve, reject) =>
      call.watch(asked, resolve, reject)
    );
    this.#answers.set(call, answer);
    if (this.#questions > 0) call.rest();
    call.follow();
    try {
      return await answer;
    } finally {
      this.#answers.delete(call);
    }
  }

  /**
   * The same handler; limits rest until it has answered, or the question was taken back.
   *
   * A server that asks too much at once is refused: each question may start a program or a dialog of the user's.
   */
  resting(handler: McpServeHandler): McpServeHandler {
    return async (method, params, context) => {
      if (this.#questions >= MOST_QUESTIONS) {
        const text = `Over ${MOST_QUESTIONS} requests are open already`;
        throw internalError(text);
      }
      if (this.#questions++ === 0) {
        for (const call of this.#answers.keys()) call.rest();
      }
      try {
        const answer = Promise.resolve(handler(method, params, context));
        return await unlessAborted(answer, context.signal);
      } finally {
        if (--this.#questions === 0) {
          for (const call of this.#answers.keys()) call.goOn();
        }
      }
    };
  }

  /** Resolves when every call that is open now has ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#answers.values());
  }

  end(reason: unknown): void {
    for (const call of this.#answers.keys()) call.end(reason);
  }
}
