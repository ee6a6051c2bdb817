import assert from "node:assert/strict";
import { ConfigError, type JsonObject, ProtocolError } from "@sluice/agent";
import { redactedCopy } from "../../src/errors/redact.ts";
import { test } from "../_harness.ts";
import { nextTurn } from "../_turn.ts";
import { randomFrom } from "../options/_random.ts";
import { requestsRig, settle } from "./_requests.ts";
import { HandSink, type OpenSink } from "./_sink.ts";

function idOf(line: Record<string, unknown> | undefined): string {
  assert.ok(typeof line?.["request_id"] === "string");
  return line["request_id"];
}

function success(id: string, response: JsonObject = {}): JsonObject {
  return { subtype: "success", request_id: id, response };
}

test("Requests.send() writes one line and resolves with the answer's response", async () => {
  const { requests, pending, sink, deadlines } = requestsRig();
  const answer = requests.send("set_model", { model: "opus" });
  await nextTurn();
  const [line] = sink.lines();
  assert.match(idOf(line), /^req_1_\d+_[0-9a-f]{8}$/);
  assert.deepEqual(line, {
    type: "control_request",
    request_id: idOf(line),
    request: { subtype: "set_model", model: "opus" },
  });
  settle(pending, success(idOf(line), { ok: true }));
  assert.deepEqual(await answer, { ok: true });
  deadlines.close();
});

test("Requests.send() rejects with the CLI's reason, redacted", async () => {
  const scrub = (text: string) => text.replaceAll("hunter2", "[redacted]");
  const { requests, pending, sink } = requestsRig<OpenSink>(
    300_000,
    undefined,
    (value) => redactedCopy(value, { scrub }),
  );
  const answer = requests.send("set_model").catch((error) => error);
  await nextTurn();
  settle(pending, {
    subtype: "error",
    request_id: idOf(sink.lines()[0]),
    error: "not with hunter2",
  });
  const { message, details } = await answer;
  assert.match(message, /not with \[redacted\]/);
  assert.deepEqual(details, { error: "not with [redacted]" });
}, { ids: ["E-07"] });

test("Requests.send() never lets a field change what is asked for", async () => {
  const { requests, sink } = requestsRig();
  requests.send("interrupt", { subtype: "set_model" });
  await nextTurn();
  assert.deepEqual(sink.lines()[0]?.["request"], { subtype: "interrupt" });
});

test(
  "Requests.send() knows its request before the line is written",
  async () => {
    // Answers inside the write, sooner than any process could.
    const rig = requestsRig(300_000, {
      write: (text: string) => {
        for (const line of text.trimEnd().split("\n")) {
          settle(
            rig.pending,
            success(JSON.parse(line).request_id, { early: 1 }),
          );
        }
        return Promise.resolve();
      },
      end: () => Promise.resolve(),
    });
    assert.deepEqual(await rig.requests.send("interrupt"), { early: 1 });
    assert.equal(rig.metrics.count("unknownResponse"), 0);
  },
  { ids: ["R-01"] },
);

test(
  "Requests.send() brings 1 000 shuffled answers to their own callers",
  async () => {
    const { requests, pending, sink } = requestsRig();
    const random = randomFrom(83);
    const answers = Array.from(
      { length: 1_000 },
      (_, n) => requests.send("get_settings", { n }),
    );
    await nextTurn();
    const lines = sink.lines();
    assert.equal(new Set(lines.map(idOf)).size, 1_000);
    // Together, not one by one.
    assert.equal(sink.writes.length, 1);
    const shuffled = lines.map((line) => ({ line, at: random() }))
      .sort((a, b) => a.at - b.at);
    for (const { line } of shuffled) {
      const { n } = line["request"] as { n: number };
      settle(pending, success(idOf(line), { n }));
    }
    const responses = await Promise.all(answers);
    assert.deepEqual(responses.map(({ n }) => n), [...Array(1_000).keys()]);
    assert.equal(pending.size, 0);
  },
  { ids: ["CP-01", "CP-06", "CP-11"] },
);

