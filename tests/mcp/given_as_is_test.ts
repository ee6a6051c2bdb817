import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import assert from "node:assert/strict";
import {
  type JsonValue,
  type LocalMcpServer,
  query,
  toolResultsOf,
} from "@sluice/agent";
import { createMcpServer, McpHub, tool } from "@sluice/agent/mcp";
import { fakeCli } from "@sluice/agent/testing";
import { test } from "../_harness.ts";

function ours(name: string): LocalMcpServer {
  return createMcpServer({
    name,
    tools: [tool({
      name: "say",
      description: "Says where it is",
      input: { type: "object" },
      run: () => `ours: ${name}`,
    })],
  });
}

/** As users of the MCP SDK have it. */
function foreign(): McpServer {
  const server = new McpServer({ name: "foreign", version: "1" });
  server.registerTool("say", { description: "Says where it is" }, () => ({
    content: [{ type: "text", text: "foreign" }],
  }));
  return server;
}

const CALLS = [
  { tool: "mcp__a__say", input: {} },
  { tool: "mcp__b__say", input: {} },
  "Done.",
];
const APPROVED = { approve: ["mcp__a", "mcp__b"] };

/** Results of tools, as text. */
function textsOf(content: JsonValue | undefined): string {
  return JSON.stringify(content);
}

test("mcpServers takes servers of this program as they are, ours and those of the MCP SDK", async () => {
  const { cliPath } = fakeCli([CALLS]);
  const results: string[] = [];
  const conversation = query("x", {
    cliPath,
    mcpServers: { a: ours("one"), b: foreign() },
    permissions: APPROVED,
  });
  for await (const message of conversation) {
    for (const { content } of toolResultsOf(message)) {
      results.push(textsOf(content as JsonValue));
    }
  }
  assert.match(results[0] ?? "", /ours: one/);
  assert.match(results[1] ?? "", /foreign/);
});

test("a hub takes them by name, and ours in a list by their own", async () => {
  for (
    const hub of [
      new McpHub({ a: ours("one"), b: foreign() }),
      new McpHub([ours("a"), { name: "b", type: "sdk", instance: foreign() }]),
    ]
  ) {
    const { tools } = await hub.connect();
    assert.deepEqual(tools.map(({ name }) => name), ["a__say", "b__say"]);
    const { content } = await hub.call("b__say");
    assert.deepEqual(content, [{ type: "text", text: "foreign" }]);
    await hub.close();
  }
});
