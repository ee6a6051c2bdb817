import { Deferred } from "../async/deferred.ts";
import { unlessAborted } from "../async/on_abort.ts";
import { isObject, textOfError } from "../errors/text.ts";
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  KNOWN_VERSIONS,
  METHOD_NOT_FOUND,
  NEWEST_VERSION,
} from "../mcp/jsonrpc.ts";
import type { RpcMessage } from "../mcp/jsonrpc.ts";
import type { JsonObject } from "../types/json.ts";
import { Served } from "../wire/served.ts";
import type {
  AnyZodRawShape,
  CallToolResult,
  CreateSdkMcpServerOptions,
  InferShape,
  McpSdkServerConfigWithInstance,
  McpServer,
  McpTransport,
  SdkMcpToolDefinition,
  ToolAnnotations,
} from "./generated/types.ts";
import { warnOnce } from "./warnings.ts";
import { Asked } from "./answers.ts";
import { answerOf, failed } from "./tool_result.ts";
import {
  argumentsOf,
  jsonSchemaOf,
  refuseMixed,
  type ZodSchema,
} from "./zod_arguments.ts";

/**
 * Makes a tool of a shape of zod and a function, for {@link createSdkMcpServer}.
 *
 * @typeParam Schema Fields with a schema each
 * @param name Name of the tool
 * @param description What the model is told of it
 * @param inputSchema Fields with a schema of zod each
 * @param handler What it does; what it throws becomes a failed answer
 * @param extras What else is said of it
 * @returns The tool
 *
 * @example A tool that adds
 * ```ts
 * import { tool } from "@sluice/agent/compat";
 * import { z } from "zod";
 * import assert from "node:assert/strict";
 *
 * const add = tool("add", "Adds", { a: z.number(), b: z.number() }, async ({ a, b }) => ({
 *   content: [{ type: "text", text: `${a + b}` }],
 * }));
 * assert.deepEqual((await add.handler({ a: 1, b: 2 }, {})).content, [{ type: "text", text: "3" }]);
 * ```
 */
export function tool<Schema extends AnyZodRawShape>(
  name: string,
  description: string,
  inputSchema: Schema,
  handler: (
    args: InferShape<Schema>,
    extra: unknown,
  ) => Promise<CallToolResult>,
  extras: {
    annotations?: ToolAnnotations;
    searchHint?: string;
    alwaysLoad?: boolean;
  } = {},
): SdkMcpToolDefinition<Schema> {
  const { annotations, searchHint, alwaysLoad } = extras;
  const meta = {
    ...searchHint && { "anthropic/searchHint": searchHint },
    ...alwaysLoad && { "anthropic/alwaysLoad": true },
  };
  return {
    name,
    description,
    inputSchema,
    handler,
    ...annotations && { annotations },
    ...Object.keys(meta).length > 0 && { _meta: meta },
  };
}

/**
 * Makes an MCP server of tools, in this program.
 *
 * @param options Its name and its tools
 * @returns The server, for `mcpServers`
 *
 * @example A server
 * ```ts
 * import { createSdkMcpServer } from "@sluice/agent/compat";
 * import assert from "node:assert/strict";
 *
 * assert.equal(createSdkMcpServer({ name: "clock", tools: [] }).type, "sdk");
 * ```
 */
export function createSdkMcpServer(
  options: CreateSdkMcpServerOptions,
): McpSdkServerConfigWithInstance {
  const { name, timeout } = options;
  return {
    type: "sdk",
    name,
    instance: new ToolServer(options),
    ...typeof timeout === "number" && timeout > 0 && { timeout },
  };
}

// deno-lint-ignore no-explicit-any -- as the official declarations have it
type AnyTool = SdkMcpToolDefinition<any>;

/** A request that is being answered, and over what. */
interface Question {
  readonly id: string | number;
  readonly transport: McpTransport;
  readonly call: Served;
  /** Asks the client something meanwhile. */
  readonly ask: (request: object) => Promise<unknown>;
}

