import type { TranscriptKey, TranscriptSummary } from "../transcripts/store.ts";
import type { Mutable } from "./mutable.ts";
import type { SettingSource } from "./types_options.ts";
import type { Settings } from "./types_mcp.ts";

/** Where a session is kept. */
export type SessionKey = Mutable<TranscriptKey>;

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
export type SessionSummaryEntry = Mutable<TranscriptSummary>;

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

/** What is known of a session. */
export type SDKSessionInfo = {
  sessionId: string;
  summary: string;
  lastModified: number;
  fileSize?: number | undefined;
  customTitle?: string | undefined;
  firstPrompt?: string | undefined;
  gitBranch?: string | undefined;
  cwd?: string | undefined;
  tag?: string | undefined;
  createdAt?: number | undefined;
  archived?: boolean | undefined;
};

/** One message of a session. */
export type SessionMessage = {
  type: "user" | "assistant" | "system";
  uuid: string;
  session_id: string;
  message: unknown;
  parent_tool_use_id: string | null;
  parent_agent_id: string | null;
};

/** Where a session is looked for. */
export type GetSessionInfoOptions = {
  dir?: string;
  sessionStore?: SessionStore;
};

/** Where subagents are looked for. */
export type ListSubagentsOptions = GetSessionInfoOptions;

/** Where a session is changed. */
export type SessionMutationOptions = GetSessionInfoOptions;

/** Which messages of a subagent are wanted. */
export type GetSubagentMessagesOptions = GetSessionInfoOptions & {
  limit?: number;
  offset?: number;
};

/** Which messages are wanted. */
export type GetSessionMessagesOptions = GetSubagentMessagesOptions & {
  includeSystemMessages?: boolean;
};

/** Which sessions are wanted. */
export type ListSessionsOptions = GetSubagentMessagesOptions & {
  includeWorktrees?: boolean;
  includeProgrammatic?: boolean;
};

/** How a session is copied. */
export type ForkSessionOptions = SessionMutationOptions & {
  upToMessageId?: string;
  title?: string;
};

/** The copy of a session. */
export type ForkSessionResult = { sessionId: string };

/** How a session gets into a store. */
export type ImportSessionToStoreOptions = {
  dir?: string;
  includeSubagents?: boolean;
  batchSize?: number;
};

/** Where settings come from. */
export type ResolvedSettingSource = SettingSource | "managed" | "flag";

/** Who set settings that stand above all others. */
export type PolicySettingsOrigin =
  | "helper"
  | "remote"
  | "plist"
  | "hklm"
  | "file"
  | "parent"
  | "hkcu";

/** Where a setting comes from. */
export type ProvenanceEntry = {
  source: ResolvedSettingSource;
  path?: string;
  policyOrigin?: PolicySettingsOrigin;
};

/** Which settings are wanted. */
export type ResolveSettingsOptions = {
  cwd?: string;
  settingSources?: SettingSource[];
  managedSettings?: Settings;
  serverManagedSettings?: Settings;
};

/** Settings of all sources together. */
export type ResolvedSettings = {
  effective: Settings;
  provenance: Partial<Record<keyof Settings, ProvenanceEntry>>;
  sources: Array<ProvenanceEntry & { settings: Settings }>;
  machinePolicy?: {
    didNotLoad: false | Array<"profile" | "registry" | "file">;
  };
};

/** Which models are not allowed. */
export type DeniedModelsMatch = { denied: boolean[]; warnings: string[] };

/** Whose settings are meant. */
export type ConfigScope = "local" | "user" | "project";
