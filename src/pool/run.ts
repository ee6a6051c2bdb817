import { backoffDelay } from "../async/backoff.ts";
import { Change } from "../async/change.ts";
import { iteratorOf } from "../async/iterator.ts";
import { joinSignals, unlessAborted } from "../async/on_abort.ts";
import { oneAtATime } from "../async/one_at_a_time.ts";
import { ClosedError, PoolBudgetError } from "../errors/base.ts";
import { isRetryable } from "../errors/retryable.ts";
import { plainObject } from "../options/plain_object.ts";
import { callback, checkKeys, integer } from "../options/fields.ts";
import { refuse } from "../options/refuse.ts";
import type { Timer } from "../ports/clock.ts";
import type { LiveConversation } from "../conversation/conversation.ts";
import type { Prompt } from "../types/conversation.ts";
import type {
  PoolJob,
  PoolOverrides,
  PoolPrompt,
  PoolResult,
  PoolRunOptions,
} from "../types/pool.ts";
import { attempt } from "./attempt.ts";
import { asError, isObject } from "../errors/text.ts";

const CONCURRENCY = 4;
const RETRIES = 2;

function checkRun(items: unknown, job: unknown, options: PoolRunOptions): void {
  const given = Object(items);
  if (!(Symbol.asyncIterator in given || Symbol.iterator in given)) {
    refuse("items", items, "a list, or anything else to iterate over");
  }
  callback(job, "job");
  plainObject(options, "options");
  checkKeys({ ...options }, {
    concurrency: integer({ min: 1 }),
    retries: integer({ min: 0 }),
    maxUsd: (value, key) => {
      if (typeof value === "number" && value > 0) return;
      refuse(key, value, "a number above 0");
    },
    signal: (value, key) => {
      if (!(value instanceof AbortSignal)) refuse(key, value, "a signal");
    },
    onProgress: callback,
  }, "");
}

/** Runs a prompt for each item; see `Pool.run()`. */
export async function* runAll<T, O>({ items, job, options, query, clock }: {
  readonly items: Iterable<T> | AsyncIterable<T>;
  readonly job: PoolJob<T>;
  readonly options: PoolRunOptions;
  readonly query: (
    prompt: Prompt,
    overrides: PoolOverrides,
  ) => LiveConversation<O>;
  readonly clock: Timer;
}): AsyncGenerator<PoolResult<T, O>, void, undefined> {
  checkRun(items, job, options);
  const { concurrency = CONCURRENCY, retries = RETRIES, maxUsd = Infinity } =
    options;
  const own = new AbortController();
  const { signal, release } = joinSignals(options.signal, own.signal);
  const source = iteratorOf(items);
  const ready: PoolResult<T, O>[] = [];
  const counts = { done: 0, failed: 0, running: 0, retried: 0, spentUsd: 0 };
  const inTurn = oneAtATime();
  let drawn = 0;
  let working = concurrency;
  /** Whether `maxUsd` kept an item from beginning. */
  let isOverBudget = false;
  /** The error that ends the run after running items. */
  let fault: { readonly error: unknown } | undefined;
  const change = new Change();

  function tell(): void {
    options.onProgress?.({ ...counts });
  }

  /** The next item; drawn one after the other, `undefined` when none is left or none may begin. */
  function draw(): Promise<{ item: T; index: number } | undefined> {
    return inTurn(async () => {
      if (fault !== undefined || isOverBudget) return undefined;
      const { done, value } = await source.next();
      if (done) return undefined;
      isOverBudget = counts.spentUsd >= maxUsd;
      return isOverBudget ? undefined : { item: value, index: drawn++ };
    });
  }

  async function work(): Promise<void> {
    try {
      while (fault === undefined) {
        // A slow reader holds them up: results take room.
        while (ready.length >= concurrency) {
          await unlessAborted(change.next, signal);
        }
        const next = await unlessAborted(draw(), signal);
        if (next === undefined) return;
        counts.running++;
        tell();
        const result = await finished(next);
        ready.push(result);
        change.tell();
        counts.running--;
        counts[result.error === undefined ? "done" : "failed"]++;
        tell();
      }
    } catch (error) {
      fault ??= { error };
    } finally {
      working--;
      change.tell();
    }
  }

  async function finished(
    { item, index }: { readonly item: T; readonly index: number },
  ): Promise<PoolResult<T, O>> {
    let costUsd = 0;
    for (let attempts = 1;; attempts++) {
      const { answer, result, error, hasRun, ...cost } = await attempt(
        () => {
          const { prompt, options } = withOptions(job(item));
          if (options?.signal === undefined) {
            return query(prompt, { ...options, signal });
          }
          const conversation = query(prompt, options);
          conversation.over.then(conversation.follow(signal));
          return conversation;
        },
      );
      signal.throwIfAborted();
      // The pool is closed: nothing more will come.
      if (error instanceof ClosedError) throw error;
      costUsd += cost.costUsd;
      counts.spentUsd += cost.costUsd;
      const told = { item, index, attempts, costUsd };
      if (answer !== undefined && result !== undefined) {
        return { ...told, ...answer, result };
      }
      const mayRetry = attempts <= retries && !hasRun && isRetryable(error) &&
        counts.spentUsd < maxUsd && fault === undefined;
      if (!mayRetry) return { ...told, error: asError(error), result };
      counts.retried++;
      tell();
      await clock.sleep(backoffDelay(attempts - 1), signal);
    }
  }

  const workers = Array.from({ length: concurrency }, () => work());
  try {
    for (;;) {
      const result = ready.shift();
      if (result !== undefined) {
        change.tell();
        yield result;
        continue;
      }
      signal.throwIfAborted();
      if (working === 0) break;
      await unlessAborted(change.next, signal);
    }
    if (fault !== undefined) throw (fault as { error: unknown }).error;
    if (isOverBudget) throw new PoolBudgetError(maxUsd, counts.spentUsd);
  } finally {
    own.abort(new ClosedError("Run"));
    release();
    // One that waits for something for ever cannot be ended.
    Promise.resolve().then(() => source.return?.()).catch(() => {});
    await Promise.all(workers);
  }
}

export function withOptions(made: Prompt | PoolPrompt): PoolPrompt {
  if (!(isObject<unknown>(made) && "prompt" in made)) {
    return { prompt: made as Prompt };
  }
  const { prompt, ...others } = made as PoolPrompt;
  checkKeys(others, { options: plainObject }, "");
  return { prompt, ...others };
}
