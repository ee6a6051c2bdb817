import assert from "node:assert/strict";
import { McpHub } from "../../src/mcp/hub.ts";
import { ClosedError } from "../../src/errors/base.ts";
import { test } from "../_harness.ts";
import { withAttached } from "./_attached.ts";
import { type HttpChild, withHttpChild } from "./_http_child.ts";
import { until } from "./_hub.ts";

/** Runs with a hub over a server in a process of its own. */
async function withChild(
  run: (
    hub: McpHub,
    server: HttpChild,
    warnings: readonly string[],
  ) => Promise<void>,
): Promise<void> {
  await withHttpChild(async (server) => {
    const warnings: string[] = [];
    const hub = new McpHub({ srv: { type: "http", url: server.url } }, {
      onWarning: (warning) => void warnings.push(warning),
    });
    // Its own stream is asked for again soon.
    await server.set({ retry: 10 });
    await hub.connect();
    try {
      await server.until(({ streams }) => streams === 1);
      await run(hub, server, warnings);
    } finally {
      await hub.close();
    }
  });
}

const CALLS = 64;

function many<T>(work: () => Promise<T>): Promise<readonly T[]> {
  return Promise.all(Array.from({ length: CALLS }, work));
}

test("calls in flight are answered on the session they were sent in, whatever becomes of it", async () => {
  await withChild(async (hub, server) => {
    await server.set({ call: "hold" });
    const calls = many(() => hub.call("srv__echo"));
    await server.until(({ held }) => held === CALLS);
    await server.set({ forget: true, call: "answer" });
    // This one finds out.
    assert.equal((await hub.call("srv__echo")).isError, false);
    await until(() => hub.status().srv?.reconnects === 1);
    await server.set({ release: true });
    for (const result of await calls) assert.equal(result.isError, false);
    const state = await server.state();
    assert.deepEqual(state.calls, { echo: CALLS + 1 });
    assert.equal(state.sessions, 2);
  });
});

test("many calls in a lost session are all repeated in one new session", async () => {
  await withChild(async (hub, server) => {
    await server.set({ forget: true });
    const results = await many(() => hub.call("srv__echo"));
    for (const result of results) assert.equal(result.isError, false);
    const state = await server.state();
    assert.deepEqual(state.calls, { echo: CALLS });
    assert.equal(state.sessions, 2);
  });
});

test("close() does not wait for calls in a lost session", async () => {
  await withChild(async (hub, server) => {
    await server.set({ call: "hold" });
    const call = hub.call("srv__echo");
    await server.until(({ held }) => held === 1);
    await server.set({ forget: true, call: "answer" });
    await hub.call("srv__echo");
    await Promise.all([assert.rejects(call, ClosedError), hub.close()]);
  });
});

test("an idle hub begins a new session when its event stream finds the old one lost", async () => {
  await withChild(async (hub, server, warnings) => {
    const tools = [{ name: "late", inputSchema: { type: "object" } }];
    await server.set({ forget: true, tools, end: "destroy" });
    await until(() => hub.status().srv?.reconnects === 1);
    // Its tools are read again, and its new stream is heard.
    await until(() => hub.catalog().tools[0]?.name === "srv__late");
    await server.until(({ streams }) => streams === 1);
    const later = [{ name: "later", inputSchema: { type: "object" } }];
    const say = { method: "notifications/tools/list_changed" };
    await server.set({ tools: later, say });
    await until(() => hub.catalog().tools[0]?.name === "srv__later");
    assert.equal((await server.state()).sessions, 2);
    assert.equal(hub.status().srv?.state, "connected");
    assert.deepEqual(warnings, [
      'MCP server "srv" is gone: MCP server "srv" answered HTTP 404: Session not found',
    ]);
    assert.deepEqual((await server.state()).calls, {});
  });
});

test("a conversation is told of a lost session, and connects its server anew when asked", async () => {
  await withHttpChild(async (server) => {
    await server.set({ retry: 10 });
    const config = { type: "http", url: server.url } as const;
    await withAttached({ srv: config }, async (conversation) => {
      await server.until(({ streams }) => streams === 1);
      await server.set({ forget: true, end: "destroy" });
      await until(() => conversation.reported.length === 1);
      assert.match(
        conversation.reported[0]?.message ?? "",
        /^MCP server "srv" no longer knows the session, connect it anew: .*HTTP 404/,
      );
      await conversation.attached.reconnect("srv");
      const { result } = await conversation.call("srv", "echo");
      assert.ok(result);
      assert.equal((await server.state()).sessions, 2);
      assert.equal(conversation.reported.length, 1);
    });
  });
});
