import { Deadlines } from "../async/deadline.ts";
import { Deferred } from "../async/deferred.ts";
import { systemClock } from "../async/system_clock.ts";
import type {
  McpConnection,
  McpDirectCall,
  McpRequestOptions,
  McpServerInfo,
} from "../ports/mcp.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { CallContext } from "./call_context.ts";
import { OpenCalls } from "./call.ts";
import { closedFailure, JsonRpcError } from "./failure.ts";
import { INVALID_PARAMS, methodNotFound } from "./jsonrpc.ts";
import type { LocalService } from "./local_service.ts";

/** A session with a server of this program: requests are function calls. */
export class LocalConnection implements McpConnection {
  readonly name: string;
  readonly server: McpServerInfo;
  readonly #service: LocalService;
  readonly #closed = new Deferred<unknown>();
  readonly #deadlines = new Deadlines(systemClock);
  readonly #calls: OpenCalls;

  constructor(name: string, service: LocalService) {
    this.name = name;
    this.server = service.info;
    this.#service = service;
    this.#calls = new OpenCalls({ server: name, deadlines: this.#deadlines });
  }

  get closed(): Promise<unknown> {
    return this.#closed.promise;
  }

  answer(
    method: string,
    params: JsonObject | undefined,
    call: McpDirectCall,
  ): JsonValue | Promise<JsonValue> {
    if (this.#closed.isSettled) {
      throw closedFailure(this.name, { delivery: "not_sent" });
    }
    switch (method) {
      case "tools/call":
        return this.#callTool(params, call);
      case "tools/list":
        return this.#service.list();
      case "ping":
        return {};
      default:
        throw methodNotFound(method);
    }
  }

  request(
    method: string,
    params?: JsonObject,
    options: McpRequestOptions = {},
  ): Promise<JsonValue> {
    return this.#calls.run(
      method,
      options,
      (call) => this.answer(method, params, call),
    );
  }

  notify(): Promise<void> {
    // Nothing that a caller can say matters to tools that are functions.
    return Promise.resolve();
  }

  listen(): () => void {
    // Its tools never change, and progress has its own way.
    return () => {};
  }

  serve(): void {
    // It asks nothing.
  }

  close(): Promise<void> {
    if (!this.#closed.isSettled) {
      this.#closed.resolve(undefined);
      this.#calls.end(closedFailure(this.name, {}));
      this.#deadlines.close();
    }
    return Promise.resolve();
  }

  #callTool(
    params: JsonObject | undefined,
    call: McpDirectCall,
  ): JsonValue | Promise<JsonValue> {
    const name = params?.name;
    const one = typeof name === "string"
      ? this.#service.tools.get(name)
      : undefined;
    if (params === undefined || one === undefined) {
      throw new JsonRpcError(INVALID_PARAMS, `Unknown tool: ${String(name)}`);
    }
    // The schema of the tool refuses what is no object.
    const args = (params.arguments ?? {}) as JsonObject;
    const result: unknown = one.call(args, new CallContext(params, call));
    // It is what the wire carries.
    return result as JsonObject | Promise<JsonObject>;
  }
}
