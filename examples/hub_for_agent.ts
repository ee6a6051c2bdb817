// Give an agent many MCP servers as one. The hub survives the conversation.
// deno-lint-ignore-file no-console -- an example shows what happens
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { query } from "@sluice/agent";
import { createMcpServer, McpHub, tool } from "@sluice/agent/mcp";

const thermometer = tool({
  name: "read",
  description: "Reads the thermometer outside; degrees Fahrenheit",
  input: { type: "object", properties: {} },
  run: () => "50",
});
const garden = createMcpServer({ name: "garden", tools: [thermometer] });
const program = fileURLToPath(new URL("servers/units.mjs", import.meta.url));

const hub = new McpHub({
  garden,
  units: { command: "node", args: [program], inheritEnv: false },
});
try {
  const { tools, tokens } = await hub.connect();
  console.log(`${tools.length} tools, about ${tokens} tokens`);
  const answer = await query("How warm is it outside, in Celsius?", {
    mcpServers: { home: hub.asMcpServer() },
    permissions: { approve: ["mcp__home"] },
  }).text();
  console.log(answer);
  assert.match(answer, /\b10\b/);
  // The conversation has ended; the hub is still connected.
  assert.equal(hub.status().units?.state, "connected");
} finally {
  await hub.close();
}
