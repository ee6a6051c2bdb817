import assert from "node:assert/strict";
import { needsShell } from "./_children.ts";
import { examplesOf, isForHere, runExamples } from "./_examples.ts";
import { test } from "./_harness.ts";

const examples = examplesOf("README.md");

for (const example of examples.filter(isForHere)) {
  test(
    `README example runs: ${example.title} ${example.kind}`,
    () => runExamples([example]),
    { skip: needsShell },
  );
}

test("README has an example for each runtime", () => {
  const runtimes = new Set(examples.map(({ kind }) => kind));
  assert.deepEqual([...runtimes].sort(), ["", "bun", "deno", "node"]);
});
