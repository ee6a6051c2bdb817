import assert from "node:assert/strict";
import {
  type AgentOptions,
  Client,
  ConfigError,
  isAgentError,
} from "@sluice/agent";

/** The error of a call, which must be a ConfigError in the form of this package. */
export function configErrorOf(call: () => unknown): ConfigError {
  try {
    call();
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    assert.ok(isAgentError(error));
    assert.equal(error.code, "config");
    assert.equal(error.name, "ConfigError");
    assert.match(error.message, /^[A-Z].*[^.]$/s);
    assert.ok(error.message.includes(error.key), error.message);
    return error;
  }
  return assert.fail("Expected a ConfigError, nothing was thrown");
}

/** Has options of any shape checked; a client starts nothing before it connects. */
export function take(options: unknown): void {
  // Callers without types can pass anything.
  new Client(options as AgentOptions);
}

/** The ConfigError for options of any shape. */
export function refusal(options: unknown): ConfigError {
  return configErrorOf(() => take(options));
}

/** Options with a value under a dotted key, such as `hooks.Stop[0].matcher`. */
export function at(key: string, value: unknown): unknown {
  return key.split(/\.|(?=\[)/).reduceRight(
    (inside, name) => name === "[0]" ? [inside] : { [name]: inside },
    value,
  );
}
