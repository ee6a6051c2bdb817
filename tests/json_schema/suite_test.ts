import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import process from "node:process";
import { compileSchema } from "../../src/json_schema/compile.ts";
import { test } from "../_harness.ts";

/** A checkout of github.com/json-schema-org/JSON-Schema-Test-Suite. */
const SUITE = process.env["SLUICE_SCHEMA_SUITE"];

/** Unsupported by `compileSchema()`: documents that were not given, vocabularies. */
const OUT_OF_REACH: Readonly<Record<string, readonly string[]>> = {
  "definitions.json": ["validate definition against metaschema"],
  "defs.json": ["validate definition against metaschema"],
  "unevaluatedItems.json": ["unevaluatedItems with $dynamicRef"],
  "unevaluatedProperties.json": ["unevaluatedProperties with $dynamicRef"],
  "ref.json": ["remote ref, containing refs itself"],
};
const LEFT_OUT: readonly string[] = [
  "dynamicRef.json",
  "refRemote.json",
  "vocabulary.json",
];

interface Group {
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly {
    readonly description: string;
    readonly data: unknown;
    readonly valid: boolean;
  }[];
}

/** Each draft, what its schemas name when they name nothing, and how many cases there are at least. */
const DRAFTS = [
  ["draft7", "http://json-schema.org/draft-07/schema#", 880],
  ["draft2020-12", "https://json-schema.org/draft/2020-12/schema", 1_150],
] as const;

for (const [draft, dialect, fewest] of DRAFTS) {
  test(
    `compileSchema() passes the official test suite of ${draft}`,
    async () => {
      const folder = `${SUITE}/tests/${draft}`;
      const files = (await readdir(folder)).filter((file) =>
        file.endsWith(".json") && !LEFT_OUT.includes(file)
      );
      let count = 0;
      const wrong: string[] = [];
      for (const file of files) {
        const text = await readFile(`${folder}/${file}`, "utf8");
        for (
          const { description, schema, tests } of JSON.parse(text) as Group[]
        ) {
          if (OUT_OF_REACH[file]?.includes(description)) continue;
          const check = compileSchema(
            typeof schema === "object"
              ? { $schema: dialect, ...schema }
              : schema,
          );
          for (const one of tests) {
            count++;
            const fits = check(one.data) === undefined;
            if (fits === one.valid) continue;
            wrong.push(`${file}: ${description}: ${one.description}`);
          }
        }
      }
      assert.deepEqual(wrong, []);
      assert.ok(count >= fewest, `${count} cases`);
    },
    SUITE === undefined
      ? { skip: "SLUICE_SCHEMA_SUITE names no checkout" }
      : {},
  );
}
