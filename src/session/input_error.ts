import { ConfigError } from "../errors/base.ts";
import { show } from "../errors/text.ts";

/** An argument or option that is refused, which ends nothing but the call. */
export function inputError(
  key: string,
  message: string,
  value?: unknown,
  cause?: unknown,
): ConfigError {
  return new ConfigError({ message, key, value, cause, fatal: false });
}

/** An option that is refused; the text shows its value, or `shown`. */
export function optionError(
  key: string,
  fact: string,
  value: unknown,
  shown: unknown = value,
): ConfigError {
  return inputError(key, `Option "${key}" ${fact}: ${show(shown)}`, value);
}
