import assert from "node:assert/strict";
import { query } from "@sluice/agent";
import { bash, realTest } from "./_real.ts";

const QUESTION = {
  tool: "AskUserQuestion",
  input: {
    questions: [{
      question: "Which colour?",
      header: "Colour",
      multiSelect: false,
      options: [
        { label: "Red", description: "Warm" },
        { label: "Blue", description: "Cold" },
      ],
    }],
  },
} as const;

realTest(
  "bypassPermissions leaves questions and rules to ask to canUseTool, dontAsk leaves it nothing",
  [
    ...[QUESTION, bash("touch asked.txt"), bash("touch run.txt"), "Done."],
    ...[QUESTION, bash("touch asked.txt"), bash("touch run.txt"), "Done."],
  ],
  async ({ options }) => {
    for (const mode of ["bypassPermissions", "dontAsk"] as const) {
      const asked: string[] = [];
      await query("Go", {
        ...options,
        // As root, the CLI has the first mode only in a sandbox.
        env: { ...options.env, IS_SANDBOX: "1" },
        settings: { permissions: { ask: ["Bash(touch asked.txt)"] } },
        permissions: {
          mode,
          allowBypass: true,
          canUseTool(tool) {
            asked.push(tool);
            return { behavior: "deny", message: "No" };
          },
        },
      }).result();
      const left = mode === "dontAsk" ? [] : ["AskUserQuestion", "Bash"];
      assert.deepEqual(asked, left, mode);
    }
  },
);
