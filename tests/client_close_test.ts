import assert from "node:assert/strict";
import process from "node:process";
import {
  AlreadyConnectedError,
  Client,
  type ClientState,
  ClosedError,
  isAgentError,
  type LocalMcpServer,
  type McpConnection,
  type McpServerConfig,
  type Transport,
} from "@sluice/agent";
import { createMcpServer } from "@sluice/agent/mcp";
import { fakeCli } from "@sluice/agent/testing";
import {
  closesDownTo,
  isGoneWithin,
  needsProc,
  openDescriptors,
  ownChildren,
} from "./_children.ts";
import {
  resultText,
  withClient,
  withConnected,
  withOneAfterTheOther,
} from "./_clients.ts";
import { collect, rejectionOf } from "./_collect.ts";
import { test } from "./_harness.ts";
import { nextTurn } from "./_turn.ts";
import { memoryCli, unhandledIn } from "./conversation/_rig.ts";
import { pick, randomFrom } from "./options/_random.ts";

test(
  "close() closes every MCP server that connect() opened, after the conversation",
  async () => {
    const log: string[] = [];
    const { transport } = memoryCli();
    const client = new Client({
      transport: withStop(transport, () => void log.push("stop CLI")),
      mcpServers: servers(log, { a: true, b: true, c: true }),
    });
    await client.connect();
    assert.deepEqual(log.toSorted(), ["open a", "open b", "open c"]);
    const closing = client.close();
    assert.equal(client.state, "closing");
    await closing;
    assert.equal(client.state, "closed");
    assert.equal(log[3], "stop CLI");
    assert.deepEqual(log.slice(4).toSorted(), [
      "close a",
      "close b",
      "close c",
    ]);
  },
  { ids: ["C-09", "C-17", "DEC-04"] },
);

test(
  "close() continues when some closures fail, and names each in one AggregateError",
  async () => {
    const log: string[] = [];
    const fake = fakeCli("x");
    const client = new Client({
      cliPath: fake.cliPath,
      mcpServers: servers(log, { good: true, bad: false, worse: false }),
    });
    await client.connect();
    const error = await rejectionOf(client.close());
    assert.ok(error instanceof AggregateError);
    assert.equal(error.errors.length, 2);
    const texts = error.errors.map(({ message }: Error) => message).toSorted();
    assert.match(texts[0] ?? "", /"bad": bad is stuck$/);
    assert.match(texts[1] ?? "", /"worse": worse is stuck$/);
    assert.ok(log.includes("close good"));
    assert.equal(client.state, "closed");
    assert.equal(await isGoneWithin(0, fake.runs[0]?.pid ?? 0), true);
    await fake.close();
  },
  { ids: ["C-16", "C-18"], skip: needsProc },
);

test(
  "close() names the CLI beside a server when both fail, and one failure comes as it is",
  async () => {
    for (const isServerGood of [false, true]) {
      const { transport } = memoryCli();
      const stuck = () => Promise.reject(new Error("will not stop"));
      const client = new Client({
        transport: withStop(transport, stuck),
        mcpServers: servers([], { notes: isServerGood }),
      });
      await client.connect();
      const error = await rejectionOf(client.close());
      const parts = error instanceof AggregateError ? error.errors : [error];
      assert.equal(error instanceof AggregateError, !isServerGood);
      assert.deepEqual(parts.map(({ message }: Error) => message), [
        "Cannot close CLI process: will not stop",
        ...isServerGood
          ? []
          : ['Cannot close MCP server "notes": notes is stuck'],
      ]);
      assert.equal(client.state, "closed");
    }
  },
  { ids: ["C-18"] },
);

test("close() a second time waits for the first and does nothing", async () => {
  const log: string[] = [];
  const { transport } = memoryCli();
  const client = new Client({
    transport: withStop(transport, () => void log.push("stop CLI")),
    mcpServers: servers(log, { a: true }),
  });
  await client.connect();
  const [first, second] = [client.close(), client.close()];
  await Promise.all([first, second, client[Symbol.asyncDispose]()]);
  await client.close();
  assert.deepEqual(log, ["open a", "stop CLI", "close a"]);
  const failing = new Client({
    transport: memoryCli().transport,
    mcpServers: servers([], { a: false }),
  });
  await failing.connect();
  const errors = await Promise.all(
    [failing.close(), failing.close()].map(rejectionOf),
  );
  assert.equal(errors[0], errors[1]);
}, { ids: ["C-19"] });

