import { show, typeOf } from "../errors/text.ts";
import { TranscriptError } from "../errors/transcript.ts";
import { fitting } from "../options/fields.ts";
import { withMethods } from "../options/host_objects.ts";
import { entriesIn, textOf } from "./lines.ts";
import type {
  StoredTranscript,
  TranscriptEntry,
  TranscriptKey,
  TranscriptStore,
} from "./store.ts";
import { fromName, namesOf } from "./key_names.ts";

/** Header with the version: it also keeps storages from parsing the text as JSON. */
const HEAD = "transcript 1\n";
/** Between the parts of a key, as `unstorage` has it. */
const SEPARATOR = ":";
const AT_ONCE = 16;
/** Key of an item: time, number within that moment, random suffix. */
const ITEM = /^([0-9a-z]{9})-([0-9a-z]{4})-[0-9a-f]{8}$/;

/** Keeps texts by key: a storage of `unstorage`, or anything else of that shape. */
export interface TextStorage {
  /** The stored text; `null` if it is missing. */
  getItem(key: string): unknown;
  /** Stores a text; resolves when it is stored. */
  setItem(key: string, text: string): unknown;
  /** The keys with that prefix. */
  getKeys(base: string): unknown;
  /** Removes a text; a missing one is no error. */
  removeItem(key: string): unknown;
}

/**
 * Creates a transcript store in any storage of `unstorage`: Redis, S3, a database, ...
 *
 * Shape:
 * - Each append is one item, `<project>:<session>:<part>:<time>`, so writing never reads.
 * - Several programs can add to one session; their clocks define the order.
 *
 * @param storage The result of `createStorage()`
 * @param options The first part of all keys; `"transcripts"`
 * @returns The store; its calls reject with the errors of the storage
 *
 * @example Keep sessions in your own storage
 * ```ts
 * import { storageTranscripts } from "@sluice/agent/transcripts";
 * import assert from "node:assert/strict";
 *
 * const items = new Map<string, string>();
 * const store = storageTranscripts({
 *   getItem: (key) => items.get(key) ?? null,
 *   setItem: (key, text) => void items.set(key, text),
 *   getKeys: (base) => [...items.keys()].filter((key) => key.startsWith(base)),
 *   removeItem: (key) => void items.delete(key),
 * });
 * const key = { projectKey: "-home-ada", sessionId: "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11" };
 * await store.append(key, [{ type: "custom-title", customTitle: "Letters" }]);
 * assert.equal((await store.load(key))?.length, 1);
 * ```
 */
export function storageTranscripts(
  storage: TextStorage,
  options: {
    /** The first part of all keys. */
    readonly prefix?: string | undefined;
  } = {},
): Required<Omit<TranscriptStore, "listSessionSummaries">> {
  const { prefix = "transcripts" } = options;
  textStorage(storage, "storage");
  prefixText(prefix, "prefix");
  let lastMs = 0;
  let inMoment = 0;

  function baseOf(names: readonly string[]): string {
    return [...prefix === "" ? [] : [prefix], ...names, ""].join(SEPARATOR);
  }

  async function keysBelow(base: string): Promise<readonly string[]> {
    const keys: unknown = await storage.getKeys(base);
    if (!Array.isArray(keys)) throw garbage("getKeys()", keys);
    return keys.filter((key) => typeof key === "string" && key.startsWith(base))
      .map((key: string) => key.slice(base.length))
      .sort();
  }

  return {
    async append(key, entries) {
      const names = namesOf(key);
      if (entries.length === 0) return;
      lastMs = Math.max(Date.now(), lastMs);
      inMoment = (inMoment + 1) % 36 ** 4;
      // When the count begins anew, the moment has to be another one.
      if (inMoment === 0) lastMs++;
      const item = [
        lastMs.toString(36).padStart(9, "0"),
        inMoment.toString(36).padStart(4, "0"),
        crypto.randomUUID().slice(0, 8),
      ].join("-");
      await storage.setItem(
        baseOf(names) + MAIN + item,
        HEAD + textOf(entries),
      );
    },
    async load(key) {
      const base = baseOf(namesOf(key)) + MAIN;
      const items = (await keysBelow(base)).filter((item) => ITEM.test(item));
      if (items.length === 0) return null;
      const entries: TranscriptEntry[] = [];
      for (let at = 0; at < items.length; at += AT_ONCE) {
        const some = items.slice(at, at + AT_ONCE);
        const texts = await Promise.all(
          some.map(async (item) => await storage.getItem(base + item)),
        );
        for (const [index, text] of texts.entries()) {
          // Removed meanwhile.
          if (text === null || text === undefined) continue;
          if (typeof text !== "string" || !text.startsWith(HEAD)) {
            throw garbage(`getItem(${show(base + some[index])})`, text, key);
          }
          for (const entry of entriesIn(text.slice(HEAD.length))) {
            entries.push(entry);
          }
        }
      }
      return entries;
    },
    async listSessions(projectKey) {
      const [project] = namesOf({ projectKey, sessionId: "-" });
      const newest = new Map<string, StoredTranscript>();
      for (const key of await keysBelow(baseOf([project]))) {
        const [session = "", mark, item = ""] = key.split(SEPARATOR);
        const sessionId = fromName(session);
        const [, time] = ITEM.exec(item) ?? [];
        if (sessionId === undefined || `${mark}:` !== MAIN || !time) continue;
        // Sorted, so the last one is the newest.
        newest.set(sessionId, { sessionId, mtime: Number.parseInt(time, 36) });
      }
      return [...newest.values()];
    },
    async listSubkeys(key) {
      const [project, session] = namesOf(key);
      const parts = new Set<string>();
      for (const below of await keysBelow(baseOf([project, session]))) {
        const names = below.split(SEPARATOR).slice(0, -2).map(fromName);
        if (names.length === 0 || names.includes(undefined)) continue;
        parts.add(names.join("/"));
      }
      return [...parts];
    },
    async delete(key) {
      const base = baseOf(namesOf(key)) + (key.subpath ? MAIN : "");
      for (const below of await keysBelow(base)) {
        await storage.removeItem(base + below);
      }
    },
  };
}

const textStorage = withMethods("getItem", "setItem", "getKeys", "removeItem");
const prefixText = fitting(
  "a well-formed text",
  (prefix) => typeof prefix === "string" && prefix.isWellFormed(),
);

/** Ends the names of a key, and is no name itself: what follows is an item of it. */
const MAIN = `+${SEPARATOR}`;

function garbage(
  call: string,
  value: unknown,
  key?: TranscriptKey,
): TranscriptError {
  return new TranscriptError({
    message: `Storage is not as it was left: ${call} gave ${typeOf(value)}`,
    sessionId: key?.sessionId,
  });
}
