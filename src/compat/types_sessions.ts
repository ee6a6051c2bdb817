/** Where a session is kept. */
export type SessionKey = {
  projectKey: string;
  sessionId: string;
  subpath?: string;
};

/** One line of a session. */
export type SessionStoreEntry = {
  type: string;
  uuid?: string;
  timestamp?: string;
  [k: string]: unknown;
};

/** How often a store is written. */
export type SessionStoreFlush = "batched" | "eager";

/** What a store may keep of a session, so that lists need not read it. */
export type SessionSummaryEntry = {
  sessionId: string;
  mtime: number;
  data: Record<string, unknown>;
};

/** Keeps sessions besides the CLI's own files. */
export type SessionStore = {
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>;
  load(key: SessionKey): Promise<SessionStoreEntry[] | null>;
  listSessions?(
    projectKey: string,
  ): Promise<Array<{ sessionId: string; mtime: number }>>;
  listSessionSummaries?(projectKey: string): Promise<SessionSummaryEntry[]>;
  delete?(key: SessionKey): Promise<void>;
  listSubkeys?(
    key: { projectKey: string; sessionId: string },
  ): Promise<string[]>;
};
