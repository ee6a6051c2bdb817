// Call the tools of many MCP servers without an agent.
// deno-lint-ignore-file no-console -- an example shows what happens
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { McpHub, UnknownToolError } from "@sluice/agent/mcp";

const program = fileURLToPath(new URL("servers/units.mjs", import.meta.url));
const units = { command: "node", args: [program], inheritEnv: false };

const hub = new McpHub(
  { units, "more units": units, broken: { command: "/no/such/server" } },
  // Keep the servers that connect; "strict", the default, is all or none.
  { onFailure: "partial" },
);
try {
  const catalog = await hub.connect();
  for (const { name, description } of catalog.tools) {
    console.log(`${name}: ${description}`);
  }
  assert.equal(catalog.byServer.units?.[0]?.name, "units__celsius");
  assert.equal(hub.status().broken?.state, "failed");

  const result = await hub.call("units__celsius", { fahrenheit: 212 });
  assert.deepEqual(result.content, [
    { type: "text", text: "100 degrees Celsius" },
  ]);

  // A tool that fails is a result; a call that is not possible is an error.
  const failed = await hub.call("units__celsius", { fahrenheit: "warm" });
  assert.equal(failed.isError, true);
  await assert.rejects(hub.call("units__kelvin"), UnknownToolError);
} finally {
  await hub.close();
}
