import { isAgentError } from "../errors/base.ts";
import { redactKnownPatterns } from "../errors/secrets.ts";
import { textOfError } from "../errors/text.ts";

/** Error that ended the messages, as a page gets it; without secrets. */
export interface StreamFailure {
  /** Code of an `AgentError`; `"unknown"` for any other error. */
  readonly code: string;
  /** Its message. */
  readonly message: string;
}

/** Describes an error for a page. */
export function failureOf(error: unknown): StreamFailure {
  return {
    code: isAgentError(error) ? error.code : "unknown",
    message: redactKnownPatterns(textOfError(error)),
  };
}
