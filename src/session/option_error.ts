import { ConfigError } from "../errors/base.ts";
import { show } from "../errors/text.ts";

/** An option that cannot be taken, which ends nothing but the call; what is shown of it is its value, unless given. */
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
