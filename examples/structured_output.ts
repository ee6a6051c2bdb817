// Get an answer as typed data instead of text.
// deno-lint-ignore-file no-console -- an example shows what happens
import assert from "node:assert/strict";
import { Type } from "@sinclair/typebox";
import { query } from "@sluice/agent";

// zod, valibot, arktype and plain JSON Schema work too.
const Tower = Type.Object({
  city: Type.String(),
  metres: Type.Number({ description: "Height with the antenna" }),
});

const tower = await query("Where is the Eiffel Tower, and how high is it?", {
  outputSchema: Tower,
}).output();

// An answer that does not fit the schema is a StructuredOutputError.
console.log(`${tower.metres} m in ${tower.city}`);
assert.equal(tower.city, "Paris");
assert.ok(tower.metres > 299 && tower.metres < 340);