test(
  "Requests.send() stays consistent when requests, answers, aborts and time-outs interleave",
  async () => {
    const { requests, pending, sink, clock, metrics } = requestsRig();
    const random = randomFrom(89);
    const outcomes: Promise<string>[] = [];
    const controllers: AbortController[] = [];
    for (let step = 0; step < 400; step++) {
      const roll = random();
      const lines = sink.lines();
      if (roll < 0.5) {
        const controller = new AbortController();
        controllers.push(controller);
        const { signal } = controller;
        outcomes.push(
          requests.send("x", { step }, { signal, timeoutMs: 50 })
            .then(
              ({ n }) => n === step ? "answered" : "wrong",
              (error) => error instanceof ProtocolError ? "late" : "aborted",
            ),
        );
      } else if (roll < 0.8 && lines.length > 0) {
        const line = lines[Math.floor(random() * lines.length)];
        const { step: n = 0 } = (line?.["request"] ?? {}) as { step?: number };
        settle(pending, success(idOf(line), { n }));
      } else if (roll < 0.9) {
        controllers[Math.floor(random() * controllers.length)]?.abort();
      } else await clock.advance(10);
      await Promise.resolve();
    }
    await clock.advance(100);
    const ends = await Promise.all(outcomes);
    assert.equal(pending.size, 0);
    assert.deepEqual(
      new Set(ends),
      new Set(["answered", "late", "aborted"]),
    );
    const total = metrics.count("success") + metrics.count("error") +
      metrics.count("timeout");
    assert.equal(total, metrics.count("request"));
  },
  { ids: ["CP-06", "CP-10"] },
);

test(
  "Requests.send() rejects with the signal's reason and takes the request back",
  async () => {
    const { requests, pending, sink, clock, metrics } = requestsRig();
    const controller = new AbortController();
    const { signal } = controller;
    const answer = requests.send("interrupt", {}, { signal, timeoutMs: 100 });
    const reason = new RangeError("changed my mind");
    await clock.advance(99);
    const aborted = assert.rejects(answer, (error) => error === reason);
    controller.abort(reason);
    assert.equal(pending.size, 0);
    await aborted;
    await nextTurn();
    const [request, cancel, ...more] = sink.lines();
    assert.deepEqual(cancel, {
      type: "control_cancel_request",
      request_id: idOf(request),
    });
    assert.deepEqual(more, []);
    await clock.advance(1_000);
    assert.equal(metrics.count("timeout"), 0);
  },
  { ids: ["CP-08", "T-06", "T-10"] },
);

test("Requests.send() rejects a signal that is aborted already, and sends nothing", async () => {
  const { requests, pending, sink, metrics } = requestsRig();
  const reason = new RangeError("over");
  const signal = AbortSignal.abort(reason);
  await assert.rejects(
    requests.send("interrupt", {}, { signal }),
    (error) => error === reason,
  );
  await nextTurn();
  assert.deepEqual(sink.lines(), []);
  assert.equal(pending.size, 0);
  assert.equal(metrics.count("request"), 0);
});

test(
  "Requests.send() takes nothing back that was settled, and leaves no listener at the signal",
  async () => {
    const { requests, pending, sink } = requestsRig();
    const controller = new AbortController();
    const { signal } = controller;
    let listeners = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (
      ...args: Parameters<typeof addEventListener>
    ) => {
      listeners++;
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (
      ...args: Parameters<typeof removeEventListener>
    ) => {
      listeners--;
      removeEventListener.apply(signal, args);
    };
    const answer = requests.send("interrupt", {}, { signal });
    await nextTurn();
    assert.equal(listeners, 1);
    settle(pending, success(idOf(sink.lines()[0])));
    await answer;
    assert.equal(listeners, 0);
    controller.abort();
    await nextTurn();
    assert.equal(sink.lines().length, 1);
  },
  { ids: ["T-10"] },
);

test(
  "Requests.send() rejects with the write's error when its line was lost",
  async () => {
    const { requests, pending, sink } = requestsRig(300_000, new HandSink());
    const answer = requests.send("interrupt");
    await nextTurn();
    const lost = assert.rejects(answer, /Cannot write to the CLI/);
    sink.fail(new Error("EPIPE"));
    await lost;
    assert.equal(pending.size, 0);
  },
  { ids: ["IO-18"] },
);

test("Requests.send() rejects data that is no JSON, and asks for nothing", async () => {
  const { requests, pending, sink } = requestsRig();
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  await assert.rejects(requests.send("x", circular as JsonObject), ConfigError);
  await nextTurn();
  assert.equal(pending.size, 0);
  assert.deepEqual(sink.lines(), []);
});

test(
  "Requests.send() keeps secrets out of the log and the error of a time-out, not out of its line",
  async () => {
    const { requests, sink, clock, log } = requestsRig();
    const servers = { docs: { headers: { Authorization: "Bearer hidden" } } };
    const answer = requests.send("mcp_set_servers", { servers });
    const late = assert.rejects(answer, (error) => {
      assert.ok(error instanceof ProtocolError);
      assert.ok(!JSON.stringify(error.requestData).includes("hidden"));
      return true;
    });
    await clock.advance(60_000);
    await late;
    assert.ok(log.lines.length > 0);
    assert.ok(!JSON.stringify(log.lines).includes("hidden"));
    assert.deepEqual(sink.lines()[0]?.["request"], {
      subtype: "mcp_set_servers",
      servers,
    });
  },
  { ids: ["E-07"] },
);
