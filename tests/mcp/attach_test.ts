import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import assert from "node:assert/strict";
import {
  type JsonObject,
  type LocalMcpServer,
  type McpConnection,
  McpInitError,
  type McpServerConfig,
  UnknownServerError,
} from "@sluice/agent";
import { createMcpServer, tool } from "@sluice/agent/mcp";
import { isRunning, needsProc, ownChildren } from "../_children.ts";
import { test } from "../_harness.ts";
import { Conversation, textOfAnswer, withAttached } from "./_attached.ts";
import { stdioFixture } from "./_connecting.ts";

function nowServer(name = "clock"): LocalMcpServer {
  const now = tool({
    name: "now",
    description: "Tells the time",
    input: { type: "object" },
    run: () => "now",
  });
  return createMcpServer({ name, version: "2", tools: [now] });
}

const now: McpServerConfig = { type: "sdk", instance: nowServer() };
const tools = stdioFixture("tools");

/** A server of this program whose session can be watched. */
function watched(
  close: (connection: McpConnection) => Promise<void>,
): McpServerConfig {
  const server = nowServer();
  return {
    type: "sdk",
    instance: {
      ...server,
      async open(name) {
        const connection = await server.open(name);
        const original = connection.close.bind(connection);
        return Object.assign(connection, {
          close: () => close({ ...connection, close: original }),
        });
      },
    },
  };
}

test("attachServers() of no servers says nothing in initialize", async () => {
  await withAttached({}, async (conversation) => {
    assert.deepEqual(conversation.attached.initializeFields, {});
    assert.deepEqual(conversation.attached.names(), []);
    await Promise.resolve();
  });
}, { ids: ["MI-01"] });

test("attachServers() has manifests for servers of every kind", async () => {
  const foreign = new McpServer({ name: "foreign", version: "3" });
  foreign.registerTool("shout", {}, () => ({ content: [] }));
  const servers: Record<string, McpServerConfig> = {
    clock: now,
    foreign: { type: "sdk", instance: foreign },
    files: tools,
    pages: stdioFixture("pages"),
  };
  await withAttached(servers, async (conversation) => {
    const { sdkMcpServers, sdkMcpServerManifests } =
      conversation.attached.initializeFields;
    assert.deepEqual(sdkMcpServers, ["clock", "foreign", "files", "pages"]);
    const manifests = sdkMcpServerManifests as Record<string, {
      initializeResult: JsonObject;
      toolsListResult: { tools: readonly { name: string }[] };
    }>;
    assert.deepEqual(manifests.clock, {
      initializeResult: {
        protocolVersion: "2025-11-25",
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "clock", version: "2" },
      },
      toolsListResult: {
        tools: [{
          name: "now",
          description: "Tells the time",
          inputSchema: { type: "object" },
        }],
      },
    });
    assert.deepEqual(
      manifests.foreign?.toolsListResult.tools.map(({ name }) => name),
      ["shout"],
    );
    assert.equal(manifests.files?.initializeResult.instructions, "Be gentle");
    // All three pages of two.
    assert.equal(manifests.pages?.toolsListResult.tools.length, 6);
    await Promise.resolve();
  });
}, { ids: ["MI-07"] });

test("attachServers() leaves the asking to the CLI where tools cannot be listed", async () => {
  const servers = { round: stdioFixture("pages", "repeating"), clock: now };
  await withAttached(servers, async (conversation) => {
    const { sdkMcpServers, sdkMcpServerManifests } =
      conversation.attached.initializeFields;
    assert.deepEqual(sdkMcpServers, ["round", "clock"]);
    assert.deepEqual(Object.keys(sdkMcpServerManifests as JsonObject), [
      "clock",
    ]);
    assert.deepEqual(conversation.warnings, [
      "Tools of an MCP server cannot be listed",
    ]);
    const { result } = await conversation.ask("round", "tools/list");
    assert.ok(result);
  });
});

test("attachServers() connects all or none", async () => {
  const conversation = new Conversation();
  let closes = 0;
  const servers = {
    first: watched((connection) => {
      closes++;
      return connection.close();
    }),
    program: tools,
    broken: stdioFixture("dies_in_handshake"),
  };
  const before = ownChildren();
  await assert.rejects(conversation.attach(servers), {
    name: "McpInitError",
    message:
      'Failed to initialize MCP server "broken": Process ended: exit code 3 (cannot read the licence)',
  });
  assert.equal(closes, 1);
  assert.deepEqual(ownChildren(), before);
  await conversation.close();
}, { ids: ["MI-02", "MI-06"], skip: needsProc });

test("attachServers() that is aborted leaves nothing behind", async () => {
  const conversation = new Conversation();
  const before = ownChildren();
  const attaching = conversation.attach({
    a: tools,
    b: stdioFixture("never_answers"),
  });
  const reason = new Error("never mind");
  setTimeout(() => conversation.controller.abort(reason), 100);
  await assert.rejects(attaching, (error) => error === reason);
  assert.deepEqual(ownChildren(), before);
  await conversation.close();
}, { ids: ["MI-03", "MI-15", "MI-19"], skip: needsProc });

