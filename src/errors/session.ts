import { AgentError } from "./base.ts";

/**
 * A session file has a malformed line or no header; the file was not changed.
 *
 * Fix: Repair the line that `line` names. Or load the file with `lenient: true`, which skips malformed lines but needs a header.
 */
export class SessionFormatError extends AgentError<{ readonly line: number }> {
  /** Name of the class. */
  override readonly name = "SessionFormatError";
  /** Error code, a literal. */
  override readonly code = "session_format";
  /** Number of the malformed line, counted from 1. */
  declare readonly line: number;
}

/**
 * `truncate()` or `view()` got `strict: true`, but the system messages and the newest message, with its tool results, exceed the budget.
 *
 * Fix: Raise `maxTokens`, or shorten the messages.
 */
export class BudgetError
  extends AgentError<{ readonly budget: number; readonly needed: number }> {
  /** Name of the class. */
  override readonly name = "BudgetError";
  /** Error code, a literal. */
  override readonly code = "session_budget";
  /** The budget, in tokens. */
  declare readonly budget: number;
  /** The smallest budget that is enough, in tokens. */
  declare readonly needed: number;
}

/** The process that writes a session. */
export interface SessionHolder {
  /** Process id. */
  readonly pid: number;
  /** Start time of the process, in the system's format; absent if the system does not report it. */
  readonly began?: string;
  /** Name of its machine; absent without the permission to read it. */
  readonly machine?: string;
}

/**
 * Another process, or another `SessionStore` in this process, has the session open for writing.
 *
 * Fix: Close the session in the process that `holder` names.
 */
export class SessionLockedError
  extends AgentError<{ readonly holder?: SessionHolder | undefined }> {
  /** Name of the class. */
  override readonly name = "SessionLockedError";
  /** Error code, a literal. */
  override readonly code = "session_locked";
  /** The process that writes the session; `undefined` if the lock does not name it. */
  declare readonly holder: SessionHolder | undefined;
}
