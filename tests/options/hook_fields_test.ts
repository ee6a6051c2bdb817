import assert from "node:assert/strict";
import { HOOK_EVENTS } from "../../src/options/hook_fields.ts";
import { test } from "../_harness.ts";

test("HOOK_EVENTS holds 33 names, each once, and cannot be changed", () => {
  assert.equal(HOOK_EVENTS.length, 33);
  assert.equal(new Set(HOOK_EVENTS).size, 33);
  assert.ok(Object.isFrozen(HOOK_EVENTS));
});
