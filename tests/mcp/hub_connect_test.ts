import assert from "node:assert/strict";
import { Deferred } from "@sluice/agent/extend";
import {
  AlreadyConnectedError,
  ClosedError,
  McpInitError,
  NotConnectedError,
  UnknownServerError,
} from "@sluice/agent";
import { McpFailure, McpHub } from "@sluice/agent/mcp";
import { FakeClock } from "@sluice/agent/testing";
import { test } from "../_harness.ts";
import {
  hang,
  InstantClock,
  memoryHub,
  MemoryServer,
  turn,
  until,
  UNUSED,
  withHub,
} from "./_hub.ts";

function delayed(ms: number): MemoryServer {
  const server = new MemoryServer("x");
  server.onDial = () => new Promise((resolve) => setTimeout(resolve, ms));
  return server;
}

function failing(message = "no such host"): MemoryServer {
  const server = new MemoryServer("x");
  server.onDial = () => Promise.reject(new Error(message));
  return server;
}

/** Never connects; ends when it is closed. */
function hanging(): MemoryServer {
  const server = new MemoryServer("x");
  server.onDial = (signal) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  return server;
}

/** Never connects, and does not even look at its signal. */
function deaf(): MemoryServer {
  const server = new MemoryServer("x");
  server.onDial = () => new Promise(() => {});
  return server;
}

test("connect() connects all servers at the same time", async () => {
  // No server continues before all have begun.
  const begun = new Deferred<void>();
  let count = 0;
  const patient = (): MemoryServer => {
    const server = new MemoryServer("x");
    server.onDial = async () => {
      if (++count === 3) begun.resolve();
      await begun.promise;
    };
    return server;
  };
  const { hub } = memoryHub({ a: patient(), b: patient(), c: patient() });
  await hub.connect();
  assert.equal(hub.catalog().tools.length, 3);
  await hub.close();
}, { ids: ["HUB-01"] });

test("connect() leaves no listener at its signal", async () => {
  const { signal } = new AbortController();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  let listeners = 0;
  Object.assign(signal, {
    addEventListener(...given: Parameters<typeof add>) {
      listeners++;
      add(...given);
    },
    removeEventListener(...given: Parameters<typeof remove>) {
      listeners--;
      remove(...given);
    },
  });
  const { hub } = memoryHub({ a: new MemoryServer("x") });
  await hub.connect({ signal });
  assert.equal(listeners, 0);
  await hub.close();
});

test("connect() works once: AlreadyConnectedError", async () => {
  const server = delayed(5);
  const { hub } = memoryHub({ a: server });
  const first = hub.connect();
  await assert.rejects(hub.connect(), AlreadyConnectedError);
  await first;
  await assert.rejects(hub.connect(), AlreadyConnectedError);
  assert.equal(server.dials, 1);
  await hub.close();
}, { ids: ["HUB-02"] });

test("connect() after a failure is ClosedError", async () => {
  const server = failing();
  const { hub } = memoryHub({ a: server });
  await assert.rejects(hub.connect(), McpInitError);
  server.onDial = () => {};
  await assert.rejects(hub.connect(), ClosedError);
  await assert.rejects(hub.connect(), ClosedError);
  assert.equal(server.dials, 1);
  await hub.close();
  await assert.rejects(hub.connect(), ClosedError);
}, { ids: ["HUB-02", "HUB-03", "REG-05"] });

test("connect() after close() is ClosedError", async () => {
  const server = new MemoryServer();
  const never = memoryHub({ a: server }).hub;
  await never.close();
  await assert.rejects(never.connect(), ClosedError);
  assert.equal(server.dials, 0);

  const { hub } = memoryHub({ a: server });
  await hub.connect();
  await hub.close();
  await assert.rejects(hub.connect(), ClosedError);
  assert.equal(server.dials, 1);
}, { ids: ["HUB-02"] });

