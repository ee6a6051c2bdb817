/** Key of a session, or of a part of one. */
export interface TranscriptKey {
  /** Name of the sessions of a working directory; the CLI derives it from the path. */
  readonly projectKey: string;
  /** Id of the session. */
  readonly sessionId: string;
  /** A part such as `subagents/agent-a1`; absent = the main part. */
  readonly subpath?: string;
}

/** One line of a session, as the CLI wrote it. Lines of messages have a `uuid`, which identifies duplicates. */
export interface TranscriptEntry {
  /** Its kind. */
  readonly type: string;
  /** Everything else. */
  readonly [key: string]: unknown;
}

/** A session of a store. */
export interface StoredTranscript {
  /** Id of the session. */
  readonly sessionId: string;
  /** Last change, milliseconds since 1970. */
  readonly mtime: number;
}

/** Summary of a session that a store may keep, so that lists need not read it. */
export interface TranscriptSummary extends StoredTranscript {
  /** Facts found in its lines so far. */
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Keeps sessions of the CLI outside its own folder; implement it for your database.
 *
 * Shape:
 * - That of the official SDK's `SessionStore`, whose adapters fit unchanged.
 * - Entries of one key keep their order.
 * - A call that times out is repeated, so entries may come twice: readers drop duplicates by their `uuid`.
 *
 * `transcriptStoreCases()` of `./testing` tests a store.
 */
export interface TranscriptStore {
  /** Appends lines, all or none; resolves when they are stored. */
  append(
    key: TranscriptKey,
    entries: readonly TranscriptEntry[],
  ): Promise<void>;
  /** All lines, oldest first; `null` if nothing was ever added. */
  load(key: TranscriptKey): Promise<readonly TranscriptEntry[] | null>;
  /** The sessions of a project, in any order; needed by `continue` and `listTranscripts()`. */
  listSessions?(projectKey: string): Promise<readonly StoredTranscript[]>;
  /** Summaries of a project's sessions; lists then need not load them. */
  listSessionSummaries?(
    projectKey: string,
  ): Promise<readonly TranscriptSummary[]>;
  /** The parts of a session beside the main one; needed for subagents. */
  listSubkeys?(
    key: { readonly projectKey: string; readonly sessionId: string },
  ): Promise<readonly string[]>;
  /** Removes a part, or a session with all its parts; a missing one is no error. */
  delete?(key: TranscriptKey): Promise<void>;
}

/** The option `transcripts`: a store that gets a copy of everything that the CLI writes, and from which sessions are resumed. */
export interface TranscriptOptions {
  /** The store. */
  readonly store: TranscriptStore;
  /** When new entries go to the store: after each turn, or immediately; `"turn"`. */
  readonly flush?: "turn" | "eager" | undefined;
  /** Behaviour when the store fails: retry, or fail after three failed calls in a row; `"continue"`. */
  readonly onFailure?: "continue" | "fail" | undefined;
  /** Timeout of one answer of the store while a session is restored, in milliseconds; 60,000. */
  readonly loadTimeoutMs?: number | undefined;
  /** Name of the project in the store; by default the CLI's name for `cwd`. Needed if the project's path differs between machines. */
  readonly projectKey?: string | undefined;
}
