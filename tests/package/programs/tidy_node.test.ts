// Tests with node:test, which Node, Deno and Bun run.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { ResultError } from "@sluice/agent";
import { type FakeCli, fakeCli } from "@sluice/agent/testing";
import { tidy } from "./tidy.ts";

let agent: FakeCli | undefined;
afterEach(() => agent?.close());

test("moves files, and deletes none", async () => {
  agent = fakeCli([[
    { tool: "Bash", input: { command: "rm -rf build" } },
    "Moved one file.",
  ]]);
  const { summary, refused } = await tidy({ cliPath: agent.cliPath });
  assert.equal(summary, "Moved one file.");
  assert.equal(refused, 1);
});

test("reports an agent that gives up", async () => {
  agent = fakeCli([{ result: { subtype: "error_max_turns", is_error: true } }]);
  await assert.rejects(tidy({ cliPath: agent.cliPath }), ResultError);
});
