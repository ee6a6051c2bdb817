import { Type } from "@sinclair/typebox";
import { type } from "arktype";
import assert from "node:assert/strict";
import * as v from "valibot";
import { z } from "zod";
import type { CallToolResult, JsonObject } from "@sluice/agent";
import { type Tool, tool } from "@sluice/agent/mcp";
import { test } from "../_harness.ts";

/** The text of the first piece. */
function textOf({ content }: CallToolResult): unknown {
  const [first] = content;
  return first !== undefined && "text" in first ? first.text : undefined;
}

const valibot = v.object({ a: v.number(), b: v.optional(v.number()) });

/** As `toStandardJsonSchema()` of `@valibot/to-json-schema` makes it: valibot itself gives no JSON Schema. */
const valibotWithJsonSchema = {
  ...valibot,
  "~standard": {
    ...valibot["~standard"],
    jsonSchema: {
      input: () => ({
        $schema: "http://json-schema.org/draft-07/schema#",
        type: "object",
        properties: { a: { type: "number" }, b: { type: "number" } },
        required: ["a"],
      }),
    },
  },
};

/** The same tool with schemas of five makes. */
const adders: Readonly<Record<string, Tool>> = {
  typebox: tool({
    name: "add",
    description: "Adds",
    input: Type.Object({ a: Type.Number(), b: Type.Optional(Type.Number()) }),
    run: ({ a, b = 0 }) => `${a + b}`,
  }),
  zod: tool({
    name: "add",
    description: "Adds",
    input: z.object({ a: z.number(), b: z.number().default(0) }),
    run: ({ a, b }) => `${a + b}`,
  }),
  arktype: tool({
    name: "add",
    description: "Adds",
    input: type({ a: "number", "b?": "number" }),
    run: ({ a, b = 0 }) => `${a + b}`,
  }),
  valibot: tool({
    name: "add",
    description: "Adds",
    input: valibotWithJsonSchema,
    run: ({ a, b = 0 }) => `${a + b}`,
  }),
  plain: tool({
    name: "add",
    description: "Adds",
    input: {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a"],
    },
    run: ({ a, b = 0 }) => `${Number(a) + Number(b)}`,
  }),
};

for (const [make, add] of Object.entries(adders)) {
  test(`tool() takes a schema made by ${make}`, async () => {
    assert.equal(add.inputSchema.type, "object");
    const properties = add.inputSchema.properties as JsonObject;
    assert.deepEqual(Object.keys(properties), ["a", "b"]);
    assert.equal(JSON.stringify(add.inputSchema).includes("~standard"), false);
    assert.equal(add.inputSchema.$schema, undefined);
    assert.deepEqual(await add.call({ a: 1, b: 2 }), {
      content: [{ type: "text", text: "3" }],
    });
    assert.equal(textOf(await add.call({ a: 1 })), "1");
  });

  test(`tool() answers arguments that do not fit a schema made by ${make} with a failed result`, async () => {
    const result = await add.call({ a: "one" });
    assert.equal(result.isError, true);
    assert.match(
      String(textOf(result)),
      /^Invalid arguments for tool "add": a/,
    );
    const missing = await add.call({});
    assert.match(String(textOf(missing)), /"add": a/);
    // A broken client may send something other than an object.
    const odd = await add.call([] as unknown as JsonObject);
    assert.equal(odd.isError, true);
  });
}

test("tool() names every argument that is wrong", async () => {
  const result = await adders.typebox?.call({ b: "two" });
  assert.equal(
    result && textOf(result),
    'Invalid arguments for tool "add": a: is missing; b: expected number, got string',
  );
});

test("tool() hands over what the schema made of the arguments", async () => {
  const one = tool({
    name: "when",
    description: "Tells the year",
    input: z.object({ day: z.string().transform((text) => new Date(text)) }),
    run: ({ day }) => `${day.getUTCFullYear()}`,
  });
  assert.equal(textOf(await one.call({ day: "2026-05-01" })), "2026");
});

test("tool() waits for a schema that validates later", async () => {
  const one = tool({
    name: "odd",
    description: "Takes odd numbers",
    input: z.object({ n: z.number() }).refine(
      async ({ n }) => await Promise.resolve(n % 2 === 1),
      "must be odd",
    ),
    run: ({ n }) => `${n}`,
  });
  assert.equal(textOf(await one.call({ n: 3 })), "3");
  assert.equal(
    textOf(await one.call({ n: 4 })),
    'Invalid arguments for tool "odd": must be odd',
  );
});

test("tool() needs no promise when neither schema nor function does", () => {
  assert.deepEqual(adders.plain?.call({ a: 1 }), {
    content: [{ type: "text", text: "1" }],
  });
});

function returning(value: unknown): Tool {
  return tool({
    name: "give",
    description: "Gives",
    input: { type: "object" },
    run: () => value as string,
  });
}

test("tool() makes an answer of whatever a function returns", async () => {
  const cases: readonly (readonly [unknown, CallToolResult])[] = [
    ["text", { content: [{ type: "text", text: "text" }] }],
    [{ a: 1 }, {
      content: [{ type: "text", text: '{"a":1}' }],
      structuredContent: { a: 1 },
    }],
    [undefined, { content: [] }],
    [null, { content: [] }],
    [42, { content: [{ type: "text", text: "42" }] }],
    [[1, 2], { content: [{ type: "text", text: "[1,2]" }] }],
    [{ content: "a letter" }, {
      content: [{ type: "text", text: '{"content":"a letter"}' }],
      structuredContent: { content: "a letter" },
    }],
    [new Date(0), {
      content: [{ type: "text", text: '"1970-01-01T00:00:00.000Z"' }],
    }],
    [new URL("https://example.com/"), {
      content: [{ type: "text", text: '"https://example.com/"' }],
    }],
    [{ toJSON: () => [1] }, { content: [{ type: "text", text: "[1]" }] }],
  ];
  for (const [value, expected] of cases) {
    assert.deepEqual(await returning(value).call({}), expected);
    assert.deepEqual(
      await returning(Promise.resolve(value)).call({}),
      expected,
    );
  }
});

