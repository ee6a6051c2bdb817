import { ConfigError } from "../errors/base.ts";
import { show, typeOf } from "../errors/text.ts";
import { TranscriptError } from "../errors/transcript.ts";
import {
  checkPath,
  folderOf,
  loadHost,
  SESSION_SUFFIX,
  sessionFilesIn,
  toPath,
} from "../session/files.ts";
import { entriesIn, textOf } from "./lines.ts";
import { addLines, entriesOf, filesBelow } from "./local_files.ts";
import type {
  StoredTranscript,
  TranscriptEntry,
  TranscriptKey,
  TranscriptStore,
} from "./store.ts";

const PRIVATE_FOLDER = 0o700;

/**
 * Keeps sessions in a folder: of this machine, or one that several machines share.
 *
 * Shape: `<project>/<session>.jsonl`, the parts beside it in `<project>/<session>/`, a line for each entry, as the CLI has it.
 * Capitals and other characters that not every system tells apart are written as `+a` and `%20`. Files are made for this
 * user alone and only grow; a line that a crash cut off stays, and is skipped. Several processes may add to one session.
 *
 * @param path The folder, which is made when the first entry comes; a path or a `file:` URL
 * @returns The store; its calls reject with the system's error, such as `ENOSPC`
 *
 * @example Entries in a folder
 * ```ts
 * import { directoryTranscripts } from "@sluice/agent/transcripts";
 * import assert from "node:assert/strict";
 * import { mkdtemp, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 *
 * const folder = await mkdtemp(`${tmpdir()}/transcripts-`);
 * const key = { projectKey: "-home-ada", sessionId: "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11" };
 * await directoryTranscripts(folder).append(key, [{ type: "custom-title", customTitle: "Letters" }]);
 * assert.equal((await directoryTranscripts(folder).load(key))?.length, 1);
 * await rm(folder, { recursive: true });
 * ```
 */
export function directoryTranscripts(
  path: string | URL,
): Required<Omit<TranscriptStore, "listSessionSummaries">> {
  checkPath(path);
  /** Calls of this store for one key, one after the other: two that find a line cut off would both end it. */
  const queues = new Map<string, Promise<unknown>>();

  function inOrder<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = queues.get(name) ?? Promise.resolve();
    const done = before.then(work, work);
    const settled = done.catch(() => {});
    queues.set(name, settled);
    settled.then(() => {
      if (queues.get(name) === settled) queues.delete(name);
    });
    return done;
  }

  /** Where the file of a key lies, without its suffix. */
  async function find(key: TranscriptKey) {
    const host = await loadHost();
    const root = toPath(path, host).replace(/[/\\]+$/, "");
    return { host, name: [root, ...namesOf(key)].join("/") };
  }

  return {
    async append(key, entries) {
      const { host, name } = await find(key);
      if (entries.length === 0) return;
      const file = name + SESSION_SUFFIX;
      await inOrder(file, async () => {
        await host.files.makeDirectory(folderOf(file), PRIVATE_FOLDER);
        await addLines(host, file, entries);
      });
    },
    async load(key) {
      const { host, name } = await find(key);
      const file = name + SESSION_SUFFIX;
      const status = await host.files.status(file);
      if (status === undefined) return null;
      if (status.kind !== "file") {
        throw new TranscriptError({
          message: `Transcript is no file: ${show(file)}`,
          sessionId: key.sessionId,
        });
      }
      return await inOrder(file, () => entriesOf(host, file));
    },
    async listSessions(projectKey) {
      const { host, name } = await find({ projectKey, sessionId: "-" });
      const folder = name.slice(0, -"/-".length);
      const found = await sessionFilesIn(host.files, folder, fromName)
        .catch(() => []);
      return found.map(({ id, modifiedMs }) => ({
        sessionId: id,
        mtime: modifiedMs,
      }));
    },
    async listSubkeys({ projectKey, sessionId }) {
      const { host, name } = await find({ projectKey, sessionId });
      return (await filesBelow(host, name)).map((names) => names.map(fromName))
        .filter((names) => !names.includes(undefined))
        .map((names) => names.join("/"));
    },
    async delete(key) {
      const { host, name } = await find(key);
      const file = name + SESSION_SUFFIX;
      await inOrder(file, async () => {
        await host.files.remove(file);
        if (!key.subpath) await host.files.remove(name);
      });
    },
  };
}

/** What stands in front of the entries: the version, and so nothing that a storage takes for JSON and changes. */
const HEAD = "transcript 1\n";
/** Between the parts of a key, as `unstorage` has it. */
const SEPARATOR = ":";
/** So many items are read at once. */
const AT_ONCE = 16;
/** What a key says of an item: when it was written, which one of that moment, and a word of its own. */
const ITEM = /^([0-9a-z]{9})-([0-9a-z]{4})-[0-9a-f]{8}$/;

