// The same libraries in copies that the user installed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { query } from "@sluice/agent";
import { McpHub } from "@sluice/agent/mcp";
import { fakeCli } from "@sluice/agent/testing";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { Kind, Type, TypeRegistry } from "@sinclair/typebox";
import { z } from "zod";
import * as mini from "zod/mini";

function shouter() {
  const server = new McpServer({ name: "foreign", version: "3" });
  server.registerTool("shout", {
    description: "Shouts",
    inputSchema: { text: z.string() },
  }, ({ text }) => ({
    content: [{ type: "text", text: text.toUpperCase() }],
  }));
  return server;
}

test("a conversation serves an McpServer of the MCP SDK", async () => {
  const cli = fakeCli([[
    { tool: "mcp__loud__shout", input: { text: "hi" } },
    "Done",
  ]]);
  const mcpServers = { loud: { type: "sdk", instance: shouter() } };
  const conversation = query("x", { cliPath: cli.cliPath, mcpServers });
  assert.equal(await conversation.text(), "Done");
  assert.match(JSON.stringify(cli.runs), /HI/);
  await cli.close();
});

test("a hub connects to an McpServer of the MCP SDK", async () => {
  const hub = new McpHub({ loud: { type: "sdk", instance: shouter() } });
  await hub.connect();
  const { content } = await hub.call("loud__shout", { text: "hi" });
  assert.equal(content[0].text, "HI");
  await hub.close();
});

async function output(outputSchema, structured_output) {
  const cli = fakeCli([[{ result: { structured_output } }]]);
  try {
    return await query("x", { cliPath: cli.cliPath, outputSchema }).output();
  } finally {
    await cli.close();
  }
}

TypeRegistry.Set("Even", (_schema, value) => value % 2 === 0);
const even = Type.Unsafe({ [Kind]: "Even", type: "number" });

for (
  const [make, outputSchema] of [
    ["TypeBox", Type.Object({ age: Type.Number() })],
    ["TypeBox with a custom kind", Type.Object({ age: even })],
    ["zod", z.object({ age: z.number() })],
    ["zod/mini", mini.object({ age: mini.number() })],
  ]
) {
  test(`output() checks by a schema of ${make}`, async () => {
    assert.deepEqual(await output(outputSchema, { age: 36 }), { age: 36 });
    await assert.rejects(output(outputSchema, { age: "old" }), /age/);
  });
}
