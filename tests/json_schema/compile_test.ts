import { Ajv2020 } from "ajv/dist/2020.js";
import assert from "node:assert/strict";
import { compileSchema, jsonCheckOf } from "../../src/json_schema/compile.ts";
import { test } from "../_harness.ts";

/** The fault of a value, as text; empty when it fits. */
function textOf(schema: unknown, value: unknown): string {
  return jsonCheckOf(schema)(value) ?? "";
}

test("compileSchema() says where a value does not fit and why", () => {
  const schema = {
    type: "object",
    properties: {
      name: { type: "string", minLength: 2 },
      tags: { type: "array", items: { enum: ["a", "b"] } },
      age: { type: "integer", minimum: 0 },
    },
    required: ["name", "age"],
    additionalProperties: false,
  };
  const check = compileSchema(schema);
  assert.equal(check({ name: "Ada", age: 3, tags: ["a"] }), undefined);
  assert.deepEqual(check({ name: "A", tags: ["a", "c"], old: true }), [
    { path: "age", message: "is missing" },
    { path: "name", message: "expected at least 2 characters, got 1" },
    { path: "tags[1]", message: 'expected "a" or "b", got "c"' },
    { path: "old", message: "is not a known property" },
  ]);
  assert.equal(textOf(schema, []), "expected object, got array");
  assert.equal(
    textOf(schema, { name: "Ada", age: -1.5 }),
    "age: expected integer, got -1.5; age: expected at least 0, got -1.5",
  );
});

test("compileSchema() lets the alternative that came closest speak", () => {
  const schema = {
    anyOf: [
      { type: "string" },
      {
        type: "object",
        properties: { id: { type: "number" } },
        required: ["id"],
      },
    ],
  };
  assert.equal(textOf(schema, { id: "x" }), "id: expected number, got string");
  assert.equal(
    textOf(schema, true),
    "expected string or object, got boolean",
  );
});

test("compileSchema() follows references, also round and round", () => {
  const tree = {
    $ref: "#/$defs/node",
    $defs: {
      node: {
        type: "object",
        properties: {
          children: { type: "array", items: { $ref: "#/$defs/node" } },
        },
        required: ["children"],
      },
    },
  };
  assert.equal(textOf(tree, { children: [{ children: [] }] }), "");
  assert.equal(
    textOf(tree, { children: [{ children: [{}] }] }),
    "children[0].children[0].children: is missing",
  );
  assert.equal(textOf({ $ref: "#" }, 1), "");
  assert.equal(textOf({ anyOf: [{ not: { $ref: "#" } }, false] }, 1), "");
  assert.equal(textOf({ $ref: "https://example.com/schema" }, 1), "");
  const named = {
    $id: "T0",
    anyOf: [{ type: "null" }, { items: { $ref: "T0" } }],
  };
  assert.equal(textOf(named, [[null]]), "");
});

test("compileSchema() knows what no other word has looked at", () => {
  const schema = {
    $ref: "#/$defs/named",
    anyOf: [
      { properties: { a: { type: "number" } }, required: ["a"] },
      { properties: { b: true }, required: ["b"] },
      { additionalProperties: { type: "string" } },
    ],
    if: { properties: { kind: { const: "x" } }, required: ["kind"] },
    then: { properties: { x: true } },
    dependentSchemas: { a: { patternProperties: { "^a": true } } },
    unevaluatedProperties: false,
    $defs: { named: { properties: { name: true } } },
  };
  assert.equal(textOf(schema, { name: 1, a: 1, a2: 1, b: 1 }), "");
  assert.equal(textOf(schema, { a: 1, x: 1 }), "x: is not a known property");
  assert.equal(textOf(schema, { a: 1, kind: "x", x: 1 }), "");
  assert.equal(textOf(schema, { b: 1, a2: 1 }), "a2: is not a known property");
  assert.equal(textOf(schema, { b: "1", a2: "1" }), "");
  const list = {
    prefixItems: [true],
    contains: { type: "string" },
    unevaluatedItems: { type: "number" },
  };
  assert.equal(textOf(list, [null, "a", 1, "b"]), "");
  assert.equal(
    textOf(list, [null, "a", true]),
    "[2]: expected number, got boolean",
  );
  // The properties that an unreachable schema evaluates are unknown.
  const far = {
    $ref: "https://example.com/schema",
    unevaluatedProperties: false,
  };
  assert.equal(textOf(far, { a: 1 }), "");
});

