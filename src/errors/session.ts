import { AgentError, type AgentErrorInit } from "./base.ts";

/** A session file holds something that is no session; nothing was changed in it. */
export class SessionFormatError extends AgentError {
  /** Name of the class. */
  override readonly name = "SessionFormatError";
  /** Family. */
  override readonly code = "session_format";
  /** The line that is wrong, counted from 1; 1 in an empty file. */
  readonly line: number;

  /** Takes what is wrong, and where. */
  constructor(init: AgentErrorInit & Pick<SessionFormatError, "line">) {
    super({ fatal: false, ...init });
    this.line = init.line;
  }
}

/** System messages and the newest unit do not fit into a strict budget. */
export class BudgetError extends AgentError {
  /** Name of the class. */
  override readonly name = "BudgetError";
  /** Family. */
  override readonly code = "session_budget";
  /** Tokens there are. */
  readonly budget: number;
  /** Tokens of all system messages and the newest unit. */
  readonly needed: number;

  /** Takes both numbers. */
  constructor(init: AgentErrorInit & Pick<BudgetError, "budget" | "needed">) {
    super({ fatal: false, ...init });
    this.budget = init.budget;
    this.needed = init.needed;
  }
}

/** Who writes a session. */
export interface SessionHolder {
  /** Process id. */
  readonly pid: number;
  /** When the process began, in the system's own words; absent where the system does not tell. */
  readonly began?: string;
  /** Name of its machine; absent where the runtime may not know. */
  readonly machine?: string;
}

/** Another process, or another store of this one, writes the session. */
export class SessionLockedError extends AgentError {
  /** Name of the class. */
  override readonly name = "SessionLockedError";
  /** Family. */
  override readonly code = "session_locked";
  /** Who writes the session; `undefined` when the lock does not say. */
  readonly holder: SessionHolder | undefined;

  /** Takes who writes it. */
  constructor(
    init: AgentErrorInit & Partial<Pick<SessionLockedError, "holder">>,
  ) {
    super({ fatal: false, ...init });
    this.holder = init.holder;
  }
}
