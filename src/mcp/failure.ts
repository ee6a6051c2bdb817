import { AgentError, isAgentError } from "../errors/base.ts";
import { textOfError } from "../errors/text.ts";

/** Delivery of a failed request: surely not to the server, or unknown. */
export type Delivery = "not_sent" | "unknown";

/** Kind of a failure: a timeout, the whole connection, one HTTP exchange, the network, or the wire format. */
export type FailureKind =
  | "timeout"
  | "closed"
  | "http"
  | "network"
  | "protocol";

/** The facts of an {@link McpFailure}. */
export interface McpFailureInit {
  /** Kind of the failure. */
  readonly kind: FailureKind;
  /** Delivery of the request; `"unknown"`. */
  readonly delivery?: Delivery;
  /** HTTP status. */
  readonly status?: number;
  /** Wait that the server asked for, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Whether the server has forgotten the HTTP session. */
  readonly isSessionLost?: boolean;
  /** Cause. */
  readonly cause?: unknown;
  /** Further facts, such as `status`, `wwwAuthenticate` or `stderrTail`; those of the cause by default. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * One attempt of a request to an MCP server failed. Often the `cause` of another error.
 *
 * Fix: Read `kind` and `status`. Repeat the request when `delivery` is `"not_sent"`.
 *
 * @example Repeat a request that was not sent
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
  /** Error code, a literal. */
  override readonly code = "mcp_failure";
  /** Kind of the failure. */
  readonly kind: FailureKind;
  /** Whether the request reached the server. */
  readonly delivery: Delivery;
  /** HTTP status, if the server answered with one. */
  readonly status: number | undefined;
  /** The wait that the server asked for, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Whether the server has forgotten the HTTP session. */
  readonly isSessionLost: boolean;

  /** Creates the error from its text and facts. */
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

/** A JSON-RPC error, received from a server or to be sent as a response. */
export class JsonRpcError extends Error {
  /** Name of the class. */
  override readonly name = "JsonRpcError";
  /** Number of JSON-RPC or the server. */
  readonly code: number;
  /** Further facts. */
  readonly data: unknown;

  /** Creates the error from code, text and data. */
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

export function timeoutFailure(
  server: string,
  method: string,
  ms: number,
): McpFailure {
  return new McpFailure(
    `MCP server "${server}" did not answer ${method} within ${ms} ms`,
    { kind: "timeout" },
  );
}

/** The failure for a request on a connection that is gone, and how far it got. */
export function closedFailure(
  server: string,
  delivery: Delivery,
  cause?: unknown,
): McpFailure {
  const reason = cause instanceof Error ? `: ${cause.message}` : "";
  const text = `MCP server "${server}" is gone${reason}`;
  return new McpFailure(text, { kind: "closed", cause, delivery });
}

/** Fate of a failed request: it surely did not run, unknown, or the server refused it. */
type Fate = "not_sent" | "unknown" | "answered";

/** Errors that the client of the MCP SDK makes itself: connection closed, timeout. */
const LOCAL_CODES: readonly number[] = [-32000, -32001];

/**
 * The fate of a request, by its error.
 *
 * An error that came over a connection of this package says so itself. One of another dialer is judged by its members:
 * a JSON-RPC code, an HTTP status, the code of a failed connection. A request that was refused was not executed; one
 * that failed within the server may have been. Source: MCP reference, section 4.
 */
export function fateOf(error: unknown): Fate {
  if (error instanceof JsonRpcError) return "answered";
  const isNotSent = error instanceof McpFailure
    ? error.delivery === "not_sent" || error.isSessionLost
    : wasNotSent(error);
  if (isNotSent) return "not_sent";
  const code = numberIn(error, "code");
  const status = numberIn(error, "status") ?? code ?? 0;
  if (status < 0) return LOCAL_CODES.includes(status) ? "unknown" : "answered";
  const isBusy = status === 429 || status === 503;
  if (isBusy && retryAfterMsOf(error) !== undefined) return "not_sent";
  const isRefusal = status >= 400 && status < 500;
  return isRefusal && status !== 408 && !isBusy ? "answered" : "unknown";
}

/** A server that could not be reached, or has forgotten the session, is not asked again on the same connection. */
export function needsRedial(error: unknown): boolean {
  if (error instanceof McpFailure) {
    const { kind, delivery, isSessionLost } = error;
    // A broken stream does not end the session; other calls of it may continue.
    const isUnreachable = kind === "network" && delivery === "not_sent";
    return kind === "closed" || isUnreachable || isSessionLost;
  }
  return wasNotSent(error);
}

/** Wait that the server asked for, in milliseconds. */
export function retryAfterMsOf(error: unknown): number | undefined {
  const ms = numberIn(error, "retryAfterMs");
  return ms !== undefined && ms >= 0 ? ms : undefined;
}

function numberIn(error: unknown, key: string): number | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const value = (error as Readonly<Record<string, unknown>>)[key];
  return typeof value === "number" && !Number.isNaN(value) ? value : undefined;
}

/** Codes of failures that come before the first byte of a request; Bun has names of its own. */
const BEFORE_SENDING: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "ConnectionRefused",
  "FailedToOpenSocket",
]);

/**
 * Whether a failed `fetch` surely never sent its request; what it does not know was perhaps sent.
 *
 * Node has a code on the cause, Bun on the error itself, Deno none: there the text of the cause says so.
 * Source: MCP reference, section 10.
 */
export function wasNotSent(error: unknown): boolean {
  const links = chainOf(error);
  return links.some((one) => {
    if ("code" in one && BEFORE_SENDING.has(String(one.code))) {
      // A network can go under a connection that stands.
      return !("syscall" in one && /^(read|write)/.test(String(one.syscall)));
    }
    // A server may quote this text, so that it counts in an error of `fetch` alone.
    return one instanceof TypeError && one.cause instanceof Error &&
      one.cause.message.includes(": client error (Connect)");
  });
}

/** The text of a failed `fetch`, with its cause. */
export function reasonOf(error: unknown): string {
  const [first = "", second = ""] = chainOf(error).map(textOfError);
  return first.includes(second) ? first : `${first} (${second})`;
}

function chainOf(error: unknown): readonly object[] {
  const links: object[] = [];
  let link = error;
  while (typeof link === "object" && link !== null && links.length < 4) {
    links.push(link);
    link = "cause" in link ? link.cause : undefined;
  }
  return links;
}
