import { Deferred, isPromise } from "../async/deferred.ts";
import { asObject } from "../errors/text.ts";
import {
  checkKeys,
  type Fields,
  stringWithoutNul,
  text,
} from "../options/fields.ts";
import { plainObject } from "../options/plain_object.ts";
import { contradict, refuse } from "../options/refuse.ts";
import type {
  McpConnection,
  McpDirectCall,
  McpServerInfo,
} from "../ports/mcp.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { LocalMcpServer } from "../types/mcp.ts";
import type {
  McpServerDefinition,
  Tool,
  ToolContext,
  ToolSchemas,
} from "../types/mcp_tool.ts";
import { closedFailure, JsonRpcError } from "./failure.ts";
import { INVALID_PARAMS, methodNotFound, NEWEST_VERSION } from "./jsonrpc.ts";
import { Deadlines } from "../async/deadline.ts";
import { systemClock } from "../async/system_clock.ts";
import { OpenCalls } from "./call.ts";

/**
 * Creates an in-process MCP server from tools.
 *
 * Shape: it may serve several conversations and hubs at once; each opens a session of its own. Serving a call is a
 * function call, without JSON text between.
 *
 * @param def Name, version and tools
 * @returns The server, for `mcpServers: { clock }`, as it is, or a hub
 * @throws {ConfigError} If the name is empty, two tools have one name, or a key is unknown
 *
 * @example Create a server with one tool
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
  plainObject(def, "server");
  checkKeys({ ...def }, DEFINITION, "server.");
  const { name, version = DEFAULT_VERSION, instructions } = def;
  text(name, "name");
  const tools = toolsByName(def);
  let listed: JsonObject | Promise<JsonObject> | undefined;
  const server: DirectServer = {
    info: {
      name,
      version,
      capabilities: { tools: {} },
      protocolVersion: NEWEST_VERSION,
      ...instructions !== undefined && { instructions },
    },
    list: () => listed ??= listOf(tools),
    call: (params, call) => callTool(tools, params, call),
  };
  return {
    name,
    version,
    open(as = name) {
      const first = server.list();
      // A tool that cannot be listed fails its server, rather than being missed later.
      return isPromise(first)
        ? first.then(() => directSession(as, server))
        : directSession(as, server);
    },
  };
}

const DEFAULT_VERSION = "1.0.0";

/** Name and tools have checks of their own. */
const DEFINITION: Fields<McpServerDefinition> = {
  name: () => {},
  version: stringWithoutNul,
  instructions: stringWithoutNul,
  tools: () => {},
};

function toolsByName(
  { tools }: McpServerDefinition,
): ReadonlyMap<string, Tool> {
  if (!Array.isArray(tools)) refuse("tools", tools, "a list of tools");
  const byName = new Map<string, Tool>();
  for (const [index, one] of tools.entries()) {
    if (typeof one?.call !== "function") {
      refuse(`tools[${index}]`, one, "a tool, made by tool({ ... })");
    }
    if (byName.has(one.name)) {
      contradict("tools", one.name, "names two tools");
    }
    byName.set(one.name, one);
  }
  return byName;
}

function listOf(
  tools: ReadonlyMap<string, Tool>,
): JsonObject | Promise<JsonObject> {
  const items = Array.from(
    tools.values(),
    (one) =>
      one.schemas === undefined
        ? toWire(one, one)
        : one.schemas().then((schemas) => toWire(one, schemas)),
  );
  return items.some(isPromise)
    ? Promise.all(items).then((tools) => ({ tools }))
    : { tools: items as readonly JsonObject[] };
}

function toWire(
  { name, title, description, annotations, meta }: Tool,
  { inputSchema, outputSchema }: ToolSchemas,
): JsonObject {
  return {
    name,
    ...title !== undefined && { title },
    description,
    inputSchema,
    ...outputSchema !== undefined && { outputSchema },
    ...annotations !== undefined && { annotations: { ...annotations } },
    ...meta !== undefined && { _meta: meta },
  };
}

function callTool(
  tools: ReadonlyMap<string, Tool>,
  params: JsonObject | undefined,
  call: McpDirectCall,
): JsonValue | Promise<JsonValue> {
  const name = params?.name;
  const one = typeof name === "string" ? tools.get(name) : undefined;
  if (params === undefined || one === undefined) {
    throw unknownTool(name);
  }
  // The schema of the tool refuses what is no object.
  const args = (params.arguments ?? {}) as JsonObject;
  const result: unknown = one.call(args, new CallContext(params, call));
  // It is what the wire carries.
  return result as JsonObject | Promise<JsonObject>;
}

export function unknownTool(name: unknown): JsonRpcError {
  return new JsonRpcError(INVALID_PARAMS, `Unknown tool: ${String(name)}`);
}

/** Key under which the CLI sends the id of the model's tool call. */
const TOOL_USE_ID = "claudecode/toolUseId";

/** Context of a tool call; its members may be destructured. */
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
    const id = asObject(meta)[TOOL_USE_ID];
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

interface DirectServer {
  readonly info: McpServerInfo;
  list(): JsonObject | Promise<JsonObject>;
  call(
    params: JsonObject | undefined,
    call: McpDirectCall,
  ): JsonValue | Promise<JsonValue>;
}

/** Opens a session with a server of this program; calls that are open when it closes reject. */
export function directSession(
  name: string,
  server: DirectServer,
  onClose: () => void = () => {},
): McpConnection & { tell(method: string): void } {
  const closed = new Deferred<unknown>();
  const deadlines = new Deadlines(systemClock);
  const calls = new OpenCalls(name, deadlines);
  const listeners = new Set<(method: string) => void>();

  function answer(
    method: string,
    params: JsonObject | undefined,
    call: McpDirectCall,
  ): JsonValue | Promise<JsonValue> {
    if (closed.isSettled) throw closedFailure(name, "not_sent");
    switch (method) {
      case "tools/call":
        return server.call(params, call);
      case "tools/list":
        return server.list();
      case "ping":
        return {};
      default:
        throw methodNotFound(method);
    }
  }

  return {
    name,
    server: server.info,
    closed: closed.promise,
    answer,
    request: (method, params, options = {}) =>
      calls.run(method, options, (call) => answer(method, params, call)),
    // Nothing that a caller can say matters to functions.
    notify: () => Promise.resolve(),
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    // It asks nothing; the servers behind a hub ask the program that has the hub.
    serve: () => {},
    tell(method) {
      for (const listener of listeners) listener(method);
    },
    close() {
      if (!closed.isSettled) {
        closed.resolve(undefined);
        onClose();
        calls.end(closedFailure(name, "unknown"));
        deadlines.close();
      }
      return Promise.resolve();
    },
  };
}
