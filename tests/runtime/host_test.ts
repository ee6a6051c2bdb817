import assert from "node:assert/strict";
import process from "node:process";
import { host } from "../../src/runtime/host.ts";
import { test } from "../_harness.ts";

test("host() is the same object every time", async () => {
  assert.equal(await host(), await host());
});

test("host() tells the runtimes apart", async () => {
  const { bun, deno } = process.versions as Record<string, string | undefined>;
  const expected = bun ? "bun" : deno ? "deno" : "node";
  assert.equal((await host()).name, expected);
});

test("tuning says which way of reading is fastest", async () => {
  const { name, tuning } = await host();
  assert.equal(tuning.reusesBuffer, name === "deno");
  assert.equal(tuning.wideLineBytes, name === "node" ? 0 : 512);
});
