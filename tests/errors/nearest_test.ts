import assert from "node:assert/strict";
import { nearest } from "../../src/errors/nearest.ts";
import { test } from "../_harness.ts";

const KNOWN = ["model", "maxTurns", "allowedTools", "deniedTools", "cwd"];

test("nearest() finds the name that was meant", () => {
  assert.equal(nearest("modle", KNOWN), "model");
  assert.equal(nearest("MODEL", KNOWN), "model");
  assert.equal(nearest("maxTurn", KNOWN), "maxTurns");
  assert.equal(nearest("alowedTool", KNOWN), "allowedTools");
  assert.equal(nearest("cdw", KNOWN), "cwd");
});

test("nearest() is silent when nothing is near", () => {
  for (const name of ["", "x", "abc", "temperature", "constructor"]) {
    assert.equal(nearest(name, KNOWN), undefined, name);
  }
  assert.equal(nearest("model", []), undefined);
});
