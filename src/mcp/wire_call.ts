import type { Deadline, Deadlines } from "../async/deadline.ts";
import { onAbort } from "../async/on_abort.ts";
import { textOfError } from "../errors/text.ts";
import type { McpRequestOptions } from "../ports/mcp.ts";
import type { JsonObject } from "../types/json.ts";
import { timeoutFailure } from "./failure.ts";

/** What a {@link WireCall} is made from. */
export interface WireCallInit {
  /** Name of the server in the configuration. */
  readonly server: string;
  /** What is asked for. */
  readonly method: string;
  /** Signal, limit and progress. */
  readonly options: McpRequestOptions;
  /** Where limits run. */
  readonly deadlines: Deadlines;
}

/** One request on its way to a server, and what may end it before its answer. */
export class WireCall {
  /** The id it travels under. */
  id: number | undefined;
  /** What is handed to the client. */
  readonly signal: CallSignal = new CallSignal();
  /** Why it ended before its answer: the client's own error would not tell a limit from an abort. */
  end: { readonly error: unknown } | undefined;
  readonly #init: WireCallInit;
  readonly #unfollow: (() => void) | undefined;
  #limit: Deadline | undefined;
  /** What is left of the limit while it rests. */
  #restMs: number | undefined;
  #isOver = false;

  constructor(init: WireCallInit) {
    this.#init = init;
    const { signal } = init.options;
    if (signal !== undefined) {
      this.#unfollow = onAbort(signal, () => this.stop(signal.reason));
    }
    this.#startLimit();
  }

  /** Ends it before its answer; the server is told. */
  stop(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.end = { error };
    this.signal.abort(textOfError(error));
  }

  /** Hands progress on, and starts the limit anew. */
  onProgress(progress: JsonObject): void {
    if (this.#isOver) return;
    const { onProgress, timeoutMs } = this.#init.options;
    if (this.#restMs === undefined) {
      this.#limit?.cancel();
      this.#startLimit();
    } else this.#restMs = timeoutMs;
    onProgress?.(progress);
  }

  /** Lets the limit rest: the server waits for an answer of ours. */
  rest(): void {
    if (this.#limit === undefined || this.#restMs !== undefined) return;
    this.#restMs = this.#init.deadlines.leftOf(this.#limit);
    this.#limit.cancel();
  }

  /** The server has its answer. */
  goOn(): void {
    const ms = this.#restMs;
    if (ms === undefined || this.#isOver) return;
    this.#restMs = undefined;
    this.#startLimit(ms);
  }

  /** It is over. */
  settle(): void {
    this.#isOver = true;
    this.#limit?.cancel();
    this.#unfollow?.();
  }

  #startLimit(leftMs = this.#init.options.timeoutMs): void {
    const { server, method, options: { timeoutMs: ms }, deadlines } =
      this.#init;
    if (ms === undefined || leftMs === undefined) return;
    this.#limit = deadlines.add(leftMs, () => {
      this.stop(timeoutFailure(server, { method, ms }));
    });
  }
}

/**
 * The part of an `AbortSignal` that the client of the MCP SDK uses.
 *
 * A real one costs a controller a call, and the client never takes its listener back: on a signal that serves many calls
 * they would pile up.
 */
class CallSignal {
  /** Whether it was aborted. */
  aborted = false;
  /** Why. */
  reason: unknown;
  #listener: (() => void) | undefined;

  /** Throws the reason once it was aborted. */
  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  /** Takes the one listener. */
  addEventListener(_type: string, listener: () => void): void {
    this.#listener = listener;
  }

  /** Aborts, once. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.#listener?.();
  }
}
