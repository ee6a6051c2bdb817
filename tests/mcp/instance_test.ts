import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { createMcpServer, tool } from "@sluice/agent/mcp";
import { test } from "../_harness.ts";
import { callText, withConnecting } from "./_connecting.ts";

/** A server made with the MCP SDK, as users have it. */
function foreignServer() {
  const server = new McpServer({ name: "foreign", version: "3" });
  server.registerTool("shout", {
    description: "Shouts",
    inputSchema: { text: z.string() },
  }, ({ text }: { readonly text: string }) => ({
    content: [{ type: "text", text: text.toUpperCase() }],
  }));
  return server;
}

test("connectServer() opens a server of this program", async () => {
  await withConnecting(async (connecting) => {
    const instance = createMcpServer({
      name: "here",
      tools: [tool({
        name: "now",
        description: "Tells",
        input: { type: "object" },
        run: () => "now",
      })],
    });
    const connection = await connecting.open({ type: "sdk", instance });
    assert.equal(connection.name, "srv");
    assert.equal(await callText(connection, "now"), "now");
  });
}, { ids: ["MI-12", "MI-08"] });

test("connectServer() takes a server of the MCP SDK as it is", async () => {
  await withConnecting(async (connecting) => {
    const instance = foreignServer();
    const connection = await connecting.open({ type: "sdk", instance });
    assert.equal(connection.server.name, "foreign");
    assert.equal(await callText(connection, "shout", { text: "hi" }), "HI");
    const heard: string[] = [];
    connection.listen((method) => heard.push(method));
    instance.registerTool("later", {}, () => ({ content: [] }));
    assert.deepEqual(heard, ["notifications/tools/list_changed"]);
  });
}, { ids: ["MI-12"] });

test("close() leaves a server of the MCP SDK to its owner, who may connect it again", async () => {
  await withConnecting(async (connecting) => {
    const instance = foreignServer();
    const first = await connecting.open({ type: "sdk", instance });
    await first.close();
    await assert.rejects(first.request("ping"), /is gone/);
    assert.equal(instance.isConnected(), false);
    const second = await connecting.open({ type: "sdk", instance });
    assert.equal(await callText(second, "shout", { text: "again" }), "AGAIN");
    // When its owner closes it, the connection is over.
    await instance.close();
    await second.closed;
  });
});

test("connectServer() introduces itself with the version of the package", async () => {
  await withConnecting(async (connecting) => {
    const instance = foreignServer();
    await connecting.open({ type: "sdk", instance });
    const path = new URL("../../deno.json", import.meta.url);
    const { version } = JSON.parse(await readFile(path, "utf8"));
    const { name, version: told } = instance.server.getClientVersion() ?? {};
    assert.deepEqual([name, told], ["sluice", version]);
  });
});
