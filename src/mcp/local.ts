import { Deadlines } from "../async/deadline.ts";
import { Deferred } from "../async/deferred.ts";
import { systemClock } from "../async/system_clock.ts";
import { ConfigError } from "../errors/config.ts";
import type {
  McpConnection,
  McpDirectCall,
  McpRequestOptions,
  McpServerInfo,
} from "../ports/mcp.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { McpServerDefinition, Tool, ToolContext } from "../types/mcp.ts";
import { DirectCall } from "./direct_call.ts";
import { closedFailure, JsonRpcError, timeoutFailure } from "./failure.ts";
import {
  INVALID_PARAMS,
  isPromise,
  isRecord,
  methodNotFound,
  NEWEST_VERSION,
} from "./jsonrpc.ts";

const DEFAULT_VERSION = "1.0.0";

/** Where the CLI says which tool call of the model it is. */
const TOOL_USE_ID = "claudecode/toolUseId";

/** A server of this program, ready to be asked. */
export interface LocalService {
  /** What it says in a handshake. */
  readonly info: McpServerInfo;
  /** Its tools by name. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** Its answer to `tools/list`. */
  readonly list: JsonObject;
}

/** Checks a definition and makes the answers that never change. */
export function toService(definition: McpServerDefinition): LocalService {
  const { name, version = DEFAULT_VERSION, instructions, tools } = definition;
  if (typeof name !== "string" || name === "") {
    throw new ConfigError({
      message:
        'Option "name" of an MCP server must be a text that is not empty',
      key: "name",
      value: name,
    });
  }
  const byName = new Map<string, Tool>();
  for (const one of tools) {
    if (byName.has(one.name)) {
      throw new ConfigError({
        message:
          `MCP server "${name}" has two tools of one name: "${one.name}"`,
        key: "tools",
        value: one.name,
      });
    }
    byName.set(one.name, one);
  }
  return {
    info: {
      name,
      version,
      capabilities: { tools: {} },
      protocolVersion: NEWEST_VERSION,
      ...(instructions === undefined ? {} : { instructions }),
    },
    tools: byName,
    list: { tools: tools.map(toWire) },
  };
}

function toWire(one: Tool): JsonObject {
  const {
    name,
    title,
    description,
    inputSchema,
    outputSchema,
    annotations,
    meta,
  } = one;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}

/** A session with a server of this program: requests are function calls. */
export class LocalConnection implements McpConnection {
  readonly name: string;
  readonly server: McpServerInfo;
  readonly #service: LocalService;
  readonly #closed = new Deferred<unknown>();
  readonly #open = new Set<DirectCall>();
  #deadlines: Deadlines | undefined;

  constructor(name: string, service: LocalService) {
    this.name = name;
    this.server = service.info;
    this.#service = service;
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
        return this.#service.list;
      case "ping":
        return {};
      default:
        throw methodNotFound(method);
    }
  }

  async request(
    method: string,
    params?: JsonObject,
    options: McpRequestOptions = {},
  ): Promise<JsonValue> {
    options.signal?.throwIfAborted();
    const { timeoutMs } = options;
    const call = new DirectCall({
      source: options,
      onProgress: options.onProgress,
      limitMs: timeoutMs,
      deadlines: this.#deadlines ??= new Deadlines(systemClock),
      onLimit: () => timeoutFailure(this.name, { method, ms: timeoutMs ?? 0 }),
    });
    const answer = this.answer(method, params, call);
    if (!isPromise(answer)) return answer;
    this.#open.add(call);
    const waiting = call.wait(answer);
    call.follow();
    try {
      return await waiting;
    } finally {
      this.#open.delete(call);
    }
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
      for (const call of this.#open) {
        call.end(closedFailure(this.name, {}));
      }
      this.#deadlines?.close();
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

/** What a tool is told beside its arguments; every member may be taken out of it by destructuring. */
class CallContext implements ToolContext {
  readonly #params: JsonObject;
  readonly #call: McpDirectCall;

  constructor(params: JsonObject, call: McpDirectCall) {
    this.#params = params;
    this.#call = call;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  get toolUseId(): string | undefined {
    const meta = this.#params._meta;
    const id = isRecord(meta) ? meta[TOOL_USE_ID] : undefined;
    return typeof id === "string" ? id : undefined;
  }

  get progress(): (done: number, total?: number, message?: string) => void {
    const call = this.#call;
    return (done, total, message) =>
      call.onProgress({
        progress: done,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message }),
      });
  }
}
