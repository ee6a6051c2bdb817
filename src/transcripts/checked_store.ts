import { withTimeout } from "../async/deadline.ts";
import { cut, isObject, textOfError, typeOf } from "../errors/text.ts";
import { TranscriptError } from "../errors/transcript.ts";
import type { Timer } from "../ports/clock.ts";
import { isEntry } from "./lines.ts";
import type {
  StoredTranscript,
  TranscriptEntry,
  TranscriptKey,
  TranscriptStore,
  TranscriptSummary,
} from "./store.ts";

/** Timeout of one call of a store, in milliseconds. */
const LOAD_MS = 60_000;

/**
 * A store whose answers come in time or not at all, and are what they have to be: what it throws or gives instead becomes a
 * `TranscriptError`. Second copies of an entry, which a call that was made again leaves behind, are taken out.
 */
export function checkedStore(
  store: TranscriptStore,
  { clock, ms = LOAD_MS, signal }: {
    readonly clock: Timer;
    readonly ms?: number | undefined;
    readonly signal?: AbortSignal | undefined;
  },
): TranscriptStore {
  async function ask<T>(
    method: keyof TranscriptStore,
    ...args: readonly [key: TranscriptKey | string, entries?: unknown]
  ): Promise<T> {
    let given: readonly unknown[] = args;
    const failed = (message: string, cause?: unknown) =>
      new TranscriptError({
        message: `Store failed in ${method}(): ${message}`,
        sessionId: Object(args[0]).sessionId,
        cause,
      });
    // Called as a member and nothing else: it may be a proxy that stands for a store elsewhere.
    const methods = store as unknown as Record<
      keyof TranscriptStore,
      (...given: readonly unknown[]) => T | PromiseLike<T>
    >;
    try {
      return await withTimeout(async () => await methods[method](...given), {
        clock,
        ms,
        signal,
        onTimeout: () => failed(`no answer within ${ms} ms`),
      });
    } catch (error) {
      if (signal?.aborted || error instanceof TranscriptError) throw error;
      throw failed(cut(textOfError(error)), error);
    } finally {
      // A timer that was cleared may live for a while, and whatever its call held with it.
      given = [];
    }
  }

  async function list<T>(
    method: keyof TranscriptStore,
    key: TranscriptKey | string,
    isRight: (item: unknown) => item is T,
  ): Promise<readonly T[]> {
    return checked(await ask(method, key), method, isRight);
  }

  return {
    append: (key, entries) => ask("append", key, entries),
    async load(key) {
      const given = await ask("load", key);
      return given === null || given === undefined
        ? null
        : distinct(checked(given, "load", isEntry));
    },
    ...store.listSessions && {
      listSessions: (projectKey) => list("listSessions", projectKey, isStored),
    },
    ...store.listSessionSummaries && {
      listSessionSummaries: (projectKey) =>
        list("listSessionSummaries", projectKey, isSummary),
    },
    ...store.listSubkeys && {
      listSubkeys: (key) => list("listSubkeys", key, isString),
    },
    ...store.delete && { delete: (key) => ask("delete", key) },
  };
}

/** The answer as a list, each item of which is as it has to be. */
function checked<T>(
  given: unknown,
  method: string,
  isRight: (item: unknown) => item is T,
): readonly T[] {
  const wrong = Array.isArray(given)
    ? given.findIndex((item) => !isRight(item))
    : undefined;
  if (wrong === -1) return given as readonly T[];
  const what = wrong === undefined
    ? typeOf(given)
    : `${typeOf((given as unknown[])[wrong])} as item ${wrong}`;
  throw new TranscriptError({
    message: `Store gave ${what} in ${method}(): see TranscriptStore`,
  });
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

function isSummary(value: unknown): value is TranscriptSummary {
  return isStored(value) && isObject(Object(value).data);
}

function isStored(value: unknown): value is StoredTranscript {
  const { sessionId, mtime } = Object(value);
  return typeof sessionId === "string" && typeof mtime === "number";
}

function distinct(
  entries: readonly TranscriptEntry[],
): readonly TranscriptEntry[] {
  const seen = new Set<unknown>();
  return entries.filter(({ uuid }) => {
    if (typeof uuid !== "string") return true;
    if (seen.has(uuid)) return false;
    seen.add(uuid);
    return true;
  });
}
