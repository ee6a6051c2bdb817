import { AgentError, type AgentErrorInit, isAgentError } from "./base.ts";
import { textOfError } from "./text.ts";

/** An MCP server could not be connected; every other one was closed before this surfaced. */
export class McpInitError extends AgentError {
  /** Name of the class. */
  override readonly name = "McpInitError";
  /** Family. */
  override readonly code = "mcp_init";
  /** Name of the server. */
  readonly server: string;

  /** Takes the server and the cause; the text follows from them, the details begin with those of the cause. */
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
      details: { ...(isAgentError(cause) ? cause.details : {}), ...details },
    });
    this.server = server;
  }
}

/** No server of that name is connected. */
export class UnknownServerError extends AgentError {
  /** Name of the class. */
  override readonly name = "UnknownServerError";
  /** Family. */
  override readonly code = "mcp_unknown_server";
  /** Name of the server. */
  readonly server: string;

  /** Takes the name that was asked for. */
  constructor(init: AgentErrorInit & Pick<UnknownServerError, "server">) {
    super({ fatal: false, ...init });
    this.server = init.server;
  }
}

/** The server has no such tool. */
export class UnknownToolError extends AgentError {
  /** Name of the class. */
  override readonly name = "UnknownToolError";
  /** Family. */
  override readonly code = "mcp_unknown_tool";
  /** Name of the server. */
  readonly server: string;
  /** Bare name of the tool. */
  readonly tool: string | undefined;

  /** Takes the server and the tool that was asked for. */
  constructor(
    init:
      & AgentErrorInit
      & Pick<UnknownToolError, "server">
      & Partial<Pick<UnknownToolError, "tool">>,
  ) {
    super({ fatal: false, ...init });
    this.server = init.server;
    this.tool = init.tool;
  }
}

/** A tool or server name is not of the form `server__tool` needs. */
export class InvalidNameError extends AgentError {
  /** Name of the class. */
  override readonly name = "InvalidNameError";
  /** Family. */
  override readonly code = "mcp_invalid_name";

  /** Takes the text. */
  constructor(init: AgentErrorInit) {
    super({ fatal: false, ...init });
  }
}

/**
 * A server could not be reached, or did not answer, after the last attempt.
 *
 * The request did not run, or may run twice; with the retry policy `"always"` it may have run all the same.
 */
export class ServerUnavailableError extends AgentError {
  /** Name of the class. */
  override readonly name = "ServerUnavailableError";
  /** Family. */
  override readonly code = "mcp_unavailable";
  /** Name of the server. */
  readonly server: string;
  /** Bare name of the tool; none when something else was asked for. */
  readonly tool: string | undefined;
  /** How often it was tried. */
  readonly attempts: number;

  /** Takes the server and the last cause. */
  constructor(
    init:
      & AgentErrorInit
      & Pick<ServerUnavailableError, "server">
      & Partial<Pick<ServerUnavailableError, "tool" | "attempts">>,
  ) {
    super({ fatal: false, ...init });
    this.server = init.server;
    this.tool = init.tool;
    this.attempts = init.attempts ?? 1;
  }
}

/** A call was sent, its answer was lost, and it must not be repeated: it may or may not have run. */
export class DeliveryUnknownError extends AgentError {
  /** Name of the class. */
  override readonly name = "DeliveryUnknownError";
  /** Family. */
  override readonly code = "mcp_delivery_unknown";
  /** Name of the server. */
  readonly server: string;
  /** Bare name of the tool. */
  readonly tool: string | undefined;
  /** How often it was tried; all attempts but the last surely did not run. */
  readonly attempts: number;

  /** Takes the server and the cause. */
  constructor(
    init:
      & AgentErrorInit
      & Pick<DeliveryUnknownError, "server">
      & Partial<Pick<DeliveryUnknownError, "tool" | "attempts">>,
  ) {
    super({ fatal: false, ...init });
    this.server = init.server;
    this.tool = init.tool;
    this.attempts = init.attempts ?? 1;
  }
}

/** A server broke the protocol: a repeated cursor, structured content that does not fit its schema. */
export class McpProtocolError extends AgentError {
  /** Name of the class. */
  override readonly name = "McpProtocolError";
  /** Family. */
  override readonly code = "mcp_protocol";
  /** Name of the server. */
  readonly server: string;

  /** Takes the server and what it did. */
  constructor(init: AgentErrorInit & Pick<McpProtocolError, "server">) {
    super({ fatal: false, ...init });
    this.server = init.server;
  }
}
