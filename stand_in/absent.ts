/** A feature of the official package that this package cannot have was called. */
export class NotInThisPackageError extends Error {
  /** Its name. */
  override readonly name = "NotInThisPackageError";
  /** The function that was called, such as `./bridge attachBridgeSession()`. */
  readonly feature: string;

  /**
   * @param feature The function that was called
   * @param why Reason it is missing
   */
  constructor(feature: string, why: string) {
    super(`${feature} of the official package is not here: ${why}`);
    this.feature = feature;
  }
}

/** Reason services of claude.ai are missing. */
export const CLAUDE_AI =
  "it is for services of claude.ai, whose protocol is not published; install @anthropic-ai/claude-agent-sdk itself for it";

/** Reason undeclared functions are missing. */
export const UNDECLARED =
  "it has no declaration there, and so no meaning to keep to; install @anthropic-ai/claude-agent-sdk itself for it";
