import assert from "node:assert/strict";
import {
  DeliveryUnknownError,
  InvalidNameError,
  type JsonObject,
  type JsonValue,
  McpProtocolError,
  ServerUnavailableError,
} from "@sluice/agent";
import {
  type HubOptions,
  JsonRpcError,
  McpFailure,
  McpHub,
} from "@sluice/agent/mcp";
import { FakeClock } from "@sluice/agent/testing";
import { test } from "../_harness.ts";
import {
  type Answer,
  hang,
  InstantClock,
  listed,
  MemoryServer,
  text,
  turn,
  until,
  UNUSED,
  withHub,
} from "./_hub.ts";

/** Throws these, one after the other, then answers. */
function failing(...errors: readonly unknown[]): Answer {
  const left = [...errors];
  return () => {
    if (left.length > 0) throw left.shift();
    return text("at last");
  };
}

/** A server with one writing tool `x` and one reading tool `r`, and how its calls are answered. */
function serverWith(answer: Answer): MemoryServer {
  const server = new MemoryServer(
    "x",
    listed("r", { annotations: { readOnlyHint: true } }),
  );
  server.answers["tools/call"] = answer;
  return server;
}

/** Runs with a hub over one such server, whose waits end at once. */
async function withServer(
  answer: Answer,
  run: (
    hub: McpHub,
    server: MemoryServer,
    clock: InstantClock,
  ) => Promise<void>,
  options: HubOptions = {},
): Promise<void> {
  const server = serverWith(answer);
  const clock = new InstantClock();
  await withHub({ a: server }, (hub) => run(hub, server, clock), {
    clock,
    ...options,
  });
}

const refused = () =>
  new McpFailure("Connection refused", {
    kind: "network",
    delivery: "not_sent",
  });
const CONNECT_TEXT =
  "error sending request for url (http://db/): client error (Connect): refused";
const cut = () => new McpFailure("Connection reset", { kind: "network" });
const http = (status: number, more = {}) =>
  new McpFailure(`HTTP ${status}`, { kind: "http", status, ...more });

test("call() reaches the server of the name, with arguments", async () => {
  const servers = {
    a: new MemoryServer("x"),
    b: new MemoryServer("x", "y__z"),
  };
  await withHub(servers, async (hub) => {
    const result = await hub.call("b__x", { n: 1 });
    assert.deepEqual(result, {
      content: [{ type: "text", text: "x was called" }],
      isError: false,
    });
    await hub.call("b__y__z");
    await hub.call("b__x", {}, { meta: { trace: "t1" } });
  });
  assert.equal(servers.a.count("tools/call"), 0);
  assert.deepEqual(
    servers.b.asked.slice(1).map(({ params }) => params),
    [
      { name: "x", arguments: { n: 1 } },
      { name: "y__z", arguments: {} },
      { name: "x", arguments: {}, _meta: { trace: "t1" } },
    ],
  );
}, { ids: ["HUB-19"] });

test("call() refuses names of no server, tool or form", async () => {
  await withServer(hang, async (hub, server) => {
    for (const name of ["b__x", "constructor__x", "toString__x"]) {
      await assert.rejects(hub.call(name), {
        name: "UnknownServerError",
        code: "mcp_unknown_server",
        server: name.split("__")[0],
      });
    }
    for (const name of ["x", "", "__x", "a__", "a_x"]) {
      await assert.rejects(hub.call(name), InvalidNameError, name);
    }
    await assert.rejects(hub.call("a__y"), {
      name: "UnknownToolError",
      server: "a",
      tool: "y",
    });
    assert.equal(server.count("tools/call"), 0);
  });
}, { ids: ["HUB-20", "HUB-21"] });

/** Errors after which a call surely did not run; those of other dialers are judged by their members. */
const NOT_SENT = [
  refused(),
  http(429, { retryAfterMs: 7, delivery: "not_sent" }),
  http(503, { retryAfterMs: 0, delivery: "not_sent" }),
  http(404, { isSessionLost: true, delivery: "not_sent" }),
  Object.assign(new Error("refused"), { code: "ECONNREFUSED" }),
  Object.assign(new TypeError("fetch failed"), {
    cause: { code: "ENOTFOUND" },
  }),
  Object.assign(new Error("busy"), { status: 429, retryAfterMs: 3 }),
  Object.assign(new Error("busy"), { code: 503, retryAfterMs: 3 }),
];

