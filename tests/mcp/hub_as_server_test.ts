import assert from "node:assert/strict";
import {
  ConfigError,
  type JsonObject,
  type LocalMcpServer,
  type McpConnection,
  NotConnectedError,
} from "@sluice/agent";
import {
  type HubOptions,
  JsonRpcError,
  McpFailure,
  type McpHub,
} from "@sluice/agent/mcp";
import { test } from "../_harness.ts";
import {
  hang,
  InstantClock,
  listed,
  memoryHub,
  MemoryServer,
  text,
  turn,
  until,
  withHub,
} from "./_hub.ts";

const LONG = "t".repeat(80);

/** Runs with a session with a hub over two servers. */
async function withSession(
  run: (
    session: McpConnection,
    parts: {
      readonly hub: McpHub;
      readonly server: LocalMcpServer;
      readonly a: MemoryServer;
      readonly b: MemoryServer;
    },
  ) => Promise<void>,
  options: HubOptions = {},
): Promise<void> {
  const a = new MemoryServer(
    listed("x", {
      title: "Ex",
      annotations: { readOnlyHint: true },
      outputSchema: { type: "object" },
      _meta: { "anthropic/alwaysLoad": true },
    }),
    listed("task", { execution: { taskSupport: "required" } }),
    listed("maybe", { execution: { taskSupport: "optional" } }),
  );
  const b = new MemoryServer("x y", LONG);
  await withHub({ a, b }, async (hub) => {
    const server = hub.asMcpServer();
    const session = await server.open();
    await run(session, { hub, server, a, b });
    await session.close();
  }, options);
}

async function toolsOf(session: McpConnection): Promise<readonly JsonObject[]> {
  const { tools } = await session.request("tools/list") as {
    tools: readonly JsonObject[];
  };
  return tools;
}

async function nameIn(session: McpConnection, start: string): Promise<string> {
  const tools = await toolsOf(session);
  const found = tools.find(({ name }) => String(name).startsWith(start));
  return String(found?.name);
}

test("asMcpServer() is a server that says who it is", async () => {
  await withSession(async (session, { hub, server }) => {
    assert.deepEqual([server.name, server.version], ["hub", "1.0.0"]);
    assert.equal(session.name, "hub");
    assert.deepEqual(session.server, {
      name: "hub",
      version: "1.0.0",
      capabilities: { tools: { listChanged: true } },
      protocolVersion: "2025-11-25",
    });
    assert.deepEqual(await session.request("ping"), {});
    const named = await hub.asMcpServer("all").open("everything");
    assert.equal(named.name, "everything");
    await named.close();
  });
});

test("asMcpServer() lists the tools that can be called, whole, under short names", async () => {
  await withSession(async (session) => {
    const tools = await toolsOf(session);
    const names = tools.map(({ name }) => String(name));
    // The CLI puts "mcp__hub__" in front.
    assert.ok(names.every((name) => /^[A-Za-z0-9_-]{1,54}$/.test(name)));
    assert.equal(names.length, 4);
    assert.deepEqual(names.slice(0, 2), ["a__maybe", "a__x"]);
    assert.match(names[2] ?? "", /^b__t{42}_[0-9a-f]{8}$/);
    assert.match(names[3] ?? "", /^b__x_y_[0-9a-f]{8}$/);
    assert.deepEqual(tools[1], {
      name: "a__x",
      description: "Does x",
      inputSchema: { type: "object" },
      title: "Ex",
      annotations: { readOnlyHint: true },
      outputSchema: { type: "object" },
      _meta: { "anthropic/alwaysLoad": true },
    });
    assert.equal("execution" in (tools[0] ?? {}), false);
  });
});

test("asMcpServer() names tools by what its own name leaves of 64 characters", async () => {
  await withSession(async (_session, { hub }) => {
    for (const name of ["h", "n".repeat(30), "n".repeat(41)]) {
      const session = await hub.asMcpServer(name).open();
      const names = (await toolsOf(session)).map((one) => String(one.name));
      assert.equal(new Set(names).size, 4);
      const longest = Math.max(...names.map(({ length }) => length));
      assert.equal(`mcp__${name}__`.length + longest, 64);
      await session.close();
    }
    for (const name of ["", " ", "n".repeat(42)]) {
      assert.throws(() => hub.asMcpServer(name), ConfigError);
    }
  });
});

