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
  // As zod 3 and zod 4 make them.
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

test("a schema whose library keeps its JSON Schema apart is refused with the forms that work", () => {
  const schema = {
    "~standard": { version: 1, vendor: "other", validate: () => ({}) },
  };
  const definition = { name: "add", description: "Adds", run: () => "3" };
  for (
    const { message } of [
      configErrorOf(() => tool({ ...definition, input: schema } as never)),
      refusal({ outputSchema: schema }),
    ]
  ) assert.match(message, /other.*zod 4 \(zod\/v4 .*toStandardJsonSchema/);
});
