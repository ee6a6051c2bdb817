import { Correlator } from "../async/correlator.ts";
import type { Deadlines } from "../async/deadline.ts";
import { isPromise } from "../async/deferred.ts";
import { asObject, show, textOfError } from "../errors/text.ts";
import type { McpRequestOptions } from "../ports/mcp.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { answersTo, resultIn } from "./answers.ts";
import { OpenCalls, ServedCall } from "./call.ts";
import { JsonRpcError, timeoutFailure } from "./failure.ts";
import {
  internalError,
  INVALID_REQUEST,
  type RequestId,
  type RpcMessage,
  tokenOf,
} from "./jsonrpc.ts";

/** Connection of a peer to its transport, which only moves messages. */
export interface PeerOptions<Reply> {
  readonly server: string;
  readonly deadlines: Deadlines;
  readonly send: (message: JsonObject) => Promise<void> | void;
  readonly reply: (answer: JsonObject) => Reply;
  readonly answer: (
    method: string,
    params: JsonObject | undefined,
    call: ServedCall,
    id: RequestId,
  ) => JsonValue | Promise<JsonValue>;
  /** Turns a failed request into its error; what it throws rejects the reply. */
  readonly toError?: (error: unknown, method: string) => RpcError;
  /** Called with each notification but cancellation and progress. */
  readonly onNotification: (method: string, params?: JsonObject) => void;
  readonly onMalformed?: (fault: string) => void;
  /** Timeout of requests of the remote that a function answers, in milliseconds. */
  readonly servedMs?: number | undefined;
  /** The reason with which the signal of a cancelled request is aborted; an `AbortError` by default. */
  readonly cancelReason?: (reason: unknown) => unknown;
  /** Called when a request of ours has ended, however. */
  readonly onSettled?: (id: number) => void;
}

type RpcError = Pick<JsonRpcError, "code" | "message" | "data">;

/** One end of a JSON-RPC connection: requests, notifications, progress and cancellation in both directions. */
export class Peer<Reply> {
  readonly calls: OpenCalls;
  readonly #options: PeerOptions<Reply>;
  readonly #served: Correlator<RequestId, ServedCall, Reply | undefined>;

  constructor(options: PeerOptions<Reply>) {
    const { server, deadlines } = options;
    this.#options = options;
    this.calls = new OpenCalls(server, deadlines);
    this.#served = new Correlator(deadlines);
  }

  /** Sends a request; rejects with what its transport failed with, or a `JsonRpcError` of the remote. */
  async request(
    method: string,
    params: JsonObject | undefined,
    options: McpRequestOptions = {},
  ): Promise<JsonValue> {
    options.signal?.throwIfAborted();
    const { send, onSettled } = this.#options;
    const call = this.calls.add(method, options, (reason) => {
      const facts = { requestId: id, reason: textOfError(reason) };
      this.notify("notifications/cancelled", facts).catch(() => {});
    });
    const { id } = call;
    try {
      const isWatched = options.onProgress !== undefined;
      const sent = isWatched ? withToken(params, id) : params;
      // The method first and the id last: HTTP exchanges are recognized by it.
      const sending = send({
        method,
        ...sent !== undefined && { params: sent },
        jsonrpc: "2.0",
        id,
      });
      if (isPromise(sending)) {
        sending.catch((error) => this.calls.take(id)?.reject(error));
      }
      return await call.promise;
    } finally {
      onSettled?.(id);
    }
  }

