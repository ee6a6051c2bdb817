import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as compat from "../../src/compat/mod.ts";
import { readSource } from "../_examples.ts";
import { test } from "../_harness.ts";

/** Names of the official package 0.3.330, and why some are not here. */
const OFFICIAL: {
  readonly values: readonly string[];
  readonly types: readonly string[];
  readonly undeclared: readonly string[];
} = JSON.parse(
  readFileSync(new URL("./official_exports.json", import.meta.url), "utf8"),
);

test("every value that the official package declares is here", () => {
  const own = new Set(Object.keys(compat));
  assert.deepEqual(OFFICIAL.values.filter((name) => !own.has(name)), []);
  assert.deepEqual(
    [...own].filter((name) => !OFFICIAL.values.includes(name)),
    [],
  );
});

test("every type that the official package declares is here", () => {
  const source = readSource("src/compat/mod.ts");
  const own = new Set(
    [...source.matchAll(/export type \{([^}]*)\}/g)]
      .flatMap(([, names = ""]) => names.split(","))
      .map((name) => name.trim()),
  );
  assert.deepEqual(OFFICIAL.types.filter((name) => !own.has(name)), []);
});
