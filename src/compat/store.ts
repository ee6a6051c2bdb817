import { systemClock } from "../async/system_clock.ts";
import { show, textOfError } from "../errors/text.ts";
import type { Timer } from "../ports/clock.ts";
import { checkedStore, type StoreCall } from "../transcripts/checked_store.ts";
import {
  type MemoryTranscripts,
  memoryTranscripts,
} from "../transcripts/memory.ts";
import { keyOfFile, type Mirror, mirrorInto } from "../transcripts/mirror.ts";
import { isPartName } from "../transcripts/places.ts";
import type { TranscriptStore } from "../transcripts/store.ts";
import { foldSummary } from "../transcripts/summary.ts";
import type { JsonObject } from "../types/json.ts";
import type { Options } from "./generated/options.ts";
import type {
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionSummaryEntry,
} from "./generated/types.ts";

/**
 * Adds new lines to the summary of a session, for a store that lists sessions without reading them.
 *
 * @example Keep a summary up to date
 * ```ts
 * import { foldSessionSummary } from "@sluice/agent/compat";
 * import assert from "node:assert/strict";
 *
 * const key = { projectKey: "-home-ada", sessionId: "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11" };
 * const entry = { type: "custom-title", customTitle: "Letters" };
 * assert.equal(foldSessionSummary(undefined, key, [entry]).data.customTitle, "Letters");
 * ```
 */
export function foldSessionSummary(
  prev: SessionSummaryEntry | undefined,
  key: SessionKey,
  entries: SessionStoreEntry[],
  options: { mtime?: number } = {},
): SessionSummaryEntry {
  return { ...foldSummary(prev, key.sessionId, entries, options.mtime) };
}

/**
 * A session store in memory, for tests.
 *
 * @example Keep a session in memory
 * ```ts
 * import { InMemorySessionStore } from "@sluice/agent/compat";
 * import assert from "node:assert/strict";
 *
 * const store = new InMemorySessionStore();
 * await store.append({ projectKey: "p", sessionId: "s" }, [{ type: "user" }]);
 * assert.equal(store.size, 1);
 * ```
 */
export class InMemorySessionStore implements SessionStore {
  readonly #kept: MemoryTranscripts = memoryTranscripts();

  /** Number of sessions. */
  get size(): number {
    return this.#kept.size;
  }

  /** Adds lines. */
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    return this.#kept.append(key, entries);
  }

  /** The lines of a session; `null` if it is missing. */
  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const entries = await this.#kept.load(key);
    return entries && [...entries];
  }

  /** The sessions of a project. */
  async listSessions(
    projectKey: string,
  ): Promise<Array<{ sessionId: string; mtime: number }>> {
    return [...await this.#kept.listSessions(projectKey)];
  }

  /** The summaries of the sessions of a project. */
  async listSessionSummaries(
    projectKey: string,
  ): Promise<SessionSummaryEntry[]> {
    return [...await this.#kept.listSessionSummaries(projectKey)];
  }

  /** Removes a session, or a part of one. */
  delete(key: SessionKey): Promise<void> {
    return this.#kept.delete(key);
  }

  /** The parts of a session beside its main one. */
  async listSubkeys(
    key: { projectKey: string; sessionId: string },
  ): Promise<string[]> {
    return [...await this.#kept.listSubkeys(key)];
  }

  /** The lines of a session, at once. */
  getEntries(key: SessionKey): SessionStoreEntry[] {
    return [...this.#kept.entries(key)];
  }

  /** Deletes everything. */
  clear(): void {
    this.#kept.clear();
  }
}

/** Timeout of one call of a store, in milliseconds. */
const APPEND_MS = 60_000;
/** Waits before another try, in milliseconds. */
const RETRIES_MS = [200, 800];
/** Lost calls in a row after which calls are not repeated: the end of a query waits for them. */
const MOST_GIVEN_UP = 10;

/** Copies what the CLI writes into the user's store; lines that it refuses three times are dropped and reported. */
export function mirrorOf(
  store: SessionStore,
  { sessionStoreFlush }: Options,
  tell: (message: JsonObject) => void,
  clock: Timer = systemClock,
): Mirror {
  const unknown = new Set<string>();
  const report = (error: string, key: SessionKey) =>
    tell({
      type: "system",
      subtype: "mirror_error",
      error,
      key: { ...key },
      uuid: crypto.randomUUID(),
      session_id: key.sessionId,
    });
  return mirrorInto({
    store: officialStore(store, APPEND_MS),
    clock,
    isEager: sessionStoreFlush === "eager",
    isSeparate: sessionStoreFlush === "eager",
    onRefused({ key, error, tries, givenUp, isLast }) {
      // A call that timed out is not repeated: it may still arrive.
      const isOver = isLast || error instanceof StoreTimeout ||
        givenUp >= MOST_GIVEN_UP;
      const waitMs = isOver ? undefined : RETRIES_MS[tries];
      if (waitMs === undefined) {
        report(textOfError(error), key);
      }
      return waitMs;
    },
    onUnknown(path) {
      if (unknown.has(path)) return;
      unknown.add(path);
      // No session is known.
      report(
        `Entries are not stored: ${show(path)} is not the file of a session`,
        { projectKey: "", sessionId: "" },
      );
    },
    // The official SDK stores files of any name.
    keyOf: (path) => keyOfFile(path, isPartName),
  });
}

/** A store with the errors of the official package: its own, and a text of a timeout. */
export function officialStore(
  store: SessionStore,
  ms: number,
): TranscriptStore {
  const failed = ({ method, sessionId }: StoreCall, cause?: unknown) => {
    if (cause !== undefined) return cause;
    const late = `timed out after ${ms}ms`;
    const text = method === "append"
      ? `append() ${late} for ${sessionId}`
      : `${method}()${sessionId ? ` for session ${sessionId}` : ""} ${late}`;
    return new StoreTimeout(`SessionStore.${text}`);
  };
  return checkedStore(store, { clock: systemClock, ms, failed });
}

class StoreTimeout extends Error {}