test("a call of a session goes to the server that has the tool", async () => {
  await withSession(async (session, { a, b }) => {
    const name = await nameIn(session, "b__x_y");
    const params = {
      name,
      arguments: { n: 1 },
      _meta: { progressToken: 5, "claudecode/toolUseId": "tu_1" },
    };
    assert.deepEqual(
      await session.request("tools/call", params),
      text("x y was called"),
    );
    assert.deepEqual(b.asked.at(-1)?.params, {
      name: "x y",
      arguments: { n: 1 },
      _meta: { "claudecode/toolUseId": "tu_1" },
    });
    assert.equal(a.count("tools/call"), 0);
    await session.request("tools/call", {
      name: await nameIn(session, "b__t"),
    });
    assert.deepEqual(b.asked.at(-1)?.params, { name: LONG, arguments: {} });
  });
});

test("a session answers by a direct call", async () => {
  await withSession(async (session, { a }) => {
    const progress: JsonObject[] = [];
    a.answers["tools/call"] = (_params, { onProgress }) => {
      onProgress?.({ progress: 1 });
      return { ...text("ok"), structuredContent: { n: 1 }, _meta: { m: 1 } };
    };
    const { signal } = new AbortController();
    const call = {
      signal,
      onProgress: (one: JsonObject) => void progress.push(one),
    };
    const list = session.answer?.("tools/list", undefined, call);
    assert.deepEqual(list, await session.request("tools/list"));
    const answer = await session.answer?.("tools/call", { name: "a__x" }, call);
    assert.deepEqual(answer, {
      ...text("ok"),
      structuredContent: { n: 1 },
      _meta: { m: 1 },
    });
    assert.deepEqual(progress, [{ progress: 1 }]);
    assert.throws(
      () => session.answer?.("resources/list", undefined, call),
      (error) => error instanceof JsonRpcError && error.code === -32601,
    );
  });
});

test("progress, limit and abort of a session reach the server", async () => {
  await withSession(async (session, { a }) => {
    let told: unknown;
    const progress: JsonObject[] = [];
    a.answers["tools/call"] = (_params, { signal, onProgress }) => {
      onProgress?.({ progress: 1, total: 2 });
      return new Promise(() => {
        signal?.addEventListener("abort", () => told = signal.reason);
      });
    };
    const controller = new AbortController();
    const call = session.request("tools/call", { name: "a__x" }, {
      signal: controller.signal,
      onProgress: (one) => void progress.push(one),
    });
    await until(() => progress.length > 0);
    assert.deepEqual(progress, [{ progress: 1, total: 2 }]);
    const reason = new Error("enough");
    controller.abort(reason);
    await assert.rejects(call, (error) => error === reason);
    assert.equal(told, reason);
    await assert.rejects(
      session.request("tools/call", { name: "a__x" }, { timeoutMs: 10 }),
      (error) => error instanceof McpFailure && error.kind === "timeout",
    );
    assert.ok(told instanceof McpFailure);
  });
});

test("the model reads what went wrong on the way to a server", async () => {
  await withSession(async (session, { a }) => {
    const read = async (error: unknown): Promise<string> => {
      a.answers["tools/call"] = () => Promise.reject(error);
      const result = await session.request("tools/call", { name: "a__x" });
      const { isError, content } = result as JsonObject;
      assert.equal(isError, true);
      return JSON.stringify(content);
    };
    const refused = { kind: "network", delivery: "not_sent" } as const;
    assert.match(
      await read(new McpFailure("refused", refused)),
      /is not available for tool .*x.* after 5 attempts: refused/,
    );
    assert.match(
      await read(new McpFailure("reset", { kind: "network" })),
      /may or may not have run .*must not run twice: reset/,
    );
    a.answers["tools/call"] = () => ({ structuredContent: { isError: 1 } });
    const result = await session.request("tools/call", { name: "a__x" });
    assert.equal((result as JsonObject).isError, undefined);
    a.answers["tools/call"] = () => text("nothing structured");
    const bad = await session.request("tools/call", { name: "a__x" });
    assert.match(JSON.stringify(bad), /does not fit its output schema/);
  }, { clock: new InstantClock() });
});