for (
  const [policy, errors] of [
    ["safe", NOT_SENT],
    ["always", [new Error("anything"), new JsonRpcError(-32602, "no")]],
  ] as const
) {
  test(`call() repeats what the policy ${policy} allows`, async () => {
    await withServer(failing(...errors), async (hub, server) => {
      const { content } = await hub.call("a__x");
      assert.deepEqual(content, text("at last").content);
      assert.equal(server.count("tools/call"), errors.length + 1);
    }, { retry: { policy, attempts: 20 } });
  }, { ids: ["HUB-22"] });
}

for (
  const [what, error] of [
    ["a reset", () => cut()],
    ["a timeout", () => new McpFailure("late", { kind: "timeout" })],
    [
      "a network that went under a connection",
      () =>
        Object.assign(new Error("read EHOSTUNREACH"), {
          code: "EHOSTUNREACH",
          syscall: "read",
        }),
    ],
    ["an unknown error", () => new Error("what?")],
    [
      "a closed connection of the MCP SDK",
      () => Object.assign(new Error("Connection closed"), { code: -32000 }),
    ],
    [
      "a timeout of the MCP SDK",
      () => Object.assign(new Error("Request timed out"), { code: -32001 }),
    ],
    ["no error at all", () => undefined],
  ] as const
) {
  test(`call() repeats after ${what} what may run twice`, async () => {
    const cause = error();
    await withServer(() => Promise.reject(cause), async (hub, server) => {
      await assert.rejects(hub.call("a__x"), {
        name: "DeliveryUnknownError",
        code: "mcp_delivery_unknown",
        server: "a",
        tool: "x",
        attempts: 1,
        ...cause !== undefined && { cause },
      });
      assert.equal(server.count("tools/call"), 1);
    });
    await withServer(failing(cause), async (hub, server) => {
      await hub.call("a__x", {}, { idempotent: true });
      assert.equal(server.count("tools/call"), 2);
    });
  }, { ids: ["HUB-40", "HUB-22"] });
}

for (
  const [what, error] of [
    ["-32601", new JsonRpcError(-32601, "Method not found")],
    ["-32602", new JsonRpcError(-32602, "Invalid params")],
    ["-32603", new JsonRpcError(-32603, "Internal error")],
    ["an own code", new JsonRpcError(1234, "Not today")],
    [
      "-32602 of another library",
      Object.assign(new Error("no"), { code: -32602 }),
    ],
    [
      "an error that quotes a failed connection",
      new JsonRpcError(-32603, CONNECT_TEXT, {
        data: { code: "ECONNREFUSED" },
      }),
    ],
    [
      "the same of another library",
      Object.assign(new Error(CONNECT_TEXT), { code: -32603 }),
    ],
    [
      "HTTP 400 that names a session",
      new McpFailure("Session expired", { kind: "http", status: 400 }),
    ],
    ["HTTP 404 without a session", http(404)],
  ] as const
) {
  test(`call() does not repeat what the server answered: ${what}`, async () => {
    await withServer(
      () => Promise.reject(error),
      async (hub, server, clock) => {
        for (const idempotent of [false, true]) {
          await assert.rejects(
            hub.call("a__x", {}, { idempotent }),
            (thrown) => thrown === error,
          );
        }
        assert.equal(server.count("tools/call"), 2);
        assert.equal(server.dials, 1);
        assert.deepEqual(clock.sleeps, []);
      },
    );
  }, { ids: ["DEC-13"] });
}

test("call() returns a failed result, and does not repeat it", async () => {
  const answer = { ...text("no such file"), isError: true };
  for (const policy of ["safe", "always"] as const) {
    await withServer(() => answer, async (hub, server) => {
      const result = await hub.call("a__x", {}, { idempotent: true });
      assert.deepEqual(result, { ...text("no such file"), isError: true });
      assert.equal(server.count("tools/call"), 1);
    }, { retry: { policy } });
  }
}, { ids: ["HUB-25"] });

