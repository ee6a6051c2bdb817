import { AgentError, type AgentErrorInit } from "./base.ts";

/** Arguments of {@link TranscriptError}. */
export interface TranscriptErrorInit extends AgentErrorInit {
  /** How many entries are lost; none unless given. */
  readonly lost?: number | undefined;
  /** The session. */
  readonly sessionId?: string | undefined;
}

/** A session of the CLI could not be found, read, changed, or copied into a store. */
export class TranscriptError extends AgentError {
  /** Name of the class. */
  override readonly name = "TranscriptError";
  /** Family. */
  override readonly code = "transcript";
  /** How many entries did not reach the store; 0 for any other failure. */
  readonly lost: number;
  /** Id of the session; `undefined` where it is not about one. */
  readonly sessionId: string | undefined;

  /** Takes what is wrong, and what that cost. */
  constructor(init: TranscriptErrorInit) {
    super({ fatal: false, ...init });
    this.lost = init.lost ?? 0;
    this.sessionId = init.sessionId;
  }
}
