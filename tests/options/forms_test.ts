import assert from "node:assert/strict";
import { ConfigError } from "@sluice/agent";
import { McpHub, tool } from "@sluice/agent/mcp";
import { show } from "../../src/errors/text.ts";
import { test } from "../_harness.ts";
import { configErrorOf, refusal } from "./_config_error.ts";

test("numbers that JSON does not know are shown as they are", () => {
  assert.equal(show(Infinity), "Infinity");
  assert.equal(show(-Infinity), "-Infinity");
  assert.equal(show(NaN), "NaN");
  for (const value of [Infinity, -Infinity, NaN]) {
    const { message } = refusal({ maxTurns: value });
    assert.ok(message.endsWith(`: ${value}`), message);
    const inside = refusal({ timeouts: { connectMs: value } });
    assert.ok(inside.message.endsWith(`: ${value}`), inside.message);
  }
});

test("a hub in the place of a server is refused at once, with the right form", async () => {
  const hub = new McpHub({});
  for (
    const mcpServers of [
      { hub: { type: "sdk", instance: hub } },
      { hub },
    ]
  ) {
    const { key, message } = refusal({ mcpServers });
    assert.match(key, /^mcpServers\.hub/);
    assert.match(message, /hub\.asMcpServer\(\)/);
  }
  await hub.close();
});

test("tools in the form of the official SDK are refused with the right form", () => {
  const definition = {
    name: "add",
    description: "Adds",
    input: { type: "object" },
    run: () => "3",
  };
  const make = tool as unknown as (...args: readonly unknown[]) => unknown;
  const { run, ...rest } = definition;
  assert.match(
    configErrorOf(() => make({ ...rest, handler: run })).message,
    /"run" in place of "handler"/,
  );
  assert.match(
    configErrorOf(() => make({ ...rest, run, handler: run })).message,
    /"run" in place of "handler"/,
  );
  assert.match(
    configErrorOf(() => make("add", "Adds", {}, run)).message,
    /tool\(\{ name, description, input, run \}\)/,
  );
  assert.match(
    configErrorOf(() => make({ ...definition, inputSchema: {} })).message,
    /"input" in place of "inputSchema"/,
  );
  for (const one of [undefined, null, 7, [], () => {}]) {
    assert.throws(() => make(one), ConfigError);
  }
  // What zod 3 and zod 4 make.
  for (const marks of [{ _def: {} }, { _zod: {} }, { "~standard": {} }]) {
    const shape = { a: { parse: () => {}, ...marks }, b: { ...marks } };
    for (const key of ["input", "output"]) {
      const error = configErrorOf(() => make({ ...definition, [key]: shape }));
      assert.match(error.message, /z\.object\(/);
      assert.equal(error.key, `tools.add.${key}`);
    }
  }
  // Properties may be called anything.
  make({ ...definition, input: { type: "object", properties: { _def: {} } } });
});

test("a schema whose library keeps its JSON Schema apart is refused with the form that works", () => {
  const schemas: readonly [vendor: string, form: RegExp][] = [
    ["zod", /a schema of zod 4, which zod 3\.25 has as zod\/v4/],
    ["valibot", /toStandardJsonSchema\(schema\) of @valibot\/to-json-schema/],
    ["other", /Standard JSON Schema form, or plain JSON Schema/],
  ];
  for (const [vendor, form] of schemas) {
    const schema = {
      "~standard": { version: 1, vendor, validate: (value: unknown) => value },
    };
    const definition = { name: "add", description: "Adds", run: () => "3" };
    const { message } = configErrorOf(() =>
      tool({ ...definition, input: schema } as never)
    );
    assert.match(message, form);
    assert.match(refusal({ outputSchema: schema } as never).message, form);
  }
});
