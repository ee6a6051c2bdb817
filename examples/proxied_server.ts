// An MCP server elsewhere: this package connects it and passes on what the agent asks.
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
      // Without this it gets the whole environment but the agent's own credentials.
      inheritEnv: false,
    },
    // A remote one: { type: "http", url: "https://...", headers: { ... } }
  },
  permissions: { approve: ["mcp__units"] },
});

// Either all servers are connected, or this is the one error that says why not.
await conversation.ready;
const answer = await conversation.text();
console.log(answer);
assert.match(answer, /\b10\b/);
