// Test a program that uses an agent, without the CLI, a model or a key.
// deno-lint-ignore-file no-console -- an example shows what happens
import assert from "node:assert/strict";
import { type AgentOptions, query, ResultError } from "@sluice/agent";
import { fakeCli } from "@sluice/agent/testing";

/** The program under test: tidies a folder, and refuses to delete. */
async function tidy(options: AgentOptions = {}): Promise<string> {
  return await query("Tidy up this folder.", {
    ...options,
    permissions: {
      canUseTool: (_tool, { command }) =>
        String(command).startsWith("rm ")
          ? { behavior: "deny", message: "Nothing is deleted here." }
          : { behavior: "allow" },
    },
  }).text();
}

// The fake agent follows this script.
const agent = fakeCli([[
  { tool: "Bash", input: { command: "mv a.txt docs/" } },
  { tool: "Bash", input: { command: "rm -rf build" } },
  "Moved one file.",
]]);
assert.equal(await tidy({ cliPath: agent.cliPath }), "Moved one file.");
const answers = agent.received.filter(({ type }) =>
  type === "control_response"
);
assert.match(JSON.stringify(answers[0]), /"behavior":"allow"/);
assert.match(JSON.stringify(answers[1]), /Nothing is deleted here/);
assert.equal(agent.runs[0]?.exitCode, 0);
await agent.close();

// An agent that reaches its limit of turns.
const failing = fakeCli({
  turns: {
    result: { subtype: "error_max_turns", is_error: true, errors: ["Enough"] },
  },
});
await assert.rejects(tidy({ cliPath: failing.cliPath }), ResultError);
await failing.close();
console.log("2 tests passed");
