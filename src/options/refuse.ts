import { ConfigError } from "../errors/base.ts";
import { shownOption } from "../errors/secrets.ts";
import { REDACTED, show, typeOf } from "../errors/text.ts";

/**
 * Throws a `ConfigError` for an option with an invalid value.
 *
 * @throws {ConfigError} Always
 *
 * @example Report an invalid option
 * ```ts
 * import { refuse } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * assert.throws(() => refuse("size", 0, "positive"), /Option "size" must be positive: 0/);
 * ```
 */
export function refuse(key: string, value: unknown, must: string): never {
  contradict(key, value, `must be ${must}`);
}

/** Throws: two options do not go together; the text says what to change. */
export function contradict(key: string, value: unknown, why: string): never {
  throw new ConfigError({
    message: `Option "${key}" ${why}: ${display(key, value)}`,
    key,
    value,
  });
}

/** A name alone: what follows an equals sign, a colon or a blank in it is the value, and may be secret. */
export function nameAlone(name: string): string {
  return name.replace(/^(.+?[=:\s]).+$/s, `$1${REDACTED}`);
}

/** A value as it may stand in a text; objects may hold secrets and are only named. */
export function display(key: string, value: unknown): string {
  if (typeof value === "object" && value !== null) return `an ${typeOf(value)}`;
  const shown = shownOption(key, value);
  return shown === REDACTED ? REDACTED : show(shown);
}
