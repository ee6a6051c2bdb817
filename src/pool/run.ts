import { backoffDelay } from "../async/backoff.ts";
import { Deferred } from "../async/deferred.ts";
import { joinSignals, unlessAborted } from "../async/on_abort.ts";
import { MessageTooLargeError } from "../errors/cli.ts";
import { ParseError } from "../errors/protocol.ts";
import {
  type AgentError,
  ClosedError,
  PoolBudgetError,
} from "../errors/base.ts";
import { isRetryable } from "../errors/retryable.ts";
import { isObject, textOfError } from "../errors/text.ts";
import {
  bag,
  callback,
  checkKeys,
  integer,
  refuse,
} from "../options/fields.ts";
import type { Timer } from "../ports/clock.ts";
import type { LiveConversation } from "../conversation/conversation.ts";
import type { Prompt } from "../types/conversation.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";
import type {
  PoolJob,
  PoolOverrides,
  PoolPrompt,
  PoolResult,
  PoolRunOptions,
} from "../types/pool.ts";

const CONCURRENCY = 4;
const RETRIES = 2;

/** Checks what a run is given. */
function checkRun(items: unknown, job: unknown, options: PoolRunOptions): void {
  const given = Object(items);
  if (!(Symbol.asyncIterator in given || Symbol.iterator in given)) {
    refuse("items", items, "a list, or anything else to iterate over");
  }
  callback(job, "job");
  bag(options, "options");
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
  let drawing: Promise<unknown> = Promise.resolve();
  let drawn = 0;
  let working = concurrency;
  /** Whether `maxUsd` kept an item from beginning. */
  let isOverBudget = false;
  /** What ends the run once the rest has come in. */
  let fault: { readonly error: unknown } | undefined;
  let change = new Deferred<void>();

  function changed(): void {
    const before = change;
    change = new Deferred();
    before.resolve();
  }

  function tell(): void {
    options.onProgress?.({ ...counts });
  }

  /** The next item; drawn one after the other, `undefined` when none is left or none may begin. */
  function draw(): Promise<{ item: T; index: number } | undefined> {
    const next = drawing.then(async () => {
      if (fault !== undefined || isOverBudget) return undefined;
      const { done, value } = await source.next();
      if (done) return undefined;
      isOverBudget = counts.spentUsd >= maxUsd;
      return isOverBudget ? undefined : { item: value, index: drawn++ };
    });
    drawing = next.catch(() => {});
    return next;
  }

  async function work(): Promise<void> {
    try {
      while (fault === undefined) {
        // A slow reader holds them up: results take room.
        while (ready.length >= concurrency) {
          await unlessAborted(change.promise, signal);
        }
        const next = await unlessAborted(draw(), signal);
        if (next === undefined) return;
        counts.running++;
        tell();
        const result = await finished(next);
        ready.push(result);
        changed();
        counts.running--;
        counts[result.error === undefined ? "done" : "failed"]++;
        tell();
      }
    } catch (error) {
      fault ??= { error };
    } finally {
      working--;
      changed();
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
        changed();
        yield result;
        continue;
      }
      signal.throwIfAborted();
      if (working === 0) break;
      await unlessAborted(change.promise, signal);
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

/** What was thrown: itself, or as the cause of an error. */
function asError(thrown: unknown): Error {
  return thrown instanceof Error
    ? thrown
    : new Error(textOfError(thrown), { cause: thrown });
}

/** What a job made, as a prompt with options. */
function withOptions(made: Prompt | PoolPrompt): PoolPrompt {
  if (!(isObject<unknown>(made) && "prompt" in made)) {
    return { prompt: made as Prompt };
  }
  const { prompt, ...others } = made as PoolPrompt;
  checkKeys(others, { options: bag }, "");
  return { prompt, ...others };
}

/** One conversation from its prompt to its end; `hasRun` says whether a tool was called: what it did must not be done again. */
async function attempt<O>(begin: () => LiveConversation<O>) {
  let conversation: LiveConversation<O> | undefined;
  let isLineLost: Promise<boolean> | undefined;
  let result: ResultMessage | undefined;
  let hasRun = false;
  const outcome = (
    answer: { readonly text: string; readonly output: O } | undefined,
    error?: unknown,
  ) => ({
    answer,
    result,
    error,
    hasRun,
    costUsd: conversation?.cost().totalUsd ?? 0,
  });
  try {
    conversation = begin();
    isLineLost = losesLine(conversation.errors);
    for await (const message of conversation) {
      if (message.type === "result") result = message;
      else hasRun ||= showsTool(message);
    }
    // Both asked for at once: the pool may be closed before the first is there.
    const text = conversation.text();
    const output = conversation.hasSchema
      ? await conversation.output()
      : undefined as O;
    return outcome({ text: await text, output });
  } catch (error) {
    // What was not read may have been the call of a tool; that is known at the end.
    await conversation?.close().catch(() => {});
    hasRun ||= conversation?.hasAskedTool === true || await isLineLost === true;
    return outcome(undefined, error);
  } finally {
    // The next one begins when nothing is left of this one.
    await conversation?.close().catch(() => {});
  }
}

/** Blocks of an answer that are no call. */
const WORDS: ReadonlySet<string> = new Set([
  "text",
  "thinking",
  "redacted_thinking",
]);

/** Whether a message is the call of a tool, or tells of one. */
function showsTool(message: Message): boolean {
  switch (message.type) {
    case "assistant":
      return message.message.content.some(({ type }) => !WORDS.has(type));
    case "user": {
      const { content } = message.message;
      return typeof content !== "string" &&
        content.some(({ type }) => type === "tool_result");
    }
    case "stream_event": {
      const { event } = message;
      return event.type === "content_block_start" &&
        !WORDS.has(event.content_block.type);
    }
    case "tool_progress":
    case "tool_use_summary":
      return true;
    case "system":
      return message.subtype === "task_started";
    default:
      return false;
  }
}

/** Whether a line could not be read; known when the conversation is over. */
async function losesLine(errors: ReadableStream<AgentError>): Promise<boolean> {
  let isLost = false;
  for await (const error of errors) {
    isLost ||= error instanceof ParseError ||
      error instanceof MessageTooLargeError;
  }
  return isLost;
}

function iteratorOf<T>(
  items: Iterable<T> | AsyncIterable<T>,
): Iterator<T> | AsyncIterator<T> {
  return Symbol.asyncIterator in items
    ? items[Symbol.asyncIterator]()
    : items[Symbol.iterator]();
}
