import assert from "node:assert/strict";
import { appendSystemPrompt, buildSystemPrompt } from "@sluice/agent/tools";
import { test } from "../_harness.ts";

test(
  "buildSystemPrompt() joins with a blank line and keeps empty parts",
  () => {
    assert.equal(buildSystemPrompt("a", "b"), "a\n\nb");
    assert.equal(buildSystemPrompt("a", "", "b"), "a\n\n\n\nb");
    assert.equal(buildSystemPrompt("a"), "a");
    assert.equal(buildSystemPrompt(), "");
  },
  { ids: ["H-08"] },
);

test("appendSystemPrompt() adds a blank line only between two texts", () => {
  assert.equal(appendSystemPrompt("", "b"), "b");
  assert.equal(appendSystemPrompt("a", ""), "a");
  assert.equal(appendSystemPrompt("", ""), "");
  assert.equal(appendSystemPrompt("a", "b"), "a\n\nb");
}, { ids: ["H-09"] });
