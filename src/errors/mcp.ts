import { AgentError, isAgentError } from "./base.ts";
import { textOfError } from "./text.ts";

/**
 * An MCP server could not be connected; all other servers were closed again.
 *
 * Fix: Read `cause`, and the server's `details.stderrTail` or `details.status`.
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
 * No server of that name is connected, or the hub is closed.
 *
 * Fix: Check the name against the hub's servers.
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
 * The server has no such tool.
 *
 * Fix: Look the tool up in the catalogue.
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
  /** Bare name of the tool. */
  declare readonly tool: string | undefined;
}

/**
 * A tool or server name does not have the form `server__tool`.
 *
 * Fix: Use a name of the catalogue.
 */
export class InvalidNameError extends AgentError {
  /** Name of the class. */
  override readonly name = "InvalidNameError";
  /** Error code, a literal. */
  override readonly code = "mcp_invalid_name";
}

/**
 * A server could not be reached, or did not answer, after the last attempt.
 *
 * Fix: Check that the server runs, then repeat the call. With the retry policy `"always"` the call may have run already.
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
  /** Bare name of the tool; `undefined` for any other request. */
  declare readonly tool: string | undefined;
  /** Number of attempts. */
  declare readonly attempts: number;
}

/**
 * A call was sent, and its answer was lost. The call may have run, so it was not repeated.
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
  /** Bare name of the tool. */
  declare readonly tool: string | undefined;
  /** Number of attempts; all but the last certainly did not run. */
  declare readonly attempts: number;
}

/**
 * A server broke the protocol: a repeated cursor, or structured content that does not fit its schema.
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
