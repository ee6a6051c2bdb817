import { AgentError, isAgentError } from "./base.ts";
import { textOfError } from "./text.ts";

/**
 * Sluice could not connect to an MCP server.
 *
 * Fix: Read `cause`. `details.stderrTail` has the stderr of a stdio server, and `details.status` has the HTTP status of a remote server.
 */
export class McpInitError extends AgentError {
  /** Name of the class. */
  override readonly name = "McpInitError";
  /** Error code, a literal. */
  override readonly code = "mcp_init";
  /** Name of the server. */
  readonly server: string;

  /** Creates the error from the server and the cause; text and details are derived from them. */
  constructor(
    server: string,
    cause: unknown,
    details?: Readonly<Record<string, unknown>>,
  ) {
    super({
      message: `Failed to initialize MCP server "${server}": ${
        textOfError(cause)
      }`,
      cause,
      fatal: true,
      details: { ...(isAgentError(cause) ? cause.details : {}), ...details },
    });
    this.server = server;
  }
}

/**
 * No server of that name is connected. A tool call after `close()` of a hub throws this error, not a `ClosedError`.
 *
 * Fix: Compare the name with the servers that `hub.status()` returns.
 */
export class UnknownServerError
  extends AgentError<{ readonly server: string }> {
  /** Name of the class. */
  override readonly name = "UnknownServerError";
  /** Error code, a literal. */
  override readonly code = "mcp_unknown_server";
  /** Name of the server. */
  declare readonly server: string;
}

/**
 * The MCP server has no tool of that name.
 *
 * Fix: Use a name from the catalogue, the list of tools that `hub.catalog()` returns.
 */
export class UnknownToolError extends AgentError<{
  readonly server: string;
  readonly tool?: string | undefined;
}> {
  /** Name of the class. */
  override readonly name = "UnknownToolError";
  /** Error code, a literal. */
  override readonly code = "mcp_unknown_tool";
  /** Name of the server. */
  declare readonly server: string;
  /** Name of the tool in its server. */
  declare readonly tool: string | undefined;
}

/**
 * The name of a tool in a hub is invalid. The form is `server__tool`, and both parts must be valid names.
 *
 * Fix: Use a name from the catalogue, the list of tools that `hub.catalog()` returns.
 */
export class InvalidNameError extends AgentError {
  /** Name of the class. */
  override readonly name = "InvalidNameError";
  /** Error code, a literal. */
  override readonly code = "mcp_invalid_name";
}

/**
 * The connection to an MCP server has ended, or all attempts of a request to the server have failed.
 *
 * Fix: Check that the server runs, then repeat the call. With `retry.policy: "always"`, first check whether the call has already run.
 */
export class ServerUnavailableError extends AgentError<{
  readonly server: string;
  readonly tool?: string | undefined;
  readonly attempts: number;
}> {
  /** Name of the class. */
  override readonly name = "ServerUnavailableError";
  /** Error code, a literal. */
  override readonly code = "mcp_unavailable";
  /** Name of the server. */
  declare readonly server: string;
  /** Name of the tool in its server; `undefined` for any other request. */
  declare readonly tool: string | undefined;
  /** Number of attempts. */
  declare readonly attempts: number;
}

/**
 * The hub sent a call, and got no answer. The call may have run, so the hub does not send it again.
 *
 * Fix: Find out whether the call ran before you repeat it.
 */
export class DeliveryUnknownError extends AgentError<{
  readonly server: string;
  readonly tool?: string | undefined;
  readonly attempts: number;
}> {
  /** Name of the class. */
  override readonly name = "DeliveryUnknownError";
  /** Error code, a literal. */
  override readonly code = "mcp_delivery_unknown";
  /** Name of the server. */
  declare readonly server: string;
  /** Name of the tool in its server. */
  declare readonly tool: string | undefined;
  /** Number of attempts, including those that did not reach the server. */
  declare readonly attempts: number;
}

/**
 * An MCP server broke the protocol. For example, it sent structured content that does not fit the tool's schema.
 *
 * Fix: Report it to the authors of the server.
 */
export class McpProtocolError extends AgentError<{ readonly server: string }> {
  /** Name of the class. */
  override readonly name = "McpProtocolError";
  /** Error code, a literal. */
  override readonly code = "mcp_protocol";
  /** Name of the server. */
  declare readonly server: string;
}