/** An MCP server of tools; one connection at a time. */
export class ToolServer implements McpServer {
  readonly #options: CreateSdkMcpServerOptions;
  readonly #tools: ReadonlyMap<string, AnyTool>;
  readonly #calls = new Map<unknown, Served>();
  /** Requests of handlers that wait for the client's answer. */
  readonly #asked = new Map<unknown, Deferred<unknown>>();
  #asking = 0;
  #items: Promise<readonly JsonObject[]> | undefined;
  #transport: McpTransport | undefined;

  constructor(options: CreateSdkMcpServerOptions) {
    this.#options = options;
    const tools = options.tools ?? [];
    for (const { inputSchema } of tools) refuseMixed(inputSchema);
    this.#tools = new Map(tools.map((one) => [one.name, one]));
    if (this.#tools.size === tools.length) return;
    const names = tools.map((one) => one.name);
    const twice = names.find((one, at) => names.indexOf(one) !== at);
    throw new Error(`Tool ${twice} is already registered`);
  }

  /** Whether it serves somebody. */
  isConnected(): boolean {
    return this.#transport !== undefined;
  }

  async connect(transport: McpTransport): Promise<void> {
    this.#transport = transport;
    transport.onmessage = (message: RpcMessage) => {
      this.#take(transport, message);
    };
    transport.onclose = () => {
      for (const call of this.#calls.values()) call.abort();
      this.#calls.clear();
      if (this.#transport === transport) this.#transport = undefined;
    };
    await transport.start();
  }

  async close(): Promise<void> {
    const transport = this.#transport;
    this.#transport = undefined;
    await transport?.close();
  }

  async #take(transport: McpTransport, message: RpcMessage): Promise<void> {
    const { id, method, params } = message;
    if (method === undefined) return this.#settle(message);
    if (id === undefined || id === null) {
      if (method !== "notifications/cancelled") return;
      const call = this.#calls.get(params?.requestId);
      this.#calls.delete(params?.requestId);
      return call?.abort(params?.reason ?? undefined);
    }
    const call = new Served(String(id), { subtype: method }, 0);
    this.#calls.set(id, call);
    let answer: object;
    try {
      const ask = (request: object) => this.#ask(transport, call, request);
      const asked = { id, transport, call, ask };
      answer = await this.#answer(method, params ?? {}, asked);
    } catch (error) {
      const message = textOfError(error);
      answer = { error: { code: INTERNAL_ERROR, message } };
    }
    // Taken back, or asked anew under the same id.
    if (this.#calls.get(id) !== call) return;
    this.#calls.delete(id);
    await transport.send({ jsonrpc: "2.0", id, ...answer }).catch(() => {});
  }

  /** Sends a request of a handler; it ends with the call at the latest. */
  #ask(
    transport: McpTransport,
    { signal }: Served,
    request: object,
  ): Promise<unknown> {
    signal.throwIfAborted();
    const id = this.#asking++;
    const answer = new Deferred<unknown>();
    this.#asked.set(id, answer);
    transport.send({ jsonrpc: "2.0", id, ...request }).catch((error) =>
      answer.reject(error)
    );
    return unlessAborted(answer.promise, signal)
      .finally(() => this.#asked.delete(id));
  }

  /** The client answers a request of a handler. */
  #settle({ id, result, error }: RpcMessage): void {
    const asked = this.#asked.get(id);
    if (!isObject(error)) return asked?.resolve(result);
    const { code, message, data } = error as JsonObject;
    const failure = new Error(`MCP error ${code}: ${message}`);
    asked?.reject(Object.assign(failure, { code, data }));
  }

  async #answer(
    method: string,
    params: Readonly<Record<string, unknown>>,
    asked: Question,
  ): Promise<object> {
    switch (method) {
      case "initialize":
        return { result: this.#introduce(String(params.protocolVersion)) };
      case "ping":
        return { result: {} };
    }
    if (this.#tools.size > 0) {
      switch (method) {
        case "tools/list":
          return { result: { tools: await this.list() } };
        case "tools/call":
          return answerOf(await this.#call(params, asked));
      }
    }
    return { error: { code: METHOD_NOT_FOUND, message: "Method not found" } };
  }

  #introduce(wanted: string): object {
    const { name, version = "1.0.0", instructions, tools } = this.#options;
    return {
      protocolVersion: KNOWN_VERSIONS.includes(wanted)
        ? wanted
        : NEWEST_VERSION,
      capabilities: tools
        ? { tools: tools.length > 0 ? { listChanged: true } : {} }
        : {},
      serverInfo: { name, version },
      ...instructions !== undefined && { instructions },
    };
  }

  /** What there is to call; the first time the converter of schemas is loaded. */
  list(): Promise<readonly JsonObject[]> {
    return this.#items ??= Promise.all(
      [...this.#tools.values()].map((one) => this.#item(one)),
    ).then((items) => items.filter((item) => item !== undefined));
  }

  /** A tool whose schema cannot be told is left out; the others are there. */
  async #item(
    { name, description, inputSchema, annotations, _meta }: AnyTool,
  ): Promise<JsonObject | undefined> {
    try {
      const meta = {
        ...this.#options.alwaysLoad && { "anthropic/alwaysLoad": true },
        ..._meta,
      };
      return {
        name,
        description,
        inputSchema: await jsonSchemaOf(inputSchema),
        ...annotations && { annotations: annotations as JsonObject },
        execution: { taskSupport: "forbidden" },
        ...Object.keys(meta).length > 0 && { _meta: meta as JsonObject },
      };
    } catch (error) {
      warnOnce(
        `Tool "${name}" on SDK MCP server "${this.#options.name}" was left out of the server's tool list, because its input schema cannot be converted to JSON Schema: ${
          textOfError(error)
        }`,
        "CLAUDE_SDK_MCP_TOOL_SCHEMA_UNCONVERTIBLE",
      );
      return undefined;
    }
  }

  async #call(
    params: Readonly<Record<string, unknown>>,
    asked: Question,
  ): Promise<unknown> {
    const name = String(params.name);
    const one = this.#tools.get(name);
    if (one === undefined) {
      return failed(`MCP error ${INVALID_PARAMS}: Tool ${name} not found`);
    }
    const { value, problem } = await argumentsOf(
      one.inputSchema,
      isObject(params.arguments) ? params.arguments : {},
    );
    if (problem !== undefined) {
      return failed(
        `MCP error ${INVALID_PARAMS}: Input validation error: Invalid arguments for tool ${name}: ${problem}`,
      );
    }
    try {
      return await one.handler(value as never, new CallExtra(params, asked));
    } catch (error) {
      return failed(error instanceof Error ? error.message : String(error));
    }
  }
}

