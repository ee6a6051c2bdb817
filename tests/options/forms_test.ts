import assert from "node:assert/strict";
import { ConfigError } from "@sluice/agent";
import { McpHub, tool } from "@sluice/agent/mcp";
import { test } from "../_harness.ts";
import { configErrorOf, refusal } from "./_config_error.ts";

test("numbers that JSON does not know are shown as they are", () => {
  for (const value of [Infinity, -Infinity, NaN]) {
    for (
      const options of [{ maxTurns: value }, { health: { idleMs: value } }]
    ) {
      const { message } = refusal(options);
      assert.ok(message.endsWith(`: ${value}`), message);
    }
  }
});

test("a hub in the place of a server is refused at once, with the right form", async () => {
  const hub = new McpHub({});
  for (const server of [{ type: "sdk", instance: hub }, hub]) {
    const { key, message } = refusal({ mcpServers: { hub: server } });
    assert.match(key, /^mcpServers\.hub/);
    assert.match(message, /hub\.asMcpServer\(\)/);
  }
  await hub.close();
});

const make = tool as unknown as (...args: readonly unknown[]) => unknown;
const run = () => "3";
const rest = { name: "add", description: "Adds", input: { type: "object" } };

test("tools in the form of the official SDK are refused with the right form", () => {
  for (
    const [args, form] of [
      [[{ ...rest, handler: run }], /"run" in place of "handler"/],
      [[{ ...rest, run, handler: run }], /"run" in place of "handler"/],
      [["add", "Adds", {}, run], /tool\(\{ name, description, input, run \}\)/],
      [[{ ...rest, run, inputSchema: {} }], /"input" in place of "inputSchem/],
    ] as const
  ) assert.match(configErrorOf(() => make(...args)).message, form);
  for (const one of [undefined, null, 7, [], () => {}]) {
    assert.throws(() => make(one), ConfigError);
  }
  const marks = { "~standard": {} };
  for (const shape of [{ a: marks, b: marks }, { a: "number" }]) {
    for (const key of ["input", "output"]) {
      const error = configErrorOf(() => make({ ...rest, run, [key]: shape }));
      assert.match(error.message, /z\.object\(/);
      assert.equal(error.key, `tools.add.${key}`);
    }
  }
  // Properties may be called anything.
  make({ ...rest, run, input: { type: "object", properties: { _def: {} } } });
});

test("a schema whose library keeps its JSON Schema apart is refused with the forms that work", () => {
  const schema = {
    "~standard": { version: 1, vendor: "other", validate: () => ({}) },
  };
  for (
    const { message } of [
      configErrorOf(() => make({ ...rest, run, input: schema })),
      refusal({ outputSchema: schema }),
    ]
  ) assert.match(message, /other.*zod 4 \(zod\/v4 .*toStandardJsonSchema/);
});
