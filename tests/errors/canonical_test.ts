import assert from "node:assert/strict";
import { canonicalText } from "../../src/errors/canonical.ts";
import { test } from "../_harness.ts";

test("values that differ in the order of keys alone have one text", () => {
  const one = { b: [{ d: 1, c: null }, "x"], a: { f: true, e: undefined } };
  const other = { a: { f: true }, b: [{ c: null, d: 1 }, "x"] };
  assert.equal(canonicalText(one), canonicalText(other));
});

test("values that differ have texts of their own", () => {
  const values = [
    ...[{}, [], null, "", "null", 0, { a: 1 }, { a: "1" }, { a: null }],
    ...[["a", 1], [["a", 1]], { "": ["a", 1] }, { "": { a: 1 } }],
    ...[{ a: 1, b: 2 }, { a: 2, b: 1 }, { a: { b: 1 } }, ["b", "a"]],
    ...[["a", "b"], JSON.parse('{"__proto__":1}')],
    JSON.parse('{"__proto__":{"a":1}}'),
  ];
  const texts = new Set(values.map((value) => canonicalText(value)));
  assert.equal(texts.size, values.length);
});