test("call() trusts hints of trusted servers alone", async () => {
  const server = serverWith(() => Promise.reject(cut()));
  const attempts = async (
    trustAnnotations: boolean | undefined,
    name: string,
  ) => {
    const config = trustAnnotations === undefined
      ? UNUSED
      : { ...UNUSED, trustAnnotations };
    const hub = new McpHub({ a: config }, {
      connect: ({ name = "" }, signal) => server.connect(name, signal),
      clock: new InstantClock(),
    });
    await hub.connect();
    const before = server.count("tools/call");
    await assert.rejects(hub.call(name));
    await hub.close();
    return server.count("tools/call") - before;
  };
  assert.equal(await attempts(undefined, "a__r"), 1);
  assert.equal(await attempts(false, "a__r"), 1);
  assert.equal(await attempts(true, "a__x"), 1);
  assert.equal(await attempts(true, "a__r"), 5);
  server.tools = [listed("r", { annotations: { idempotentHint: true } })];
  assert.equal(await attempts(true, "a__r"), 5);
}, { ids: ["HUB-22"] });

test("call() rejects after the last attempt with its cause", async () => {
  let count = 0;
  const answer = () => {
    throw Object.assign(new Error(`refused ${++count}`), {
      code: "ECONNREFUSED",
    });
  };
  await withServer(answer, async (hub, server) => {
    await assert.rejects(hub.call("a__x"), (error) => {
      assert.ok(error instanceof ServerUnavailableError);
      assert.equal(error.code, "mcp_unavailable");
      assert.deepEqual([error.server, error.tool, error.attempts], [
        "a",
        "x",
        5,
      ]);
      assert.equal((error.cause as Error).message, "refused 5");
      assert.match(error.message, /after 5 attempts: refused 5$/);
      return true;
    });
    assert.equal(server.count("tools/call"), 5);
  });
}, { ids: ["HUB-24", "HUB-26"] });

test("call() rejects when a lost server cannot be reached", async () => {
  await withServer(() => text("ok"), async (hub, server) => {
    server.die();
    await turn();
    let dials = 0;
    server.onDial = () => Promise.reject(new Error(`no route ${++dials}`));
    await assert.rejects(hub.call("a__x"), (error) => {
      assert.ok(error instanceof ServerUnavailableError);
      assert.equal((error.cause as Error).message, "no route 5");
      return true;
    });
    assert.equal(dials, 5);
    assert.equal(hub.status().a?.state, "failed");
    server.onDial = () => {};
    assert.equal((await hub.call("a__x")).isError, false);
  });
}, { ids: ["HUB-24"] });

test("call() waits 500 ms, doubled, for five attempts", async () => {
  await withServer(() => Promise.reject(refused()), async (hub, _, clock) => {
    await assert.rejects(hub.call("a__x"), ServerUnavailableError);
    assert.deepEqual(clock.sleeps, [500, 1_000, 2_000, 4_000]);
  }, { random: () => 1 });
  await withServer(() => Promise.reject(refused()), async (hub, _, clock) => {
    await assert.rejects(hub.call("a__x"), ServerUnavailableError);
    assert.equal(clock.sleeps.length, 9);
    assert.deepEqual(clock.sleeps.slice(5), [16_000, 30_000, 30_000, 30_000]);
  }, { random: () => 1, retry: { attempts: 10 } });
}, { ids: ["HUB-26", "REG-17"] });

test("call() waits as long as the server asks, up to the cap", async () => {
  const busy = (retryAfterMs: number) =>
    http(429, { retryAfterMs, delivery: "not_sent" });
  const errors = [busy(1_234), busy(0), busy(99_000), busy(86_400_000)];
  await withServer(failing(...errors), async (hub, _, clock) => {
    await hub.call("a__x");
    assert.deepEqual(clock.sleeps, [1_234, 0, 30_000, 30_000]);
  }, { random: () => 1 });
});

test("call() aborted in a wait ends at once, without timer", async () => {
  const clock = new FakeClock();
  const server = serverWith(() => Promise.reject(refused()));
  await withHub({ a: server }, async (hub) => {
    const controller = new AbortController();
    const call = hub.call("a__x", {}, { signal: controller.signal });
    await clock.untilPending();
    const reason = new Error("enough");
    const startedAt = performance.now();
    controller.abort(reason);
    await assert.rejects(call, (error) => error === reason);
    assert.ok(performance.now() - startedAt < 5_000);
    assert.equal(clock.pending, 0);
    assert.equal(server.count("tools/call"), 1);
  }, { clock, random: () => 1 });
}, { ids: ["HUB-23"] });

