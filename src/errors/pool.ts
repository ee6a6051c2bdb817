import { AgentError } from "./base.ts";

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
