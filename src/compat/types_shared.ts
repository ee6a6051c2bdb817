import type { CliSettingsFields } from "../types/cli_settings.ts";
import type { PermissionMode } from "../protocol/permissions.ts";
import type {
  AgentDefinition as OwnAgentDefinition,
  McpToolPolicy,
} from "../protocol/session.ts";
import type { McpServer } from "./types_mcp.ts";

/** The same as the official declarations have it: no `readonly`, and what is unknown is not wrapped. */
// deno-lint-ignore no-explicit-any
export type Mutable<T> = T extends (...args: any[]) => unknown ? T
  : T extends { readonly type: "unknown"; readonly originalType: string }
    ? never
  : T extends readonly (infer E)[] ? Mutable<E>[]
  : T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> }
  : T;

export type { PermissionMode } from "../protocol/permissions.ts";

/** What is known of settings files; other keys are let through. */
export type Settings = Mutable<CliSettingsFields> & {
  [key: string]: unknown;
};

/** What may be done with the tools of a server. */
export type McpServerToolPolicy = Mutable<McpToolPolicy>;

/** An MCP server that the CLI starts. */
export type McpStdioServerConfig = {
  type?: "stdio";
  command: string;
  args?: string[];
  env?: Record<string, string>;
  timeout?: number;
  alwaysLoad?: boolean;
};

/** An MCP server behind a stream of events. */
export type McpSSEServerConfig = {
  type: "sse";
  url: string;
  headers?: Record<string, string>;
  tools?: McpServerToolPolicy[];
  timeout?: number;
  alwaysLoad?: boolean;
};

/** An MCP server behind HTTP. */
export type McpHttpServerConfig = {
  type: "http";
  url: string;
  headers?: Record<string, string>;
  tools?: McpServerToolPolicy[];
  timeout?: number;
  alwaysLoad?: boolean;
};

/** An MCP server of this program, as the CLI is told of it. */
export type McpSdkServerConfig = {
  type: "sdk";
  name: string;
  timeout?: number;
  tools?: McpServerToolPolicy[];
};

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

/** An MCP server as it travels to the CLI. */
export type McpServerConfigForProcessTransport =
  | McpStdioServerConfig
  | McpSSEServerConfig
  | McpHttpServerConfig
  | McpSdkServerConfig;

/** An MCP server that claude.ai stands before. */
export type McpClaudeAIProxyServerConfig = {
  type: "claudeai-proxy";
  url: string;
  id: string;
  tools?: McpServerToolPolicy[];
  timeout?: number;
};

/** An MCP server as its status tells of it. */
export type McpServerStatusConfig =
  | McpServerConfigForProcessTransport
  | McpClaudeAIProxyServerConfig;

/** MCP servers of one agent: names of servers of the session, or configurations. */
export type AgentMcpServerSpec =
  | string
  | Record<string, McpServerConfigForProcessTransport>;

/** An agent that the model can hand work to. */
export type AgentDefinition =
  & Omit<Mutable<OwnAgentDefinition>, "mcpServers" | "permissionMode">
  & { mcpServers?: AgentMcpServerSpec[]; permissionMode?: PermissionMode };