test("call() aborted while it runs ends, and cancels", async () => {
  let told: unknown;
  const server = serverWith((_params, { signal }) =>
    new Promise(() => {
      signal?.addEventListener("abort", () => told = signal.reason);
    })
  );
  for (const policy of ["safe", "always"] as const) {
    await withHub({ a: server }, async (hub) => {
      const before = server.count("tools/call");
      const controller = new AbortController();
      const options = { signal: controller.signal, idempotent: true };
      const call = hub.call("a__x", {}, options);
      await until(() => server.count("tools/call") > before);
      const reason = new Error(policy);
      const startedAt = performance.now();
      controller.abort(reason);
      await assert.rejects(call, (error) => error === reason);
      assert.ok(performance.now() - startedAt < 5_000);
      assert.equal(told, reason);
      assert.equal(server.count("tools/call"), before + 1);
    }, { retry: { policy } });
  }
}, { ids: ["HUB-23"] });

test("call() with a signal that is aborted before asks nothing", async () => {
  await withServer(() => text("ok"), async (hub, server) => {
    const signal = AbortSignal.abort(new Error("too late"));
    await assert.rejects(hub.call("a__x", {}, { signal }), {
      message: "too late",
    });
    server.die();
    await turn();
    await assert.rejects(hub.call("a__x", {}, { signal }), {
      message: "too late",
    });
    assert.equal(server.count("tools/call"), 0);
  });
}, { ids: ["HUB-23"] });

test("call() ends its wait for a server that is dialled anew when it is aborted", async () => {
  await withServer(() => text("ok"), async (hub, server) => {
    server.die();
    await turn();
    let accept = () => {};
    server.onDial = () =>
      new Promise((resolve) => {
        accept = resolve;
      });
    const controller = new AbortController();
    const aborted = hub.call("a__x", {}, { signal: controller.signal });
    const patient = hub.call("a__x");
    await until(() => server.dials === 2);
    controller.abort();
    await assert.rejects(aborted, { name: "AbortError" });
    accept();
    assert.equal((await patient).isError, false);
    assert.equal(server.dials, 2);
  });
});

test("a server that dies in a call is dialled, not called anew", async () => {
  const server = serverWith(hang);
  await withHub({ a: server }, async (hub) => {
    const call = assert.rejects(hub.call("a__x"), {
      name: "DeliveryUnknownError",
      attempts: 1,
    });
    await until(() => server.count("tools/call") === 1);
    server.die();
    await call;
    await until(() => hub.status().a?.state === "connected");
    assert.equal(server.dials, 2);
    assert.equal(server.count("tools/call"), 1);
  });
}, { ids: ["HUB-40"] });

test("call() has the limit of its server, or its own", async () => {
  const server = serverWith(hang);
  const hub = new McpHub({ a: { ...UNUSED, callTimeoutMs: 40 } }, {
    connect: ({ name = "" }, signal) => server.connect(name, signal),
  });
  await hub.connect();
  const texts: string[] = [];
  for (const options of [{}, { timeoutMs: 15 }]) {
    const startedAt = performance.now();
    await assert.rejects(hub.call("a__x", {}, options), (error) => {
      assert.ok(error instanceof DeliveryUnknownError);
      texts.push((error.cause as Error).message);
      return true;
    });
    assert.ok(performance.now() - startedAt < 10_000);
  }
  assert.deepEqual(texts, [
    'MCP server "a" did not answer tools/call within 40 ms',
    'MCP server "a" did not answer tools/call within 15 ms',
  ]);
  await hub.close();
});

test("progress starts the limit of a call anew", async () => {
  let running = 0;
  const server = serverWith(async (_params, { onProgress }) => {
    running++;
    for (let progress = 1; progress <= 5; progress++) {
      await new Promise((resolve) => setTimeout(resolve, 40));
      onProgress?.({ progress });
    }
    running--;
    return text("done");
  });
  await withHub({ a: server }, async (hub) => {
    const seen: JsonObject[] = [];
    const onProgress = (one: JsonObject) => void seen.push(one);
    await hub.call("a__x", {}, { timeoutMs: 120, onProgress });
    assert.deepEqual(seen.map(({ progress }) => progress), [1, 2, 3, 4, 5]);
    await assert.rejects(
      hub.call("a__x", {}, { timeoutMs: 120 }),
      DeliveryUnknownError,
    );
    await until(() => running === 0);
  });
});

