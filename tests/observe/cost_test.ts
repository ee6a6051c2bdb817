import assert from "node:assert/strict";
import { Costs } from "../../src/observe/cost.ts";
import type { JsonObject, ResultMessage } from "@sluice/agent";
import { test } from "../_harness.ts";
import { pick, randomFrom } from "../options/_random.ts";
import { resultLine } from "../conversation/_rig.ts";

/** Use of one model: this many tokens, a cent each. */
function use(tokens: number): JsonObject {
  return { inputTokens: tokens, outputTokens: 1, costUSD: tokens / 100 };
}

function result(
  session: JsonObject,
  since: JsonObject | undefined,
  usd: number,
): ResultMessage {
  return resultLine({
    total_cost_usd: usd,
    modelUsage: session,
    ...since !== undefined && { model_usage_since_last_result: since },
  }) as unknown as ResultMessage;
}

function near(actual: number | undefined, expected: number): void {
  assert.ok(Math.abs((actual ?? NaN) - expected) < 1e-9, `${actual}`);
}

test("the cost before the first result is undefined", () => {
  assert.equal(new Costs().now, undefined);
});

test("after a resume the cost is that of this conversation, beside that of the session", () => {
  const costs = new Costs();
  costs.add(result({ m: use(30) }, { m: use(10) }, 0.3));
  near(costs.now?.totalUsd, 0.1);
  near(costs.now?.lastTurnUsd, 0.1);
  near(costs.now?.sessionUsd, 0.3);
  costs.add(result({ m: use(35) }, { m: use(5) }, 0.35));
  near(costs.now?.totalUsd, 0.15);
  near(costs.now?.lastTurnUsd, 0.05);
  assert.equal(costs.now?.turns, 2);
});

test("the next result includes the cost of a lost one", () => {
  const costs = new Costs();
  costs.add(result({ m: use(10) }, { m: use(10) }, 0.1));
  // That of 20 tokens was lost.
  costs.add(result({ m: use(35) }, { m: use(5) }, 0.35));
  near(costs.now?.totalUsd, 0.35);
  near(costs.now?.lastTurnUsd, 0.25);
});

test("totals that begin anew, as after /clear, take nothing back", () => {
  const costs = new Costs();
  costs.add(result({ m: use(10) }, { m: use(10) }, 0.1));
  costs.add(result({}, {}, 0));
  near(costs.now?.totalUsd, 0.1);
  near(costs.now?.lastTurnUsd, 0);
  near(costs.now?.sessionUsd, 0);
  costs.add(result({ m: use(4) }, { m: use(4) }, 0.04));
  near(costs.now?.totalUsd, 0.14);
  near(costs.now?.lastTurnUsd, 0.04);
});

test("a CLI that tells only totals is added up as well", () => {
  const costs = new Costs();
  costs.add(result({ m: use(10) }, undefined, 0.1));
  costs.add(result({ m: use(10), n: use(7) }, undefined, 0.17));
  near(costs.now?.totalUsd, 0.17);
  near(costs.now?.lastTurnUsd, 0.07);
  near(costs.now?.byModel.n?.usd, 0.07);
  assert.equal(costs.now?.byModel.n?.inputTokens, 7);
});

test("a CLI that names no model is added up by its running total", () => {
  const costs = new Costs();
  costs.add(result({}, undefined, 0.1));
  near(costs.now?.totalUsd, 0.1);
  costs.add(result({}, {}, 0.25));
  near(costs.now?.totalUsd, 0.25);
  near(costs.now?.lastTurnUsd, 0.15);
  // A total that begins anew takes nothing back.
  costs.add(result({}, undefined, 0.05));
  near(costs.now?.totalUsd, 0.25);
  near(costs.now?.lastTurnUsd, 0);
});

test("a cost of wrong numbers and names is no number less, and no name more", () => {
  const odd = JSON.parse(
    '{"__proto__":{"costUSD":1},"a":null,"b":7,"c":{"costUSD":"much","inputTokens":-3},"d":{"costUSD":1e999}}',
  );
  const costs = new Costs();
  costs.add(result(odd, undefined, -1));
  costs.add(result(null as unknown as JsonObject, undefined, NaN));
  const { totalUsd, sessionUsd, usage, byModel = {} } = costs.now ?? {};
  near(totalUsd, 1);
  near(sessionUsd, 0);
  assert.equal(usage?.inputTokens, 0);
  assert.deepEqual(Object.keys(byModel).sort(), [
    "__proto__",
    "a",
    "b",
    "c",
    "d",
  ]);
  assert.equal(Object.getPrototypeOf(byModel), Object.prototype);
});

test("costs add up to what was used in 300 random sessions with resume, lost results and /clear", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = randomFrom(seed);
    const isTold = random() < 0.7;
    const session: Record<string, number> = {};
    let since: Record<string, number> = {};
    let own = 0;
    const spend = (isOwn: boolean) => {
      const model = pick(random, ["a", "b", "c"]);
      const tokens = 1 + Math.floor(random() * 9);
      session[model] = (session[model] ?? 0) + tokens;
      since[model] = (since[model] ?? 0) + tokens;
      if (isOwn) own += tokens;
    };
    // Only a CLI that tells the use since the last result tells a resume apart.
    if (isTold && random() < 0.5) spend(false);
    since = {};
    const costs = new Costs();
    const tell = () => {
      const all = (of: Record<string, number>) =>
        Object.fromEntries(
          Object.entries(of).map(([model, tokens]) => [model, {
            inputTokens: tokens,
            costUSD: tokens / 100,
          }]),
        );
      costs.add(result(all(session), isTold ? all(since) : undefined, 0));
      since = {};
    };
    spend(true);
    tell();
    for (let turn = 0; turn < 20; turn++) {
      spend(true);
      const what = random();
      // A result that is lost.
      if (what < 0.2) since = {};
      else tell();
      if (what < 0.9) continue;
      for (const model of Object.keys(session)) delete session[model];
      tell();
    }
    spend(true);
    tell();
    assert.equal(costs.now?.usage.inputTokens, own, `seed ${seed}`);
    near(costs.now?.totalUsd, own / 100);
  }
});