test("close() of a client that was never connected makes it closed", async () => {
  const client = new Client({ cliPath: "/does/not/exist" });
  const closing = client.close();
  await closing;
  assert.equal(client.state, "closed");
  await client.close();
});

test("close() ends what waits: messages end, turns and controls reject with ClosedError", async () => {
  const plan = {
    turns: [[{ wait: "forever" }]],
    controls: { mcp_status: "silent" },
  } as const;
  await withConnected(plan, async ({ client }) => {
    const waiting = [
      client.mcpStatus(),
      client.request("mcp_status", {}, { timeoutMs: 60_000 }),
    ].map(rejectionOf);
    const reading = collect(client.receiveMessages());
    await client.close();
    for (const error of await Promise.all(waiting)) {
      assert.ok(error instanceof ClosedError);
    }
    assert.equal((await reading).error, undefined);
  });
});

test("close() during ask() rejects it with ClosedError", async () => {
  await withConnected([[{ wait: "forever" }]], async ({ client, fake }) => {
    const asking = rejectionOf(client.ask("x"));
    await fake.receivedLine(({ type }) => type === "user");
    await client.close();
    assert.ok(await asking instanceof ClosedError);
  });
});

test("no promise of a client becomes an unhandled rejection", async () => {
  const unhandled = await unhandledIn(async () => {
    const plan = { controls: { mcp_status: "silent" } } as const;
    await withConnected(plan, async ({ client, fake }) => {
      void client.connect();
      void client.mcpStatus();
      void client.setMcpServers({ odd: { type: "x" } as never });
      void client.sendMessage(7 as never);
      void client.ask("x");
      await fake.receivedLine(({ type }) => type === "user");
      await client.close();
      void client.connect();
      void client.sendMessage("x");
      void client.ask("x");
      void client.interrupt();
      void client.supportedCommands();
    });
    const failing = new Client({ cliPath: "/does/not/exist" });
    void failing.connect();
    await failing.close();
  });
  assert.deepEqual(unhandled, []);
});

test(
  "close() during connect() rejects it with ClosedError and leaves no process",
  async () => {
    const plan = { initialize: "silent" } as const;
    await withClient(plan, async ({ client, fake }) => {
      const connecting = rejectionOf(client.connect());
      await fake.receivedLine(({ type }) => type === "control_request");
      await client.close();
      assert.ok(await connecting instanceof ClosedError);
      assert.equal(client.state, "closed");
      assert.equal(await isGoneWithin(0, fake.runs[0]?.pid ?? 0), true);
    });
  },
  { ids: ["C-22", "DEC-12"], skip: needsProc },
);

test(
  "connect() racing close() 100 times leaves no process, descriptor or listener",
  async () => {
    const fake = fakeCli("x");
    await race(fake.cliPath, 0);
    const before = { descriptors: openDescriptors(), listeners: listeners() };
    const children = ownChildren();
    const unhandled = await unhandledIn(async () => {
      for (let round = 0; round < 10; round++) {
        await Promise.all(
          Array.from(
            { length: 10 },
            (_, n) => race(fake.cliPath, round * 2 + n),
          ),
        );
      }
    });
    assert.deepEqual(unhandled, []);
    for (const { pid } of fake.runs) {
      assert.equal(await isGoneWithin(10_000, pid), true, `${pid} still runs`);
    }
    assert.deepEqual(ownChildren(), children);
    assert.equal(await closesDownTo(before.descriptors), true);
    assert.deepEqual(listeners(), before.listeners);
    await fake.close();
  },
  { ids: ["C-22", "C-23", "P-05"], skip: needsProc },
);

test(
  "connect() that is aborted rejects at once with the reason, and may be called again",
  async () => {
    const hanging = fakeCli({ start: [{ wait: "forever" }] });
    const healthy = fakeCli("Here.");
    await withOneAfterTheOther([hanging, healthy], async (cliPath) => {
      const client = new Client({ cliPath });
      const reason = new Error("Not now");
      const controller = new AbortController();
      const connecting = rejectionOf(
        client.connect("hello", { signal: controller.signal }),
      );
      await hanging.receivedLine(({ type }) => type === "control_request");
      controller.abort(reason);
      assert.equal(await connecting, reason);
      assert.equal(client.state, "disconnected");
      const again = new AbortController();
      await client.connect(undefined, { signal: again.signal });
      assert.equal(client.state, "connected");
      again.abort();
      assert.equal(resultText(await client.ask("hello")), "Here.");
      await client.close();
      assert.equal(await isGoneWithin(0, hanging.runs[0]?.pid ?? 0), true);
    });
  },
  { ids: ["C-25"], skip: needsProc },
);

