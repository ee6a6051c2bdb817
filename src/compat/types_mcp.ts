import type {
  AgentDefinition,
  EffortLevel,
  McpClaudeAIProxyServerConfig,
  McpServerConfigForProcessTransport,
} from "./generated/official.ts";
import type { CliSettingsFields } from "../types/cli_settings.ts";
import type {
  CallToolResult as OwnCallToolResult,
  ToolAnnotations as OwnToolAnnotations,
} from "../types/mcp.ts";
import type { Mutable } from "./mutable.ts";

/** A JSON-RPC message. */
export type RpcMessage = {
  readonly jsonrpc?: string;
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: unknown;
};

/** One side of a connection to an MCP server, as the package of the protocol has it. */
export interface McpTransport {
  /** Id of the session, where there is one. */
  sessionId?: string | undefined;
  /** Begins. */
  start(): Promise<void>;
  /** Sends a message. */
  // deno-lint-ignore no-explicit-any -- as the official declarations have it
  send(message: any, options?: any): Promise<void>;
  /** Ends it. */
  close(): Promise<void>;
  /** Called at its end. */
  onclose?: () => void;
  /** Called for failures. */
  onerror?: (error: Error) => void;
  /** Called for each message. */
  // deno-lint-ignore no-explicit-any -- as the official declarations have it
  onmessage?: (message: any, extra?: any) => void;
}

/** An MCP server of this program: one made by `createSdkMcpServer()`, or an `McpServer` of `@modelcontextprotocol/sdk`. */
export interface McpServer {
  /** Serves over a transport. */
  connect(transport: McpTransport): Promise<void>;
  /** Ends the connection. */
  close(): Promise<void>;
}

/** What a tool gives back. */
export type CallToolResult = Mutable<OwnCallToolResult> | {
  // deno-lint-ignore no-explicit-any -- as the official declarations have it
  content: any[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  _meta?: Record<string, unknown>;
  [key: string]: unknown;
};

/** What is said of a tool. */
export type ToolAnnotations = Mutable<OwnToolAnnotations>;

/** Fields with a schema of zod each, version 3 or 4. */
export type AnyZodRawShape = Readonly<Record<string, ZodLike>>;

/** A schema of zod, as far as it matters here. */
export type ZodLike = { readonly _output: unknown } | {
  readonly _zod: { readonly output: unknown };
};

/** The type of the arguments that fit a shape. */
export type InferShape<T extends AnyZodRawShape> = {
  [K in keyof T]: T[K] extends { _output: infer O } ? O : never;
};

/** A tool, made by `tool()`. */
export type SdkMcpToolDefinition<
  Schema extends AnyZodRawShape = AnyZodRawShape,
> = {
  name: string;
  description: string;
  inputSchema: Schema;
  annotations?: ToolAnnotations;
  _meta?: Record<string, unknown>;
  handler: (
    args: InferShape<Schema>,
    extra: unknown,
  ) => Promise<CallToolResult>;
};

/** What a server is made of. */
export type CreateSdkMcpServerOptions = {
  name: string;
  version?: string;
  instructions?: string;
  // deno-lint-ignore no-explicit-any -- as the official declarations have it
  tools?: Array<SdkMcpToolDefinition<any>>;
  alwaysLoad?: boolean;
  timeout?: number;
};

/** What is known of settings files; other keys are let through. */
export type Settings = Mutable<CliSettingsFields> & {
  [key: string]: unknown;
};

/** A change of settings: `null` takes a key back. */
export type FlagSettings = {
  [K in keyof Settings]?: K extends "effortLevel" ? EffortLevel | null
    : Settings[K] | null;
};

/** An MCP server that the CLI starts. */
export type McpStdioServerConfig = Extract<
  McpServerConfigForProcessTransport,
  { command: string }
>;

/** An MCP server behind a stream of events. */
export type McpSSEServerConfig =
  & Extract<McpServerConfigForProcessTransport, { url: string }>
  & { type: "sse" };

/** An MCP server behind HTTP. */
export type McpHttpServerConfig =
  & Extract<McpServerConfigForProcessTransport, { url: string }>
  & { type: "http" };

/** An MCP server of this program, as the CLI is told of it. */
export type McpSdkServerConfig = Extract<
  McpServerConfigForProcessTransport,
  { type: "sdk" }
>;

/** An MCP server of this program. */
export type McpSdkServerConfigWithInstance = McpSdkServerConfig & {
  instance: McpServer;
};

/** An MCP server. */
export type McpServerConfig =
  | McpStdioServerConfig
  | McpSSEServerConfig
  | McpHttpServerConfig
  | McpSdkServerConfigWithInstance;

/** An MCP server as its status tells of it. */
export type McpServerStatusConfig =
  | McpServerConfigForProcessTransport
  | McpClaudeAIProxyServerConfig;

/** MCP servers of one agent: names of servers of the session, or configurations. */
export type AgentMcpServerSpec = NonNullable<
  AgentDefinition["mcpServers"]
>[number];
