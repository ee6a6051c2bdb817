/**
 * Sessions of the CLI, in its own files and in stores.
 *
 * With the option `transcripts` of a conversation a {@link TranscriptStore} gets a copy of everything that the CLI writes, and
 * sessions of other machines can be resumed from it. {@link listTranscripts} and its companions work on stores and on the CLI's
 * own files.
 *
 * ```ts
 * import { memoryTranscripts } from "@sluice/agent/transcripts";
 * import { query } from "@sluice/agent";
 *
 * const transcripts = { store: memoryTranscripts() };
 * const begin = () => query("Name a river.", { transcripts });
 * const resume = "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11";
 * const goOn = () => query("Another one.", { transcripts, resume });
 * ```
 *
 * @module
 */
export {
  AgentError,
  type AgentErrorInit,
  ConfigError,
} from "../errors/base.ts";
export { TranscriptError } from "../errors/transcript.ts";
export { type ChatStart, sessionFromTranscript, startWith } from "./chats.ts";
export { storageTranscripts, type TextStorage } from "./storage.ts";
export { directoryTranscripts } from "./directory.ts";
export type { TranscriptMessage } from "./messages.ts";
export { type MemoryTranscripts, memoryTranscripts } from "./memory.ts";
export type {
  StoredTranscript,
  TranscriptEntry,
  TranscriptKey,
  TranscriptOptions,
  TranscriptStore,
  TranscriptSummary,
} from "./store.ts";
export type { TranscriptInfo } from "./summary.ts";
export {
  deleteTranscript,
  forkTranscript,
  importTranscript,
  listSubagents,
  listTranscripts,
  readTranscript,
  renameTranscript,
  restoreTranscript,
  tagTranscript,
  type TranscriptPage,
} from "./transcripts.ts";
export { type TranscriptPlace } from "./place.ts";