test(
  "connect() with a signal that is aborted already starts nothing",
  async () => {
    await withClient("x", async ({ client, fake }) => {
      const reason = new Error("Not now");
      const signal = AbortSignal.abort(reason);
      assert.equal(await rejectionOf(client.connect("x", { signal })), reason);
      assert.equal(client.state, "disconnected");
      assert.deepEqual(fake.runs, []);
      await client.connect();
    });
  },
  { ids: ["C-25"] },
);

test(
  "aborted sendMessage() and controls reject with the reason, and the client continues",
  async () => {
    const { transport, peer } = memoryCli({ mcp_status: { mcpServers: [] } });
    const client = new Client({ transport });
    await client.connect();
    const reason = new Error("Not now");
    const signal = AbortSignal.abort(reason);
    assert.equal(
      await rejectionOf(client.sendMessage("a", { signal })),
      reason,
    );
    assert.equal(await rejectionOf(client.mcpStatus({ signal })), reason);
    assert.equal(
      await rejectionOf(client.supportedCommands({ signal })),
      reason,
    );
    assert.equal(peer.lines.length, 1);
    peer.pause();
    const controller = new AbortController();
    const calls = [
      client.sendMessage("b", { signal: controller.signal }),
      client.mcpStatus({ signal: controller.signal }),
    ].map(rejectionOf);
    await nextTurn();
    controller.abort(reason);
    assert.deepEqual(await Promise.all(calls), [reason, reason]);
    peer.resume();
    assert.deepEqual(await client.mcpStatus(), { mcpServers: [] });
    assert.equal(client.health().pendingRequests, 0);
    await client.close();
  },
  { ids: ["C-25", "T-06", "CP-08"] },
);

test(
  "options.signal ends everything with its reason, and connect() after it starts nothing",
  async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const script = [["a", { wait: "forever" }]] as const;
    await withClient(script, async ({ client, fake }) => {
      await client.connect("x");
      const reason = new Error("All over");
      const reading = collect(client.receiveMessages());
      const asking = rejectionOf(client.request("unknown_to_all"));
      await fake.receivedLine(({ type }) => type === "user");
      controller.abort(reason);
      assert.equal((await reading).error, reason);
      await asking;
      assert.equal(client.state, "disconnected");
      assert.equal(await rejectionOf(client.sendMessage("y")), reason);
      assert.equal(await rejectionOf(client.mcpStatus()), reason);
      assert.equal(await rejectionOf(client.connect()), reason);
      assert.equal(fake.runs.length, 1);
      await client.close();
      assert.equal(await isGoneWithin(0, fake.runs[0]?.pid ?? 0), true);
    }, { signal });
  },
  { ids: ["R-09"], skip: needsProc },
);

test("close() waits for connections that failed before it", async () => {
  const plan = { start: [{ wait: "forever" }], onSigterm: "ignore" } as const;
  const shutdown = { graceMs: 50, killMs: 100 };
  await withClient(plan, async ({ client, fake }) => {
    const controller = new AbortController();
    const connecting = rejectionOf(
      client.connect("x", { signal: controller.signal }),
    );
    await fake.receivedLine(({ type }) => type === "control_request");
    controller.abort();
    await connecting;
    await client.close();
    assert.equal(await isGoneWithin(0, fake.runs[0]?.pid ?? 0), true);
  }, { shutdown });
}, { ids: ["P-17"], skip: needsProc });

test(
  "a client keeps to its states in random interleavings of its calls",
  async () => {
    const unhandled = await unhandledIn(async () => {
      for (let seed = 1; seed <= 60; seed++) await interleave(seed);
    });
    assert.deepEqual(unhandled, []);
  },
  { ids: ["C-20"] },
);

const NEXT: Readonly<Record<ClientState, readonly ClientState[]>> = {
  disconnected: ["connecting", "closing", "closed"],
  connecting: ["connected", "disconnected", "closing", "closed"],
  connected: ["disconnected", "closing", "closed"],
  closing: ["closed"],
  closed: [],
};

