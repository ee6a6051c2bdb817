import assert from "node:assert/strict";
import { query, StructuredOutputError } from "@sluice/agent";
import { rejectionOf } from "../_collect.ts";
import { realTest } from "./_real.ts";

const outputSchema = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "number" } },
  required: ["name", "age"],
} as const;

realTest(
  "output() gives what the model put into the schema, at the second try when the first did not fit",
  [
    { tool: "StructuredOutput", input: { name: "Ada" } },
    { tool: "StructuredOutput", input: { name: "Ada", age: 36 } },
  ],
  async ({ options, model }) => {
    const output = await query("Who?", { ...options, outputSchema }).output();
    assert.deepEqual(output, { name: "Ada", age: 36 });
    assert.match(model.requests[1]?.lastText ?? "", /age/);
  },
);

realTest(
  "output() rejects with StructuredOutputError when the model never gives any",
  [
    "Ada, I think.",
    "As I said, Ada.",
  ],
  async ({ options }) => {
    const error = await rejectionOf(
      query("Who?", { ...options, outputSchema }).output(),
    );
    assert.ok(error instanceof StructuredOutputError);
    assert.equal(error.result?.subtype, "success");
  },
);

realTest("output() works beside an allow-list that names no tool at all", [
  { tool: "StructuredOutput", input: { name: "Ada", age: 36 } },
], async ({ options }) => {
  const output = await query("Who?", {
    ...options,
    outputSchema,
    allowedTools: [],
  }).output();
  assert.deepEqual(output, { name: "Ada", age: 36 });
}, { ids: ["O-17"] });