test("the answer of a server is passed on unchanged", async () => {
  await withSession(async (session, { a }) => {
    a.answers["tools/call"] = () =>
      Promise.reject(new JsonRpcError(-32007, "Not today"));
    await assert.rejects(
      session.request("tools/call", { name: "a__x" }),
      (error) => error instanceof JsonRpcError && error.code === -32007,
    );
    a.answers["tools/call"] = () => ({ ...text("no file"), isError: true });
    assert.deepEqual(
      await session.request("tools/call", { name: "a__x" }),
      { ...text("no file"), isError: true },
    );
    for (
      const params of [{ name: "a__y" }, { name: "task" }, { name: 1 }, {}]
    ) {
      await assert.rejects(
        session.request("tools/call", params as JsonObject),
        (error) => error instanceof JsonRpcError && error.code === -32602,
      );
    }
  });
});

test("a session hears of a changed catalogue, and lists the new tools", async () => {
  await withSession(async (session, { hub, a }) => {
    const heard: string[] = [];
    const forget = session.listen((method) => void heard.push(method));
    a.tools = [listed("new")];
    a.say("notifications/tools/list_changed");
    await until(() => hub.catalog().revision === 2);
    assert.deepEqual(heard, ["notifications/tools/list_changed"]);
    assert.equal((await toolsOf(session))[0]?.name, "a__new");
    assert.deepEqual(
      await session.request("tools/call", { name: "a__new" }),
      text("new was called"),
    );
    forget();
    a.say("notifications/tools/list_changed");
    await until(() => hub.catalog().revision === 3);
    assert.equal(heard.length, 1);
  }, { clock: new InstantClock() });
});

test("closing a session leaves the hub as it is", async () => {
  await withSession(async (session, { hub, server, a }) => {
    const heard: string[] = [];
    session.listen((method) => void heard.push(method));
    await session.close();
    await session.close();
    a.tools = [...a.tools, listed("new")];
    await hub.tools();
    assert.equal(hub.catalog().revision, 2);
    assert.deepEqual(heard, []);
    assert.equal(await session.closed, undefined);
    await assert.rejects(
      session.request("tools/call", { name: "a__x" }),
      (error) => error instanceof McpFailure && error.kind === "closed",
    );
    assert.equal(hub.status().a?.state, "connected");
    await hub.call("b__x y");
    const again = await server.open();
    assert.equal((await toolsOf(again)).length, 5);
    await again.close();
  });
});

test("a call of a session is open no longer than its hub", async () => {
  await withSession(async (session, { hub, a }) => {
    a.answers["tools/call"] = hang;
    const call = assert.rejects(
      session.request("tools/call", { name: "a__x" }),
      (error) => error instanceof McpFailure && error.kind === "closed",
    );
    await until(() => a.count("tools/call") === 1);
    await hub.close();
    await call;
    assert.equal(await session.closed, undefined);
  });
});

test("a hub that is not connected cannot be opened", async () => {
  const { hub } = memoryHub({ a: new MemoryServer("x") });
  const open = async () => await hub.asMcpServer().open();
  await assert.rejects(open(), NotConnectedError);
  await hub.connect();
  await (await open()).close();
  await hub.close();
  await assert.rejects(open(), NotConnectedError);
});

test("a hub of a hub works", async () => {
  const inner = memoryHub({ a: new MemoryServer("x") });
  await inner.hub.connect();
  const { McpHub } = await import("../../src/mcp/hub.ts");
  const outer = new McpHub({
    in: { type: "sdk", instance: inner.hub.asMcpServer() },
  });
  await outer.connect();
  const result = await outer.call("in__a__x");
  assert.deepEqual(result.content, text("x was called").content);
  await inner.hub.close();
  await turn();
  assert.equal(outer.status().in?.state, "lost");
  await outer.close();
});