/** Calls methods at random for a while; each rejection must have a documented reason. */
async function interleave(seed: number): Promise<void> {
  const random = randomFrom(seed);
  const { transport, peer } = memoryCli({ mcp_status: { mcpServers: [] } });
  const client = new Client({ transport });
  const reason = new Error("Enough");
  const open: Promise<unknown>[] = [];
  let state: ClientState = client.state;
  const look = () => {
    const now = client.state;
    if (now === state) return;
    assert.ok(NEXT[state].includes(now), `seed ${seed}: ${state} -> ${now}`);
    state = now;
  };
  const calls: readonly (() => Promise<unknown> | void)[] = [
    () => client.connect(),
    () => client.connect("hi", { signal: AbortSignal.timeout(1) }),
    () => {
      const controller = new AbortController();
      const connecting = client.connect("hi", controller);
      controller.abort(reason);
      return connecting;
    },
    () => client.sendMessage("one"),
    () => client.mcpStatus(),
    () => client.mcpStatus({ signal: AbortSignal.abort(reason) }),
    () => client.ask("two", { signal: AbortSignal.abort(reason) }),
    () => client.receiveMessages()[Symbol.asyncIterator]().return?.(),
    () => {
      if (client.state === "connected" && random() < 0.2) peer.end();
    },
    () => {
      if (random() < 0.1) return client.close();
    },
  ];
  for (let step = 0; step < 40; step++) {
    const result = pick(random, calls)();
    look();
    if (result !== undefined) {
      result.catch(() => {});
      open.push(result);
    }
    if (random() < 0.4) {
      await nextTurn();
      look();
    }
  }
  open.push(client.close());
  look();
  for (const outcome of await Promise.allSettled(open)) {
    if (outcome.status === "fulfilled") continue;
    const error: unknown = outcome.reason;
    const isTold = error === reason || isAgentError(error) ||
      (error instanceof DOMException && error.name === "TimeoutError");
    assert.ok(isTold, `seed ${seed}: ${String(error)}`);
  }
  look();
  assert.equal(client.state, "closed");
  assert.equal(client.health().pendingRequests, 0);
}

/** Connects and closes after this many milliseconds; whichever wins, it is closed at the end. */
async function race(cliPath: readonly string[], ms: number): Promise<void> {
  const client = new Client({ cliPath });
  const connecting = client.connect("x").catch((error: unknown) => error);
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
  const twice = ms % 2 === 0 ? client.connect().catch((error) => error) : null;
  await client.close();
  const error = await connecting;
  assert.ok(!(error instanceof Error) || error instanceof ClosedError);
  const second = await twice;
  assert.ok(second === null || second instanceof AlreadyConnectedError);
  assert.equal(client.state, "closed");
}

/** How many listeners this program has for its own end. */
function listeners(): readonly number[] {
  return ["SIGTERM", "SIGINT", "exit", "beforeExit"]
    .map((name) => process.listenerCount(name));
}

/** In-process servers that log, of which those that are not good fail to close. */
function servers(
  log: string[],
  goodness: Readonly<Record<string, boolean>>,
): Record<string, McpServerConfig> {
  return Object.fromEntries(
    Object.entries(goodness).map(([name, isGood]) => [
      name,
      { type: "sdk", instance: loggingServer(name, log, isGood) },
    ]),
  );
}

function loggingServer(
  name: string,
  log: string[],
  isGood: boolean,
): LocalMcpServer {
  const server = createMcpServer({ name, tools: [] });
  return {
    name,
    version: server.version,
    open: async () => {
      log.push(`open ${name}`);
      const connection: McpConnection = await server.open(name);
      const close = connection.close.bind(connection);
      connection.close = async () => {
        log.push(`close ${name}`);
        await close();
        if (!isGood) throw new Error(`${name} is stuck`);
      };
      return connection;
    },
  };
}

/** A transport whose channels tell when they are stopped. */
function withStop(
  transport: Transport,
  onStop: () => void | Promise<void>,
): Transport {
  return {
    open: async (launch, signal) => {
      const channel = await transport.open(launch, signal);
      return {
        ...channel,
        stop: async (plan) => {
          await channel.stop(plan);
          await onStop();
        },
      };
    },
  };
}
