import type { Cost } from "./activity.ts";
import type { Prompt } from "./conversation.ts";
import type { AgentOptions } from "./options.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";
import type { Schema } from "./schema.ts";

/**
 * Options of a `Pool`: those of every conversation, and those of the pool.
 *
 * @typeParam S The schema of the structured output
 */
export interface PoolOptions<S extends Schema = Schema>
  extends AgentOptions<S> {
  /** Number of warm processes; 1. */
  readonly size?: number | undefined;
  /** Milliseconds without a query after which the warm ones are closed, until the next query; 300 000. `Infinity` for never. */
  readonly idleMs?: number | undefined;
  /** Age in milliseconds at which a warm process is replaced; `Infinity` by default. */
  readonly maxAgeMs?: number | undefined;
  /**
   * Whether a parked process is asked for its context usage, so that less is left to do at its first prompt; false.
   *
   * It costs about 25 requests that count tokens: they cost no money, but count against the rate limits of the API.
   */
  readonly warmUp?: boolean | undefined;
}

/**
 * Options of one query of a `Pool`, which override those of the pool, key by key in `permissions`.
 *
 * A warm process accepts `signal`, `model`, `permissions.mode`, and callbacks in place of those of the pool:
 * `permissions.canUseTool`, `onElicitation`, `onUserDialog`, `onStderr`. Any other value that differs from the pool's
 * leads to a cold start.
 */
export type PoolOverrides = AgentOptions;

/** Options of `Pool.run()`. */
export interface PoolRunOptions {
  /** Number of prompts that run at the same time; 4. */
  readonly concurrency?: number | undefined;
  /** Number of retries of a prompt whose failure is retryable; 2. */
  readonly retries?: number | undefined;
  /** Budget in US dollars: no new prompt starts once total cost reaches it; running prompts finish. No limit by default. */
  readonly maxUsd?: number | undefined;
  /** Ends the run with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each change; an error that it throws ends the run. */
  readonly onProgress?: ((progress: PoolProgress) => void) | undefined;
}

/** Progress of `Pool.run()`. */
export interface PoolProgress {
  /** Number of prompts that succeeded. */
  readonly done: number;
  /** Number of prompts that failed after the last retry. */
  readonly failed: number;
  /** Number of prompts that run or wait for a retry. */
  readonly running: number;
  /** Number of retries. */
  readonly retried: number;
  /** Cost so far, in US dollars. */
  readonly spentUsd: number;
}

/**
 * Result of one item of `Pool.run()`.
 *
 * @typeParam T The item
 * @typeParam O The structured output, as `outputSchema` has it
 */
export type PoolResult<T, O = unknown> =
  & {
    /** The item that the prompt was made of. */
    readonly item: T;
    /** Its place among the items, from 0. */
    readonly index: number;
    /** Number of attempts. */
    readonly attempts: number;
    /** Cost of all attempts, in US dollars. */
    readonly costUsd: Cost["totalUsd"];
  }
  & ({
    /** The answer. */
    readonly text: string;
    /** The structured output, as `outputSchema` makes it; `undefined` without a schema. */
    readonly output: O;
    /** The result. */
    readonly result: ResultMessage;
    /** Absent: it succeeded. */
    readonly error?: undefined;
  } | {
    /** Absent: it failed. */
    readonly text?: undefined;
    /** Absent: it failed. */
    readonly output?: undefined;
    /** The last result, where there was one: an error, or one whose output is missing or invalid. */
    readonly result?: ResultMessage | undefined;
    /** Why there is no answer: `StructuredOutputError` for an output that is missing or invalid; of a job that threw something else than an `Error` that is the `cause`. */
    readonly error: Error;
  });

/** A prompt of `Pool.run()` with options of its own. */
export interface PoolPrompt {
  /** The prompt. */
  readonly prompt: Prompt;
  /**
   * Options of this prompt alone, which override those of the pool; {@link PoolOverrides} lists those that a warm
   * process accepts.
   */
  readonly options?: Omit<PoolOverrides, "outputSchema"> | undefined;
}

/** Makes the prompt for an item; called again for each attempt. */
export type PoolJob<T> = (item: T) => Prompt | PoolPrompt;