test("connect() closes what is open when any one server fails", async () => {
  for (let at = 0; at < 4; at++) {
    const others = [new MemoryServer("x"), hanging(), delayed(20)];
    const all = others.toSpliced(at, 0, failing());
    const { hub } = memoryHub(
      Object.fromEntries(all.map((server, index) => [`s${index}`, server])),
    );
    const bad = `s${at}`;
    await assert.rejects(hub.connect(), (error) => {
      assert.ok(error instanceof McpInitError);
      assert.deepEqual([error.code, error.server], ["mcp_init", bad]);
      assert.equal(
        error.message,
        `Failed to initialize MCP server "${bad}": no such host`,
      );
      assert.equal((error.cause as Error).message, "no such host");
      assert.match(String(error.details.hint), /onFailure "partial"/);
      return true;
    });
    assert.equal(others[0]?.connections.length, 1);
    assert.deepEqual(others.map(({ open }) => open), [0, 0, 0]);
    assert.deepEqual(
      Object.values(hub.status()).map(({ state }) => state),
      ["closed", "closed", "closed"].toSpliced(at, 0, "failed"),
    );
    await hub.close();
  }
}, { ids: ["HUB-04", "MI-02", "MI-06"] });

test("connect() fails for a server whose tools cannot be listed", async () => {
  const bad = new MemoryServer("x");
  bad.answers["tools/list"] = () => {
    throw new Error("list is broken");
  };
  const { hub } = memoryHub({ bad, good: new MemoryServer("x") });
  await assert.rejects(hub.connect(), {
    message: 'Failed to initialize MCP server "bad": list is broken',
  });
  assert.equal(bad.open, 0);
});

test("connect() keeps what connects with onFailure partial", async () => {
  const servers = { good: new MemoryServer("x"), bad: failing() };
  await withHub(servers, async (hub, warnings) => {
    assert.equal(servers.good.open, 1);
    assert.deepEqual(Object.keys(hub.catalog().byServer), ["bad", "good"]);
    const { good, bad } = hub.status();
    assert.equal(good?.state, "connected");
    assert.equal(good?.toolCount, 1);
    assert.ok((good?.connectMs ?? -1) >= 0);
    assert.equal(bad?.state, "failed");
    assert.equal((bad?.error as Error).message, "no such host");
    assert.equal(bad?.toolCount, 0);
    assert.deepEqual(warnings, [
      'Failed to initialize MCP server "bad": no such host',
    ]);
    assert.equal((await hub.call("good__x")).isError, false);
  }, { onFailure: "partial" });
  assert.equal(servers.good.open, 0);
}, { ids: ["HUB-04"] });

test("connect() rejects with onFailure partial when every server fails", async () => {
  const { hub } = memoryHub({ a: failing("one"), b: failing("two") }, {
    onFailure: "partial",
  });
  await assert.rejects(hub.connect(), (error) => {
    assert.ok(error instanceof McpInitError);
    assert.equal(error.server, "a");
    assert.deepEqual(Object.keys(error.details.others as object), ["b"]);
    return true;
  });
  await assert.rejects(hub.connect(), ClosedError);
});

test("a server that failed at the start is tried again when it is called", async () => {
  const bad = failing();
  const servers = { good: new MemoryServer("x"), bad };
  const clock = new InstantClock();
  await withHub(servers, async (hub) => {
    await assert.rejects(hub.call("bad__x"), {
      name: "ServerUnavailableError",
      attempts: 5,
    });
    assert.equal(bad.dials, 6);
    bad.onDial = () => {};
    assert.equal((await hub.call("bad__x")).isError, false);
    await assert.rejects(hub.call("bad__y"), { code: "mcp_unknown_tool" });
    assert.equal(hub.status().bad?.state, "connected");
    assert.equal(hub.catalog().revision, 2);
    assert.equal(hub.catalog().byServer.bad?.length, 1);
  }, { onFailure: "partial", clock });
});

