import assert from "node:assert/strict";
import { McpFailure, McpHub } from "@sluice/agent/mcp";
import { ClosedError } from "@sluice/agent";
import { test } from "../_harness.ts";
import { withAttached } from "./_attached.ts";
import { type HttpChild, withHttpChild } from "./_http_child.ts";
import {
  type Answer,
  InstantClock,
  memoryHub,
  MemoryServer,
  text,
  turn,
  until,
  withHub,
} from "./_hub.ts";

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

/** A test that waits for what does not come ends soon. */
const LIMIT = { timeoutMs: 30_000 };

function many<T>(work: () => Promise<T>): Promise<readonly T[]> {
  return Promise.all(Array.from({ length: CALLS }, work));
}

test("calls in flight are answered on their own session", async () => {
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
}, LIMIT);

test("calls of a lost session are repeated in one new one", async () => {
  await withChild(async (hub, server) => {
    await server.set({ forget: true });
    const results = await many(() => hub.call("srv__echo"));
    for (const result of results) assert.equal(result.isError, false);
    const state = await server.state();
    assert.deepEqual(state.calls, { echo: CALLS });
    assert.equal(state.sessions, 2);
  });
}, LIMIT);

test("close() does not wait for calls in a lost session", async () => {
  await withChild(async (hub, server) => {
    await server.set({ call: "hold" });
    const call = hub.call("srv__echo");
    await server.until(({ held }) => held === 1);
    await server.set({ forget: true, call: "answer" });
    await hub.call("srv__echo");
    await Promise.all([assert.rejects(call, ClosedError), hub.close()]);
  });
}, LIMIT);

test("an idle hub replaces a session that its stream finds lost", async () => {
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
}, LIMIT);

test("a conversation reports a lost session, and reconnects", async () => {
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
}, LIMIT);

/** A call that finds its session lost, once. */
function failingOnce(): Answer {
  let hasFailed = false;
  return () => {
    if (hasFailed) return text("done");
    hasFailed = true;
    const init = { kind: "http", status: 404, isSessionLost: true } as const;
    throw new McpFailure("Session not found", init);
  };
}

test("the end of an earlier connection costs the new one nothing", async () => {
  const server = new MemoryServer("x");
  server.answers["tools/call"] = failingOnce();
  const clock = new InstantClock();
  await withHub({ a: server }, async (hub, warnings) => {
    await hub.call("a__x");
    await until(() => server.connections[0]?.closings === 1);
    await turn();
    assert.equal(hub.status().a?.state, "connected");
    await hub.call("a__x");
    assert.equal(server.dials, 2);
    assert.equal(warnings.length, 1);
  }, { clock });
}, LIMIT);

test(
  "a server that loses its next session at once is dialled by the next call",
  async () => {
    const server = new MemoryServer("x");
    await withHub({ a: server }, async (hub) => {
      server.connections[0]?.loseSession(new Error("Session not found"));
      await until(() => server.dials === 2);
      await until(() => hub.status().a?.state === "connected");
      server.connections[1]?.loseSession(new Error("Session not found"));
      await until(() => hub.status().a?.state === "lost");
      await turn();
      assert.equal(server.dials, 2);
      await hub.call("a__x");
      assert.equal(server.dials, 3);
    });
  },
  LIMIT,
);

test("a hub that is closed while it connects stays closed, and leaves nothing open", async () => {
  for (let turns = 0; turns < 40; turns++) {
    const server = new MemoryServer("x");
    let dialled = () => {};
    server.onDial = () => new Promise((resolve) => dialled = resolve);
    const { hub } = memoryHub({ a: server });
    const connecting = hub.connect().catch(() => {});
    await until(() => server.dials === 1);
    dialled();
    for (let i = 0; i < turns; i++) await undefined;
    await Promise.all([hub.close(), connecting]);
    assert.equal(hub.status().a?.state, "closed", `${turns} turns`);
    assert.equal(server.open, 0);
  }
});

test("a hub closed while it replaces a session leaves nothing", async () => {
  for (let turns = 0; turns < 40; turns++) {
    const server = new MemoryServer("x");
    const { hub } = memoryHub({ a: server });
    await hub.connect();
    let dialled = () => {};
    server.onDial = () => new Promise((resolve) => dialled = resolve);
    server.connections[0]?.loseSession(new Error("Session not found"));
    await until(() => server.dials === 2);
    dialled();
    for (let i = 0; i < turns; i++) await undefined;
    await hub.close();
    assert.equal(hub.status().a?.state, "closed", `${turns} turns`);
    assert.equal(server.open, 0);
  }
}, LIMIT);
