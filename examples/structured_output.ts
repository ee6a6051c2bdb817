// An answer as data that fits a schema, not as text.
// deno-lint-ignore-file no-console -- an example shows what happens
import assert from "node:assert/strict";
import { Type } from "@sinclair/typebox";
import { query } from "@sluice/agent";

// Also from zod 4.2, valibot or arktype, or plain JSON Schema.
const Tower = Type.Object({
  city: Type.String(),
  metres: Type.Number({ description: "Height with the antenna" }),
});

const tower = await query("Where is the Eiffel Tower, and how high is it?", {
  outputSchema: Tower,
}).output();

// What does not fit the schema would have been a StructuredOutputError.
console.log(`${tower.metres} m in ${tower.city}`);
assert.equal(tower.city, "Paris");
assert.ok(tower.metres > 299 && tower.metres < 340);
