import assert from "node:assert/strict";
import { bash, CHOICE, inTurns, realTest, toolResults } from "./_real.ts";

const CALLS = [CHOICE, bash("touch asked.txt"), bash("touch run.txt"), "Done."];

realTest(
  "bypassPermissions leaves questions and rules to ask to canUseTool, dontAsk leaves it nothing",
  [...CALLS, ...CALLS],
  async ({ options }) => {
    let asked: string[] = [];
    const all = {
      ...options,
      // As root, the CLI has the first mode only in a sandbox.
      env: { ...options.env, IS_SANDBOX: "1" },
      settings: { permissions: { ask: ["Bash(touch asked.txt)"] } },
      permissions: {
        mode: "bypassPermissions",
        allowBypass: true,
        canUseTool(tool: string) {
          asked.push(tool);
          return { behavior: "deny", message: "No" } as const;
        },
      },
    } as const;
    await inTurns(all, async (turn, conversation) => {
      await turn("Go");
      assert.deepEqual(asked, ["AskUserQuestion", "Bash"]);
      asked = [];
      await conversation.setPermissionMode("dontAsk");
      const results = toolResults(await turn("Go"));
      assert.equal(results.filter(({ isError }) => isError).length, 3);
      assert.deepEqual(asked, []);
    });
  },
);
