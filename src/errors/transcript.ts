import { AgentError, type AgentErrorInit } from "./base.ts";

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
  constructor(
    init: AgentErrorInit & Partial<Pick<TranscriptError, "lost" | "sessionId">>,
  ) {
    super({ fatal: false, ...init });
    this.lost = init.lost ?? 0;
    this.sessionId = init.sessionId;
  }
}
