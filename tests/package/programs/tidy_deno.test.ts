// Tests with `deno test`.
import { rejects, strictEqual } from "node:assert";
import { ResultError } from "@sluice/agent";
import { fakeCli } from "@sluice/agent/testing";
import { tidy } from "./tidy.ts";

Deno.test("moves files, and deletes none", async () => {
  await using agent = fakeCli([[
    { tool: "Bash", input: { command: "rm -rf build" } },
    "Moved one file.",
  ]]);
  const { summary, refused } = await tidy({ cliPath: agent.cliPath });
  strictEqual(summary, "Moved one file.");
  strictEqual(refused, 1);
});

Deno.test("reports an agent that gives up", async () => {
  await using agent = fakeCli([{
    result: { subtype: "error_max_turns", is_error: true },
  }]);
  await rejects(tidy({ cliPath: agent.cliPath }), ResultError);
});
