import { backoffDelay } from "../async/backoff.ts";
import { joinSignals } from "../async/on_abort.ts";
import { LONGEST_TIMER_MS, systemClock } from "../async/system_clock.ts";
import { isAgentError } from "../errors/base.ts";
import { DeliveryUnknownError, ServerUnavailableError } from "../errors/mcp.ts";
import { textOfError } from "../errors/text.ts";
import type { McpConnection, McpRequestOptions } from "../ports/mcp.ts";
import type { HubRequestOptions } from "../types/mcp_hub.ts";
import {
  detailsOf,
  fateOf,
  McpFailure,
  needsRedial,
  retryAfterMsOf,
} from "./failure.ts";
import type { HubServer } from "./hub_config.ts";
import type { HubContext } from "./hub_context.ts";

/** A request to a server, sent until it is answered. */
export interface Job<T> {
  readonly method: string;
  /** Bare name of the tool, in a call of one. */
  readonly tool?: string;
  /** Whether it may run twice. */
  readonly mayRepeat: boolean;
  readonly options: HubRequestOptions;
  work(connection: McpConnection, request: McpRequestOptions): Promise<T>;
}

/** A server with the connections that a job goes over. */
export interface Connections {
  readonly server: HubServer;
  /** The connection, if it is not known to be gone. */
  current(): McpConnection | undefined;
  /** Dials anew where it is gone. */
  connect(signal: AbortSignal | undefined): Promise<McpConnection>;
  /** Waits for the answer to a request, which a connection delivers before it is closed in good order. */
  use<T>(connection: McpConnection, request: Promise<T>): Promise<T>;
  /** A connection turned out to be gone. */
  lose(connection: McpConnection, cause: unknown): void;
}

/**
 * Does a job, and repeats what may be repeated, knowing what became of each attempt.
 *
 * Rejects with the signal's reason when it is aborted, with what the server answered, with `DeliveryUnknownError` when
 * it may have run and must not run twice, and with `ServerUnavailableError` after the last attempt.
 */
export async function askUntilAnswered<T>(
  job: Job<T>,
  hub: HubContext,
  connections: Connections,
): Promise<T> {
  const { server } = connections;
  const { signal, totalTimeoutMs: ms } = job.options;
  if (ms === undefined) return await attempt(signal, Infinity);
  const over = new AbortController();
  const deadline = hub.deadlines.add(ms, () => {
    const text =
      `MCP server "${server.name}" did not answer ${job.method} within ${ms} ms in all`;
    over.abort(new McpFailure(text, { kind: "timeout" }));
  });
  const both = joinSignals(signal, over.signal);
  try {
    return await attempt(both.signal, systemClock.monotonic() + ms);
  } finally {
    deadline.cancel();
    both.release();
  }

  async function attempt(
    signal: AbortSignal | undefined,
    endsAt: number,
  ): Promise<T> {
    const { method, tool, mayRepeat, options, work } = job;
    const { name, callMs } = server;
    const { closing, settings: { retry, clock, random } } = hub;
    const what = tool === undefined ? method : `tool "${tool}"`;
    for (let attempts = 1;; attempts++) {
      /** Stays `undefined` when the server was not reached. */
      let connection = connections.current();
      try {
        connection ??= await connections.connect(signal);
        const { timeoutMs = callMs } = options;
        return await connections.use(
          connection,
          work(connection, { timeoutMs, signal }),
        );
      } catch (error) {
        options.signal?.throwIfAborted();
        closing.throwIfAborted();
        // An error of the hub itself is final.
        if (isAgentError(error) && !(error instanceof McpFailure)) throw error;
        const facts = (fact: string) => ({
          message: `MCP server "${name}" ${fact}: ${textOfError(error)}`,
          server: name,
          tool,
          attempts,
          cause: error,
          details: detailsOf(error),
        });
        const fate = connection === undefined ? "not_sent" : fateOf(error);
        if (connection !== undefined && needsRedial(error)) {
          connections.lose(connection, error);
        }
        if (retry.policy === "safe") {
          if (fate === "answered") throw error;
          if (fate === "unknown" && !mayRepeat) {
            // Dialled anew for the next request, which gets the error if that fails.
            connections.connect(undefined).catch(() => {});
            throw new DeliveryUnknownError(facts(
              `may or may not have run ${what}, which must not run twice`,
            ));
          }
        }
        const asked = retryAfterMsOf(error);
        const waitMs = asked === undefined
          ? backoffDelay(attempts - 1, { ...retry, ...(random && { random }) })
          : Math.min(asked, retry.capMs, LONGEST_TIMER_MS);
        const isOver = attempts >= retry.attempts || signal?.aborted ||
          systemClock.monotonic() + waitMs >= endsAt;
        if (isOver) {
          const times = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
          throw new ServerUnavailableError(
            facts(`is not available for ${what} after ${times}`),
          );
        }
        const either = joinSignals(options.signal, closing);
        try {
          await clock.sleep(waitMs, either.signal);
        } finally {
          either.release();
        }
      }
    }
  }
}
