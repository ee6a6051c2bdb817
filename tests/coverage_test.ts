import assert from "node:assert/strict";
import { test } from "./_harness.ts";
import { readCitations, readNotes, readRequirements } from "./_requirements.ts";

const known = new Set(readRequirements().map(({ id }) => id));
const cited = new Set(readCitations().keys());
const excused = readNotes().flatMap(({ ids }) => ids);

test("every requirement is cited by a test or excused by a note", () => {
  const open = [...known]
    .filter((id) => !cited.has(id) && !excused.includes(id));
  assert.deepEqual(open, []);
});

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
