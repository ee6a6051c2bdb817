import type { CliSettingsFields } from "../types/cli_settings.ts";
import type {
  AgentDefinition,
  McpClaudeAIProxyServerConfig,
  McpServerConfigForProcessTransport,
} from "../protocol/official.ts";
import type { Mutable } from "../types/mutable.ts";
import type { McpServer } from "./types_mcp.ts";

/** What is known of settings files; other keys are let through. */
export type Settings = Mutable<CliSettingsFields> & {
  [key: string]: unknown;
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
