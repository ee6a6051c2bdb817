import type { ResultMessage } from "../protocol/messages_turn.ts";
import { AgentError, type AgentErrorInit } from "./base.ts";

/** What helps where nobody is logged in. */
export const LOG_IN = "start claude and type /login, or set ANTHROPIC_API_KEY";

/** The result is an error, or there was none. */
export class ResultError extends AgentError {
  /** Name of the class. */
  override readonly name = "ResultError";
  /** Family. */
  override readonly code = "result";
  /** The result; `undefined` when there was none. */
  readonly result: ResultMessage | undefined;

  /** Takes the result. */
  constructor(init: AgentErrorInit & Pick<ResultError, "result">) {
    super({ fatal: false, ...init });
    this.result = init.result;
  }
}

/** Structured output is missing from the result, or does not fit its schema. */
export class StructuredOutputError extends AgentError {
  /** Name of the class. */
  override readonly name = "StructuredOutputError";
  /** Family. */
  override readonly code = "structured_output";
  /** The result that lacks it. */
  readonly result: ResultMessage | undefined;

  /** Takes the result. */
  constructor(init: AgentErrorInit & Pick<StructuredOutputError, "result">) {
    super({ fatal: false, ...init });
    this.result = init.result;
  }
}

/** The prompts of a `Pool.run()` have cost as much as they may; what had begun has ended, the rest was not begun. */
export class PoolBudgetError extends AgentError {
  /** Name of the class. */
  override readonly name = "PoolBudgetError";
  /** Family. */
  override readonly code = "pool_budget";
  /** What they may cost, in US dollars. */
  readonly maxUsd: number;
  /** What they have cost, in US dollars. */
  readonly spentUsd: number;

  /** Takes both amounts. */
  constructor(maxUsd: number, spentUsd: number) {
    super({
      message:
        `Prompts have cost ${spentUsd} US dollars, "maxUsd" is ${maxUsd}: raise it to run the rest`,
      fatal: false,
    });
    this.maxUsd = maxUsd;
    this.spentUsd = spentUsd;
  }
}