test("tool() makes a failed result of what JSON cannot represent", async () => {
  const values: readonly (readonly [unknown, string])[] = [
    [() => "source text", "function"],
    [Symbol("x"), "symbol"],
    [NaN, "number"],
    [new Date(NaN), "object"],
  ];
  for (const [value, type] of values) {
    const text =
      `The tool returned a value of type "${type}" that JSON cannot represent`;
    assert.deepEqual(await returning(value).call({}), {
      content: [{ type: "text", text }],
      isError: true,
    });
  }
});

test("tool() hands the wire's own result on as it is, unknown kinds too", async () => {
  const result = {
    content: [
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "hologram", depth: 3 },
    ],
    isError: true,
    _meta: { from: "here" },
  };
  assert.equal(await returning(result).call({}), result);
});

test("tool() makes a failed result of what a function throws", async () => {
  const thrown: readonly (readonly [unknown, string])[] = [
    [new Error("no ink"), "no ink"],
    ["just text", "just text"],
    [new TypeError(""), "TypeError"],
    [undefined, "undefined"],
  ];
  for (const [error, text] of thrown) {
    for (const run of [throwing(error), rejecting(error)]) {
      const one = tool({
        name: "t",
        description: "",
        input: { type: "object" },
        run,
      });
      assert.deepEqual(await one.call({}), {
        content: [{ type: "text", text }],
        isError: true,
      });
    }
  }
});

function throwing(error: unknown): () => string {
  return () => {
    throw error;
  };
}

function rejecting(error: unknown): () => Promise<string> {
  return () => Promise.reject(error);
}

test("tool() holds a result against its output schema", async () => {
  const one = tool({
    name: "sum",
    description: "Sums",
    input: { type: "object", properties: { way: { type: "string" } } },
    output: z.object({ sum: z.number() }),
    run: ({ way }) => {
      // Values that the types exclude come from untyped code.
      if (way === "wrong") return { sum: "three" } as never;
      if (way === "none") return "three" as never;
      if (way === "failed") return { content: [], isError: true };
      return { sum: 3 };
    },
  });
  assert.equal(one.outputSchema?.type, "object");
  assert.deepEqual((await one.call({})).structuredContent, { sum: 3 });
  assert.match(
    String(textOf(await one.call({ way: "wrong" }))),
    /^Tool "sum" gave a result that does not fit its output schema: sum/,
  );
  assert.match(
    String(textOf(await one.call({ way: "none" }))),
    /no structured content$/,
  );
  // A failure has no data to hold against anything.
  assert.deepEqual(await one.call({ way: "failed" }), {
    content: [],
    isError: true,
  });
});

test("tool() keeps a copy of a plain schema", async () => {
  const input = { type: "object", properties: {}, required: ["a"] };
  const one = tool({ name: "t", description: "", input, run: () => "ran" });
  input.required = [];
  assert.equal((await one.call({})).isError, true);
  assert.deepEqual(one.inputSchema.required, ["a"]);
});

test("tool() says of a schema without a type that it is one of an object", () => {
  const one = tool({
    name: "t",
    description: "",
    input: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("a") }),
      z.object({ kind: z.literal("b"), n: z.number() }),
    ]),
    run: ({ kind }) => kind,
  });
  assert.equal(one.inputSchema.type, "object");
});

test("tool() keeps title, annotations and further facts", () => {
  const one = tool({
    name: "look",
    title: "Look",
    description: "Looks",
    input: { type: "object" },
    annotations: { readOnlyHint: true },
    meta: { "anthropic/alwaysLoad": true },
    run: () => "",
  });
  const { title, annotations, meta } = one;
  assert.deepEqual({ title, annotations, meta }, {
    title: "Look",
    annotations: { readOnlyHint: true },
    meta: { "anthropic/alwaysLoad": true },
  });
});

test("tool() refuses what can never work, naming the option", () => {
  const good = {
    name: "t",
    description: "",
    input: { type: "object" },
    run: () => "",
  };
  const cases: readonly (readonly [object, string, RegExp])[] = [
    [{ name: "" }, "tools.name", /""$/],
    [{ name: " t" }, "tools.name", / t/],
    [
      { input: z.string() },
      "tools.t.input",
      /schema of an object: type "string"$/,
    ],
    [
      { input: valibot },
      "tools.t.input",
      /"valibot" has no JSON Schema/,
    ],
    [{ input: { type: "array" } }, "tools.t.input", /type "array"$/],
    [
      { input: undefined },
      "tools.t.input",
      /TypeBox schema, a Standard JSON Schema/,
    ],
    [{ input: z.object({ at: z.date() }) }, "tools.t.input", /cannot express/],
    ...[
      { city: { type: "string" } },
      { city: z.string() },
    ].map((input) =>
      [
        { input },
        "tools.t.input",
        /as in .*\{ type: "object", properties: \{ \.\.\. \} \}: an object$/,
      ] as const
    ),
    [{ output: { type: "string" } }, "tools.t.output", /schema of an object/],
    [{ run: "now" }, "tools.t.run", /function/],
  ];
  for (const [change, key, text] of cases) {
    assert.throws(() => tool({ ...good, ...change } as never), {
      name: "ConfigError",
      key,
      message: text,
    });
  }
});
