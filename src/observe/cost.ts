import type { Cost, ModelCost } from "../types/activity.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";

/** The numbers of a model's use; the CLI calls the first "costUSD", the others as we do. */
const NAMES = [
  "usd",
  "inputTokens",
  "outputTokens",
  "cacheReadInputTokens",
  "cacheCreationInputTokens",
  "webSearchRequests",
] as const;

type Field = (typeof NAMES)[number];
type Numbers = Readonly<Record<Field, number>>;
/** Use by model. */
type Use = ReadonlyMap<string, Numbers>;

const NOTHING = numbers(() => 0);
const NONE: Use = new Map();

/**
 * Adds up what turns cost.
 *
 * The running totals of the CLI are taken apart, so that a result that was lost is paid for by the next; what it says of
 * the time since the result before is for the first, after a resume, and for totals that began anew, after `/clear`.
 */
export class Costs {
  /** The running totals that came last. */
  #session: Use | undefined;
  #sessionUsd = 0;
  #total: Use = NONE;
  #lastTurnUsd = 0;
  /** Cost without the name of a model. */
  #namelessUsd = 0;
  #turns = 0;

  /** A turn has ended. */
  add(result: ResultMessage): void {
    const session = useOf(result.modelUsage);
    const told = result.model_usage_since_last_result;
    const since = told === undefined ? undefined : useOf(told);
    const before = this.#session;
    const goesOn = before !== undefined && isPast(before, session);
    const turn = goesOn ? less(session, before) : since ?? session;
    const sessionUsd = amount(result.total_cost_usd);
    // A budget has to hold where the CLI names no model as well.
    const namelessUsd = session.size === 0 && turn.size === 0
      ? Math.max(0, sessionUsd - this.#sessionUsd)
      : 0;
    this.#session = session;
    this.#sessionUsd = sessionUsd;
    this.#namelessUsd += namelessUsd;
    this.#lastTurnUsd = sum(turn).usd + namelessUsd;
    this.#total = joined(this.#total, turn);
    this.#turns++;
  }

  /** The cost so far; `undefined` before the first result. */
  get now(): Cost | undefined {
    if (this.#turns === 0) return undefined;
    const { usd, ...usage } = sum(this.#total);
    return {
      totalUsd: usd + this.#namelessUsd,
      lastTurnUsd: this.#lastTurnUsd,
      sessionUsd: this.#sessionUsd,
      turns: this.#turns,
      usage,
      byModel: Object.fromEntries<ModelCost>(this.#total),
    };
  }
}

/** The cost of a conversation without an ended turn. */
export const NO_COST: Cost = {
  totalUsd: 0,
  lastTurnUsd: 0,
  sessionUsd: 0,
  turns: 0,
  usage: {
    inputTokens: 0,
    outputTokens: 0,
    cacheReadInputTokens: 0,
    cacheCreationInputTokens: 0,
    webSearchRequests: 0,
  },
  byModel: {},
};

/**
 * Adds up the costs of conversations, in US dollars and tokens; zero for none.
 *
 * @example Add up a session that ran in two parts
 * ```ts
 * import { addCosts } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * const first = { ...addCosts(), totalUsd: 1, turns: 1 };
 * const second = { ...addCosts(), totalUsd: 2, turns: 2 };
 * assert.equal(addCosts(first, second).totalUsd, 3);
 * ```
 */
export function addCosts(...costs: readonly Cost[]): Cost {
  return costs.reduce(added, NO_COST);
}

function added(before: Cost, after: Cost): Cost {
  if (after.turns === 0) return before;
  const models = joined(
    new Map(Object.entries(before.byModel)),
    new Map(Object.entries(after.byModel)),
  );
  const { usd: _, ...usage } = plus(
    { usd: 0, ...before.usage },
    { usd: 0, ...after.usage },
  );
  return {
    totalUsd: before.totalUsd + after.totalUsd,
    lastTurnUsd: after.lastTurnUsd,
    sessionUsd: after.sessionUsd,
    turns: before.turns + after.turns,
    usage,
    byModel: Object.fromEntries<ModelCost>(models),
  };
}

/** Use by model, whatever came: it was not checked. */
function useOf(told: unknown): Use {
  if (typeof told !== "object" || told === null) return NONE;
  return new Map(
    Object.entries(told).map(([model, use]) => [
      model,
      numbers((field) => amount(use?.[field === "usd" ? "costUSD" : field])),
    ]),
  );
}

function amount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0
    ? value
    : 0;
}

/** Whether totals are later ones of the same count. */
function isPast(before: Use, after: Use): boolean {
  return [...before].every(([model, use]) => {
    const now = after.get(model) ?? NOTHING;
    return NAMES.every((field) => now[field] >= use[field]);
  });
}

function less(all: Use, before: Use): Use {
  return new Map([...all].map(([model, use]) => {
    const known = before.get(model) ?? NOTHING;
    return [model, numbers((field) => use[field] - known[field])];
  }));
}

function joined(all: Use, more: Use): Use {
  const both = new Map(all);
  for (const [model, use] of more) {
    both.set(model, plus(both.get(model) ?? NOTHING, use));
  }
  return both;
}

function sum(use: Use): Numbers {
  return [...use.values()].reduce(plus, NOTHING);
}

function plus(a: Numbers, b: Numbers): Numbers {
  return numbers((field) => a[field] + b[field]);
}

function numbers(of: (field: Field) => number): Numbers {
  return Object.fromEntries(
    NAMES.map((field) => [field, of(field)]),
  ) as Numbers;
}
