import { AgentError, isAgentError } from "../errors/base.ts";

/** How far a failed request got: surely not to the server, or nobody knows. */
export type Delivery = "not_sent" | "unknown";

/** What failed: a limit, the connection as a whole, one HTTP exchange, or the wire format. */
export type FailureKind =
  | "timeout"
  | "closed"
  | "http"
  | "network"
  | "protocol";

/** What an {@link McpFailure} is made from. */
export interface McpFailureInit {
  /** What failed. */
  readonly kind: FailureKind;
  /** How far the request got; `"unknown"`. */
  readonly delivery?: Delivery;
  /** HTTP status. */
  readonly status?: number;
  /** What the server asked to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Whether the server has forgotten the HTTP session. */
  readonly isSessionLost?: boolean;
  /** What caused it. */
  readonly cause?: unknown;
  /** Further facts, such as `status`, `wwwAuthenticate` or `stderrTail`; those of the cause unless given. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * A request to an MCP server that got no answer; what the server itself answered is a {@link JsonRpcError}.
 *
 * @example A request that was surely not sent may be repeated
 * ```ts
 * import { McpFailure } from "@sluice/agent/mcp";
 * import assert from "node:assert/strict";
 *
 * const failure = new McpFailure("Connection refused", {
 *   kind: "network",
 *   delivery: "not_sent",
 * });
 * assert.equal(failure.delivery, "not_sent");
 * ```
 */
export class McpFailure extends AgentError {
  /** Name of the class. */
  override readonly name = "McpFailure";
  /** Family. */
  override readonly code = "mcp_failure";
  /** What failed. */
  readonly kind: FailureKind;
  /** How far the request got. */
  readonly delivery: Delivery;
  /** HTTP status. */
  readonly status: number | undefined;
  /** What the server asked to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Whether the server has forgotten the HTTP session. */
  readonly isSessionLost: boolean;

  /** Takes the text and the facts. */
  constructor(message: string, init: McpFailureInit) {
    const { cause, details = detailsOf(cause) } = init;
    super({ message, cause, details, fatal: false });
    this.kind = init.kind;
    this.delivery = init.delivery ?? "unknown";
    this.status = init.status;
    this.retryAfterMs = init.retryAfterMs;
    this.isSessionLost = init.isSessionLost ?? false;
  }
}

/** A JSON-RPC error, one that a server answered or one to be answered. */
export class JsonRpcError extends Error {
  /** Name of the class. */
  override readonly name = "JsonRpcError";
  /** Number of JSON-RPC or the server. */
  readonly code: number;
  /** Further facts. */
  readonly data: unknown;

  /** Takes number and text, and further facts of the server. */
  constructor(
    code: number,
    message: string,
    { data }: { readonly data?: unknown } = {},
  ) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The facts of an error that has any. */
export function detailsOf(error: unknown): Readonly<Record<string, unknown>> {
  return isAgentError(error) ? error.details : {};
}

/** The failure for a passed limit. */
export function timeoutFailure(
  server: string,
  { method, ms }: { readonly method: string; readonly ms: number },
): McpFailure {
  return new McpFailure(
    `MCP server "${server}" did not answer ${method} within ${ms} ms`,
    { kind: "timeout" },
  );
}

/** The failure for a request on a connection that is gone, and how far it got. */
export function closedFailure(
  server: string,
  { cause, delivery }: Pick<McpFailureInit, "cause" | "delivery">,
): McpFailure {
  const reason = cause instanceof Error ? `: ${cause.message}` : "";
  return new McpFailure(`MCP server "${server}" is gone${reason}`, {
    kind: "closed",
    cause,
    ...(delivery === undefined ? {} : { delivery }),
  });
}
