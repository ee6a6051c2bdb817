import { withTimeout } from "../async/deadline.ts";
import { cut, isObject, show, textOfError, typeOf } from "../errors/text.ts";
import { TranscriptError } from "../errors/transcript.ts";
import type { Timer } from "../ports/clock.ts";
import { isEntry, presentIn } from "./lines.ts";
import { timeOf } from "./newest.ts";
import type {
  TranscriptEntry,
  TranscriptKey,
  TranscriptStore,
  TranscriptSummary,
} from "./store.ts";

/** Timeout of one call of a store, in milliseconds. */
const LOAD_MS = 60_000;

/** Checks of the items that a method returns. */
const ITEMS: Partial<
  Record<keyof TranscriptStore, (item: unknown) => boolean>
> = {
  load: (item) => item === null || item === undefined || isEntry(item),
  listSessions: isStored,
  listSessionSummaries: (item) => isStored(item) && isObject(item.data),
  listSubkeys: (item) => typeof item === "string",
};

export interface StoreCall {
  readonly method: keyof TranscriptStore;
  readonly sessionId: string | undefined;
  /** Its timeout. */
  readonly ms: number;
}

/**
 * A store whose answers come in time or not at all, and are well-formed: any other answer, and an error, becomes a
 * `TranscriptError`. Second copies of an entry, which a call that was made again leaves behind, and `null` are taken out.
 */
export function checkedStore(
  store: TranscriptStore,
  { clock, ms = LOAD_MS, signal, failed = failureOf }: {
    readonly clock: Timer;
    readonly ms?: number | undefined;
    readonly signal?: AbortSignal | undefined;
    /** Makes the error of a call that failed, or of one that timed out. */
    readonly failed?: (call: StoreCall, cause?: unknown) => unknown;
  },
): TranscriptStore {
  async function ask<T>(
    method: keyof TranscriptStore,
    key: TranscriptKey | string,
    entries?: readonly TranscriptEntry[],
  ): Promise<T> {
    const call: StoreCall = { method, sessionId: Object(key).sessionId, ms };
    let late: unknown;
    let given: readonly unknown[] = entries ? [key, entries] : [key];
    // Called as a member and nothing else: it may be a proxy that stands for a store elsewhere.
    const methods = store as unknown as Record<
      keyof TranscriptStore,
      (...given: readonly unknown[]) => T | PromiseLike<T>
    >;
    try {
      const answer = await withTimeout(
        async () => await methods[method](...given),
        {
          clock,
          ms,
          signal,
          onTimeout: () => late = failed(call),
        },
      );
      checkAnswer(method, answer);
      return answer;
    } catch (error) {
      const isOwn = error === late || error instanceof TranscriptError;
      throw signal?.aborted || isOwn ? error : failed(call, error);
    } finally {
      // A timer that was cleared may live for a while, and whatever its call held with it.
      given = [];
    }
  }

  return {
    append: (key, entries) => ask("append", key, entries),
    load: async (key) => distinct(await ask("load", key)),
    ...store.listSessions && {
      listSessions: (projectKey) => ask("listSessions", projectKey),
    },
    ...store.listSessionSummaries && {
      listSessionSummaries: (projectKey) =>
        ask("listSessionSummaries", projectKey),
    },
    ...store.listSubkeys && {
      listSubkeys: (key) => ask("listSubkeys", key),
    },
    ...store.delete && { delete: (key) => ask("delete", key) },
  };
}

function failureOf(
  { method, sessionId, ms }: StoreCall,
  cause?: unknown,
): TranscriptError {
  const why = cause === undefined
    ? `no answer within ${ms} ms`
    : cut(textOfError(cause));
  const message = `Store failed in ${method}(): ${why}`;
  return new TranscriptError({ message, sessionId, cause });
}

function checkAnswer(method: keyof TranscriptStore, answer: unknown): void {
  const isRight = ITEMS[method];
  const isNothing = answer === null || answer === undefined;
  if (isRight === undefined || isNothing && method === "load") return;
  const list = Array.isArray(answer) ? answer : undefined;
  const wrong = list?.findIndex((item) => !isRight(item));
  if (wrong === -1) return;
  const what = list === undefined || wrong === undefined
    ? typeOf(answer)
    : whatIsWrong(list[wrong], wrong);
  throw new TranscriptError({
    message: `Store gave ${what} in ${method}(): see TranscriptStore`,
  });
}

/** An item, or the field of a session that is no time. */
function whatIsWrong(item: unknown, index: number): string {
  const { sessionId, mtime } = Object(item);
  return typeof sessionId === "string" && timeOf(mtime) === undefined
    ? `${show(mtime)} as mtime of item ${index}`
    : `${typeOf(item)} as item ${index}`;
}

function isStored(value: unknown): value is Partial<TranscriptSummary> {
  const { sessionId, mtime } = Object(value);
  return typeof sessionId === "string" && timeOf(mtime) !== undefined;
}

function distinct(
  entries: readonly TranscriptEntry[] | null | undefined,
): readonly TranscriptEntry[] | null {
  const seen = new Set<unknown>();
  return entries
    ? presentIn(entries).filter(({ uuid }) => {
      if (typeof uuid !== "string") return true;
      return !seen.has(uuid) && seen.add(uuid);
    })
    : null;
}
