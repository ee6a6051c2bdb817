import type { Clock } from "../ports/clock.ts";
import type { McpConnection } from "../ports/mcp.ts";
import type { JsonInput, JsonObject, JsonValue } from "./json.ts";
import type { Infer, Schema } from "./schema.ts";

/** Common options of servers outside of this process. */
export interface McpServerCommon {
  /**
   * Who connects: this package (and proxies), or the CLI; `"sdk"`.
   *
   * The CLI hands its whole environment, credentials too, to the programs that it starts.
   */
  readonly via?: "sdk" | "cli" | undefined;
  /** Limit for connecting and the handshake, in milliseconds; 30 000. */
  readonly connectTimeoutMs?: number | undefined;
  /** Limit for one call, in milliseconds; 45 000. */
  readonly callTimeoutMs?: number | undefined;
}

/** A server that is a program, spoken to through its stdin and stdout. */
export interface McpStdioConfig extends McpServerCommon {
  /** Kind; the default. */
  readonly type?: "stdio" | undefined;
  /** The program; started without a shell. */
  readonly command: string;
  /** Its arguments. */
  readonly args?: readonly string[] | undefined;
  /** Variables, merged over what is inherited. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /**
   * Inherited environment of the program; `true` = all of it but the agent's own credentials.
   *
   * Those (`ANTHROPIC_*`, `CLAUDE_*`, `AWS_BEARER_TOKEN_BEDROCK`), `CLAUDECODE`, `NODE_OPTIONS` and `DEBUG` are never
   * inherited, only given by `env`; every other secret of this program is. A list narrows it to the variables that it
   * names, `false` to what a process needs to start (PATH, HOME, USER, LOGNAME, SHELL, TERM; on Windows its own).
   * Narrow it for servers you do not trust: whatever they inherit, they can send away.
   */
  readonly inheritEnv?: boolean | readonly string[] | undefined;
  /** Working directory it starts in; that of the conversation, in a hub that of this program. */
  readonly cwd?: string | undefined;
  /** Hears each line of its stderr, under a flood every 10th; what it throws is a warning. */
  readonly onStderr?: ((line: string) => void) | undefined;
}

/** A server behind a URL. */
export interface McpRemoteConfig extends McpServerCommon {
  /** Streamable HTTP, or the older SSE transport. */
  readonly type: "http" | "sse";
  /** Where it is. */
  readonly url: string | URL;
  /** Sent with every request to it. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Replaces the global `fetch`, for authorisation or tests; it is given addresses, never a `Request`. */
  readonly fetch?:
    | ((url: string | URL, init?: RequestInit) => Promise<Response>)
    | undefined;
}

/** A server that lives in this program. */
export interface McpSdkConfig {
  /** Kind. */
  readonly type: "sdk";
  /** From `createMcpServer()`, `hub.asMcpServer()`, or an `McpServer` of `@modelcontextprotocol/sdk`. */
  readonly instance: McpServerInstance;
}

/** How to reach one MCP server. */
export type McpServerConfig = McpStdioConfig | McpRemoteConfig | McpSdkConfig;

/** A value of `mcpServers`: how to reach a server, or one of this program as it is. */
export type McpServerInput = McpServerConfig | McpServerInstance;

/** Anything with `connect(transport)`, such as an `McpServer` of `@modelcontextprotocol/sdk`. */
export interface ForeignMcpServer {
  /** Connects it to a transport of the MCP SDK's shape. */
  // deno-lint-ignore no-explicit-any -- the transport type belongs to another package; any method signature must fit
  connect(transport: any): Promise<void>;
  /** Closes it. */
  close(): Promise<void>;
}

/** A server made here: it answers requests by a direct call, without text or streams. */
export interface LocalMcpServer {
  /** Name of the server. */
  readonly name: string;
  /** Its version. */
  readonly version: string;
  /** Opens one session of it, under the name it has in a configuration; its own unless given. */
  open(name?: string): McpConnection | Promise<McpConnection>;
}

/** Definition of a server, for `createMcpServer()`. */
export interface McpServerDefinition {
  /** Name of the server. */
  readonly name: string;
  /** Its version; `"1.0.0"`. */
  readonly version?: string | undefined;
  /** How to use it, for the model. */
  readonly instructions?: string | undefined;
  /** Its tools, from `tool()`; no two of one name. */
  readonly tools: readonly Tool[];
}

