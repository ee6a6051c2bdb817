import { JsonRpcError, McpFailure } from "./failure.ts";
import { wasNotSent } from "./network.ts";

/** What became of a request that failed: it surely did not run, nobody knows, or the server said no. */
export type Fate = "not_sent" | "unknown" | "answered";

/** Errors that the client of the MCP SDK makes itself: connection closed, timeout. */
const LOCAL_CODES: readonly number[] = [-32000, -32001];

/**
 * Tells what became of a request, by its error.
 *
 * An error that came over a connection of this package says so itself. One of another dialer is judged by its members:
 * a JSON-RPC code, an HTTP status, the code of a failed connection. What is not known has an unknown fate.
 * Source: MCP reference, section 4.
 */
export function fateOf(error: unknown): Fate {
  if (error instanceof JsonRpcError) return "answered";
  if (error instanceof McpFailure) {
    const isNotSent = error.delivery === "not_sent" || isSessionLost(error);
    return isNotSent ? "not_sent" : fateOfStatus(error.status);
  }
  if (wasNotSent(error)) return "not_sent";
  const code = numberIn(error, "code");
  if (code !== undefined && code < 0) {
    return LOCAL_CODES.includes(code) ? "unknown" : "answered";
  }
  const status = numberIn(error, "status") ?? code;
  const isBusy = status === 429 || status === 503;
  if (isBusy && retryAfterMsOf(error) !== undefined) return "not_sent";
  return fateOfStatus(status);
}

/** A server that could not be reached, or has forgotten the session, is not asked again on the same connection. */
export function needsRedial(error: unknown): boolean {
  if (error instanceof McpFailure) {
    const { kind, delivery } = error;
    // A stream that broke says nothing about the session; other calls of it may go on.
    const isUnreachable = kind === "network" && delivery === "not_sent";
    return kind === "closed" || isUnreachable || isSessionLost(error);
  }
  return wasNotSent(error);
}

/** The protocol says 404; servers made after the example of the MCP SDK say 400, and name the session. */
function isSessionLost(
  { isSessionLost, status, message }: McpFailure,
): boolean {
  return isSessionLost || (status === 400 && /\bsession\b/i.test(message));
}

/** What the server asked to wait, in milliseconds. */
export function retryAfterMsOf(error: unknown): number | undefined {
  const ms = numberIn(error, "retryAfterMs");
  return ms !== undefined && ms >= 0 ? ms : undefined;
}

/** A request that was refused was not executed; one that failed within the server may have been. */
function fateOfStatus(status: number | undefined): Fate {
  const isRefusal = status !== undefined && status >= 400 && status < 500;
  return isRefusal && status !== 408 && status !== 429 ? "answered" : "unknown";
}

function numberIn(error: unknown, key: string): number | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const value = (error as Readonly<Record<string, unknown>>)[key];
  return typeof value === "number" && !Number.isNaN(value) ? value : undefined;
}
