import assert from "node:assert/strict";
import { type Metrics, query } from "@sluice/agent";
import { fakeCli, FakeClock } from "@sluice/agent/testing";
import { collect, rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import {
  answerLine,
  assistantLine,
  isRequest,
  memoryCli,
  metricsSpy,
  requestLine,
  resultLine,
  turns,
} from "./_rig.ts";

const encoder = new TextEncoder();

test(
  "TransportMetrics counts discovery, start, each line both ways, and the end",
  async () => {
    const fake = fakeCli("Grüße");
    const spy = metricsSpy();
    const conversation = query("Grüße", {
      cliPath: fake.cliPath,
      metrics: spy.metrics,
    });
    await collect(conversation);
    await conversation.close();
    const [run] = fake.runs;
    const [discovery, ...others] = spy.of("transport.cliDiscovery");
    assert.deepEqual(others, []);
    assert.equal(discovery?.[0], fake.cliPath[0]);
    assert.ok(Number(discovery?.[1]) >= 0);
    assert.equal(discovery?.[2], true);
    assert.deepEqual(spy.of("transport.processStart"), [[run?.pid]]);
    const [exit, ...more] = spy.of("transport.processExit");
    assert.deepEqual(more, []);
    assert.equal(exit?.[0], 0);
    assert.ok(Number(exit?.[1]) > 0);
    assert.deepEqual(
      spy.of("transport.messageSent").map(([bytes]) => bytes),
      run?.received.map((line) =>
        encoder.encode(`${JSON.stringify(line)}\n`).length
      ),
    );
    const { bytesRead, bytesWritten, messagesReceived, messagesSent } =
      conversation.health();
    const received = spy.of("transport.messageReceived")
      .map(([bytes]) => Number(bytes));
    const sent = spy.of("transport.messageSent").map(([bytes]) =>
      Number(bytes)
    );
    assert.equal(received.length, messagesReceived);
    assert.equal(sent.length, messagesSent);
    assert.equal(sum(sent), bytesWritten);
    // Newlines are not counted with what was read.
    assert.equal(sum(received) + received.length, bytesRead);
    assert.deepEqual(spy.of("transport.error"), []);
    await fake.close();
  },
  { ids: ["D-16", "OB-01", "OB-05", "OB-06", "OB-07", "E-10", "P-08"] },
);

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

test("TransportMetrics.error tells each stage once", async () => {
  // Not at its start, where the first write may fail before the exit is seen.
  const dead = fakeCli({ turns: [[{ exit: 3 }]] });
  const silent = fakeCli({ initialize: "silent" });
  const deaf = fakeCli({ readStdin: false, start: [{ wait: "forever" }] });
  const { transport, peer } = memoryCli();
  const cases = [
    ["discovery", { cliPath: "/nowhere/claude" }],
    ["connect", { cliPath: silent.cliPath, timeouts: { connectMs: 200 } }],
    ["exit", { cliPath: dead.cliPath }],
    ["write", { cliPath: deaf.cliPath, timeouts: { writeMs: 100 } }],
    ["read", { transport }],
  ] as const;
  for (const [stage, options] of cases) {
    const spy = metricsSpy();
    const conversation = query("x".repeat(stage === "write" ? 2_000_000 : 1), {
      ...options,
      metrics: spy.metrics,
    });
    const reading = collect(conversation);
    if (stage === "read") {
      await conversation.ready;
      peer.fail(new Error("Broken"));
      peer.end();
    }
    const { error } = await reading;
    await conversation.close();
    assert.deepEqual(spy.of("transport.error"), [[stage, error]], stage);
  }
  for (const fake of [dead, silent, deaf]) await fake.close();
}, { ids: ["OB-01"] });

test("a search without a result is reported with success false", async () => {
  const spy = metricsSpy();
  const conversation = query("x", {
    cliPath: "/nowhere/claude",
    metrics: spy.metrics,
  });
  await rejectionOf(conversation.ready);
  await conversation.close();
  const [call] = spy.of("transport.cliDiscovery");
  assert.equal(call?.[0], "/nowhere/claude");
  assert.equal(call?.[2], false);
  assert.deepEqual(spy.of("transport.processStart"), []);
}, { ids: ["OB-05"] });

test(
  "ProtocolMetrics counts requests both ways: success with its time, refusal, time-out, strays, sweeps and failures",
  async () => {
    const spy = metricsSpy();
    const clock = new FakeClock();
    const { transport, peer } = memoryCli({
      mcp_status: {},
      set_model: () => undefined,
      get_settings: () => undefined,
    });
    const conversation = query("x", {
      transport,
      clock,
      metrics: spy.metrics,
      health: { checkMs: 1_000_000 },
      permissions: {
        canUseTool: (tool) => {
          if (tool === "Bad") throw new Error("No idea");
          return { behavior: "allow" };
        },
      },
    });
    await conversation.ready;
    assert.deepEqual(spy.of("protocol.request"), [["initialize"]]);
    assert.deepEqual(
      spy.of("protocol.success").map(([subtype]) => subtype),
      ["initialize"],
    );
    assert.deepEqual(spy.of("protocol.pendingRequests"), [[1], [0]]);
    spy.calls.length = 0;

    await conversation.mcpStatus();
    assert.deepEqual(spy.of("protocol.success"), [["mcp_status", 0]]);

    const refused = rejectionOf(conversation.settings());
    const request = await peer.line(isRequest("get_settings"));
    await clock.advance(250);
    await peer.send({
      type: "control_response",
      response: {
        subtype: "error",
        request_id: request.request_id,
        error: "No",
      },
    });
    await refused;
    assert.deepEqual(spy.of("protocol.error"), [["get_settings"]]);

    const late = rejectionOf(conversation.setModel("x", { timeoutMs: 100 }));
    const lateRequest = await peer.line(isRequest("set_model"));
    await clock.advance(100);
    await late;
    assert.deepEqual(spy.of("protocol.timeout"), [["set_model"]]);
    await clock.advance(360_000);
    assert.deepEqual(spy.of("protocol.orphanedRequests"), [[1]]);
    await peer.send(answerLine(lateRequest, {}));
    assert.deepEqual(spy.of("protocol.unknownResponse"), [
      [lateRequest.request_id],
    ]);

    await peer.send(
      requestLine("p1", {
        subtype: "can_use_tool",
        tool_name: "Good",
        input: {},
      }),
      requestLine("p2", {
        subtype: "can_use_tool",
        tool_name: "Bad",
        input: {},
      }),
      { type: "control_request" },
    );
    await turns(3);
    assert.deepEqual(
      spy.of("protocol.request").map(([subtype]) => subtype),
      [
        "mcp_status",
        "get_settings",
        "set_model",
        "can_use_tool",
        "can_use_tool",
      ],
    );
    const [failure] = spy.of("protocol.handlerFailure");
    assert.equal(failure?.[0], "can_use_tool");
    assert.ok(failure[1] instanceof Error);
    assert.deepEqual(spy.of("protocol.malformedMessage"), [
      ["control_request"],
    ]);
    assert.equal(
      Math.max(...spy.of("protocol.pendingRequests").map(([n]) => Number(n))),
      1,
    );
    const closing = conversation.close();
    await clock.advance(60_000);
    await closing;
  },
  { ids: ["OB-02", "OB-03", "OB-08", "OB-09", "CP-04", "CP-09"] },
);

test(
  "ParserMetrics counts every message by type, what is unknown, and what is wrong",
  async () => {
    const spy = metricsSpy();
    const { transport, peer } = memoryCli();
    const conversation = query("x", { transport, metrics: spy.metrics });
    await conversation.ready;
    // A consumer waits, so that each is parsed on arrival.
    const reading = collect(conversation);
    await peer.send(
      assistantLine("a"),
      { type: "invented" },
      { type: "system", subtype: "odd" },
      {
        ...assistantLine("x"),
        message: {
          ...assistantLine("x").message as object,
          content: [{ type: "hologram" }],
        },
      },
      { ...assistantLine("x"), message: 5 },
      resultLine(),
    );
    await reading;
    await conversation.close();
    assert.deepEqual(spy.of("parser.parse"), [
      ["assistant", true],
      ["invented", true],
      ["system", true],
      ["assistant", true],
      ["assistant", false],
      ["result", true],
    ]);
    assert.deepEqual(spy.of("parser.unknownMessageType"), [
      ["invented"],
      ["system/odd"],
    ]);
    assert.deepEqual(spy.of("parser.unknownBlockType"), [["hologram"]]);
    assert.deepEqual(spy.of("parser.parseError"), [["assistant", "message"]]);
  },
  { ids: ["OB-04", "OB-10", "OB-11"] },
);

test(
  "metrics of two conversations do not mix, and every member may be missing",
  async () => {
    const fake = fakeCli("ok");
    const [one, two] = [metricsSpy(), metricsSpy()];
    await Promise.all([
      query("x", { cliPath: fake.cliPath, metrics: one.metrics }).text(),
      query("x", { cliPath: fake.cliPath, metrics: two.metrics }).text(),
      query("x", {
        cliPath: fake.cliPath,
        metrics: { transport: {}, protocol: {}, parser: {} },
      }).text(),
      query("x", { cliPath: fake.cliPath, metrics: {} }).text(),
    ]);
    const pids = [one, two].map((spy) => spy.of("transport.processStart"));
    assert.equal(pids[0]?.length, 1);
    assert.equal(pids[1]?.length, 1);
    assert.notDeepEqual(pids[0], pids[1]);
    await fake.close();
  },
  { ids: ["DEC-06", "OB-01", "OB-02", "OB-04"] },
);

test("metrics that throw in every member change nothing", async () => {
  const group = new Proxy({}, {
    get: () => () => {
      throw new Error("No disk");
    },
  });
  const metrics: Metrics = { transport: group, protocol: group, parser: group };
  const script = [[
    "a",
    { line: "noise" },
    { line: { type: "assistant" } },
    { tool: "Bash" },
    "b",
  ]] as const;
  const outcomes = [];
  for (const options of [{}, { metrics }]) {
    const { cliPath } = fakeCli(script);
    const conversation = query("x", {
      ...options,
      cliPath,
      permissions: { canUseTool: () => Promise.reject(new Error("No")) },
    });
    const [messages, errors] = await Promise.all([
      collect(conversation),
      collect(conversation.errors),
    ]);
    await conversation.close();
    outcomes.push([
      messages.error,
      messages.items.map(({ type }) => type),
      errors.items.map(({ code }) => code),
    ]);
  }
  assert.deepEqual(outcomes[0], outcomes[1]);
  assert.equal((outcomes[0]?.[2] as []).length, 3);
}, { ids: ["OB-14", "R-06"] });

test("blank lines are no messages and are not counted, with and without a reader", async () => {
  for (const isRead of [true, false]) {
    const { metrics, of } = metricsSpy();
    const { transport, peer } = memoryCli();
    const conversation = query("x", { transport, metrics });
    await conversation.ready;
    const reading = isRead ? collect(conversation) : undefined;
    const before = conversation.health().messagesReceived;
    for (const blank of ["\n", "\r\n", "   \n", " \t \r\n", "\n \n\n"]) {
      await peer.send(blank);
    }
    await peer.send(resultLine());
    await peer.inputEnded();
    assert.equal(conversation.health().messagesReceived, before + 1);
    assert.equal(of("transport.messageReceived").length, before + 1);
    assert.deepEqual(of("parser.parseError"), []);
    await (reading ?? collect(conversation));
    await conversation.close();
  }
});
