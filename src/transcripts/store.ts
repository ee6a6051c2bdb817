/** Which session is meant, or which part of one. */
export interface TranscriptKey {
  /** Under which name the sessions of a working directory are kept; the CLI makes it of the path. */
  readonly projectKey: string;
  /** Id of the session. */
  readonly sessionId: string;
  /** Which part beside the main one, such as `subagents/agent-a1`; absent = the main one. */
  readonly subpath?: string;
}

/** One line of a session: a JSON object, as the CLI wrote it. Those of messages have a `uuid`, by which a second copy is known. */
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
 * Keeps sessions of the CLI somewhere else than in its own folder: a port, to be filled in.
 *
 * Shape: that of the official SDK's `SessionStore`, whose adapters fit as they are. Everything of one key keeps its order.
 * A call that takes too long is given up and made again, so entries may come twice: readers drop second copies by their
 * `uuid`. `transcriptStoreCases()` of `./testing` holds a store to all of that.
 */
export interface TranscriptStore {
  /** Adds lines behind those that are there, all or none; resolves when they are kept. */
  append(
    key: TranscriptKey,
    entries: readonly TranscriptEntry[],
  ): Promise<void>;
  /** All lines, the oldest first; `null` where nothing was ever added. */
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
  /** Removes a part, or a session with all its parts; nothing there is no error. */
  delete?(key: TranscriptKey): Promise<void>;
}

/** The option `transcripts`: a store that gets a copy of what the CLI writes, and that sessions are taken up from. */
export interface TranscriptOptions {
  /** The store. */
  readonly store: TranscriptStore;
  /** When what was written goes to the store: after each turn, or as it comes; `"turn"`. */
  readonly flush?: "turn" | "eager" | undefined;
  /** Behaviour when the store refuses entries three times: continue and retry them later, or fail; `"continue"`. */
  readonly onFailure?: "continue" | "fail" | undefined;
  /** How long one answer of the store may take when a session is taken up, in milliseconds; 60,000. */
  readonly loadTimeoutMs?: number | undefined;
  /** The name of the project in the store; what the CLI makes of `cwd`. Needed where the same project lies elsewhere on another machine. */
  readonly projectKey?: string | undefined;
}