test("call() keeps every kind of content as the server sent it", async () => {
  const content = [
    { type: "text", text: "t", annotations: { priority: 1 } },
    { type: "image", data: "AA==", mimeType: "image/png" },
    { type: "audio", data: "AA==", mimeType: "audio/wav", _meta: { a: 1 } },
    {
      type: "resource",
      resource: { uri: "file:///x", text: "y", mimeType: "text/plain" },
    },
    { type: "resource", resource: { uri: "file:///x", blob: "AA==" } },
    {
      type: "resource_link",
      uri: "file:///x",
      name: "x",
      description: "d",
      mimeType: "text/plain",
      size: 3,
    },
  ];
  const answer = {
    content,
    structuredContent: { a: [1, null] },
    _meta: { took: 5 },
    more: "ignored",
  };
  await withServer(() => answer, async (hub) => {
    assert.deepEqual(await hub.call("a__x"), {
      content,
      structuredContent: { a: [1, null] },
      isError: false,
      meta: { took: 5 },
    });
  });
}, { ids: ["HUB-33", "REG-11"] });

/** Contents of no or unknown kinds, and what becomes of them. */
const ODD_CONTENT: readonly (readonly [JsonValue | undefined, unknown])[] = [
  [undefined, []],
  [null, []],
  ["done", [{ type: "text", text: "done" }]],
  [{ type: "text", text: "done" }, [{ type: "text", text: "done" }]],
  [7, [{ type: "text", text: "7" }]],
  ...[
    { type: "hologram", data: { deep: [{ er: true }] } },
    { type: 7 },
    { untyped: true },
    null,
    "text",
    [1],
  ].map((block) => [[block], [block]] as const),
];

test("call() keeps content of any kind, and misses none", async () => {
  for (const [content, kept] of ODD_CONTENT) {
    await withServer(() => ({ content } as JsonObject), async (hub) => {
      assert.deepEqual(await hub.call("a__x"), {
        content: kept,
        isError: false,
      });
    });
  }
  await withServer(() => null, async (hub) => {
    assert.deepEqual(await hub.call("a__x"), { content: [], isError: false });
  });
}, { ids: ["HUB-34", "HUB-35", "REG-12"] });

test("an answer that is no object is an error, not an empty result", async () => {
  for (const answer of ["text", [], 7, true, ""]) {
    const server = serverWith(() => answer);
    server.answers["prompts/get"] = () => answer;
    await withHub({ a: server }, async (hub) => {
      for (const ask of [hub.call("a__x"), hub.getPrompt("a", "p")]) {
        await assert.rejects(ask, (error) => {
          assert.ok(error instanceof McpProtocolError);
          assert.ok(
            error.message.endsWith(`object: ${JSON.stringify(answer)}`),
          );
          assert.deepEqual(error.details.result, answer);
          return true;
        });
      }
      assert.equal(server.count("tools/call"), 1);
    });
  }
});

const outputSchema = {
  type: "object",
  properties: { n: { type: "number" } },
  required: ["n"],
};

test("call() holds structured content to the output schema, once the tool has run", async () => {
  const server = new MemoryServer(listed("x", { outputSchema }));
  const give = (answer: JsonObject) => {
    server.answers["tools/call"] = () => answer;
  };
  for (const policy of ["safe", "always"] as const) {
    await withHub({ a: server }, async (hub) => {
      give({ ...text("5"), structuredContent: { n: 5 } });
      assert.deepEqual((await hub.call("a__x")).structuredContent, { n: 5 });
      const before = server.count("tools/call");
      const bad = { ...text("5"), structuredContent: { n: "5" } };
      give(bad);
      await assert.rejects(hub.call("a__x"), (error) => {
        assert.ok(error instanceof McpProtocolError);
        assert.equal(error.server, "a");
        assert.equal(
          error.message,
          'Structured content of tool "x" of MCP server "a" does not fit its output schema: n: expected number, got string',
        );
        assert.deepEqual(error.details.result, { ...bad, isError: false });
        return true;
      });
      give(text("5"));
      await assert.rejects(hub.call("a__x"), McpProtocolError);
      assert.equal(server.count("tools/call"), before + 2);
      // A failure needs none.
      give({ ...text("no"), isError: true });
      assert.equal((await hub.call("a__x")).isError, true);
    }, { retry: { policy }, clock: new InstantClock() });
  }
});
