/**
 * The official SDK's names on this package's machinery.
 *
 * @module
 */
export { AbortError } from "./errors.ts";
export { createSdkMcpServer, tool } from "./mcp_server.ts";
export { query } from "./query.ts";
export * from "./constants.ts";
