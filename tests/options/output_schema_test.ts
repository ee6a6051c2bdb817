import { Type } from "@sinclair/typebox";
import { type } from "arktype";
import assert from "node:assert/strict";
import * as valibot from "valibot";
import { z } from "zod";
import type { JsonObject, Schema } from "@sluice/agent";
import { toInitialize } from "../../src/options/initialize.ts";
import { readOutput } from "../../src/options/schema_check.ts";
import { resolveOptions } from "../../src/options/resolve.ts";
import { test } from "../_harness.ts";
import { refusal } from "./_config_error.ts";

const PLAIN: JsonObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { name: { type: "string" }, count: { type: "integer" } },
  required: ["name"],
};

const SCHEMAS: readonly [make: string, schema: Schema][] = [
  ["plain JSON Schema", PLAIN],
  [
    "TypeBox",
    Type.Object({ name: Type.String(), count: Type.Optional(Type.Integer()) }),
  ],
  ["zod", z.object({ name: z.string(), count: z.int().optional() })],
  ["arktype", type({ name: "string", "count?": "number.integer" })],
];

async function problemOf(
  schema: Schema,
  value: unknown,
): Promise<string | undefined> {
  return (await readOutput(schema, value)).problem;
}

for (const [make, schema] of SCHEMAS) {
  test(`outputSchema of ${make} reaches the CLI as draft 07, and outputs are checked by it`, async () => {
    const { jsonSchema } = toInitialize(
      resolveOptions({ outputSchema: schema }),
    );
    const sent = JSON.parse(JSON.stringify(jsonSchema));
    assert.equal(sent.type, "object");
    assert.deepEqual(sent.properties.name, { type: "string" });
    assert.deepEqual(sent.required, ["name"]);
    assert.ok(!("$schema" in sent));
    assert.equal(await problemOf(schema, { name: "x" }), undefined);
    assert.equal(
      await problemOf(schema, { name: "x", count: 2 }),
      undefined,
    );
    for (
      const wrong of [{}, { name: 5 }, "x", null, { name: "x", count: 1.5 }]
    ) {
      const problem = await problemOf(schema, wrong);
      assert.ok(problem !== undefined, JSON.stringify(wrong));
    }
    assert.equal(await problemOf(schema, undefined), "The result has none");
  });
}

test("readOutput() names the place", async () => {
  const value = { items: [{ id: 1 }, { id: "2" }] };
  const nested = z.object({ items: z.array(z.object({ id: z.number() })) });
  assert.match(await problemOf(nested, value) ?? "", /^items\[1\]\.id: /);
  const item = Type.Object({ id: Type.Number() });
  const box = Type.Object({ items: Type.Array(item) });
  const problem = "items[1].id: expected number, got string";
  assert.equal(await problemOf(box, value), problem);
});

test("readOutput() gives the value that a Standard Schema made", async () => {
  const schema = z.object({
    when: z.string().transform((text) => text.length),
    extra: z.string().default("d"),
  });
  assert.deepEqual(await readOutput(schema, { when: "abc" }), {
    value: { when: 3, extra: "d" },
  });
  const value = { name: "x", more: 1 };
  assert.equal(
    (await readOutput(PLAIN, value) as { value: unknown }).value,
    value,
  );
});

test("readOutput() waits for a validation that takes time, and survives one that throws", async () => {
  const schema: Schema = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: async (value) => {
        await Promise.resolve();
        if (value === 3) throw new Error("broken");
        return value === 1
          ? { value: "one" }
          : { issues: [{ message: "Not one", path: [{ key: "a" }, 0, "b"] }] };
      },
    },
  };
  assert.deepEqual(await readOutput(schema, 1), { value: "one" });
  assert.deepEqual(await readOutput(schema, 2), {
    problem: "a[0].b: Not one",
  });
  assert.deepEqual(await readOutput(schema, 3), {
    problem: "Its schema threw: broken",
  });
});

test("outputSchema is refused when its library cannot give JSON Schema", () => {
  const error = refusal({
    outputSchema: valibot.object({ a: valibot.string() }),
  });
  assert.equal(error.key, "outputSchema");
  assert.match(error.message, /JSON Schema.*valibot/);
});

const REFUSED: readonly [schema: unknown, key: string][] = [
  ["string", "outputSchema"],
  [null, "outputSchema"],
  [[], "outputSchema"],
  [{ type: "array" }, "outputSchema.type"],
  [{ type: "object", prefixItems: [] }, "outputSchema.prefixItems"],
  [
    { type: "object", properties: { a: { unevaluatedProperties: false } } },
    "outputSchema.properties.a.unevaluatedProperties",
  ],
  [
    { type: "object", properties: { a: { type: "text" } } },
    "outputSchema.properties.a.type",
  ],
  [
    { type: "object", properties: { a: { type: ["string", "nil"] } } },
    "outputSchema.properties.a.type",
  ],
  [{ anyOf: [{ type: "object" }, { foo: 1 }] }, "outputSchema.anyOf[1].foo"],
  [{ type: "object", default: () => 1 }, "outputSchema.default"],
  [Type.Object({ at: Type.Date() }), "outputSchema.properties.at.type"],
];

test("an output schema that the CLI would ignore is refused, by the keyword", () => {
  for (const [outputSchema, key] of REFUSED) {
    assert.equal(refusal({ outputSchema }).key, key);
  }
});

test("outputSchema takes every keyword that the CLI knows", () => {
  resolveOptions({
    outputSchema: {
      type: "object",
      title: "T",
      $defs: { name: { type: "string", pattern: "^[a-z]+$", minLength: 1 } },
      properties: {
        name: { $ref: "#/$defs/name" },
        pair: {
          type: "array",
          items: [{ type: "string" }, true],
          additionalItems: false,
        },
        any: {},
        maybe: { type: ["string", "null"], enum: ["a", null] },
        deep: {
          not: { const: 1 },
          if: { type: "string" },
          then: { maxLength: 3 },
        },
      },
      patternProperties: { "^x-": { type: "number", multipleOf: 2 } },
      additionalProperties: false,
      dependencies: { name: ["any"], any: { type: "object" } },
      allOf: [{ oneOf: [{}, {}] }],
    },
  });
});
