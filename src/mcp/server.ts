import { isObject } from "../errors/is_object.ts";
import { Deadlines } from "../async/deadline.ts";
import { Deferred } from "../async/deferred.ts";
import { systemClock } from "../async/system_clock.ts";
import { ConfigError } from "../errors/config.ts";
import { refuse } from "../options/fields.ts";
import type {
  McpConnection,
  McpDirectCall,
  McpRequestOptions,
  McpServerInfo,
} from "../ports/mcp.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type {
  LocalMcpServer,
  McpServerDefinition,
  Tool,
  ToolContext,
  ToolSchemas,
} from "../types/mcp.ts";
import { OpenCalls } from "./call.ts";
import { closedFailure, JsonRpcError } from "./failure.ts";
import {
  INVALID_PARAMS,
  isPromise,
  methodNotFound,
  NEWEST_VERSION,
} from "./jsonrpc.ts";

/**
 * Makes an MCP server of tools, in this program.
 *
 * Shape: it may serve several conversations and hubs at once; each opens a session of its own. Serving a call is a
 * function call, without JSON text between.
 *
 * @param def Name, version and tools
 * @returns The server, for `mcpServers: { clock }`, as it is, or a hub
 * @throws {ConfigError} If the name is empty or two tools have one name
 *
 * @example A server with one tool
 * ```ts
 * import { createMcpServer, tool } from "@sluice/agent/mcp";
 * import assert from "node:assert/strict";
 *
 * const clock = createMcpServer({
 *   name: "clock",
 *   tools: [tool({
 *     name: "now",
 *     description: "Tells the time",
 *     input: { type: "object" },
 *     run: () => new Date(0).toISOString(),
 *   })],
 * });
 *
 * const session = await clock.open();
 * const result = await session.request("tools/call", { name: "now" });
 * assert.deepEqual(result, {
 *   content: [{ type: "text", text: "1970-01-01T00:00:00.000Z" }],
 * });
 * await session.close();
 * ```
 */
export function createMcpServer(def: McpServerDefinition): LocalMcpServer {
  const service = toService(def);
  return {
    name: service.info.name,
    version: service.info.version,
    open(name = service.info.name) {
      const list = service.list();
      const connect = () => new LocalConnection(name, service);
      // A tool that cannot be listed fails its server, rather than being missed later.
      return isPromise(list) ? list.then(connect) : connect();
    },
  };
}

const DEFAULT_VERSION = "1.0.0";

/** A server of this program, ready to be asked. */
interface LocalService {
  /** What it says in a handshake. */
  readonly info: McpServerInfo;
  /** Its tools by name. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** Its answer to `tools/list`; a promise only where a schema needs its library for that. */
  list(): JsonObject | Promise<JsonObject>;
}

/** Checks a definition and makes the answers that never change. */
function toService(definition: McpServerDefinition): LocalService {
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
  for (const [index, one] of tools.entries()) {
    if (typeof one?.call !== "function") {
      refuse(`tools[${index}]`, one, "a tool, made by tool({ ... })");
    }
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
    list: once(() => {
      const items = Array.from(byName.values(), toItem);
      return items.some(isPromise)
        ? Promise.all(items).then((tools) => ({ tools }))
        : { tools: items as readonly JsonObject[] };
    }),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function toItem(one: Tool): JsonObject | Promise<JsonObject> {
  return one.schemas === undefined
    ? toWire(one, one)
    : one.schemas().then((schemas) => toWire(one, schemas));
}

function toWire(
  { name, title, description, annotations, meta }: Tool,
  { inputSchema, outputSchema }: ToolSchemas,
): JsonObject {
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
class LocalConnection implements McpConnection {
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

/** Where the CLI says which tool call of the model it is. */
const TOOL_USE_ID = "claudecode/toolUseId";

/** What a tool is told beside its arguments; every member may be taken out of it by destructuring. */
class CallContext implements ToolContext {
  readonly #params: JsonObject;
  readonly #call: McpDirectCall;

  constructor(params: JsonObject, call: McpDirectCall) {
    this.#params = params;
    this.#call = call;
  }

  /** Aborted when the call ends before its answer. */
  get signal(): AbortSignal {
    return this.#call.signal;
  }

  /** Id of the tool call. */
  get toolUseId(): string | undefined {
    const meta = this.#params._meta;
    const id = isObject(meta) ? meta[TOOL_USE_ID] : undefined;
    return typeof id === "string" ? id : undefined;
  }

  /** Reports progress. */
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
