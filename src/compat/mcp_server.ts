import { Deadlines } from "../async/deadline.ts";
import { systemClock } from "../async/system_clock.ts";
import { asObject, textOfError, typeOf } from "../errors/text.ts";
import { JsonRpcError } from "../mcp/failure.ts";
import {
  INVALID_PARAMS,
  KNOWN_VERSIONS,
  METHOD_NOT_FOUND,
  NEWEST_VERSION,
  type RequestId,
  type RpcMessage,
} from "../mcp/jsonrpc.ts";
import { Peer } from "../mcp/peer.ts";
import type { JsonObject } from "../types/json.ts";
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
  refuseOther,
  type ZodSchema,
} from "./zod_arguments.ts";

/**
 * Creates a tool for {@link createSdkMcpServer} from fields, each with a Zod schema, and a function. Errors of the
 * function become failed results.
 *
 * @typeParam Schema Fields with a schema each
 *
 * @example Define a tool that adds two numbers
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
 * Creates an in-process MCP server from tools, for the option `mcpServers`.
 *
 * @throws {Error} For an input schema that Zod did not make, and for two tools of one name
 *
 * @example Create a server with a tool
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

/** An MCP server of tools; one connection at a time. */
export class ToolServer implements McpServer {
  readonly #options: CreateSdkMcpServerOptions;
  readonly #tools: ReadonlyMap<string, AnyTool>;
  #items: Promise<readonly JsonObject[]> | undefined;
  /** Tools that were left out. */
  readonly #disabled = new Set<string>();
  #transport: McpTransport | undefined;

  constructor(options: CreateSdkMcpServerOptions) {
    this.#options = options;
    const tools = options.tools ?? [];
    for (const { name, inputSchema } of tools) {
      // The CLI would drop the whole list.
      if (typeof name !== "string") {
        throw new TypeError(
          `The name of a tool of the server "${options.name}" has to be a string, not ${
            typeOf(name)
          }`,
        );
      }
      refuseOther(inputSchema, name);
    }
    this.#tools = new Map(tools.map((one) => [one.name, one]));
    if (this.#tools.size === tools.length) return;
    const names = tools.map((one) => one.name);
    const twice = names.find((one, at) => names.indexOf(one) !== at);
    throw new Error(`Tool ${twice} is already registered`);
  }

  /** Whether it has a connection. */
  isConnected(): boolean {
    return this.#transport !== undefined;
  }

  async connect(transport: McpTransport): Promise<void> {
    this.#transport = transport;
    const peer: Peer<void> = new Peer<void>({
      server: this.#options.name,
      deadlines: new Deadlines(systemClock),
      send: (message) => transport.send(message),
      reply: (answer) => void transport.send(answer).catch(() => {}),
      answer: (method, params = {}, call, id) =>
        this.#answer({ id, method, params, transport, call, peer }),
      onNotification: () => {},
      cancelReason: (reason) => reason ?? abortError(),
    });
    transport.onmessage = (message: RpcMessage) => void peer.receive(message);
    transport.onclose = () => {
      peer.close(abortError());
      if (this.#transport === transport) this.#transport = undefined;
    };
    await transport.start();
  }

  async close(): Promise<void> {
    const transport = this.#transport;
    this.#transport = undefined;
    await transport?.close();
  }

  async #answer(request: Request): Promise<JsonObject> {
    const { method, params } = request;
    switch (method) {
      case "initialize":
        return this.#introduce(String(params.protocolVersion));
      case "ping":
        return {};
    }
    if (this.#tools.size > 0) {
      switch (method) {
        case "tools/list":
          return { tools: await this.list() };
        case "tools/call":
          return answerOf(await this.#call(request));
      }
    }
    throw new JsonRpcError(METHOD_NOT_FOUND, "Method not found");
  }

  #introduce(wanted: string): JsonObject {
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

  /** The tools; the first call loads the converter of schemas. */
  list(): Promise<readonly JsonObject[]> {
    return this.#items ??= Promise.all(
      [...this.#tools.values()].map((one) => this.#item(one)),
    ).then((items) => items.filter((item) => item !== undefined));
  }

  /** Leaves out a tool whose schema cannot be converted. */
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
      this.#disabled.add(name);
      return undefined;
    }
  }

  async #call(request: Request): Promise<unknown> {
    const { params } = request;
    const name = String(params.name);
    const one = this.#tools.get(name);
    if (one === undefined) {
      return failed(`MCP error ${INVALID_PARAMS}: Tool ${name} not found`);
    }
    await this.#items;
    if (this.#disabled.has(name)) {
      return failed(`MCP error ${INVALID_PARAMS}: Tool ${name} disabled`);
    }
    const { value, problem } = await argumentsOf(
      one.inputSchema,
      asObject(params.arguments),
    );
    if (problem !== undefined) {
      return failed(
        `MCP error ${INVALID_PARAMS}: Input validation error: Invalid arguments for tool ${name}: ${problem}`,
      );
    }
    try {
      const extra = new CallExtra(request);
      return await (one.inputSchema
        ? one.handler(value as never, extra)
        // As in the MCP SDK.
        : one.handler(extra as never, undefined));
    } catch (error) {
      return failed(error instanceof Error ? error.message : String(error));
    }
  }
}

function abortError(): DOMException {
  return new DOMException("This operation was aborted", "AbortError");
}

/** A request that is being answered. */
interface Request {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  readonly transport: McpTransport;
  /** Has the signal, aborted when the client cancels the request or leaves. */
  readonly call: { readonly signal: AbortSignal };
  readonly peer: Peer<void>;
}

/** Second argument of a handler, with the keys that `@modelcontextprotocol/sdk` gives it. */
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

  constructor({ id, params, transport, call, peer }: Request) {
    super(call);
    this.sessionId = transport.sessionId;
    this._meta = params._meta;
    this.sendNotification = async (notification) => {
      if (call.signal.aborted) return;
      await transport.send({ jsonrpc: "2.0", ...notification });
    };
    this.sendRequest = async (request, schema) => {
      const { method, params } = request as Request;
      const { signal } = call;
      const result = await peer.request(method, params, { signal })
        .catch((error) => {
          if (!(error instanceof JsonRpcError)) throw error;
          const { code, data, message } = error;
          const text = `MCP error ${code}: ${message}`;
          throw Object.assign(new Error(text), { code, data });
        });
      if (schema?.safeParseAsync === undefined) return result;
      const { success, data, error } = await schema.safeParseAsync(result);
      if (success) return data;
      throw error;
    };
    this.requestId = id;
  }
}
