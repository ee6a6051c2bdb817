import { isObject } from "../errors/is_object.ts";
import type {
  SDKSessionInfo,
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionSummaryEntry,
} from "./types_sessions.ts";

/** The longest first prompt that is told. */
const MOST_OF_PROMPT = 200;
/** A text that the CLI put there, not a person. */
const NOT_SAID =
  /^(?:\s*<[a-z][\w-]*[\s>]|\[Request interrupted by user[^\]]*\])/;

/** What the newest line of a kind says. */
const NEWEST: Readonly<Record<string, string>> = {
  customTitle: "customTitle",
  aiTitle: "aiTitle",
  lastPrompt: "lastPrompt",
  summary: "summaryHint",
  gitBranch: "gitBranch",
};

/**
 * Keeps a summary of a session up to date, for a store that lists sessions without reading them.
 *
 * @param prev The summary so far; `undefined` for a new session
 * @param key The session
 * @param entries Lines that came to it
 * @param options When they came
 * @returns The new summary
 *
 * @example A summary
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
  const data: Record<string, unknown> = { ...prev?.data };
  for (const entry of entries) fold(data, entry);
  return {
    sessionId: prev?.sessionId ?? key.sessionId,
    mtime: options.mtime ?? prev?.mtime ?? 0,
    data,
  };
}

function fold(data: Record<string, unknown>, entry: SessionStoreEntry): void {
  data.isSidechain ??= entry.isSidechain === true;
  const createdAt = Date.parse(String(entry.timestamp));
  if (!Number.isNaN(createdAt)) data.createdAt ??= createdAt;
  if (isText(entry.cwd)) data.cwd ??= entry.cwd;
  foldPrompt(data, entry);
  for (const [from, to] of Object.entries(NEWEST)) {
    if (typeof entry[from] === "string") data[to] = entry[from];
  }
  if (entry.type === "tag") {
    if (isText(entry.tag)) data.tag = entry.tag;
    else delete data.tag;
  }
  if (entry.type === "relocated" && isText(entry.relocatedCwd)) {
    data.cwd = entry.relocatedCwd;
  }
}

/** The first thing that a person said; a command counts where there is nothing else. */
function foldPrompt(
  data: Record<string, unknown>,
  { type, isMeta, isCompactSummary, message }: SessionStoreEntry,
): void {
  if (data.firstPromptLocked === true || type !== "user") return;
  if (isMeta === true || isCompactSummary === true || !isObject(message)) {
    return;
  }
  const { content } = message as { readonly content?: unknown };
  const blocks = typeof content === "string"
    ? [{ type: "text", text: content }]
    : Array.isArray(content)
    ? content.filter(isObject) as readonly Record<string, unknown>[]
    : [];
  if (blocks.some((block) => block.type === "tool_result")) return;
  for (const { type, text } of blocks) {
    if (type !== "text" || typeof text !== "string") continue;
    const line = text.replaceAll("\n", " ").trim();
    if (line === "") continue;
    const command = /<command-name>(.*?)<\/command-name>/.exec(line)?.[1];
    if (command !== undefined) {
      data.commandFallback ??= command;
      continue;
    }
    const bash = /<bash-input>([\s\S]*?)<\/bash-input>/.exec(line)?.[1];
    if (bash === undefined && NOT_SAID.test(line)) continue;
    data.firstPrompt = bash !== undefined
      ? `! ${bash.trim()}`
      : line.length > MOST_OF_PROMPT
      ? `${line.slice(0, MOST_OF_PROMPT).trim()}…`
      : line;
    data.firstPromptLocked = true;
    return;
  }
}

