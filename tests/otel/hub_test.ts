import assert from "node:assert/strict";
import { test } from "../_harness.ts";
import { type HubOptions, McpFailure } from "@sluice/agent/mcp";
import { telemetry } from "@sluice/agent/otel";
import { InstantClock, MemoryServer, text, withHub } from "../mcp/_hub.ts";
import { metersInMemory } from "./_meters.ts";
import { spansInMemory } from "./_spans.ts";

test("A hub has a span for each request, which its server continues", async () => {
  const { tracer, tree, one } = spansInMemory();
  const { meter, points } = metersInMemory();
  const ends: unknown[] = [];
  const own: HubOptions = {
    clock: new InstantClock(),
    metrics: {
      request: ({ method }) => ({ end: () => void ends.push(method) }),
    },
  };
  const server = new MemoryServer("x");
  let failures = 1;
  server.answers["tools/call"] = () => {
    if (failures-- > 0) {
      throw new McpFailure("Down", { kind: "http", status: 503 });
    }
    return { ...text("no"), isError: true };
  };
  await withHub({ a: server }, async (hub) => {
    await hub.call("a__x", {}, { idempotent: true });
    await assert.rejects(hub.readResource("a", "file:///x"));
  }, telemetry({ tracer, meter }).hub(own));
  assert.deepEqual(tree(), ["initialize", "resources/read", "tools/call x"]);
  const call = one("tools/call x");
  assert.deepEqual(call.attributes, {
    "mcp.method.name": "tools/call",
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "x",
    "sluice.mcp.server": "a",
    "sluice.mcp.attempts": 2,
    "error.type": "tool_error",
  });
  assert.deepEqual(call.events.map(({ name }) => name), ["retry"]);
  const { traceId, spanId } = call.spanContext();
  assert.deepEqual(
    server.asked.filter(({ method }) => method === "tools/call").at(-1)?.params
      ._meta,
    { traceparent: `00-${traceId}-${spanId}-01` },
  );
  assert.equal(one("resources/read").attributes["error.type"], "JsonRpcError");
  assert.deepEqual(ends, ["initialize", "tools/call", "resources/read"]);
  const durations = await points("mcp.client.operation.duration");
  assert.deepEqual(durations.map(([, count]) => count), [1, 1, 1]);
});