/** Keeps texts by key: a storage of `unstorage`, or anything else of that shape. */
export interface TextStorage {
  /** What is kept; `null` where there is nothing. */
  getItem(key: string): unknown;
  /** Keeps a text; resolves when it is kept. */
  setItem(key: string, text: string): unknown;
  /** The keys that begin so. */
  getKeys(base: string): unknown;
  /** Removes what is kept; nothing there is no error. */
  removeItem(key: string): unknown;
}

/**
 * Keeps sessions in any storage of `unstorage`: Redis, S3, a database, ...
 *
 * Shape: what comes at once is one item, `<project>:<session>:<part>:<time>`, so that nothing is ever read to be written, and
 * several programs can add to one session. The order is that of their clocks.
 *
 * @param storage What `createStorage()` gives
 * @param options The first part of all keys; `"transcripts"`
 * @returns The store; its calls reject with the errors of the storage
 *
 * @example A storage of one's own
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
  for (const method of METHODS) {
    if (typeof Object(storage)[method] === "function") continue;
    throw new ConfigError({
      message: `Storage needs ${method}(), as createStorage() gives it`,
      key: `storage.${method}`,
      value: storage,
    });
  }
  if (typeof prefix !== "string" || !prefix.isWellFormed()) {
    throw new ConfigError({
      message: `"prefix" must be a text: ${show(prefix)}`,
      key: "prefix",
      value: prefix,
    });
  }
  let lastMs = 0;
  let inMoment = 0;

  function baseOf(names: readonly string[]): string {
    return [...prefix === "" ? [] : [prefix], ...names, ""].join(SEPARATOR);
  }

  /** The keys below a base, what is below them alone. */
  async function keysBelow(base: string): Promise<readonly string[]> {
    const keys: unknown = await storage.getKeys(base);
    if (!Array.isArray(keys)) throw garbage("getKeys()", keys);
    return keys.filter((key) => typeof key === "string" && key.startsWith(base))
      .map((key: string) => key.slice(base.length))
      .sort();
  }

  /** The items of one key, the oldest first. */
  async function itemsOf(key: TranscriptKey): Promise<readonly string[]> {
    const base = baseOf(namesOf(key)) + MAIN;
    const below = await keysBelow(base);
    return below.filter((one) => ITEM.test(one)).map((one) => base + one);
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
      const items = await itemsOf(key);
      if (items.length === 0) return null;
      const entries: TranscriptEntry[] = [];
      for (let at = 0; at < items.length; at += AT_ONCE) {
        const some = items.slice(at, at + AT_ONCE);
        const texts = await Promise.all(
          some.map(async (item) => await storage.getItem(item)),
        );
        for (const [index, text] of texts.entries()) {
          // Removed meanwhile.
          if (text === null || text === undefined) continue;
          if (typeof text !== "string" || !text.startsWith(HEAD)) {
            throw garbage(`getItem(${show(some[index])})`, text, key);
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

const METHODS = ["getItem", "setItem", "getKeys", "removeItem"] as const;

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

/** What Windows takes for a device, whatever follows the dot. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/;

/**
 * A text as a name that is one file, or one part of a key, on any system: no separator, nothing hidden, and no two texts
 * with one name where case does not count. Small letters, digits, `.`, `_` and `-` stay; a capital is `+` and the small one.
 */
function toName(text: string): string {
  const name = text.replaceAll(
    /[^a-z0-9._-]/gu,
    (one) => /[A-Z]/.test(one) ? `+${one.toLowerCase()}` : escaped(one),
  );
  return name
    .replace(/^\./, escaped)
    .replace(/\.$/, escaped)
    .replace(DEVICE, (device) => escaped(device.charAt(0)) + device.slice(1));
}

/** The text that a name was made of; `undefined` for one that {@link toName} did not make. */
function fromName(name: string): string | undefined {
  try {
    const text = decodeURIComponent(
      name.replaceAll(/\+([a-z])/g, (_, letter) => letter.toUpperCase()),
    );
    return toName(text) === name ? text : undefined;
  } catch {
    return undefined;
  }
}

/** The names of a key's parts, the last of them those of a path below the session. */
function namesOf(
  { projectKey, sessionId, subpath }: TranscriptKey,
): readonly [project: string, session: string, ...path: string[]] {
  const below = subpath === undefined || subpath === ""
    ? []
    : nonEmpty("subpath", subpath).split("/").map((part) =>
      toName(nonEmpty("subpath", part))
    );
  return [
    toName(nonEmpty("projectKey", projectKey)),
    toName(nonEmpty("sessionId", sessionId)),
    ...below,
  ];
}

function nonEmpty(field: string, text: unknown): string {
  const isText = typeof text === "string" && text !== "" &&
    text.isWellFormed();
  if (isText) return text;
  throw new ConfigError({
    message: `Transcript key needs a "${field}" with content: ${show(text)}`,
    key: field,
    value: text,
  });
}

function escaped(characters: string): string {
  const bytes = new TextEncoder().encode(characters);
  return Array.from(
    bytes,
    (byte) => `%${byte.toString(16).padStart(2, "0")}`,
  ).join("");
}