/** An MCP server in this program: ours, or a foreign one. */
export type McpServerInstance = LocalMcpServer | ForeignMcpServer;

/** Hints about a tool; a server's own words, not to be trusted blindly. */
export interface ToolAnnotations {
  /** Title to show. */
  readonly title?: string | undefined;
  /** It changes nothing. */
  readonly readOnlyHint?: boolean | undefined;
  /** It may destroy something. */
  readonly destructiveHint?: boolean | undefined;
  /** Calling it twice is the same as once. */
  readonly idempotentHint?: boolean | undefined;
  /** It touches the world outside. */
  readonly openWorldHint?: boolean | undefined;
}

/** Text of a tool. */
export interface ToolText {
  /** Discriminates. */
  readonly type: "text";
  /** The text. */
  readonly text: string;
  /** Further facts. */
  readonly _meta?: JsonObject;
}

/** A picture or a sound of a tool. */
export interface ToolMedia {
  /** Discriminates. */
  readonly type: "image" | "audio";
  /** Base64. */
  readonly data: string;
  /** Its kind, such as `image/png`. */
  readonly mimeType: string;
  /** Further facts. */
  readonly _meta?: JsonObject;
}

/** A resource in an answer. */
export interface ToolResource {
  /** Discriminates. */
  readonly type: "resource";
  /** The resource: `uri`, and `text` or `blob`. */
  readonly resource: JsonObject;
  /** Further facts. */
  readonly _meta?: JsonObject;
}

/** A resource that an answer names. */
export interface ToolResourceLink {
  /** Discriminates. */
  readonly type: "resource_link";
  /** Where it is. */
  readonly uri: string;
  /** Its name. */
  readonly name: string;
  /** Its description. */
  readonly description?: string;
  /** Its kind. */
  readonly mimeType?: string;
  /** Further facts. */
  readonly _meta?: JsonObject;
}

/**
 * One piece of a tool's answer; look at `type`.
 *
 * A kind that came later passes as it is and lies outside of this union: keep a `default` branch.
 */
export type ToolContent =
  | ToolText
  | ToolMedia
  | ToolResource
  | ToolResourceLink;

/** The answer of a tool as it travels. */
export interface CallToolResult {
  /** The pieces, in order. */
  readonly content: readonly ToolContent[];
  /** The same as data. */
  readonly structuredContent?: JsonObject;
  /** The tool failed; the model reads the content as the reason. */
  readonly isError?: boolean;
  /** Further facts. */
  readonly _meta?: JsonObject;
}

/**
 * Return value of a tool: a text, the wire's result, an object (becomes structured content and its JSON text), anything
 * else that JSON can tell (becomes its JSON text), or nothing.
 *
 * An object whose `content` is an array counts as the wire's result. What JSON cannot tell is a failed result.
 *
 * @typeParam O The schema of the structured content, where the tool has one: then its values and the wire's result alone
 */
export type ToolReturn<O = undefined> = O extends Schema
  ? Infer<O> | CallToolResult
  : string | number | boolean | null | undefined | void | object;

/** Context of a tool call. */
export interface ToolContext {
  /** Aborted when the call is cancelled, its limit passes or the conversation ends. */
  readonly signal: AbortSignal;
  /** Id of the tool call. */
  readonly toolUseId?: string | undefined;
  /** Reports progress to the caller. */
  progress(done: number, total?: number, message?: string): void;
}

/**
 * Definition of a tool, for `tool()`.
 *
 * @typeParam S The schema of the arguments
 * @typeParam O The schema of the structured content; none unless given
 */
export interface ToolDefinition<
  S extends Schema,
  O extends Schema | undefined = undefined,
> {
  /** Name of the tool; of letters, digits, `_` and `-` the CLI keeps every one. */
  readonly name: string;
  /** Title to show. */
  readonly title?: string | undefined;
  /** Description for the model. */
  readonly description: string;
  /** Schema of its arguments, an object. */
  readonly input: S;
  /** Schema of its structured content, an object; an answer that does not fit it becomes a failed result. */
  readonly output?: O | undefined;
  /** Hints about it. */
  readonly annotations?: ToolAnnotations | undefined;
  /** Further facts for the client (`_meta`), such as `"anthropic/alwaysLoad"`. */
  readonly meta?: JsonInput | undefined;
  /** Runs it; a throw becomes a failed result with the error's text. */
  run(
    args: Infer<S>,
    context: ToolContext,
  ): ToolReturn<O> | Promise<ToolReturn<O>>;
}

