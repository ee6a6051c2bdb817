import assert from "node:assert/strict";
import { test } from "./_harness.ts";
import { type LaneProof, parseProof, provenBy } from "./_proof.ts";
import { readCitations, readNotes, readRequirements } from "./_requirements.ts";

// That each requirement is proven is judged by the runner, when all tests are through: see `scripts/test/proof.ts`.
const known = new Set(readRequirements().map(({ id }) => id));
const cited = new Set(readCitations().keys());
const excused = readNotes().flatMap(({ ids }) => ids);

test("every cited requirement exists", () => {
  assert.deepEqual([...cited].filter((id) => !known.has(id)), []);
});

test("every excused requirement exists, once", () => {
  assert.deepEqual(excused.filter((id) => !known.has(id)), []);
  assert.deepEqual(excused.filter((id, at) => excused.indexOf(id) !== at), []);
});

test("no note excuses what a test cites", () => {
  assert.deepEqual(excused.filter((id) => cited.has(id)), []);
});

test("every note has a reason", () => {
  for (const { reason, ids } of readNotes()) {
    assert.ok(reason.length > 10 && ids.length > 0, `Note: ${reason}`);
  }
});

test("a requirement is proven by a test that passed wherever it began, and by no other", () => {
  const line = (test: string, state: string, ...ids: readonly string[]) =>
    `${JSON.stringify({ test, ids, state })}\n`;
  const lane = (name: string, ...lines: readonly string[]): LaneProof => ({
    lane: name,
    lines: parseProof(lines.join("")),
  });
  const proven = provenBy([
    lane(
      "deno",
      line("passes", "began", "A-1", "A-2"),
      line("passes", "passed", "A-1", "A-2"),
      line("fails in one lane", "began", "B-1"),
      line("fails in one lane", "passed", "B-1"),
      line("is skipped", "skipped", "C-1"),
      line("never ends", "began", "D-1"),
      line("has a namesake", "began", "E-1"),
      line("has a namesake", "passed", "E-1"),
      line("has a namesake", "began", "E-2"),
      line("here only", "began", "F-1"),
      line("here only", "passed", "F-1"),
    ),
    lane(
      "node",
      line("passes", "began", "A-1", "A-2"),
      line("passes", "passed", "A-1", "A-2"),
      line("also passes", "began", "A-1"),
      line("also passes", "passed", "A-1"),
      line("fails in one lane", "began", "B-1"),
      line("here only", "skipped", "F-1"),
    ),
  ]);
  assert.deepEqual(proven, {
    "A-1": { passes: ["deno", "node"], "also passes": ["node"] },
    "A-2": { passes: ["deno", "node"] },
    "F-1": { "here only": ["deno"] },
  });
});
