import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import assert from "node:assert/strict";
import {
  Client,
  type JsonObject,
  type LocalMcpServer,
  type McpSdkConfig,
} from "@sluice/agent";
import { createMcpServer, tool } from "@sluice/agent/mcp";
import { fakeCli, type RequestStep } from "@sluice/agent/testing";
import { test } from "../_harness.ts";

/** A server of this program whose one tool says who it is. */
function server(name: string): McpSdkConfig {
  const hello = tool({
    name: "hello",
    description: "Says hello",
    input: { type: "object", properties: {} },
    run: () => `hello from ${name}`,
  });
  return {
    type: "sdk",
    instance: createMcpServer({ name, tools: [hello] }),
  };
}

/** A call of the tool of a server. */
function call(name: string): RequestStep {
  const params = { name: "hello", arguments: {} };
  return {
    request: {
      subtype: "mcp_message",
      server_name: name,
      message: { jsonrpc: "2.0", id: 9, method: "tools/call", params },
    },
  };
}

/** Answers of the host to `mcp_message`, as texts. */
function answers(received: readonly JsonObject[]): readonly string[] {
  return received.flatMap(({ type, response }) => {
    if (type !== "control_response") return [];
    const text = JSON.stringify(response).match(/hello from (\w+)/)?.[1];
    return text === undefined ? [] : [text];
  });
}

test("setMcpServers() adds a server of this program and keeps those of the start", async () => {
  const fake = fakeCli({
    turns: [[call("first"), call("second")]],
    controls: {
      mcp_set_servers: { added: ["second"], removed: [], errors: {} },
    },
  });
  const first = server("first");
  const client = new Client({ cliPath: fake.cliPath, mcpServers: { first } });
  await client.connect();
  const reply = await client.setMcpServers({
    first,
    second: server("second"),
    far: { type: "http", url: "http://127.0.0.1:9/", via: "cli" },
  });
  assert.deepEqual(reply.added, ["second"]);
  const line = await fake.receivedLine(({ request }) =>
    (request as JsonObject | undefined)?.subtype === "mcp_set_servers"
  );
  assert.deepEqual((line.request as JsonObject).servers, {
    first: { type: "sdk", name: "first" },
    second: { type: "sdk", name: "second" },
    far: { type: "http", url: "http://127.0.0.1:9/" },
  });
  await client.ask("go");
  assert.deepEqual(answers(fake.received), ["first", "second"]);
  await client.close();
  await fake.close();
});

test("setMcpServers() keeps servers of this program that are passed again as they are", async () => {
  const fake = fakeCli([[call("ours"), call("foreign")]]);
  const { instance } = server("ours");
  let opened = 0;
  const ours: LocalMcpServer = {
    ...instance as LocalMcpServer,
    open(name) {
      opened++;
      return (instance as LocalMcpServer).open(name);
    },
  };
  const foreign = new McpServer({ name: "foreign", version: "1" });
  foreign.registerTool("hello", { description: "Says hello" }, () => ({
    content: [{ type: "text", text: "hello from foreign" }],
  }));
  const client = new Client({
    cliPath: fake.cliPath,
    mcpServers: { ours, foreign },
  });
  await client.connect();
  await client.setMcpServers({ ours, foreign, second: server("second") });
  await client.setMcpServers({
    ours: { type: "sdk", instance: ours },
    foreign: { type: "sdk", instance: foreign },
  });
  assert.equal(opened, 1);
  await client.ask("go");
  assert.deepEqual(answers(fake.received), ["ours", "foreign"]);
  await client.close();
  await fake.close();
});

test("setMcpServers() gives the first servers to a client that had none", async () => {
  const fake = fakeCli([[call("late")]]);
  const client = new Client({ cliPath: fake.cliPath });
  await client.connect();
  await client.setMcpServers({ late: server("late") });
  await client.ask("go");
  assert.deepEqual(answers(fake.received), ["late"]);
  await client.close();
  await fake.close();
});

test("setMcpServers() leaves everything as it was when the CLI refuses", async () => {
  const fake = fakeCli({
    turns: [[call("first")]],
    controls: {
      mcp_set_servers: { error: "No", error_code: "mcp_policy_blocked" },
    },
  });
  const client = new Client({
    cliPath: fake.cliPath,
    mcpServers: { first: server("first") },
  });
  await client.connect();
  await assert.rejects(client.setMcpServers({}), { code: "control" });
  await client.ask("go");
  assert.deepEqual(answers(fake.received), ["first"]);
  await client.close();
  await fake.close();
});

test(
  "reconnectMcpServer() connects a server of this package anew, and asks the CLI for others",
  async () => {
    const fake = fakeCli([[call("ours")]]);
    const client = new Client({
      cliPath: fake.cliPath,
      mcpServers: { ours: server("ours") },
    });
    await client.connect();
    await client.reconnectMcpServer("ours");
    await client.reconnectMcpServer("theirs");
    const asked = fake.received.flatMap(({ request }) => {
      const { subtype, serverName } = (request ?? {}) as JsonObject;
      return subtype === "mcp_reconnect" ? [serverName] : [];
    });
    assert.deepEqual(asked, ["theirs"]);
    await client.ask("go");
    assert.deepEqual(answers(fake.received), ["ours"]);
    await client.close();
    await fake.close();
  },
  { ids: ["DEC-01"] },
);
