import { AgentError, type AgentErrorInit } from "./base.ts";

/**
 * A session of the CLI could not be found, read, changed, or copied into a store.
 *
 * Fix: Read `cause`. Entries that did not reach the store are still in the CLI's own files.
 */
export class TranscriptError extends AgentError<{
  readonly lost?: number;
  readonly sessionId?: string | undefined;
  readonly missing?: boolean;
}> {
  /** Name of the class. */
  override readonly name = "TranscriptError";
  /** Error code, a literal. */
  override readonly code = "transcript";
  /** Number of entries that could not be copied into the store; 0 for any other failure. */
  declare readonly lost: number;
  /** Id of the session; `undefined` when the error is not about one session. */
  declare readonly sessionId: string | undefined;
  /** `true` if the session or subagent does not exist. */
  declare readonly missing: boolean;

  /** Creates the error from its text and the number of lost entries. */
  constructor(
    init:
      & AgentErrorInit
      & Partial<Pick<TranscriptError, "lost" | "sessionId" | "missing">>,
  ) {
    super({ lost: 0, sessionId: undefined, missing: false, ...init });
  }
}