/** What is told of a session by its summary; `undefined` for one that is not listed. */
export function infoOf(
  { sessionId, mtime, data }: SessionSummaryEntry,
): SDKSessionInfo | undefined {
  if (data.isSidechain === true) return undefined;
  const firstPrompt = text(
    data.firstPromptLocked === true ? data.firstPrompt : data.commandFallback,
  );
  const customTitle = text(data.customTitle) ?? text(data.aiTitle);
  const summary = customTitle ?? text(data.lastPrompt) ??
    text(data.summaryHint) ?? firstPrompt;
  if (summary === undefined) return undefined;
  const { createdAt } = data;
  // The official SDK has every key, too.
  return {
    sessionId,
    summary,
    lastModified: mtime,
    fileSize: undefined,
    customTitle,
    firstPrompt,
    gitBranch: text(data.gitBranch),
    cwd: text(data.cwd),
    tag: text(data.tag),
    createdAt: typeof createdAt === "number" ? createdAt : undefined,
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function text(value: unknown): string | undefined {
  return isText(value) ? value : undefined;
}

/**
 * A store that forgets everything when the program ends: for tests.
 *
 * @example A store
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
  readonly #entries = new Map<string, SessionStoreEntry[]>();
  readonly #changed = new Map<string, number>();
  readonly #summaries = new Map<string, SessionSummaryEntry>();
  #last = 0;

  /** How many sessions there are. */
  get size(): number {
    return this.#summaries.size;
  }

  /** Adds lines. */
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    const name = nameOf(key);
    const all = this.#entries.get(name) ?? [];
    all.push(...entries);
    this.#entries.set(name, all);
    // No two changes have one time, so that the order of a list is certain.
    const mtime = this.#last = Math.max(Date.now(), this.#last + 1);
    this.#changed.set(name, mtime);
    if (key.subpath === undefined) {
      const before = this.#summaries.get(name);
      this.#summaries.set(
        name,
        foldSessionSummary(before, key, entries, { mtime }),
      );
    }
    return Promise.resolve();
  }

  /** The lines of a session; `null` when there is none. */
  load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    return Promise.resolve(this.#entries.get(nameOf(key)) ?? null);
  }

  /** The sessions of a project. */
  listSessions(
    projectKey: string,
  ): Promise<Array<{ sessionId: string; mtime: number }>> {
    const all = [...this.#summaries].filter(([name]) =>
      name.startsWith(`${projectKey}/`)
    );
    return Promise.resolve(
      all.map(([name, { sessionId }]) => ({
        sessionId,
        mtime: this.#changed.get(name) ?? 0,
      })),
    );
  }

  /** What is known of the sessions of a project. */
  listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]> {
    return Promise.resolve(
      [...this.#summaries].filter(([name]) => name.startsWith(`${projectKey}/`))
        .map(([, summary]) => summary),
    );
  }

  /** Removes a session, or a part of one. */
  delete(key: SessionKey): Promise<void> {
    const name = nameOf(key);
    const below = key.subpath === undefined ? `${name}/` : undefined;
    for (const one of [...this.#entries.keys()]) {
      if (one !== name && !(below && one.startsWith(below))) continue;
      this.#entries.delete(one);
      this.#changed.delete(one);
      this.#summaries.delete(one);
    }
    return Promise.resolve();
  }

  /** The parts of a session beside its main one. */
  listSubkeys(
    key: { projectKey: string; sessionId: string },
  ): Promise<string[]> {
    const below = `${nameOf(key)}/`;
    return Promise.resolve(
      [...this.#entries.keys()].filter((one) => one.startsWith(below))
        .map((one) => one.slice(below.length)),
    );
  }

  /** The lines of a session, at once. */
  getEntries(key: SessionKey): SessionStoreEntry[] {
    return this.#entries.get(nameOf(key)) ?? [];
  }

  /** Forgets everything. */
  clear(): void {
    this.#entries.clear();
    this.#changed.clear();
    this.#summaries.clear();
    this.#last = 0;
  }
}

function nameOf({ projectKey, sessionId, subpath }: SessionKey): string {
  return [projectKey, sessionId, ...subpath ? [subpath] : []].join("/");
}
