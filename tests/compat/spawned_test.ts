import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as sdk from "@sluice/agent/compat";
import { test } from "../_harness.ts";
import { CASES, spawnedOutcomes } from "./_spawned.ts";

const OFFICIAL: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync(new URL("./spawned.json", import.meta.url), "utf8"),
);
let outcomes: ReturnType<typeof spawnedOutcomes> | undefined;

for (const [name, { own }] of Object.entries(CASES)) {
  test(`spawned process: ${name}`, async () => {
    outcomes ??= spawnedOutcomes(sdk, Object.keys(CASES));
    assert.deepEqual((await outcomes)[name], own ?? OFFICIAL[name]);
  });
}