/** What a tool is told beside its arguments, with the keys of the protocol's package. */
class CallExtra extends Asked {
  readonly sessionId: string | undefined;
  readonly _meta: unknown;
  readonly sendNotification: (notification: object) => Promise<void>;
  readonly sendRequest: (
    request: object,
    schema?: Partial<ZodSchema>,
  ) => Promise<unknown>;
  readonly authInfo = undefined;
  readonly requestId: string | number;
  readonly requestInfo = undefined;
  readonly taskId = undefined;
  readonly taskStore = undefined;
  readonly taskRequestedTtl = undefined;
  readonly closeSSEStream = undefined;
  readonly closeStandaloneSSEStream = undefined;

  constructor(
    { _meta }: Readonly<Record<string, unknown>>,
    { id, transport, call, ask }: Question,
  ) {
    super(call);
    this.sessionId = transport.sessionId;
    this._meta = _meta;
    this.sendNotification = async (notification) => {
      if (call.signal.aborted) return;
      await transport.send({ jsonrpc: "2.0", ...notification });
    };
    this.sendRequest = async (request, schema) => {
      const result = await ask(request);
      if (schema?.safeParseAsync === undefined) return result;
      const { success, data, error } = await schema.safeParseAsync(result);
      if (success) return data;
      throw error;
    };
    this.requestId = id;
  }
}