for (
  const [what, server] of [["hangs", hanging], ["is deaf", deaf]] as const
) {
  test(`connect() ends with its signal when a server ${what}`, async () => {
    const good = new MemoryServer("x");
    const { hub } = memoryHub({ stuck: server(), good });
    const controller = new AbortController();
    const connecting = hub.connect({ signal: controller.signal });
    await until(() => good.open === 1);
    const reason = new Error("enough");
    const startedAt = performance.now();
    controller.abort(reason);
    await assert.rejects(connecting, (error) => error === reason);
    assert.ok(performance.now() - startedAt < 5_000);
    assert.equal(good.open, 0);
    await assert.rejects(hub.connect(), ClosedError);
    await hub.close();
  }, { ids: ["DEC-12"] });

  test(`close() ends connect() when a server ${what}`, async () => {
    const good = new MemoryServer("x");
    const { hub } = memoryHub({ stuck: server(), good });
    const connecting = hub.connect();
    connecting.catch(() => {});
    await until(() => good.open === 1);
    const startedAt = performance.now();
    await hub.close();
    assert.ok(performance.now() - startedAt < 5_000);
    await assert.rejects(connecting, ClosedError);
    assert.equal(good.open, 0);
    assert.equal(hub.catalog().tools.length, 0);
  }, { ids: ["DEC-12"] });

  test(`connect() fails after connectTimeoutMs when a server ${what}`, async () => {
    const servers = { stuck: server() };
    const hub = new McpHub({ stuck: { ...UNUSED, connectTimeoutMs: 30 } }, {
      connect: ({ name = "" }, signal) => servers.stuck.connect(name, signal),
    });
    await assert.rejects(hub.connect(), {
      message:
        'Failed to initialize MCP server "stuck": MCP server "stuck" did not answer initialize within 30 ms',
    });
  });
}

test("connect() closes a connection that comes after its end", async () => {
  const server = new MemoryServer();
  let accept = () => {};
  server.onDial = () =>
    new Promise((resolve) => {
      accept = resolve;
    });
  const { hub } = memoryHub({ a: server });
  const connecting = hub.connect();
  connecting.catch(() => {});
  await until(() => server.dials === 1);
  await hub.close();
  accept();
  await until(() => server.connections.length === 1 && server.open === 0);
});

test("connect() fails for a list that hangs, within the same limit", async () => {
  const server = new MemoryServer("x");
  server.answers["tools/list"] = hang;
  const hub = new McpHub({ a: { ...UNUSED, connectTimeoutMs: 30 } }, {
    connect: ({ name = "" }, signal) => server.connect(name, signal),
  });
  await assert.rejects(hub.connect(), {
    message:
      'Failed to initialize MCP server "a": MCP server "a" did not answer tools/list within 30 ms',
  });
  assert.equal(server.open, 0);
});

test("two hubs with dialers of their own do not mix", async () => {
  const first = new MemoryServer("x");
  const second = new MemoryServer("x");
  const hubs = [first, second].map((server) => memoryHub({ a: server }).hub);
  await Promise.all(hubs.map((hub) => hub.connect()));
  await hubs[1]?.call("a__x");
  assert.deepEqual([first.count("tools/call"), second.count("tools/call")], [
    0,
    1,
  ]);
  await hubs[0]?.close();
  assert.deepEqual([first.open, second.open], [0, 1]);
  await hubs[1]?.call("a__x");
  await hubs[1]?.close();
}, { ids: ["HUB-32"] });

test("close() closes all connections at the same time, once, and waits for them", async () => {
  const servers = { a: new MemoryServer(), b: new MemoryServer() };
  const { hub } = memoryHub(servers);
  await hub.connect();
  const open = Object.values(servers).flatMap(({ connections }) => connections);
  let ended = 0;
  let begun = 0;
  const allBegun = new Deferred<void>();
  for (const connection of open) {
    connection.onClose = async () => {
      if (++begun === 2) allBegun.resolve();
      await allBegun.promise;
      await turn();
      ended++;
    };
  }
  const closing = hub.close();
  assert.equal(hub.close(), closing);
  await closing;
  assert.equal(ended, 2);
  await hub[Symbol.asyncDispose]();
  assert.deepEqual(open.map(({ closings }) => closings), [1, 1]);
  assert.equal(hub.status().a?.state, "closed");
});

