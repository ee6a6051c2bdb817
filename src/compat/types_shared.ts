import type { JsonObject, JsonValue } from "../types/json.ts";
import type { CliSettingsFields } from "../types/cli_settings.ts";
import type { PermissionMode } from "../protocol/permissions.ts";
import type {
  AgentDefinition as OwnAgentDefinition,
  McpToolPolicy,
} from "../protocol/session.ts";
import type { McpServer } from "./types_mcp.ts";

/** A UUID as text. */
export type UUID = `${string}-${string}-${string}-${string}-${string}`;

/** The same as the official declarations have it: no `readonly`, JSON is unknown, and what is unknown is not wrapped. */
export type Mutable<T> = [JsonValue] extends [T] ? unknown : EachMutable<T>;

/** {@link Mutable} of each member of a union. */
export type EachMutable<T> = T extends Unmapped ? T
  : T extends { readonly type: "unknown"; readonly originalType: string }
    ? never
  : T extends readonly (infer E)[] ? Mutable<E>[]
  : IsSame<T, JsonObject> extends true ? { [key: string]: unknown }
  : {
    -readonly [K in keyof T]: K extends "uuid" ? MutableId<T[K]>
      : Mutable<T[K]>;
  };

/** What has no members of its own. */
export type Unmapped =
  | string
  | number
  | boolean
  | null
  | undefined
  // deno-lint-ignore no-explicit-any -- as the official declarations have it
  | ((...args: any[]) => unknown);

/** Whether two types are one. */
export type IsSame<A, B> = (<T>() => T extends A ? 1 : 2) extends
  (<T>() => T extends B ? 1 : 2) ? true : false;

/** What an id is typed as there. */
export type MutableId<T> = T extends string ? UUID : T;

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
