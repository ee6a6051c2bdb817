import assert from "node:assert/strict";
import { lightProblem } from "../../src/options/json_schema.ts";
import type { JsonObject, JsonValue } from "../../src/types/json.ts";
import { test } from "../_harness.ts";

const CHECKED: readonly [
  schema: JsonObject,
  right: readonly JsonValue[],
  wrong: readonly [JsonValue, string][],
][] = [
  [{}, [1, "x", null, {}, []], []],
  [{ type: "string" }, ["", "x"], [[1, "$: Expected string, not 1"]]],
  [{ type: "integer" }, [1, -1], [
    [1.5, "$: Expected integer, not 1.5"],
    ["1", '$: Expected integer, not "1"'],
  ]],
  [{ type: "number" }, [1, 1.5], [[null, "$: Expected number, not null"]]],
  [{ type: ["string", "null"] }, ["x", null], [
    [1, "$: Expected string or null, not 1"],
  ]],
  [{ type: "string", nullable: true }, [null], [
    [true, "$: Expected string, not true"],
  ]],
  [{ enum: ["a", 1, { x: [1] }] }, ["a", 1, { x: [1] }], [
    ["b", '$: Expected one of ["a",1,{"x":[1]}], not "b"'],
  ]],
  [{ const: { a: 1, b: 2 } }, [{ b: 2, a: 1 }], [
    [{ a: 1 }, '$: Expected {"a":1,"b":2}, not {"a":1}'],
  ]],
  [
    { required: ["a"], properties: { a: { type: "boolean" } } },
    [{ a: true, b: 1 }, "no object"],
    [
      [{}, "$.a: Is required and missing"],
      [{ a: 1 }, "$.a: Expected boolean, not 1"],
    ],
  ],
  [{ properties: { a: {} }, additionalProperties: false }, [{ a: 1 }, {}], [
    [{ b: 1 }, "$.b: Is not in the schema"],
    [JSON.parse('{"constructor":1}'), "$.constructor: Is not in the schema"],
  ]],
  [
    { patternProperties: { "^x": {} }, additionalProperties: false },
    [{ x1: 1 }],
    [],
  ],
  [{ items: { type: "number" } }, [[], [1, 2]], [
    [[1, "2"], '$[1]: Expected number, not "2"'],
  ]],
  [{ items: [{ type: "number" }, { type: "string" }] }, [[1, "2", null]], [
    [[1, 2], "$[1]: Expected string, not 2"],
  ]],
  [{ items: { properties: { a: { type: "null" } } } }, [[{ a: null }]], [
    [[{ a: 1 }], "$[0].a: Expected null, not 1"],
  ]],
  [{ required: ["toString"] }, [], [[
    {},
    "$.toString: Is required and missing",
  ]]],
];

for (const [schema, right, wrong] of CHECKED) {
  test(`lightProblem() checks by ${JSON.stringify(schema)}`, () => {
    for (const value of right) {
      assert.equal(
        lightProblem(schema, value),
        undefined,
        JSON.stringify(value),
      );
    }
    for (const [value, problem] of wrong) {
      assert.equal(lightProblem(schema, value), problem);
    }
  });
}