test("close() rejects with the one failure, which names its server", async () => {
  const servers = { a: new MemoryServer(), b: new MemoryServer() };
  const { hub } = memoryHub(servers);
  await hub.connect();
  const [connection] = servers.a.connections;
  const cause = new Error("stuck");
  if (connection !== undefined) {
    connection.onClose = () => Promise.reject(cause);
  }
  await assert.rejects(hub.close(), {
    name: "Error",
    message: 'Cannot close MCP server "a": stuck',
    cause,
  });
  assert.equal(servers.b.open, 0);
});

test("close() rejects with an AggregateError when several connections fail to close", async () => {
  const servers = { a: new MemoryServer(), b: new MemoryServer() };
  const { hub } = memoryHub(servers);
  await hub.connect();
  for (const { connections } of Object.values(servers)) {
    const [connection] = connections;
    if (connection !== undefined) {
      connection.onClose = () => Promise.reject(new Error("stuck"));
    }
  }
  await assert.rejects(hub.close(), (error) => {
    assert.ok(error instanceof AggregateError);
    assert.deepEqual(error.errors.map(({ message }) => message), [
      'Cannot close MCP server "a": stuck',
      'Cannot close MCP server "b": stuck',
    ]);
    return true;
  });
});

test("everything rejects with UnknownServerError after close()", async () => {
  const server = new MemoryServer("x");
  server.capabilities = { tools: {}, resources: {}, prompts: {} };
  const { hub } = memoryHub({ a: server });
  await hub.connect();
  await hub.close();
  const calls = [
    () => hub.call("a__x"),
    () => hub.tools(),
    () => hub.tools("a"),
    () => hub.resources(),
    () => hub.resources("a"),
    () => hub.resourceTemplates("a"),
    () => hub.prompts(),
    () => hub.prompts("a"),
    () => hub.readResource("a", "x:y"),
    () => hub.getPrompt("a", "p"),
  ];
  for (const call of calls) {
    await assert.rejects(call(), UnknownServerError, String(call));
  }
  assert.equal(server.asked.length, 1);
}, { ids: ["HUB-36"] });

test("everything rejects with NotConnectedError before connect()", async () => {
  const { hub } = memoryHub({ a: new MemoryServer("x") });
  await assert.rejects(hub.call("a__x"), NotConnectedError);
  await assert.rejects(hub.prompts(), {
    message: /before connect\(\): call connect\(\) first$/,
  });
  await assert.rejects(hub.readResource("a", "x:y"), NotConnectedError);
  await assert.rejects(hub.call("other__x"), UnknownServerError);
  await hub.close();
});

test("calls that are open when the hub closes reject with ClosedError", async () => {
  const server = new MemoryServer("x");
  server.answers["tools/call"] = hang;
  const { hub } = memoryHub({ a: server });
  await hub.connect();
  const call = assert.rejects(hub.call("a__x"), ClosedError);
  await until(() => server.count("tools/call") === 1);
  await hub.close();
  await call;
  assert.equal(server.dials, 1);
});

test("status() tells where each server is in its life", async () => {
  const server = delayed(5);
  const { hub } = memoryHub({ a: server });
  const state = () => hub.status().a?.state;
  assert.equal(state(), "idle");
  const connecting = hub.connect();
  assert.equal(state(), "connecting");
  await connecting;
  assert.equal(state(), "connected");
  server.die();
  await turn();
  assert.equal(state(), "lost");
  assert.equal((hub.status().a?.error as Error).message, "it died");
  await hub.call("a__x");
  assert.equal(state(), "connected");
  assert.equal(hub.status().a?.error, undefined);
  assert.equal(hub.status().a?.reconnects, 1);
  await hub.close();
  assert.equal(state(), "closed");
});

test("close() ends calls that wait for their next attempt", async () => {
  const server = new MemoryServer("x");
  const refused = { kind: "network", delivery: "not_sent" } as const;
  server.answers["tools/call"] = () =>
    Promise.reject(new McpFailure("refused", refused));
  const clock = new FakeClock();
  const { hub } = memoryHub({ a: server }, { clock, random: () => 1 });
  await hub.connect();
  const call = assert.rejects(hub.call("a__x"), ClosedError);
  await clock.untilPending();
  await hub.close();
  await call;
  assert.equal(clock.pending, 0);
});
