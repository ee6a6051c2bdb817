import assert from "node:assert/strict";
import { fieldsIn } from "../../src/wire/fields_in.ts";
import { test } from "../_harness.ts";

test("fieldsIn() reads the fields that are complete in the beginning of an object, two levels deep", () => {
  const text = JSON.stringify({
    type: "a",
    id: 'a "b\\',
    request: { kind: "c", list: [1, { a: 2 }], input: { path: "d,e" } },
  });
  const cuts = Array.from(
    text,
    (_, at) => JSON.stringify(fieldsIn(text.slice(0, at))),
  );
  assert.deepEqual([...new Set(cuts)].map((one) => JSON.parse(one)), [
    {},
    { type: "a" },
    { type: "a", id: 'a "b\\' },
    { type: "a", id: 'a "b\\', request: { kind: "c" } },
    { type: "a", id: 'a "b\\', request: { kind: "c", list: [1, { a: 2 }] } },
  ]);
  for (const other of ["", "x", "[1,2", '"a,b', "},", '{"a":[1,', "{,"]) {
    assert.deepEqual(fieldsIn(other), {}, other);
  }
});
