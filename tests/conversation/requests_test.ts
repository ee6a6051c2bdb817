import assert from "node:assert/strict";
import { type JsonObject, ProtocolError, query } from "@sluice/agent";
import { createMcpServer, tool } from "@sluice/agent/mcp";
import { FakeClock } from "@sluice/agent/testing";
import { rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import { pick, randomFrom } from "../options/_random.ts";
import {
  answerLine,
  ASK,
  isAnswerTo,
  isRequest,
  memoryCli,
  metricsSpy,
  requestLine,
  requestOf,
  responseOf,
  turns,
} from "./_rig.ts";

test(
  "a request that is answered inside the write has its answer, and leaves no timer",
  async () => {
    const { transport } = memoryCli({ early: { n: 1 } });
    const clock = new FakeClock();
    const conversation = query(new ReadableStream<string>(), {
      transport,
      clock,
    });
    await conversation.ready;
    const before = clock.pending;
    for (let n = 0; n < 100; n++) {
      const options = { timeoutMs: 1_000 };
      assert.deepEqual(await conversation.request("early", {}, options), {
        n: 1,
      });
    }
    assert.ok(clock.pending <= before + 1, "no timer for each request");
    await conversation.close();
    assert.equal(clock.pending, 0);
  },
  { ids: ["R-01", "T-10"] },
);

test(
  "requests, answers, aborts and time-outs in any order settle each request once",
  async () => {
    const { transport, peer } = memoryCli();
    const clock = new FakeClock();
    const metrics = metricsSpy();
    const conversation = query(new ReadableStream<string>(), {
      transport,
      clock,
      metrics: metrics.metrics,
    });
    await conversation.ready;
    const random = randomFrom(89);
    const outcomes: Promise<string>[] = [];
    const controllers: AbortController[] = [];
    const sent = () => peer.lines.filter(isRequest("x"));
    for (let step = 0; step < 400; step++) {
      const roll = random();
      if (roll < 0.5) {
        const controller = new AbortController();
        controllers.push(controller);
        const options = { signal: controller.signal, timeoutMs: 50 };
        outcomes.push(
          conversation.request("x", { step }, options).then(
            ({ n }) => n === step ? "answered" : "wrong",
            (error) => error instanceof ProtocolError ? "late" : "aborted",
          ),
        );
      } else if (roll < 0.8 && sent().length > 0) {
        const line = pick(random, sent());
        const n = requestOf(line).step ?? null;
        void peer.send(answerLine(line, { n }));
      } else if (roll < 0.9 && controllers.length > 0) {
        pick(random, controllers).abort();
      } else await clock.advance(10);
    }
    await clock.advance(100);
    assert.deepEqual(
      new Set(await Promise.all(outcomes)),
      new Set(["answered", "late", "aborted"]),
    );
    assert.equal(conversation.health().pendingRequests, 0);
    const count = (name: string) =>
      metrics.of(`protocol.${name}`).filter(([kind]) => kind === "x").length;
    assert.equal(
      count("success") + count("error") + count("timeout"),
      count("request"),
    );
    await conversation.close();
  },
  { ids: ["CP-06", "CP-10"] },
);

test(
  "the end of the output rejects every request that waits, with its kind",
  async () => {
    const { transport, peer } = memoryCli();
    const conversation = query(new ReadableStream<string>(), { transport });
    await conversation.ready;
    const waiting = ["a", "b"].map((kind) =>
      rejectionOf(conversation.request(kind))
    );
    await peer.line(isRequest("b"));
    peer.end({ code: 1 });
    for (const [at, error] of (await Promise.all(waiting)).entries()) {
      assert.ok(error instanceof ProtocolError);
      assert.equal(error.category, "transport");
      assert.equal(error.subtype, ["a", "b"][at]);
    }
    assert.equal(conversation.health().pendingRequests, 0);
    await conversation.close();
  },
  { ids: ["R-04", "R-08"] },
);

test("at least the newest 1,000 ids of the CLI are refused a second time, and not all for ever", async () => {
  let asked = 0;
  const { transport, peer } = memoryCli();
  const conversation = query(new ReadableStream<string>(), {
    transport,
    onElicitation: () => {
      asked++;
      return { action: "decline" };
    },
  });
  await conversation.ready;
  const question = (id: number) =>
    requestLine(`${id}`, {
      subtype: "elicitation",
      mcp_server_name: "docs",
      message: "Your name?",
    });
  const count = 5_000;
  const all = Array.from({ length: count }, (_, id) => question(id));
  await peer.send(...all);
  await peer.line(isAnswerTo(`${count - 1}`));
  await peer.send(...all.slice(-1_000), question(0));
  await peer.line(() => asked > count);
  assert.equal(asked, count + 1);
  await turns(2);
  const refused = peer.lines.filter((line) =>
    responseOf(line).error_code === "duplicate_request"
  );
  assert.equal(refused.length, 1_000);
  await conversation.close();
});

test("a question that came as a line and in a list has one answer, also when the other comes after it", async () => {
  const { transport, peer } = memoryCli();
  const conversation = query(new ReadableStream<string>(), {
    transport,
    permissions: { canUseTool: () => ({ behavior: "allow" }) },
  });
  await conversation.ready;
  const initialized = async (question: JsonObject) => {
    const answer = rejectionOf(conversation.request("listing"));
    await peer.line(isRequest("listing"));
    const { request_id } = peer.lines.findLast(isRequest("listing")) ?? {};
    await peer.send({
      type: "control_response",
      response: {
        subtype: "error",
        request_id,
        error: "No",
        pending_permission_requests: [question],
      } as JsonObject,
    });
    await answer;
  };
  await peer.send(requestLine("1", ASK));
  await peer.line(isAnswerTo("1"));
  await initialized(requestLine("1", ASK));
  await initialized(requestLine("2", ASK));
  await peer.line(isAnswerTo("2"));
  await peer.send(requestLine("2", ASK));
  await turns(3);
  for (const id of ["1", "2"]) {
    assert.equal(peer.lines.filter(isAnswerTo(id)).length, 1, id);
  }
  await conversation.close();
});

test("MCP messages under one id are distinguished by their content, and a repeated one runs once", async () => {
  let runs = 0;
  const add = tool({
    name: "add",
    description: "Adds",
    input: { type: "object" },
    run: () => `${++runs}`,
  });
  const { transport, peer } = memoryCli();
  const conversation = query(new ReadableStream<string>(), {
    transport,
    mcpServers: { shop: createMcpServer({ name: "shop", tools: [add] }) },
  });
  await conversation.ready;
  const carry = (message: JsonObject) =>
    peer.send(
      requestLine("r0", {
        subtype: "mcp_message",
        server_name: "shop",
        message: { jsonrpc: "2.0", ...message },
      }),
    );
  const answered = (id: number) => (line: JsonObject) => {
    const response = (responseOf(line).response ?? {}) as JsonObject;
    return (response.mcp_response as JsonObject | undefined)?.id === id;
  };
  const params = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "c", version: "1" },
  };
  await carry({ id: 0, method: "initialize", params });
  await peer.line(answered(0));
  await carry({ method: "notifications/initialized" });
  const call = { id: 10, method: "tools/call", params: { name: "add" } };
  await carry(call);
  await peer.line(answered(10));
  await carry(call);
  await turns(3);
  assert.equal(runs, 1);
  assert.equal(peer.lines.filter(answered(10)).length, 1);
  assert.ok(!peer.lines.some((line) => responseOf(line).subtype === "error"));
  await conversation.close();
});
