import { backoffDelay } from "../async/backoff.ts";
import { joinSignals } from "../async/on_abort.ts";
import { LONGEST_TIMER_MS, systemClock } from "../async/system_clock.ts";
import { isAgentError } from "../errors/base.ts";
import { DeliveryUnknownError, ServerUnavailableError } from "../errors/mcp.ts";
import { textOfError } from "../errors/text.ts";
import type { McpConnection, McpRequestOptions } from "../ports/mcp.ts";
import type { HubRequestOptions } from "../types/mcp.ts";
import type { HubSettings } from "./hub_config.ts";
import {
  detailsOf,
  fateOf,
  McpFailure,
  needsRedial,
  retryAfterMsOf,
} from "./failure.ts";
import type { ServerLink } from "./link.ts";

/** Something to be asked of a server until it answers. */
interface Job<T> {
  readonly method: string;
  /** Bare name of the tool, in a call of one. */
  readonly tool?: string;
  /** Whether it may run twice. */
  readonly mayRepeat: boolean;
  readonly options: HubRequestOptions;
  work(connection: McpConnection, request: McpRequestOptions): Promise<T>;
}

interface Failure {
  readonly error: unknown;
  /** How many there were, this one too. */
  readonly attempts: number;
  /** What it was sent over; `undefined` when the server was not reached. */
  readonly connection: McpConnection | undefined;
}

/**
 * Does jobs for one server, and repeats what may be repeated, knowing what became of each attempt.
 *
 * A job rejects with the signal's reason when it is aborted, with what the server answered, with `DeliveryUnknownError`
 * when it may have run and must not run twice, and with `ServerUnavailableError` after the last attempt.
 *
 * @param closing Aborted when the hub closes, with the error that calls get then
 */
export function attempter(
  link: ServerLink,
  { retry, clock, random }: Pick<HubSettings, "retry" | "clock" | "random">,
  closing: AbortSignal,
): <T>(job: Job<T>) => Promise<T> {
  return async (job) => {
    const { signal, totalTimeoutMs: ms } = job.options;
    if (ms === undefined) return await run(job, signal, Infinity);
    const over = new AbortController();
    const done = new AbortController();
    const both = joinSignals(signal, over.signal);
    systemClock.sleep(ms, done.signal).then(
      () => over.abort(tooLate(job, ms)),
      () => {},
    );
    try {
      return await run(job, both.signal, systemClock.now() + ms);
    } finally {
      done.abort();
      both.release();
    }
  };

  async function run<T>(
    job: Job<T>,
    signal: AbortSignal | undefined,
    endsAt: number,
  ): Promise<T> {
    for (let attempts = 1;; attempts++) {
      let connection: McpConnection | undefined;
      try {
        connection = link.live ?? await link.connect(signal);
        const { timeoutMs = link.server.callMs } = job.options;
        return await job.work(connection, {
          timeoutMs,
          ...(signal && { signal }),
        });
      } catch (error) {
        const failure = { error, attempts, connection };
        const waitMs = judge(job, failure);
        const isOver = signal?.aborted ||
          systemClock.now() + waitMs >= endsAt;
        if (attempts >= retry.attempts || isOver) {
          const times = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
          throw new ServerUnavailableError(
            factsOf(
              job,
              failure,
              (what) => `is not available for ${what} after ${times}`,
            ),
          );
        }
        const either = joinSignals(job.options.signal, closing);
        try {
          await clock.sleep(waitMs, either.signal);
        } finally {
          either.release();
        }
      }
    }
  }

  /** How long to wait for the next attempt; throws when there must not be one. */
  function judge<T>(job: Job<T>, failure: Failure): number {
    const { error, connection, attempts } = failure;
    job.options.signal?.throwIfAborted();
    closing.throwIfAborted();
    // What the hub itself found wrong stays wrong.
    if (isAgentError(error) && !(error instanceof McpFailure)) throw error;
    const fate = connection === undefined ? "not_sent" : fateOf(error);
    if (connection !== undefined && needsRedial(error)) {
      link.lose(connection, error);
    }
    if (retry.policy === "safe") {
      if (fate === "answered") throw error;
      if (fate === "unknown" && !job.mayRepeat) {
        // Dialled anew for whoever comes next, who hears why it cannot be.
        link.connect(undefined).catch(() => {});
        throw new DeliveryUnknownError(
          factsOf(
            job,
            failure,
            (what) =>
              `may or may not have run ${what}, which must not run twice`,
          ),
        );
      }
    }
    const asked = retryAfterMsOf(error);
    if (asked !== undefined) {
      return Math.min(asked, retry.capMs, LONGEST_TIMER_MS);
    }
    return backoffDelay(attempts - 1, { ...retry, ...(random && { random }) });
  }

  function tooLate({ method }: Job<unknown>, ms: number): McpFailure {
    const { name } = link.server;
    return new McpFailure(
      `MCP server "${name}" did not answer ${method} within ${ms} ms in all`,
      { kind: "timeout" },
    );
  }

  function factsOf(
    { method, tool }: Job<unknown>,
    { error, attempts }: Failure,
    say: (what: string) => string,
  ) {
    const { name: server } = link.server;
    const what = say(tool === undefined ? method : `tool "${tool}"`);
    return {
      message: `MCP server "${server}" ${what}: ${textOfError(error)}`,
      server,
      tool,
      attempts,
      cause: error,
      details: detailsOf(error),
    };
  }
}
