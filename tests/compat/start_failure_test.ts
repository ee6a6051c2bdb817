import assert from "node:assert/strict";
import { notFound } from "../../src/cli/report.ts";
import { startFailure } from "../../src/compat/start_failure.ts";
import { test } from "../_harness.ts";

test("without any CLI the error names the fix in words of the official SDK, and its cause has the places", () => {
  const missing = {
    path: "/usr/bin/claude",
    source: "path",
    outcome: "missing",
  } as const;
  const search = { executable: false, warnings: [] };
  const cause = notFound({ ...search, attempts: [missing] });
  const error = startFailure(cause, undefined);
  assert.ok(error instanceof ReferenceError);
  assert.match(error.message, /options\.pathToClaudeCodeExecutable/);
  assert.match(error.message, /--omit=optional/);
  assert.doesNotMatch(error.message, /cliPath|usr/);
  assert.equal(error.cause, cause);
  // One that is there and does not work is named.
  const broken = notFound({
    ...search,
    attempts: [{ ...missing, outcome: "not-executable" }],
  });
  const told = startFailure(broken, undefined);
  assert.ok(told instanceof ReferenceError);
  assert.match(told.message, /"\/usr\/bin\/claude" cannot be executed/);
});
