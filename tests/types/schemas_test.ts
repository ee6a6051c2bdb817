import assert from "node:assert/strict";
import type { JSONSchema7 } from "json-schema";
import Type from "typebox";
import type { Static } from "typebox";
import { tool } from "@sluice/agent/mcp";
import { type Infer, type JsonObject, query } from "@sluice/agent";
import { fakeCli } from "@sluice/agent/testing";
import { test } from "../_harness.ts";
import { holds, type Same } from "./_same.ts";

const typebox = Type.Object({
  a: Type.Number(),
  b: Type.Optional(Type.String()),
  c: Type.Array(Type.Union([Type.Literal("x"), Type.Literal(1), Type.Null()])),
  d: Type.Object({ e: Type.Optional(Type.Integer()) }),
  f: Type.Tuple([Type.String(), Type.Boolean()]),
  g: Type.Enum(["one", "two"]),
  h: Type.Unsafe<"odd">({}),
});
const both = Type.Intersect([
  Type.Object({ i: Type.Number() }),
  Type.Object({ j: Type.String() }),
]);
const VALUE = {
  a: 1,
  c: ["x" as const],
  d: {},
  f: ["t", true] as [string, boolean],
  g: "one" as const,
  h: "odd" as const,
};

/** As a function that was written for any schema has it. */
const typed: JSONSchema7 = {
  type: "object",
  properties: { a: { type: "number" } },
  required: ["a"],
  additionalProperties: false,
};
const loose: Record<string, unknown> = { ...typed };

test("Infer gives the static type of TypeBox 1", () => {
  holds<Same<Infer<typeof typebox>, Static<typeof typebox>>>();
  holds<Same<Infer<typeof both>, { i: number; j: string }>>();
});

test("Infer gives any object for a schema whose type says nothing", () => {
  holds<Same<Infer<JSONSchema7>, JsonObject>>();
  holds<Same<Infer<Record<string, unknown>>, JsonObject>>();
});

test("tool() takes TypeBox 1, JSONSchema7 and a record", async () => {
  const described = { name: "t", description: "" };
  const exact = tool({
    ...described,
    input: typebox,
    output: Type.Object({ a: Type.Number() }),
    run: ({ a, b, f: [first] }) => ({ a: a + first.length + (b?.length ?? 0) }),
  });
  const { structuredContent } = await exact.call(VALUE);
  assert.deepEqual(structuredContent, { a: 2 });
  assert.equal((await exact.call({ ...VALUE, a: "1" })).isError, true);
  for (
    const one of [
      tool({ ...described, input: typed, output: typed, run: (args) => args }),
      tool({ ...described, input: loose, output: loose, run: (args) => args }),
    ]
  ) {
    assert.deepEqual(one.inputSchema, typed);
    const { structuredContent } = await one.call({ a: 1 });
    assert.deepEqual(structuredContent, { a: 1 });
    assert.equal((await one.call({ a: "one" })).isError, true);
  }
  // @ts-expect-error: a list is no schema
  assert.throws(() => tool({ ...described, input: [], run: () => "" }));
  // @ts-expect-error: a text is no schema
  assert.throws(() => tool({ ...described, input: "object", run: () => "" }));
});

test("outputSchema takes TypeBox 1, JSONSchema7 and a record", async () => {
  const answer = (structured_output: object) => {
    const script = [[{
      result: { structured_output: { ...structured_output } },
    }]];
    return fakeCli(script).cliPath;
  };
  const output = await query("x", {
    cliPath: answer(VALUE),
    outputSchema: typebox,
  }).output();
  holds<Same<typeof output, Static<typeof typebox>>>();
  assert.deepEqual(output, VALUE);
  const cliPath = answer({ a: 1 });
  const first = await query("x", { cliPath, outputSchema: typed }).output();
  const second = await query("x", { cliPath, outputSchema: loose }).output();
  holds<Same<typeof first, JsonObject>>();
  holds<Same<typeof second, JsonObject>>();
  assert.deepEqual([first, second], [{ a: 1 }, { a: 1 }]);
});
