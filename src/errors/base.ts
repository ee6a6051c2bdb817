import type { ResultMessage } from "../protocol/messages_turn.ts";
import { shownOption } from "./secrets.ts";
import { show } from "./text.ts";

/** Shared by every loaded copy of the package, so that they recognize each other's errors. */
const BRAND: symbol = Symbol.for("@sluice/agent/error");

/** Arguments of every error of this package. */
export interface AgentErrorInit {
  /** The failed action, a colon, then the fact. */
  readonly message: string;
  /** Its cause. */
  readonly cause?: unknown;
  /** Further facts. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Whether it ends the conversation; `false` unless a class says otherwise. */
  readonly fatal?: boolean;
}

/**
 * The base of every error of this package.
 *
 * Its facts are fields, so that no text needs to be parsed: `code` is a literal that identifies the error, `fatal`
 * whether it ended the conversation.
 *
 * @example Recognize the errors of this package
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
export abstract class AgentError<Facts extends object = object> extends Error {
  /** Name of the class, a literal. */
  abstract override readonly name: string;
  /** Error code, a literal. */
  abstract readonly code: string;
  /** Whether it ended the conversation. */
  readonly fatal: boolean;
  /** Further facts; empty when there are none. */
  readonly details: Readonly<Record<string, unknown>>;

  /** Creates the error from its text and facts; the facts of a class become its fields. */
  constructor(init: AgentErrorInit & Facts) {
    const { message, cause, fatal = false, details = {}, ...facts } = init;
    super(message, cause === undefined ? undefined : { cause });
    this.fatal = fatal;
    this.details = details;
    Object.assign(this, facts);
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/**
 * Returns whether a value is an error of this package, also of another loaded copy of the package.
 *
 * @param value Anything, such as what a `catch` got
 * @returns Whether it has the members of {@link AgentError}
 *
 * @example Check any value
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

/**
 * An option or argument is invalid. Or a `SessionStore` of `@sluice/agent/session` has files that every user can change.
 *
 * Fix: Read the message. It names the option and a valid value, or the path that is not safe.
 */
export class ConfigError extends AgentError {
  /** Name of the class. */
  override readonly name = "ConfigError";
  /** Error code, a literal. */
  override readonly code = "config";
  /** Name of the option, dotted, such as `limits.maxMessageBytes`. */
  readonly key: string;
  /** Value of the option; values that may be secret are left out. */
  readonly value: unknown;

  /** Creates the error for an option key and its value. */
  constructor(
    init:
      & AgentErrorInit
      & Pick<ConfigError, "key">
      & Partial<Pick<ConfigError, "value">>,
  ) {
    const { key, value, ...rest } = init;
    super({ fatal: true, ...rest });
    this.key = key;
    this.value = shownOption(key, value);
  }
}

/**
 * A method was called on a client or hub that is not connected.
 *
 * Fix: Call `connect()` first.
 */
export class NotConnectedError extends AgentError {
  /** Name of the class. */
  override readonly name = "NotConnectedError";
  /** Error code, a literal. */
  override readonly code = "not_connected";

  /** Creates the error for the method that was called. */
  constructor(called: string) {
    super({
      message: `Cannot call ${called} before connect(): call connect() first`,
    });
  }
}

/**
 * `connect()` was called on a client or hub that is connected or connecting.
 *
 * Fix: Call `connect()` once. For a second connection, create another client or hub.
 */
export class AlreadyConnectedError extends AgentError {
  /** Name of the class. */
  override readonly name = "AlreadyConnectedError";
  /** Error code, a literal. */
  override readonly code = "already_connected";

  /** Creates the error for the object that is already connected. */
  constructor(what: string) {
    super({ message: `${what} is already connected` });
  }
}

/**
 * A method was called after `close()`, or was waiting when `close()` was called.
 *
 * Fix: Make a new conversation, client, hub or pool.
 */
export class ClosedError extends AgentError {
  /** Name of the class. */
  override readonly name = "ClosedError";
  /** Error code, a literal. */
  override readonly code = "closed";

  /** Creates the error for the object that is closed. */
  constructor(what: string) {
    super({ message: `${what} is closed` });
  }
}

/**
 * `answer()` of a `permissionQueue()` got an id that is not pending. Or `answer()` of an approval store got an unknown id.
 *
 * Fix: Show the pending requests again, and answer one of them.
 */
export class NotPendingError extends AgentError {
  /** Name of the class. */
  override readonly name = "NotPendingError";
  /** Error code, a literal. */
  override readonly code = "not_pending";
  /** Id of the request. */
  readonly id: string;
  /** `"answered"`, `"withdrawn"` (by the CLI, or by the end of the conversation), or `"unknown"`. */
  readonly reason: "answered" | "withdrawn" | "unknown";

  /** Creates the error from the id of the request and its state. */
  constructor(id: string, reason: NotPendingError["reason"]) {
    super({ message: `Permission request ${show(id)} ${GONE[reason]}` });
    this.id = id;
    this.reason = reason;
  }
}

const GONE: Readonly<Record<NotPendingError["reason"], string>> = {
  answered: "was answered before",
  withdrawn: "was withdrawn: the CLI took it back, or its conversation ended",
  unknown: "is not known: take the id from what is pending",
};

/**
 * The stream of prompts that you passed threw an error, which is the `cause`.
 *
 * Fix: Repair the code that yields the prompts.
 */
export class PromptError extends AgentError {
  /** Name of the class. */
  override readonly name = "PromptError";
  /** Error code, a literal. */
  override readonly code = "prompt";

  /** Creates the error from its text and the thrown value. */
  constructor(message: string, cause: unknown) {
    super({ message, cause, fatal: true });
  }
}

/**
 * `text()` or `output()` got a result that is an error, or the conversation ended without a result.
 *
 * Fix: Read `result.subtype` and `result.api_error_status`. Status 529 means that the API is overloaded. If there is no result, read `message`.
 */
export class ResultError
  extends AgentError<{ readonly result: ResultMessage | undefined }> {
  /** Name of the class. */
  override readonly name = "ResultError";
  /** Error code, a literal. */
  override readonly code = "result";
  /** The result; `undefined` when there was none. */
  declare readonly result: ResultMessage | undefined;
}

/**
 * `output()` got a result without structured output, or with an output that does not fit the schema.
 *
 * Fix: Ask again, or simplify `outputSchema`.
 */
export class StructuredOutputError
  extends AgentError<{ readonly result: ResultMessage | undefined }> {
  /** Name of the class. */
  override readonly name = "StructuredOutputError";
  /** Error code, a literal. */
  override readonly code = "structured_output";
  /** The result without valid output. */
  declare readonly result: ResultMessage | undefined;
}

/**
 * The cost of a `Pool.run()` has reached `maxUsd`. The prompts that were running have finished; the other prompts did not start.
 *
 * Fix: Raise `maxUsd`, and run the rest.
 */
export class PoolBudgetError extends AgentError {
  /** Name of the class. */
  override readonly name = "PoolBudgetError";
  /** Error code, a literal. */
  override readonly code = "pool_budget";
  /** The limit, in US dollars. */
  readonly maxUsd: number;
  /** Cost of all prompts of the run so far, in US dollars. */
  readonly spentUsd: number;

  /** Creates the error from budget and cost. */
  constructor(maxUsd: number, spentUsd: number) {
    super({
      message:
        `Prompts have cost ${spentUsd} US dollars, "maxUsd" is ${maxUsd}: raise it to run the rest`,
    });
    this.maxUsd = maxUsd;
    this.spentUsd = spentUsd;
  }
}
