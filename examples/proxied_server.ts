// Connect an MCP server that runs as a program of its own.
// deno-lint-ignore-file no-console -- an example shows what happens
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { query } from "@sluice/agent";

const program = fileURLToPath(new URL("servers/units.mjs", import.meta.url));
const conversation = query("How much is 50 F in Celsius? Use the tool.", {
  mcpServers: {
    units: {
      command: "node",
      args: [program],
      // By default it inherits your environment without the agent's credentials.
      inheritEnv: false,
    },
    // A remote one: { type: "http", url: "https://...", headers: { ... } }
  },
  permissions: { approve: ["mcp__units"] },
});

// All servers are connected now, or this throws one McpInitError.
await conversation.ready;
const answer = await conversation.text();
console.log(answer);
assert.match(answer, /\b10\b/);