test("compileSchema() finds schemas by address and anchor", () => {
  const list = {
    $id: "https://example.com/list",
    type: "array",
    items: { $dynamicRef: "#item" },
    $defs: { any: { $dynamicAnchor: "item" } },
  };
  const schema = {
    $id: "https://example.com/numbers",
    properties: { far: { $ref: "list" }, near: { $ref: "#near" } },
    $defs: {
      list,
      near: { $anchor: "near", type: "string" },
      item: { $dynamicAnchor: "item", type: "number" },
    },
  };
  // Which of two names is meant depends on the way to it: everything fits.
  assert.equal(
    textOf(schema, { far: [1, "2"], near: 3 }),
    "near: expected string, got number",
  );
  assert.equal(textOf(list, [1, "2"]), "");
});

test("compileSchema() has a reference of draft 7 stand alone", () => {
  const schema = {
    definitions: { any: true },
    properties: { a: { $ref: "#/definitions/any", type: "string" } },
  };
  const $schema = "http://json-schema.org/draft-07/schema#";
  assert.equal(textOf({ $schema, ...schema }, { a: 1 }), "");
  assert.equal(
    textOf(schema, { a: 1 }),
    "a: expected string, got number",
  );
});

test("compileSchema() writes the words of a schema out for those alone who ask", () => {
  let written = 0;
  const word = { toJSON: () => `word ${++written}` };
  const check = compileSchema({
    anyOf: [{ enum: [word] }, { type: "string" }],
  });
  assert.equal(check("fits"), undefined);
  assert.equal(written, 0);
  assert.deepEqual(check(1), [
    { path: "", message: 'expected "word 1" or string, got 1' },
  ]);
});

test("compileSchema() tells what tells alternatives apart", () => {
  const kind = (name: string, field: string) => ({
    type: "object",
    properties: { kind: { const: name }, [field]: { type: "number" } },
    required: ["kind", field],
  });
  const schema = { oneOf: [kind("a", "x"), kind("b", "y"), kind("c", "z")] };
  assert.equal(textOf(schema, { kind: "b" }), "y: is missing");
  assert.equal(
    textOf(schema, { kind: "d", x: 1 }),
    'kind: expected one of "a", "b", "c", got "d"',
  );
});

test("compileSchema() refuses what is nested deeper than it can follow", () => {
  const list = { type: "array", items: { $ref: "#" } };
  let deep: unknown = [];
  for (let i = 0; i < 200_000; i++) deep = [deep];
  assert.equal(textOf(list, deep), "is nested too deeply");
  assert.equal(textOf(list, [[[]], [[], [[]]]]), "");
});

test("compileSchema() understands words of older drafts", () => {
  assert.equal(
    textOf({ minimum: 1, exclusiveMinimum: true }, 1),
    "expected more than 1, got 1",
  );
  assert.equal(
    textOf({ items: [{ type: "string" }], additionalItems: false }, ["a", 1]),
    "[1]: is not allowed",
  );
  assert.equal(
    textOf({ dependencies: { a: ["b"] } }, { a: 1 }),
    'b: is missing beside "a"',
  );
  assert.equal(textOf({ type: "string", nullable: true }, null), "");
});

test("compileSchema() accepts what it cannot judge", () => {
  assert.equal(textOf({ format: "email" }, "nobody"), "");
  assert.equal(textOf({ pattern: "(?<unclosed" }, "x"), "");
  assert.equal(textOf({ type: "future" }, 1), "");
  assert.equal(textOf(true, 1), "");
  assert.equal(textOf(undefined, 1), "");
  assert.equal(textOf(false, 1), "is not allowed");
});

test("compileSchema() is not fooled by names that every object has", () => {
  const schema = { type: "object", required: ["toString"], properties: {} };
  assert.equal(textOf(schema, {}), "toString: is missing");
  const closed = { properties: { a: true }, additionalProperties: false };
  assert.equal(
    textOf(closed, JSON.parse('{"__proto__": 1}')),
    "__proto__: is not a known property",
  );
});