/** Schemas of a tool, as JSON Schema. */
export interface ToolSchemas {
  /** JSON Schema of its arguments. */
  readonly inputSchema: JsonObject;
  /** JSON Schema of its structured content. */
  readonly outputSchema?: JsonObject;
}

/** A tool made by `tool()`: its definition with the schemas as JSON Schema, its argument type erased. */
export interface Tool extends ToolSchemas {
  /** Name of the tool. */
  readonly name: string;
  /** Title to show. */
  readonly title?: string;
  /** Description for the model. */
  readonly description: string;
  /** Hints about it. */
  readonly annotations?: ToolAnnotations;
  /** Further facts for the client. */
  readonly meta?: JsonObject;
  /**
   * Makes the JSON Schemas that need zod's converter (zod before 4.2, `zod/mini`): until it was asked they are unknown, and
   * the fields say `{ type: "object" }`. Absent for all other tools.
   *
   * Rejects with a `ConfigError` when JSON Schema cannot express a schema.
   */
  readonly schemas?: () => Promise<ToolSchemas>;
  /**
   * Checks the arguments and runs it; never throws: what goes wrong is a failed result.
   *
   * Gives no promise when neither the check nor the tool needs one.
   */
  call(
    args: JsonInput,
    context?: ToolContext,
  ): CallToolResult | Promise<CallToolResult>;
}

/** Result of a tool call. */
export interface ToolResult {
  /** The pieces as the server sent them, unknown kinds too. */
  readonly content: readonly ToolContent[];
  /** The same as data. */
  readonly structuredContent?: JsonObject;
  /** Whether the tool failed. */
  readonly isError: boolean;
  /** Further facts of the server. */
  readonly meta?: JsonObject;
}

/** One server of a hub. */
export type HubServerConfig = McpServerConfig & {
  /** Its name; required in the array form, the key in the record form. */
  readonly name?: string | undefined;
  /**
   * Whether what it says of its tools (`readOnlyHint`, `idempotentHint`) decides about repeating their calls.
   *
   * `true` for servers of this program, `false` for all others.
   */
  readonly trustAnnotations?: boolean | undefined;
};

/** A server in a record for a hub: how to reach it, or one of this program as it is; lists take those of this package. */
export type HubServerInput = HubServerConfig | McpServerInstance;

/** Offer of a client to a server in the handshake. */
export interface DialOffer {
  /** Capabilities, such as `{ sampling: {} }`; those that the hub has a handler for. */
  readonly capabilities: JsonObject;
}

/**
 * Opens a connection to one server and shakes hands.
 *
 * Its configuration always has a name here. The connection is the hub's own from then on, which closes it.
 */
export type Dialer = (
  config: HubServerConfig,
  signal: AbortSignal,
  offer: DialOffer,
) => Promise<McpConnection>;

/** How often and how long failed calls are repeated. */
export interface RetryOptions {
  /** Attempts in all; 5. */
  readonly attempts?: number | undefined;
  /** First ceiling of the wait, in milliseconds; 500. */
  readonly baseMs?: number | undefined;
  /** Highest ceiling of the wait, in milliseconds; 30 000. */
  readonly capMs?: number | undefined;
  /** `"safe"` repeats only what surely did not run or may run twice, `"always"` whatever failed; `"safe"`. */
  readonly policy?: "safe" | "always" | undefined;
}

/** A question of a server to the program behind a hub. */
export interface ServerRequestContext {
  /** Which server asks. */
  readonly server: string;
  /** Aborted when the server takes it back or the hub closes. */
  readonly signal: AbortSignal;
}

/** Answers a question of a server. */
export type ServerRequestHandler = (
  request: JsonObject,
  context: ServerRequestContext,
) => JsonValue | JsonInput | Promise<JsonValue | JsonInput>;

