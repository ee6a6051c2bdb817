import { backoffDelay } from "../async/backoff.ts";
import { joinSignals } from "../async/joined_signal.ts";
import { LONGEST_TIMER_MS, systemClock } from "../async/system_clock.ts";
import { isAgentError } from "../errors/base.ts";
import { DeliveryUnknownError, ServerUnavailableError } from "../errors/mcp.ts";
import { textOfError } from "../errors/text.ts";
import type { McpConnection } from "../ports/mcp.ts";
import type { HubRequestOptions } from "../types/mcp.ts";
import type { HubSettings } from "./hub_config.ts";
import {
  detailsOf,
  fateOf,
  McpFailure,
  needsRedial,
  retryAfterMsOf,
} from "./failure.ts";
import type { ServerLink } from "./redial.ts";

/** Something to be asked of a server until it answers. */
interface Job<T> {
  /** Which server. */
  readonly link: ServerLink;
  /** What is asked for. */
  readonly method: string;
  /** Bare name of the tool, in a call of one. */
  readonly tool?: string;
  /** Whether it may run twice. */
  readonly mayRepeat: boolean;
  /** Signal and limits. */
  readonly options: HubRequestOptions;
  /** Asks. */
  work(
    connection: McpConnection,
    signal: AbortSignal | undefined,
  ): Promise<T>;
}

/** One attempt that failed. */
interface Failure {
  readonly error: unknown;
  /** How many there were, this one too. */
  readonly attempts: number;
  /** What it was sent over; `undefined` when the server was not reached. */
  readonly connection: McpConnection | undefined;
}

/** Repeats what may be repeated, knowing what became of each attempt. */
export class Attempts {
  readonly #settings: Pick<HubSettings, "retry" | "clock" | "random">;
  /** Aborted when the hub closes, with the error that calls get then. */
  readonly #closing: AbortSignal;

  constructor(
    settings: Pick<HubSettings, "retry" | "clock" | "random">,
    closing: AbortSignal,
  ) {
    this.#settings = settings;
    this.#closing = closing;
  }

  /**
   * Does a job.
   *
   * Rejects with the signal's reason when it is aborted, with what the server answered, with `DeliveryUnknownError`
   * when it may have run and must not run twice, and with `ServerUnavailableError` after the last attempt.
   */
  async run<T>(job: Job<T>): Promise<T> {
    const { signal, totalTimeoutMs } = job.options;
    if (totalTimeoutMs === undefined) return await this.#run(job, signal);
    const onOver = () => tooLate(job, totalTimeoutMs);
    const budget = startBudget(totalTimeoutMs, signal, onOver);
    try {
      return await this.#run(job, budget.signal, budget);
    } finally {
      budget.release();
    }
  }

  async #run<T>(
    job: Job<T>,
    signal: AbortSignal | undefined,
    budget?: Budget,
  ): Promise<T> {
    for (let attempts = 1;; attempts++) {
      let connection: McpConnection | undefined;
      try {
        connection = job.link.live ?? await job.link.connect(signal);
        return await job.work(connection, signal);
      } catch (error) {
        const failure = { error, attempts, connection };
        const waitMs = this.#judge(job, failure);
        const isOver = attempts >= this.#settings.retry.attempts;
        if (isOver || budget?.isPassedIn(waitMs)) {
          throw unavailable(job, failure);
        }
        await this.#wait(waitMs, job.options.signal);
      }
    }
  }

  /** How long to wait for the next attempt; throws when there must not be one. */
  #judge<T>(job: Job<T>, failure: Failure): number {
    const { retry, random } = this.#settings;
    const { error, connection, attempts } = failure;
    job.options.signal?.throwIfAborted();
    this.#closing.throwIfAborted();
    // What the hub itself found wrong stays wrong.
    if (isAgentError(error) && !(error instanceof McpFailure)) throw error;
    const fate = connection === undefined ? "not_sent" : fateOf(error);
    if (connection !== undefined && needsRedial(error)) {
      job.link.lose(connection, error);
    }
    if (retry.policy === "safe") {
      if (fate === "answered") throw error;
      if (fate === "unknown" && !job.mayRepeat) {
        job.link.revive();
        throw unknownDelivery(job, failure);
      }
    }
    const asked = retryAfterMsOf(error);
    if (asked !== undefined) {
      return Math.min(asked, retry.capMs, LONGEST_TIMER_MS);
    }
    return backoffDelay(attempts - 1, { ...retry, ...(random && { random }) });
  }

  async #wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const { clock } = this.#settings;
    const either = joinSignals(signal, this.#closing);
    try {
      await clock.sleep(ms, either.signal);
    } finally {
      either.release();
    }
  }
}

function tooLate({ link, method }: Job<unknown>, ms: number): McpFailure {
  const { name } = link.server;
  return new McpFailure(
    `MCP server "${name}" did not answer ${method} within ${ms} ms in all`,
    { kind: "timeout" },
  );
}

function unavailable(
  { link, method, tool }: Job<unknown>,
  { error, attempts }: Failure,
): ServerUnavailableError {
  const { name: server } = link.server;
  return new ServerUnavailableError({
    message: `MCP server "${server}" is not available for ${
      subject(method, tool)
    } after ${showAttempts(attempts)}: ${textOfError(error)}`,
    server,
    tool,
    attempts,
    cause: error,
    details: detailsOf(error),
  });
}

function unknownDelivery(
  { link, method, tool }: Job<unknown>,
  { error, attempts }: Failure,
): DeliveryUnknownError {
  const { name: server } = link.server;
  return new DeliveryUnknownError({
    message: `MCP server "${server}" may or may not have run ${
      subject(method, tool)
    }, which must not run twice: ${textOfError(error)}`,
    server,
    tool,
    attempts,
    cause: error,
    details: detailsOf(error),
  });
}

function subject(method: string, tool: string | undefined): string {
  return tool === undefined ? method : `tool "${tool}"`;
}

function showAttempts(attempts: number): string {
  return attempts === 1 ? "1 attempt" : `${attempts} attempts`;
}

/** The time of all attempts together. */
interface Budget {
  /** Aborted by the caller, or when the time is over. */
  readonly signal: AbortSignal;
  /** Whether it would be over after so long. */
  isPassedIn(ms: number): boolean;
  /** Ends it. */
  release(): void;
}

function startBudget(
  ms: number,
  signal: AbortSignal | undefined,
  onOver: () => unknown,
): Budget {
  const endsAt = systemClock.now() + ms;
  const over = new AbortController();
  const timer = new AbortController();
  const both = joinSignals(signal, over.signal);
  systemClock.sleep(ms, timer.signal).then(
    () => over.abort(onOver()),
    () => {},
  );
  return {
    signal: both.signal,
    isPassedIn: (waitMs) =>
      both.signal.aborted || systemClock.now() + waitMs >= endsAt,
    release: () => {
      timer.abort();
      both.release();
    },
  };
}
