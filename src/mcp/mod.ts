/**
 * MCP servers: tools inside this program, and connections to other servers.
 *
 * {@link tool} creates a tool from a schema and a function, {@link createMcpServer} a server of tools for the option
 * `mcpServers` of a conversation. {@link McpHub} connects to many servers on its own, with or without an agent.
 *
 * ```ts
 * import { createMcpServer, tool } from "@sluice/agent/mcp";
 *
 * const weather = createMcpServer({
 *   name: "weather",
 *   tools: [tool({
 *     name: "forecast",
 *     description: "Tells tomorrow's weather",
 *     input: { type: "object", properties: { city: { type: "string" } } },
 *     run: ({ city }) => `Rain in ${city}`,
 *   })],
 * });
 * // query("...", { mcpServers: { weather } })
 * ```
 *
 * @module
 */
export { backoffDelay, type BackoffOptions } from "../async/backoff.ts";
export {
  AgentError,
  type AgentErrorInit,
  AlreadyConnectedError,
  ClosedError,
  ConfigError,
  NotConnectedError,
} from "../errors/base.ts";
export {
  DeliveryUnknownError,
  InvalidNameError,
  McpInitError,
  McpProtocolError,
  ServerUnavailableError,
  UnknownServerError,
  UnknownToolError,
} from "../errors/mcp.ts";
export type { Clock } from "../ports/clock.ts";
export type {
  McpConnection,
  McpDirectCall,
  McpRequestOptions,
  McpServeContext,
  McpServeHandler,
  McpServerInfo,
} from "../ports/mcp.ts";
export type { JsonObject, JsonValue } from "../types/json.ts";
export type {
  CallOptions,
  Catalog,
  CatalogTool,
  Dialer,
  DialOffer,
  HubMetrics,
  HubOptions,
  HubRequest,
  HubRequestEnd,
  HubRequestObserver,
  HubRequestOptions,
  HubServerConfig,
  HubServerInput,
  RetryOptions,
  ServerItem,
  ServerRequestContext,
  ServerRequestHandler,
  ServerStatus,
} from "../types/mcp_hub.ts";
export type {
  CallToolResult,
  McpServerDefinition,
  Tool,
  ToolAnnotations,
  ToolContent,
  ToolContext,
  ToolDefinition,
  ToolMedia,
  ToolResource,
  ToolResourceLink,
  ToolResult,
  ToolReturn,
  ToolSchemas,
  ToolText,
} from "../types/mcp_tool.ts";
export type {
  ForeignMcpServer,
  LocalMcpServer,
  McpRemoteConfig,
  McpSdkConfig,
  McpServerCommon,
  McpServerConfig,
  McpServerInput,
  McpServerInstance,
  McpStdioConfig,
} from "../types/mcp.ts";
export type {
  Infer,
  Schema,
  StandardResult,
  StandardSchema,
  TypeBoxSchema,
} from "../types/schema.ts";
export { JsonRpcError, McpFailure } from "./failure.ts";
export type { Delivery, FailureKind, McpFailureInit } from "./failure.ts";
export { McpHub } from "./hub.ts";
export { joinName, type NameParts, splitName } from "./names.ts";
export { createMcpServer } from "./server.ts";
export { tool } from "./tool.ts";
export { prefixToolkit } from "./names.ts";