test("attachServers() warns of names that the CLI would mis-route", async () => {
  const server = (name: string) =>
    createMcpServer({
      name,
      tools: [tool({ name, description: "", input: {}, run: () => "" })],
    });
  const servers = {
    "my server": now,
    acme_: { type: "sdk", instance: server("status") },
    acme: { type: "sdk", instance: server("_status") },
  } as const;
  const all = {
    ...servers,
    "my.server": { command: "x", via: "cli" } as const,
  };
  await withAttached(servers, (conversation) => {
    assert.deepEqual(conversation.warnings, [
      'MCP servers "my server" and "my.server" have one name for the CLI: "my_server"',
      'MCP tools "status" of "acme_" and "_status" of "acme" have one name for the model, ' +
      'calls reach one of them only: "mcp__acme___status"',
    ]);
    return Promise.resolve();
  }, { all });
});

test("close() closes each server once and names failures", async () => {
  let closes = 0;
  const failing = () => {
    closes++;
    return Promise.reject(new Error("stuck"));
  };
  const conversation = new Conversation();
  const attached = await conversation.attach({
    first: watched(failing),
    second: tools,
    third: watched(failing),
  });
  const pid = Number(textOfAnswer(await conversation.call("second", "pid")));
  const closing = attached.close();
  assert.equal(attached.close(), closing);
  await assert.rejects(closing, (error) => {
    assert.ok(error instanceof AggregateError);
    assert.deepEqual(error.errors.map(({ message }) => message), [
      'Cannot close MCP server "first": stuck',
      'Cannot close MCP server "third": stuck',
    ]);
    return true;
  });
  assert.equal(closes, 2);
  assert.ok(!isRunning(pid));
  assert.deepEqual(conversation.reported, []);
  await assert.rejects(conversation.close());
}, { ids: ["MI-04", "MA-14", "MA-15"], skip: needsProc });

test("reconnect() connects a dead server anew and has its lists read again", async () => {
  await withAttached({ srv: tools }, async (conversation) => {
    const { attached } = conversation;
    attached.begin();
    const pidOf = async () =>
      Number(textOfAnswer(await conversation.call("srv", "pid")));
    const first = await pidOf();
    await assert.rejects(
      conversation.call("srv", "die", { args: { code: 1 } }),
    );
    await attached.reconnect("srv");
    assert.notEqual(await pidOf(), first);
    assert.deepEqual(conversation.said.map(([, { method }]) => method), [
      "notifications/tools/list_changed",
      "notifications/resources/list_changed",
      "notifications/prompts/list_changed",
    ]);
    // A living one is replaced as well.
    const second = await pidOf();
    await attached.reconnect("srv");
    assert.notEqual(await pidOf(), second);
    await assert.rejects(attached.reconnect("other"), UnknownServerError);
  });
});

test("reconnect() that fails leaves the server dead and may be tried again", async () => {
  const flaky = { ...tools, args: [...tools.args] };
  await withAttached({ srv: flaky }, async (conversation) => {
    const { attached } = conversation;
    const [path = ""] = flaky.args;
    flaky.args[0] = "/no/such/file.mjs";
    await assert.rejects(attached.reconnect("srv"), McpInitError);
    const { error } = await conversation.ask("srv", "ping");
    assert.match(String((error as JsonObject).message), /is gone$/);
    flaky.args[0] = path;
    await attached.reconnect("srv");
    assert.deepEqual((await conversation.ask("srv", "ping")).result, {});
  });
});

test("replace() exchanges the servers that are not named", async () => {
  await withAttached({ keep: tools, drop: tools }, async (conversation) => {
    const { attached } = conversation;
    const pidOf = async (name: string) =>
      Number(textOfAnswer(await conversation.call(name, "pid")));
    const [kept, dropped] = [await pidOf("keep"), await pidOf("drop")];
    let told: JsonObject | undefined;
    const result = await attached.replace(
      { keep: tools, clock: now },
      async (wire) => {
        told = wire;
        // The CLI asks the new ones while it is being told.
        const { result } = await conversation.ask("clock", "tools/list");
        return result;
      },
    );
    assert.deepEqual(told, {
      keep: { type: "sdk", name: "keep" },
      clock: { type: "sdk", name: "clock" },
    });
    assert.ok(result);
    assert.deepEqual(attached.names(), ["keep", "clock"]);
    assert.equal(await pidOf("keep"), kept);
    assert.ok(!isRunning(dropped));
    await assert.rejects(
      conversation.ask("drop", "ping"),
      UnknownServerError,
    );
  });
}, { skip: needsProc });

test("replace() changes nothing when a server or the CLI fails", async () => {
  await withAttached({ srv: tools }, async (conversation) => {
    const { attached } = conversation;
    const pidOf = async () =>
      Number(textOfAnswer(await conversation.call("srv", "pid")));
    const pid = await pidOf();
    const broken = { srv: { ...tools }, bad: stdioFixture("exits_at_once") };
    await assert.rejects(
      attached.replace(broken, () => assert.fail()),
      McpInitError,
    );
    const before = ownChildren().length;
    const refused = attached.replace(
      { srv: { ...tools }, clock: now },
      () => Promise.reject(new Error("not now")),
    );
    await assert.rejects(refused, /^Error: not now$/);
    assert.equal(ownChildren().length, before);
    assert.deepEqual(attached.names(), ["srv"]);
    assert.equal(await pidOf(), pid);
    assert.deepEqual(conversation.reported, []);
  });
}, { ids: ["MA-16"], skip: needsProc });
