import assert from "node:assert/strict";
import { examplesOf, listSources, runWithRealCli } from "../_examples.ts";
import { test } from "../_harness.ts";
import { reasonWithoutCli } from "../_real_cli.ts";

const PAGES = listSources("docs").filter((path) => path.endsWith(".md"));

/** Parts of requests by which the model gets what a page promises. */
const REACHES: Readonly<Record<string, readonly string[]>> = {
  "docs/hooks.md": ["Today is Friday."],
  "docs/limits.md": ['"max_tokens":4000'],
  "docs/thinking.md": ['"effort":"low"', '"budget_tokens":4000'],
  "docs/images.md": [
    '"media_type":"image/png"',
    '"type":"document"',
    "Buy tea.",
  ],
};

for (const page of PAGES) {
  const examples = examplesOf(page).filter(({ model }) => model !== undefined);
  if (examples.length === 0) continue;
  test(
    `examples of ${page} with the real CLI print what they say`,
    async () => {
      const sent = JSON.stringify(await runWithRealCli(examples));
      for (const part of REACHES[page] ?? []) {
        assert.ok(sent.includes(part), part);
      }
    },
    { skip: reasonWithoutCli },
  );
}
