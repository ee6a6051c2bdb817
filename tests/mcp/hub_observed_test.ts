import assert from "node:assert/strict";
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { type HubMetrics, McpFailure } from "@sluice/agent/mcp";
import { test } from "../_harness.ts";
import { InstantClock, MemoryServer, text, withHub } from "./_hub.ts";

const TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/** Notes what a hub tells of its requests. */
function notes(traceparent?: string): {
  readonly metrics: HubMetrics;
  readonly calls: string[];
} {
  const calls: string[] = [];
  return {
    calls,
    metrics: {
      request({ server, method, tool }) {
        const name = [server, method, tool].filter(Boolean).join(" ");
        return {
          ...traceparent !== undefined && { trace: () => ({ traceparent }) },
          retry: (error) =>
            void calls.push(`${name} retry ${error instanceof McpFailure}`),
          end: ({ attempts, error, isError }) =>
            void calls.push(
              `${name} ${attempts} ${
                error === undefined
                  ? isError
                  : error instanceof Error && error.name
              }`,
            ),
        };
      },
    },
  };
}

test("Metrics of a hub see each request, its retries and its end", async () => {
  const { metrics, calls } = notes();
  const server = new MemoryServer("x");
  const failures: unknown[] = [
    new McpFailure("Refused", { kind: "network", delivery: "not_sent" }),
  ];
  const answers = [text("ok"), { ...text("no"), isError: true }];
  server.answers["tools/call"] = () => {
    if (failures.length > 0) throw failures.shift();
    return answers.shift() ?? null;
  };
  await withHub({ a: server }, async (hub) => {
    await hub.call("a__x");
    await hub.call("a__x");
    await assert.rejects(hub.readResource("a", "file:///x"));
    await assert.rejects(hub.call("b__x"), { name: "UnknownServerError" });
  }, { metrics, clock: new InstantClock() });
  assert.equal(calls[0], "a initialize 1 false");
  assert.deepEqual(calls.filter((one) => /call|read/.test(one)), [
    "a tools/call x retry true",
    "a tools/call x 2 false",
    "a tools/call x 1 true",
    "a resources/read 1 JsonRpcError",
  ]);
});

test("The trace of an observer reaches the server in _meta, over the caller's", async () => {
  const { metrics } = notes(TRACE);
  const server = new MemoryServer("x");
  server.answers["resources/read"] = () => ({ contents: [] });
  await withHub({ a: server }, async (hub) => {
    await hub.call("a__x", {}, { meta: { own: 1, traceparent: "00-theirs" } });
    await hub.readResource("a", "file:///x");
  }, { metrics });
  assert.deepEqual(
    server.asked.filter(({ method }) => method !== "tools/list")
      .map(({ params }) => params._meta),
    [{ own: 1, traceparent: TRACE }, { traceparent: TRACE }],
  );
});

test("Without metrics the active span reaches the server, unless the caller gives one", async () => {
  const manager = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(manager);
  const server = new MemoryServer("x");
  const span = trace.wrapSpanContext({
    traceId: "0af7651916cd43dd8448eb211c80319c",
    spanId: "b7ad6b7169203331",
    traceFlags: 1,
  });
  try {
    await withHub({ a: server }, async (hub) => {
      await hub.call("a__x");
      await context.with(trace.setSpan(context.active(), span), async () => {
        await hub.call("a__x", {}, { meta: { own: 1 } });
        await hub.call("a__x", {}, { meta: { traceparent: "00-theirs" } });
      });
    });
  } finally {
    context.disable();
    manager.disable();
  }
  assert.deepEqual(
    server.asked.filter(({ method }) => method === "tools/call")
      .map(({ params }) => params._meta),
    [undefined, { own: 1, traceparent: TRACE }, { traceparent: "00-theirs" }],
  );
});

test("Metrics of a hub that throw disturb nothing", async () => {
  const fail = () => {
    throw new Error("broken");
  };
  const requests: unknown[] = [
    fail,
    () => 7,
    () => ({ trace: fail, end: fail }),
    () => new Proxy({}, { get: fail }),
    () => ({ trace: () => ({ traceparent: { not: "a text" } }) }),
  ];
  for (const request of requests) {
    const server = new MemoryServer("x");
    await withHub({ a: server }, async (hub) => {
      assert.equal((await hub.call("a__x")).isError, false);
    }, { metrics: { request } as HubMetrics });
    assert.deepEqual(server.asked.at(-1)?.params, { name: "x", arguments: {} });
  }
});
