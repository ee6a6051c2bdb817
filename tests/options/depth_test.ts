import assert from "node:assert/strict";
import {
  type AgentOptions,
  ConfigError,
  type JsonObject,
  query,
} from "@sluice/agent";
import { tool } from "@sluice/agent/mcp";
import { memoryCli } from "../conversation/_rig.ts";
import { rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import { at, refusal, take } from "./_config_error.ts";

/** So deep that whatever calls itself for each level runs out of stack; at 30 000 JSON.stringify() of Bun takes 3 s to say so. */
function deep(levels = 10_000): JsonObject {
  let value: JsonObject = {};
  for (let level = 0; level < levels; level++) {
    value = { properties: { a: value } };
  }
  return value;
}

/** A value that holds itself. */
function round(): JsonObject {
  const value: Record<string, unknown> = { type: "object" };
  value.properties = { a: value };
  return value as JsonObject;
}

const places: Readonly<Record<string, (value: JsonObject) => AgentOptions>> = {
  settings: (settings) => ({ settings }),
  sandbox: (sandbox) => ({ sandbox }),
  outputSchema: (schema) => ({ outputSchema: { type: "object", ...schema } }),
  agents: (config) =>
    ({
      agents: { a: { description: "d", prompt: "p", mcpServers: [config] } },
    }) as unknown as AgentOptions,
};

test("checkOptions() refuses what is too deep or holds itself, by its name", () => {
  for (const [key, put] of Object.entries(places)) {
    for (const value of [deep(), round()]) {
      const error = refusal(put(value));
      assert.ok(error.key.startsWith(key), error.key);
      assert.ok(error.message.length < 500, "one can read it");
    }
    take(put(deep(60)));
  }
  for (const value of [deep(), round()]) {
    assert.match(refusal(at("mcpServers.a", value)).key, /^mcpServers\.a/);
  }
  const settings = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
  assert.equal(refusal({ settings }).key, "settings");
});

test("tool() refuses schemas that are too deep or hold themselves", () => {
  for (const input of [{ type: "object", ...deep() }, round()]) {
    assert.throws(
      () => tool({ name: "a", description: "d", input, run: () => "" }),
      ConfigError,
    );
  }
});

test("a prompt and a control request that JSON cannot hold are refused as wrong", async () => {
  const { transport } = memoryCli();
  const conversation = query("x", { transport });
  await conversation.ready;
  for (const fields of [deep(100_000), round()]) {
    const refused = await rejectionOf(conversation.request("odd", fields));
    assert.ok(refused instanceof ConfigError, String(refused));
    assert.equal(refused.key, "odd");
  }
  const block = { type: "text", text: "a", more: round() };
  assert.throws(() => query([block] as never, { transport }), ConfigError);
  await conversation.close();
});
