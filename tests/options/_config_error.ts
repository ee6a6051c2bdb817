import assert from "node:assert/strict";
import { type AgentOptions, ConfigError, isAgentError } from "@sluice/agent";
import { resolveOptions } from "../../src/options/resolve.ts";

/** What a call throws, which must be a ConfigError in the house's form. */
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

/** The ConfigError for options of any shape. */
export function refusal(options: unknown): ConfigError {
  // Callers without types can pass anything.
  return configErrorOf(() => resolveOptions(options as AgentOptions));
}