/** Settings of a hub. */
export interface HubOptions {
  /** One failing server fails all, or the others stay; `"strict"`. */
  readonly onFailure?: "strict" | "partial" | undefined;
  /** Answers elicitations; the capability is offered only when set. */
  readonly onElicitation?: ServerRequestHandler | undefined;
  /** Answers sampling requests; the capability is offered only when set. */
  readonly onSampling?: ServerRequestHandler | undefined;
  /** Answers `roots/list`; the capability is offered only when set. */
  readonly roots?: ServerRequestHandler | undefined;
  /** Limit of one question of a server to these three, in milliseconds; limits of calls rest meanwhile; 120 000. */
  readonly questionTimeoutMs?: number | undefined;
  /** Repeating of failed calls. */
  readonly retry?: RetryOptions | undefined;
  /** Names the toolkit of a tool; `prefixToolkit`. */
  readonly classifier?: ((tool: CatalogTool) => string) | undefined;
  /** Tools to show and nothing else: their names, `server__tool`, or `server__*`; unset = all. */
  readonly allow?: readonly string[] | undefined;
  /** Tools to leave out, in the same form. */
  readonly deny?: readonly string[] | undefined;
  /** Decides about each tool that is left. */
  readonly filter?: ((tool: CatalogTool) => boolean) | undefined;
  /** Replaces the way servers are reached. */
  readonly connect?: Dialer | undefined;
  /** Most servers that are connected at the same time; no limit. */
  readonly maxConnects?: number | undefined;
  /** Most calls of one server at the same time, the others wait; no limit. */
  readonly maxCallsPerServer?: number | undefined;
  /** Hears of every new catalogue after the first. */
  readonly onListChanged?: ((catalog: Catalog) => void) | undefined;
  /** Hears of what went wrong in the background: a failed refetch, a name met twice. */
  readonly onWarning?: ((message: string) => void) | undefined;
  /** Time of the waits between attempts and before a list is read again; limits run in real time. */
  readonly clock?: Clock | undefined;
  /** Numbers from 0 up to 1; a cryptographic source. */
  readonly random?: (() => number) | undefined;
}

/** Settings of one request through a hub. */
export interface HubRequestOptions {
  /** Cancels the request and every wait. */
  readonly signal?: AbortSignal | undefined;
  /** Limit of one attempt, in milliseconds; the server's `callTimeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /** Limit of all attempts together, in milliseconds; none. */
  readonly totalTimeoutMs?: number | undefined;
}

/** Settings of one call through a hub. */
export interface CallOptions extends HubRequestOptions {
  /** The call may be repeated although it may have run. */
  readonly idempotent?: boolean | undefined;
  /** Hears of progress; each resets `timeoutMs`. */
  readonly onProgress?: ((progress: JsonObject) => void) | undefined;
  /** Further facts for the server (`_meta`). */
  readonly meta?: JsonInput | undefined;
}

/** One item of a list, as its server sent it, and the name of that server. */
export type ServerItem = JsonObject & {
  /** Which server has it. */
  readonly server: string;
};

/** One tool of a catalogue. */
export interface CatalogTool {
  /** The name to call it by: `server__tool`, at most 64 characters, collision-proof. */
  readonly name: string;
  /** Name of its server. */
  readonly server: string;
  /** Its bare name on that server. */
  readonly tool: string;
  /** The toolkit its classifier names. */
  readonly toolkit: string;
  /** Title to show. */
  readonly title?: string;
  /** Its description. */
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly inputSchema: JsonObject;
  /** JSON Schema of its structured content. */
  readonly outputSchema?: JsonObject;
  /** Hints of the server. */
  readonly annotations?: ToolAnnotations;
  /** Whether it can only run as a task, which a plain call cannot do. */
  readonly needsTask: boolean;
  /** Size of its definition in bytes. */
  readonly bytes: number;
  /** Estimated tokens of its definition. */
  readonly tokens: number;
}

/** A frozen picture of all tools of a hub. */
export interface Catalog {
  /** Counts up with each change; 0 = not connected yet. */
  readonly revision: number;
  /** Every tool, by server, then by bare name. */
  readonly tools: readonly CatalogTool[];
  /** The same by server; a server without tools has an empty list. */
  readonly byServer: Readonly<Record<string, readonly CatalogTool[]>>;
  /** The same by toolkit. */
  readonly toolkits: Readonly<Record<string, readonly CatalogTool[]>>;
  /** Estimated tokens of all definitions together. */
  readonly tokens: number;
}

/** How one server of a hub is doing. */
export interface ServerStatus {
  /** Where it is in its life. */
  readonly state:
    | "idle"
    | "connecting"
    | "connected"
    | "failed"
    | "lost"
    | "closed";
  /** Why it failed or was lost. */
  readonly error?: unknown;
  /** How long connecting took, in milliseconds. */
  readonly connectMs?: number;
  /** How many tools it has. */
  readonly toolCount: number;
  /** Estimated tokens of their definitions. */
  readonly tokens: number;
  /** How often it was connected anew. */
  readonly reconnects: number;
}
