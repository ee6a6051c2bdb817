// Tests with Vitest; `bun test` runs the same file.
import { ResultError } from "@sluice/agent";
import { type FakeCli, fakeCli } from "@sluice/agent/testing";
import { afterEach, expect, test } from "vitest";
import { tidy } from "./tidy.ts";

let agent: FakeCli | undefined;
afterEach(() => agent?.close());

test("moves files, and deletes none", async () => {
  agent = fakeCli([[
    { tool: "Bash", input: { command: "mv a.txt docs/" } },
    { tool: "Bash", input: { command: "rm -rf build" } },
    "Moved one file.",
  ]]);
  const { summary, commands, refused } = await tidy({ cliPath: agent.cliPath });
  expect(summary).toBe("Moved one file.");
  expect(commands).toEqual(["mv a.txt docs/", "rm -rf build"]);
  expect(refused).toBe(1);
  expect(agent.runs[0]?.exitCode).toBe(0);
});

test("reports an agent that gives up", async () => {
  agent = fakeCli([{ result: { subtype: "error_max_turns", is_error: true } }]);
  const tidied = tidy({ cliPath: agent.cliPath });
  await expect(tidied).rejects.toBeInstanceOf(ResultError);
});