  async notify(method: string, params?: JsonObject): Promise<void> {
    await this.#options.send({
      method,
      ...params !== undefined && { params },
      jsonrpc: "2.0",
    });
  }

  /** Takes a message of the remote; returns the reply to a request, `undefined` when it was cancelled. */
  receive(
    message: RpcMessage,
    context?: { readonly signal: AbortSignal },
  ): Reply | Promise<Reply | undefined> | undefined {
    const { id, method, params } = message;
    if (method === undefined) this.#settle(message);
    else if (id === undefined) this.#hear(method, params);
    else return this.#serve(id, method, params, context);
    return undefined;
  }

  close(reason: unknown): void {
    for (const request of this.#served.takeAll()) {
      request.facts.abort(reason);
      request.resolve(this.#fail(request.id, "", reason));
    }
    this.calls.end(reason);
  }

  #serve(
    id: RequestId,
    method: string,
    params: JsonObject | undefined,
    context: { readonly signal: AbortSignal } | undefined,
  ): Reply | Promise<Reply | undefined> {
    const { server, answer, servedMs: timeoutMs } = this.#options;
    if (this.#served.get(id) !== undefined) {
      const text = `Id is in use by a request that is open: ${show(id)}`;
      return this.#refuse(id, new JsonRpcError(INVALID_REQUEST, text));
    }
    try {
      const call = new ServedCall(context, this.#reporter(params));
      const result = answer(method, params, call, id);
      if (!isPromise(result)) return this.#answer(id, result);
      // One promise and no more: this is where calls of many tools at once pass.
      const request = call.request = this.#served.open(id, call, {
        timeoutMs,
        // Settled here already: a timeout is answered like any failure.
        onTimeout: () => {
          const failure = timeoutFailure(server, method, timeoutMs ?? 0);
          call.abort(failure);
          settle(true, failure);
        },
      });
      const settle = (hasFailed: boolean, outcome: unknown) => {
        if (request.isSettled) return;
        this.#served.take(id);
        call.release();
        try {
          request.resolve(
            hasFailed
              ? this.#fail(id, method, outcome)
              : this.#answer(id, outcome as JsonValue),
          );
        } catch (failure) {
          request.reject(failure);
        }
      };
      result.then(
        (value) => settle(false, value),
        (error) => settle(true, error),
      );
      return request.promise;
    } catch (error) {
      return this.#fail(id, method, error);
    }
  }

  #reporter(
    params: JsonObject | undefined,
  ): ((progress: JsonObject) => void) | undefined {
    const progressToken = tokenOf(params);
    if (progressToken === undefined) return undefined;
    return (progress) => {
      const facts = { ...progress, progressToken };
      this.notify("notifications/progress", facts).catch(() => {});
    };
  }

  #answer(id: RequestId, result: JsonValue): Reply {
    return this.#options.reply({ jsonrpc: "2.0", id, result });
  }

  #fail(id: RequestId, method: string, error: unknown): Reply {
    const { toError = plainError } = this.#options;
    return this.#refuse(id, toError(error, method));
  }

  #refuse(
    id: RequestId,
    { code, message, data }: RpcError,
  ): Reply {
    // The data came as JSON and goes as JSON.
    const facts = data !== undefined && { data: data as JsonValue };
    const error = { code, message, ...facts };
    return this.#options.reply({ jsonrpc: "2.0", id, error });
  }

  #hear(method: string, params: JsonObject | undefined): void {
    if (method === "notifications/cancelled") {
      const id = params?.requestId;
      if (typeof id !== "string" && typeof id !== "number") return;
      const request = this.#served.take(id);
      const { cancelReason = cancelError } = this.#options;
      request?.facts.abort(cancelReason(params?.reason));
      return request?.resolve(undefined);
    }
    if (method === "notifications/progress") {
      const { progressToken, ...progress } = params ?? {};
      // Some servers make a text of the number.
      const call = this.calls.get(Number(progressToken));
      const { onProgress } = call?.facts.options ?? {};
      if (onProgress !== undefined) {
        call?.restart();
        return onProgress(progress);
      }
    }
    this.#options.onNotification(method, params);
  }

  #settle(message: RpcMessage): void {
    const id = Number(message.id);
    const { onMalformed = () => {} } = this.#options;
    if (!answersTo(message, id) || !this.calls.wasSent(id)) {
      return onMalformed("it belongs to a request that was never sent");
    }
    const call = this.calls.take(id);
    try {
      const result = resultIn(message, onMalformed);
      call?.resolve(result);
    } catch (error) {
      call?.reject(error);
    }
  }
}

/** An error for the remote, in its own words. */
function plainError(error: unknown): RpcError {
  return error instanceof JsonRpcError
    ? error
    : internalError(textOfError(error));
}

function cancelError(reason: unknown = "Request was cancelled"): DOMException {
  return new DOMException(String(reason), "AbortError");
}

function withToken(params: JsonObject = {}, progressToken: number): JsonObject {
  const meta = asObject(params._meta);
  return { ...params, _meta: { ...meta, progressToken } };
}
