import assert from "node:assert/strict";
import { nearest } from "../../src/errors/nearest.ts";
import { test } from "../_harness.ts";

test("nearest() finds the name that was meant, and none where nothing is near", () => {
  const known = ["model", "maxTurns", "allowedTools", "deniedTools", "cwd"];
  const meant = {
    ...{ modle: "model", MODEL: "model", maxTurn: "maxTurns", cdw: "cwd" },
    ...{ alowedTool: "allowedTools", "": undefined, x: undefined },
    ...{ abc: undefined, temperature: undefined },
  };
  for (const [name, expected] of Object.entries(meant)) {
    assert.equal(nearest(name, known), expected, name);
  }
});
