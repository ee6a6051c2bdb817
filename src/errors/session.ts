import { AgentError } from "./base.ts";

/**
 * A session file has a malformed line or no header; the file was not changed.
 *
 * Fix: Load it with `lenient: true`, and look at that line.
 */
export class SessionFormatError extends AgentError<{ readonly line: number }> {
  /** Name of the class. */
  override readonly name = "SessionFormatError";
  /** Error code, a literal. */
  override readonly code = "session_format";
  /** Number of the malformed line, from 1; 1 for an empty file. */
  declare readonly line: number;
}

/**
 * The system messages and the newest unit (messages that are kept together) do not fit into a strict budget.
 *
 * Fix: Raise `maxTokens`, or shorten the messages.
 */
export class BudgetError
  extends AgentError<{ readonly budget: number; readonly needed: number }> {
  /** Name of the class. */
  override readonly name = "BudgetError";
  /** Error code, a literal. */
  override readonly code = "session_budget";
  /** Tokens of the budget. */
  declare readonly budget: number;
  /** Tokens of all system messages and the newest unit. */
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
 * Another process, or another store in this process, has the session open for writing.
 *
 * Fix: Close the session in that process; `holder` names it.
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
