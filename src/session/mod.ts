/**
 * Chat sessions on disk, and truncation to a token budget.
 *
 * A {@link Session} is a history that only grows. {@link SessionStore} keeps sessions in a folder, {@link saveSession} and
 * {@link loadSession} a single one in a file; {@link truncate} finds the newest part that fits into a budget of tokens.
 *
 * ```ts
 * import { Session } from "@sluice/agent/session";
 *
 * const session = Session.create({ system: "You are brief." });
 * session.append({ role: "user", content: "Name a river." });
 * const window = session.view({ maxTokens: 8_000 });
 * // Send the window to a model, append its answer; `saveSession(session, "chat.jsonl")` keeps both.
 * ```
 *
 * @module
 */
export {
  AgentError,
  type AgentErrorInit,
  ClosedError,
  ConfigError,
} from "../errors/base.ts";
export {
  BudgetError,
  SessionFormatError,
  type SessionHolder,
  SessionLockedError,
} from "../errors/session.ts";
export type { Clock } from "../ports/clock.ts";
export type { ChatMessage, ChatRole } from "./messages.ts";
export { ContentEstimator, LengthHeuristic, type Tokenizer } from "./tokens.ts";
export { Session, type SessionInit } from "./session.ts";
export {
  type FromMessagesOptions,
  sessionFromMessages,
} from "./from_messages.ts";
export { saveSession } from "./save.ts";
export { loadSession } from "./load.ts";
export { type LoadOptions } from "./reader.ts";
export { type ShrinkOptions, shrinkResults } from "./shrink.ts";
export { SessionStore, type StoredSession } from "./store.ts";
export type { SessionStoreOptions } from "./stored.ts";
export type { SyncPolicy } from "./record_writer.ts";
export { type Budget, truncate, type TruncationReport } from "./truncate.ts";
