/** Something of the official package that this one cannot have was called. */
export class NotInThisPackageError extends Error {
  /** Its name. */
  override readonly name = "NotInThisPackageError";
  /** The function that was called, such as `./bridge attachBridgeSession()`. */
  readonly feature: string;

  /**
   * @param feature What was called
   * @param why Why it is not there
   */
  constructor(feature: string, why: string) {
    super(`${feature} of the official package is not here: ${why}`);
    this.feature = feature;
  }
}

/** Why services of claude.ai are not there. */
export const CLAUDE_AI =
  "it is for services of claude.ai, whose protocol is not published; install @anthropic-ai/claude-agent-sdk itself for it";

/** Why what is not declared is not there. */
export const UNDECLARED =
  "it has no declaration there, and so no meaning to keep to; install @anthropic-ai/claude-agent-sdk itself for it";