/** Numbers from a seed, so that a failure can be run again. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor(state / 2 ** 32 * below);
  };
}

type Random = (below: number) => number;

function pick<T>(random: Random, options: readonly T[]): T {
  return options[random(options.length)] as T;
}

function someValue(random: Random, depth: number): unknown {
  const kind = random(depth > 0 ? 9 : 6);
  switch (kind) {
    case 0:
      return null;
    case 1:
      return random(2) === 0;
    case 2:
      return random(7) - 2;
    case 3:
      return (random(9) - 3) / 2;
    case 4:
    case 5:
      return pick(random, ["", "a", "ab", "abc", "😀", "b1"]);
    case 6:
      return Array.from(
        { length: random(4) },
        () => someValue(random, depth - 1),
      );
    default:
      return Object.fromEntries(
        Array.from({ length: random(4) }, () => [
          pick(random, ["a", "b", "c", "x1"]),
          someValue(random, depth - 1),
        ]),
      );
  }
}

function someSchema(random: Random, depth: number): unknown {
  if (random(12) === 0) return random(2) === 0;
  const schema: Record<string, unknown> = {};
  for (let words = 1 + random(3); words > 0; words--) {
    const inner = () => someSchema(random, depth - 1);
    const choice = random(depth > 0 ? 30 : 14);
    switch (choice) {
      case 0:
      case 1:
        schema.type = pick(random, [
          "string",
          "number",
          "integer",
          "object",
          "array",
          "null",
        ]);
        break;
      case 2:
        schema.type = ["string", "object"];
        break;
      case 3:
        schema.enum = [someValue(random, 1), someValue(random, 1)];
        break;
      case 4:
        schema.const = someValue(random, 1);
        break;
      case 5:
        schema.minLength = random(3);
        break;
      case 6:
        schema.maxLength = random(3);
        break;
      case 7:
        schema.pattern = pick(random, ["^a", "b$", "^.$", "\\d"]);
        break;
      case 8:
        schema.minimum = random(3) - 1;
        break;
      case 9:
        schema.exclusiveMaximum = random(4);
        break;
      case 10:
        schema.multipleOf = pick(random, [1, 0.5, 2]);
        break;
      case 11:
        schema.required = [pick(random, ["a", "b"])];
        break;
      case 12:
        schema.minProperties = random(3);
        break;
      case 13:
        schema.maxItems = random(3);
        break;
      case 14:
      case 15:
        schema.properties = { a: inner(), b: inner() };
        break;
      case 16:
        schema.additionalProperties = inner();
        break;
      case 17:
        schema.patternProperties = { "^x": inner() };
        break;
      case 18:
        schema.propertyNames = { maxLength: 1 };
        break;
      case 19:
        schema.items = inner();
        break;
      case 20:
        schema.uniqueItems = true;
        break;
      case 21:
        schema.contains = inner();
        break;
      case 22:
        schema.allOf = [inner(), inner()];
        break;
      case 23:
        schema.anyOf = [inner(), inner()];
        break;
      case 24:
        schema.oneOf = [inner(), inner()];
        break;
      case 25:
        schema.not = inner();
        break;
      case 26:
        schema.prefixItems = [inner(), inner()];
        break;
      case 27:
        schema.dependentSchemas = { a: inner() };
        break;
      case 28:
        schema.$ref = pick(random, ["#/$defs/one", "#two"]);
        break;
      default:
        Object.assign(schema, { if: inner(), then: inner(), else: inner() });
    }
  }
  return schema;
}

test("compileSchema() agrees with ajv on 200 schemas and 1 600 values", () => {
  const random = randomFrom(42);
  const ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    code: { optimize: false },
  });
  let fits = 0;
  for (let round = 0; round < 200; round++) {
    const schema = {
      allOf: [someSchema(random, 3)],
      $defs: {
        one: someSchema(random, 0),
        two: { $anchor: "two", anyOf: [someSchema(random, 0), true] },
      },
    };
    const theirs = ajv.compile(schema);
    const check = compileSchema(schema);
    for (let i = 0; i < 8; i++) {
      const value = someValue(random, 3);
      const problems = check(value);
      if (problems === undefined) fits++;
      assert.equal(
        problems === undefined,
        theirs(value),
        `${JSON.stringify(schema)} of ${JSON.stringify(value)}`,
      );
      // A check that refuses says why.
      assert.notDeepEqual(problems, []);
    }
  }
  assert.ok(fits > 280 && fits < 1_320, `the mix is one-sided: ${fits}`);
});
