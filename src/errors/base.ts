/** Shared by every loaded copy of the package, so that they recognise each other's errors. */
const BRAND: symbol = Symbol.for("@sluice/agent/error");

/** Arguments of every error of this package. */
export interface AgentErrorInit {
  /** What failed, then a colon, then the fact. */
  readonly message: string;
  /** What caused it. */
  readonly cause?: unknown;
  /** Further facts. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Whether it ends the conversation. */
  readonly fatal?: boolean;
}

/**
 * The base of every error of this package.
 *
 * Its facts are fields: nobody needs to take a message apart. `code` is a literal
 * that tells the family, `fatal` whether the conversation ended with it.
 *
 * @example Tell the errors of this package from others
 * ```ts
 * import { ConfigError, isAgentError, query } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * try {
 *   query("hi", { maxTurns: -1 });
 * } catch (error) {
 *   assert.ok(isAgentError(error) && error instanceof ConfigError);
 *   assert.equal(error.code, "config");
 * }
 * ```
 */
export abstract class AgentError extends Error {
  /** Name of the class, a literal. */
  abstract override readonly name: string;
  /** Which family it is, a literal. */
  abstract readonly code: string;
  /** Whether it ended the conversation. */
  readonly fatal: boolean;
  /** Further facts; empty when there are none. */
  readonly details: Readonly<Record<string, unknown>>;

  /** Takes the text and the facts. */
  constructor(init: AgentErrorInit) {
    super(
      init.message,
      init.cause === undefined ? undefined : { cause: init.cause },
    );
    this.fatal = init.fatal ?? true;
    this.details = init.details ?? {};
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/**
 * Tells whether a value is an error of this package, also one of another loaded copy of it.
 *
 * @param value Anything, such as what a `catch` got
 * @returns Whether it has the members of {@link AgentError}
 *
 * @example Ask any value
 * ```ts
 * import { ClosedError, isAgentError } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * assert.equal(isAgentError(new ClosedError("Conversation")), true);
 * assert.equal(isAgentError(new Error("another")), false);
 * ```
 */
export function isAgentError(value: unknown): value is AgentError {
  return typeof value === "object" && value !== null && BRAND in value;
}
