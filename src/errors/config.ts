import { AgentError, type AgentErrorInit } from "./base.ts";
import { shownOption } from "./redact.ts";

/** An option that is unknown, of a wrong type, out of range, or contradicts another; thrown before anything starts. */
export class ConfigError extends AgentError {
  /** Name of the class. */
  override readonly name = "ConfigError";
  /** Family. */
  override readonly code = "config";
  /** The option, dotted: `limits.maxMessageBytes`. */
  readonly key: string;
  /** The value it had; what may be secret is left out. */
  readonly value: unknown;

  /** Takes the key and its value. */
  constructor(
    init:
      & AgentErrorInit
      & Pick<ConfigError, "key">
      & Partial<Pick<ConfigError, "value">>,
  ) {
    super(init);
    this.key = init.key;
    this.value = shownOption(init.key, init.value);
  }
}
