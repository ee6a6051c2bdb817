import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Activity } from "@sluice/agent";
import { after, ALLOW, realTest, withRealClient } from "./_real.ts";

/** Cost of a turn in US dollars, from its result. */
function spent(uses: unknown): number {
  return Object.values(uses as Record<string, { readonly costUSD: number }>)
    .reduce((sum, { costUSD }) => sum + costUSD, 0);
}

function near(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) < 1e-9, `${actual} is ${expected}`);
}

realTest(
  "an agent with a command and another agent in the background is never idle before both have finished, and the model knows",
  [
    {
      match: "start a command",
      tool: "Bash",
      input: {
        command: after("go-command", "touch command-finished"),
        description: "wait",
        run_in_background: true,
      },
    },
    "Started it.",
    "It finished.",
    {
      match: "start an agent",
      tool: "Agent",
      input: {
        description: "wait",
        prompt: "work apart",
        subagent_type: "general-purpose",
        run_in_background: true,
      },
    },
    {
      match: "work apart",
      tool: "Bash",
      input: {
        command: after("go-agent", "touch agent-finished"),
        description: "wait",
      },
    },
    { text: "One.", repeat: 3 },
  ],
  async (real) => {
    await withRealClient(real, ALLOW, async (client) => {
      const seen: Activity[] = [];
      let marker = "";
      const early: Activity[] = [];
      const watching = (async () => {
        for await (const activity of client.watch()) {
          seen.push(activity);
          const isDone = marker === "" || existsSync(join(real.cwd, marker));
          if (activity.state === "idle" && !isDone) early.push(activity);
        }
      })();
      for (
        const [prompt, kind] of [
          ["start a command", "command"],
          ["start an agent", "agent"],
        ] as const
      ) {
        const { turns } = client.cost();
        marker = `${kind}-finished`;
        await client.ask(prompt);
        const still = await client.settled({ background: false });
        assert.equal(still.state, "background");
        assert.equal(still.tasks.length, 1);
        assert.equal(typeof still.tasks[0]?.toolUseId, "string");
        await writeFile(join(real.cwd, `go-${kind}`), "");
        const settled = await client.settled();
        assert.equal(settled.state, "idle");
        assert.ok(existsSync(join(real.cwd, marker)), marker);
        assert.equal(client.cost().turns, turns + 2, "two results, one prompt");
      }
      assert.deepEqual(early, []);
      assert.deepEqual(
        [
          ...new Set(
            seen.flatMap(({ tasks }) => tasks.map(({ kind }) => kind)),
          ),
        ],
        ["local_bash", "local_agent"],
      );
      await client.close();
      await watching;
    });
  },
);

realTest(
  "costs add up over ten turns, two models, an interrupt and a resume",
  [
    { text: "word ".repeat(400), delayMs: 20 },
    { text: "Yes.", repeat: 11 },
  ],
  async (real) => {
    let sessionId = "";
    let before = 0;
    await withRealClient(real, {}, async (client) => {
      await client.sendMessage("talk");
      let isCut = false;
      let sum = 0;
      for await (const message of client.receiveResponse()) {
        if (message.type === "system" && message.subtype === "init" && !isCut) {
          isCut = true;
          await client.interrupt();
        }
        if (message.type === "result") {
          sum += spent(message.model_usage_since_last_result);
          near(client.cost().lastTurnUsd, sum);
        }
      }
      for (let turn = 0; turn < 10; turn++) {
        if (turn === 5) await client.setModel("claude-haiku-4-5");
        const result = await client.ask(`question ${turn}`);
        const own = spent(result.model_usage_since_last_result);
        assert.ok(own > 0);
        sum += own;
        const { totalUsd, lastTurnUsd, sessionUsd, byModel } = client.cost();
        near(lastTurnUsd, own);
        near(totalUsd, sum);
        near(sessionUsd, result.total_cost_usd);
        near(totalUsd, result.total_cost_usd);
        near(spent(result.modelUsage), totalUsd);
        assert.equal(Object.keys(byModel).length, turn < 5 ? 1 : 2);
      }
      assert.equal(client.cost().turns, 11);
      sessionId = client.sessionId ?? "";
      before = sum;
    });
    await withRealClient(real, { resume: sessionId }, async (client) => {
      const result = await client.ask("and now?");
      const { totalUsd, sessionUsd, turns } = client.cost();
      near(totalUsd, spent(result.model_usage_since_last_result));
      near(sessionUsd, before + totalUsd);
      assert.equal(turns, 1);
    });
  },
);
