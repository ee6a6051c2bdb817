import { AgentError, type AgentErrorInit } from "./base.ts";
import { shownOption } from "./redact.ts";
import { show } from "./text.ts";

/** What the constructor of {@link ConfigError} takes. */
export interface ConfigErrorInit extends AgentErrorInit {
  /** The option, dotted: `limits.maxMessageBytes`. */
  readonly key: string;
  /** The value it had. */
  readonly value?: unknown;
}

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
  constructor(init: ConfigErrorInit) {
    super(init);
    this.key = init.key;
    this.value = shownOption(init.key, init.value);
  }
}

/** An option of a call that ends nothing but this call; what is shown of it is its value, unless given. */
export function optionError(
  key: string,
  fact: string,
  value: unknown,
  shown: unknown = value,
): ConfigError {
  return new ConfigError({
    message: `Option "${key}" ${fact}: ${show(shown)}`,
    key,
    value,
    fatal: false,
  });
}
