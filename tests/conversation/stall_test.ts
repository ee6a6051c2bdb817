import assert from "node:assert/strict";
import {
  type AgentOptions,
  Client,
  CliExitError,
  CliStalledError,
  type Conversation,
  type JsonObject,
  query,
  ResultError,
} from "@sluice/agent";
import { FakeClock, type MemoryPair } from "@sluice/agent/testing";
import { Deferred } from "@sluice/agent/extend";
import { collect, rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import {
  answerLine,
  ASK,
  assistantLine,
  begin,
  INIT,
  isAnswerTo,
  isPrompt,
  isRequest,
  memoryCli,
  metricsSpy,
  REPLY,
  requestLine,
  resultLine,
  stateLine,
  turns,
} from "./_rig.ts";

const TOOL_USE: JsonObject = {
  ...assistantLine("x"),
  message: {
    ...assistantLine("x").message as JsonObject,
    content: [{ type: "tool_use", id: "t", name: "Bash", input: {} }],
  },
};

/** A CLI whose stdin was closed after its answer, and that does not exit. */
async function beginStaying(options: AgentOptions = {}) {
  const clock = new FakeClock();
  const { transport, peer } = memoryCli({}, { staysOpen: true });
  const conversation = query("x", { ...options, transport, clock });
  const reading = collect(conversation);
  await conversation.ready;
  await peer.send(
    stateLine("running"),
    resultLine({ result: "done" }),
    stateLine("idle"),
  );
  await peer.inputEnded();
  return { clock, peer, conversation, reading };
}

async function end(clock: FakeClock, conversation: Conversation) {
  const closing = conversation.close();
  await clock.advance(60_000);
  await closing;
}

test(
  "a stall is reported on errors, once each, and counted, and is not fatal",
  async () => {
    const { metrics, of } = metricsSpy();
    const { clock, peer, conversation, reading } = await begin({ metrics });
    await peer.send(stateLine("running"));
    const errors = conversation.errors.getReader();
    await clock.advance(300_000);
    const { value: first } = await errors.read();
    assert.ok(first instanceof CliStalledError);
    assert.equal(first.fatal, false);
    assert.equal(first.idleMs, 120_000);
    await peer.send(assistantLine("there again"));
    await clock.advance(120_000);
    const { value: second } = await errors.read();
    assert.ok(second instanceof CliStalledError);
    assert.notEqual(second, first);
    assert.deepEqual(of("transport.error"), [["read", first], [
      "read",
      second,
    ]]);
    await end(clock, conversation);
    assert.equal((await reading).error, undefined);
    assert.equal((await errors.read()).done, true);
  },
  { ids: ["P-10"] },
);

/** Output of a CLI that answers nothing any more. */
const SILENCES: Readonly<
  Record<string, (uuids: readonly string[]) => readonly JsonObject[]>
> = {
  "idle with a prompt unanswered": () => [
    stateLine("running"),
    stateLine("idle"),
  ],
  "a result that names an unknown prompt": () => [
    resultLine({ user_message_uuids: ["somebody-else"] }),
  ],
  "the same from a CLI that reports its state": () => [
    stateLine("running"),
    resultLine({ user_message_uuids: ["somebody-else"] }),
    stateLine("idle"),
  ],
  "a decision without a request to the host": () => [
    stateLine("requires_action"),
  ],
  "an answer, and no word of idle": ([first]) => [
    stateLine("running"),
    resultLine({ user_message_uuids: [first ?? ""] }),
  ],
};

for (const [what, lines] of Object.entries(SILENCES)) {
  test(`onIdle: "fail" ends ${what}`, async () => {
    const { clock, peer, conversation, reading, uuids } = await begin({
      health: { onIdle: "fail" },
    });
    await peer.send(...lines(uuids));
    await turns(2);
    await clock.advance(119_999);
    assert.notEqual(conversation.health().state, "stalled");
    await clock.advance(1);
    const { error } = await reading;
    assert.ok(error instanceof CliStalledError, String(error));
    assert.equal(error.fatal, true);
    await end(clock, conversation);
  }, { ids: ["P-10"] });
}

test("an open tool without a byte is a stall after ten times the silence of a turn", async () => {
  const { clock, peer, conversation, reading } = await begin({
    health: { onIdle: "fail", checkMs: 1_000, idleMs: 10_000 },
  });
  await peer.send(stateLine("running"), TOOL_USE);
  await clock.advance(99_000);
  await peer.send({ ...PROGRESS });
  await clock.advance(99_000);
  assert.equal(conversation.health().state, "waiting");
  await clock.advance(1_000);
  const { error } = await reading;
  assert.ok(error instanceof CliStalledError);
  assert.equal(error.idleMs, 100_000);
  await end(clock, conversation);
});

const PROGRESS: JsonObject = {
  type: "tool_progress",
  tool_use_id: "t",
  tool_name: "Bash",
  parent_tool_use_id: null,
  elapsed_time_seconds: 30,
  session_id: "s",
  uuid: "u",
};

test("a permission that waits here for an hour is no stall, its turn is one afterwards", async () => {
  let answer: (() => void) | undefined;
  const { clock, peer, conversation, reading } = await begin({
    timeouts: { permissionMs: 10_000_000 },
    permissions: {
      canUseTool: () =>
        new Promise((resolve) => {
          answer = () => resolve({ behavior: "allow" });
        }),
    },
    health: { onIdle: "fail" },
  });
  await peer.send(
    stateLine("requires_action"),
    requestLine("p1", {
      subtype: "can_use_tool",
      tool_name: "Bash",
      input: {},
      tool_use_id: "t",
    }),
  );
  await clock.advance(3_600_000);
  assert.equal(conversation.health().state, "waiting");
  answer?.();
  await clock.advance(1);
  await clock.advance(119_000);
  assert.equal(conversation.health().state, "waiting");
  await clock.advance(60_000);
  assert.ok((await reading).error instanceof CliStalledError);
  await end(clock, conversation);
});

test("keep_alive is no sign of life, other lines are", async () => {
  const { clock, peer, conversation, reading } = await begin({
    health: { onIdle: "fail" },
  });
  await peer.send(stateLine("running"));
  for (let minute = 0; minute < 3; minute++) {
    await clock.advance(60_000);
    await peer.send({ type: "system", subtype: "status", status: null });
  }
  for (let second = 0; second < 112; second += 7) {
    await clock.advance(7_000);
    await peer.send({ type: "keep_alive" });
  }
  await clock.advance(8_000);
  const { error } = await reading;
  assert.ok(error instanceof CliStalledError);
  assert.ok(
    Number(conversation.health().lastActivityAt) > clock.now() - 20_000,
    "bytes came all the same",
  );
  await end(clock, conversation);
});

test("a prompt that nothing answers is given up after the stall: text() rejects and names it", async () => {
  const { clock, peer, conversation, reading, uuids } = await begin({
    count: 2,
  });
  const errors = collect(conversation.errors);
  const [first, second] = uuids;
  await peer.send(
    stateLine("running"),
    resultLine({ user_message_uuids: [first ?? ""] }),
    stateLine("idle"),
  );
  await clock.advance(119_000);
  assert.equal(peer.hasInputEnded, false);
  await clock.advance(1_000);
  await peer.inputEnded();
  const { error } = await reading;
  assert.ok(error instanceof CliExitError);
  assert.deepEqual(error.details.unanswered, [second]);
  const { items } = await errors;
  assert.deepEqual(items.map(({ code }) => code), ["cli_stalled", "cli_exit"]);
});

test("one result without a name for two prompts answers the first, and the second is lost after a bounded wait", async () => {
  for (const states of [false, true]) {
    const { clock, peer, reading } = await begin({ count: 2 });
    if (states) await peer.send(stateLine("running"));
    await peer.send(assistantLine("both"), resultLine({ result: "both" }));
    if (states) await peer.send(stateLine("idle"));
    await clock.advance(119_000);
    assert.equal(peer.hasInputEnded, false, "a second may come");
    await clock.advance(1_000);
    await peer.inputEnded();
    const { error, items } = await reading;
    assert.ok(error instanceof CliExitError, String(error));
    assert.equal(error.details.unansweredCount, 1);
    assert.equal(items.at(-1)?.type, "result");
  }
});

test("a CLI that still works on the second prompt is not given up, whatever it reports", async () => {
  const init = { type: "system", subtype: "status", status: "requesting" };
  for (const state of [stateLine("running"), { ...init, uuid: "u" }]) {
    const { clock, peer, reading } = await begin({ count: 2 });
    await peer.send(resultLine({ result: "one" }));
    await clock.advance(60_000);
    await peer.send(INIT, { ...state, session_id: "s" });
    await clock.advance(1_000_000);
    assert.equal(peer.hasInputEnded, false);
    await peer.send(resultLine({ result: "two" }), stateLine("idle"));
    await peer.inputEnded();
    assert.equal((await reading).error, undefined);
  }
});

test("ask() of a prompt that no result names rejects, and the client continues", async () => {
  for (const names of [false, true]) {
    const clock = new FakeClock();
    const { transport, peer } = memoryCli();
    const client = new Client({ transport, clock });
    await client.connect();
    await client.sendMessage("one");
    const asking = client.ask("two");
    const settled = asking.then(({ subtype }) => subtype, (error) => error);
    await peer.line((line) =>
      isPrompt(line) && peer.lines.filter(isPrompt).length === 2
    );
    const [first] = peer.lines.filter(isPrompt);
    const name = names ? { user_message_uuids: [String(first?.uuid)] } : {};
    await peer.send(stateLine("running"), resultLine(name), stateLine("idle"));
    await clock.advance(120_000);
    const outcome = await settled;
    assert.ok(outcome instanceof ResultError, String(outcome));
    assert.equal(client.state, "connected");
    const next = client.ask("three");
    await peer.line((line) =>
      isPrompt(line) && peer.lines.filter(isPrompt).length === 3
    );
    const third = peer.lines.filter(isPrompt)[2];
    await peer.send(
      stateLine("running"),
      resultLine({
        result: "third",
        ...names && { user_message_uuids: [String(third?.uuid)] },
      }),
      stateLine("idle"),
    );
    const { subtype, ...result } = await next;
    assert.equal(subtype, "success");
    assert.equal("result" in result && result.result, "third");
    const closing = client.close();
    await clock.advance(60_000);
    await closing;
  }
});

test("a CLI that does not exit after stdin was closed is reported as a stall and stopped, and its answer counts", async () => {
  const clock = new FakeClock();
  const { transport, peer } = memoryCli({}, { staysOpen: true });
  const conversation = query("x", { transport, clock });
  const text = conversation.text();
  await conversation.ready;
  await peer.send(resultLine({ result: "done" }));
  await peer.inputEnded();
  await clock.advance(119_000);
  assert.equal(peer.stops.length, 0);
  await clock.advance(31_000);
  assert.equal(await text, "done");
  assert.equal(peer.stops[0]?.reason, "finished");
  const { items } = await collect(conversation.errors);
  assert.deepEqual(items.map(({ code }) => code), ["cli_stalled"]);
  await end(clock, conversation);
});

test('onIdle: "fail" ends a CLI that does not exit after stdin was closed', async () => {
  const clock = new FakeClock();
  const { transport, peer } = memoryCli({}, { staysOpen: true });
  const conversation = query("x", {
    transport,
    clock,
    health: { onIdle: "fail" },
  });
  const text = rejectionOf(conversation.text());
  await conversation.ready;
  await peer.send(resultLine());
  await peer.inputEnded();
  await clock.advance(120_000);
  assert.ok(await text instanceof CliStalledError);
  await end(clock, conversation);
});

/** Output of a CLI that is no work. */
type Noise = JsonObject | string | ((peer: MemoryPair["peer"]) => JsonObject);

const NOISES: Readonly<Record<string, Noise>> = {
  "lines that are no messages": "junk\n",
  "bytes without the end of a line": "x",
  "keep_alive": { type: "keep_alive" },
  "cancellations of requests that were never made": {
    type: "control_cancel_request",
    request_id: "none",
  },
  "answers to requests that were never made": answerLine(
    { request_id: "none" },
    {},
  ),
  "answers without an id": { type: "control_response", response: {} },
  "more answers to initialize": (peer) =>
    answerLine(peer.lines.find(isRequest("initialize")) ?? {}, REPLY),
  "requests of an unknown kind": () =>
    requestLine(crypto.randomUUID(), { subtype: "brand_new" }),
  "requests without a kind": () => requestLine(crypto.randomUUID(), {}),
  "requests that were answered": requestLine("one", {
    subtype: "elicitation",
    mcp_server_name: "docs",
    message: "?",
  }),
};

function lineOf(noise: Noise, peer: MemoryPair["peer"]): JsonObject | string {
  return typeof noise === "function" ? noise(peer) : noise;
}

for (const [what, noise] of Object.entries(NOISES)) {
  test(`${what} are no sign of life in a turn`, async () => {
    const { clock, peer, conversation, reading } = await begin({
      health: { onIdle: "fail" },
    });
    await peer.send(stateLine("running"));
    for (let ms = 0; ms <= 130_000; ms += 10_000) {
      void peer.send(lineOf(noise, peer));
      await clock.advance(10_000);
    }
    assert.ok((await reading).error instanceof CliStalledError);
    await end(clock, conversation);
  }, { ids: ["P-10"] });
}

test(
  "requests of this program that the CLI does not answer are no sign of life, those that it answers are",
  async () => {
    const { clock, peer, conversation, reading } = await begin({
      health: { onIdle: "fail" },
      timeouts: { controlMs: 30_000 },
    });
    await peer.send(stateLine("running"));
    const seen = new Set<JsonObject>();
    for (let ms = 0; ms < 300_000; ms += 60_000) {
      const answered = conversation.request("known");
      const line = await peer.line((one) =>
        isRequest("known")(one) && !seen.has(one)
      );
      seen.add(line);
      // The last one is late: its caller has given up on it.
      if (ms === 240_000) await clock.advance(40_000);
      await peer.send(answerLine(line, {}));
      await answered.catch(() => {});
      await clock.advance(60_000);
    }
    assert.equal(conversation.health().state, "running");
    for (let ms = 0; ms < 90_000; ms += 10_000) {
      void conversation.request("unknown").catch(() => {});
      await clock.advance(10_000);
    }
    const { error } = await reading;
    assert.ok(error instanceof CliStalledError);
    await end(clock, conversation);
  },
  { timeoutMs: 20_000 },
);

test("questions that are served are signs of life: when they come, when they are taken back, and when they are answered", async () => {
  const decision = new Deferred<void>();
  const { clock, peer, conversation, reading } = await begin({
    health: { onIdle: "fail" },
    permissions: {
      canUseTool: async () => {
        await decision.promise;
        return { behavior: "allow" };
      },
      timeoutMs: Infinity,
    },
  });
  await peer.send(stateLine("running"));
  await clock.advance(100_000);
  await peer.send(requestLine("first", ASK));
  await clock.advance(500_000);
  await peer.send({ type: "control_cancel_request", request_id: "first" });
  await clock.advance(100_000);
  assert.equal(conversation.health().state, "running");
  await peer.send(requestLine("second", ASK));
  await clock.advance(500_000);
  decision.resolve();
  await peer.line(isAnswerTo("second"));
  await clock.advance(100_000);
  assert.equal(conversation.health().state, "running");
  await clock.advance(20_000);
  const { error } = await reading;
  assert.ok(error instanceof CliStalledError);
  assert.equal(error.idleMs, 120_000);
  await end(clock, conversation);
});

const STATUS: JsonObject = {
  type: "system",
  subtype: "status",
  status: null,
  session_id: "s",
  uuid: "u",
};

for (
  const [what, noise] of Object.entries({
    ...NOISES,
    "messages of no turn": STATUS,
  })
) {
  test(
    `a CLI that does not exit after stdin was closed is stopped, whatever it keeps writing: ${what}`,
    async () => {
      const { clock, peer, conversation, reading } = await beginStaying();
      for (let ms = 0; ms <= 130_000; ms += 10_000) {
        void peer.send(lineOf(noise, peer));
        await clock.advance(10_000);
      }
      assert.equal(peer.stops[0]?.reason, "finished");
      await clock.advance(60_000);
      assert.equal((await reading).error, undefined);
      await end(clock, conversation);
    },
    { ids: ["P-10"] },
  );
}

test("a turn that the CLI begins after stdin was closed is work: its messages put off the stop", async () => {
  const { clock, peer, conversation, reading } = await beginStaying();
  await peer.send(stateLine("running"));
  for (let ms = 0; ms < 300_000; ms += 10_000) {
    await peer.send(STATUS);
    await clock.advance(10_000);
  }
  await peer.send(resultLine({ result: "again" }), stateLine("idle"));
  await clock.advance(110_000);
  assert.equal(peer.stops.length, 0);
  await clock.advance(60_000);
  assert.equal(peer.stops[0]?.reason, "finished");
  assert.equal((await reading).error, undefined);
  await end(clock, conversation);
});

/** A clock whose time of day can be set, as a person or NTP does. */
class SetClock extends FakeClock {
  setMs = 0;

  override now(): number {
    return super.now() + this.setMs;
  }
}

for (const setMs of [3_600_000, -3_600_000]) {
  test(`a machine whose clock is set by ${setMs} ms ends no healthy turn, and reports a stall when it is one`, async () => {
    const clock = new SetClock();
    const { peer, conversation, reading } = await begin({ clock });
    await peer.send(stateLine("running"), assistantLine("at work"));
    const errors = conversation.errors.getReader();
    const { startedAt, lastActivityAt } = conversation.health();
    clock.setMs = setMs;
    await clock.advance(60_000);
    assert.equal(conversation.health().state, "running");
    await clock.advance(60_000);
    assert.equal(conversation.health().state, "stalled");
    const { value: stall } = await errors.read();
    assert.ok(stall instanceof CliStalledError);
    assert.equal(stall.idleMs, 120_000);
    assert.equal(stall.processInfo.runtimeMs, 120_000);
    // Times of day are those of the day.
    assert.deepEqual(conversation.health().startedAt, startedAt);
    await peer.send(assistantLine("again"));
    await turns(5);
    assert.equal(
      Number(conversation.health().lastActivityAt) - Number(lastActivityAt),
      120_000 + setMs,
    );
    await end(clock, conversation);
    assert.equal((await reading).error, undefined);
  });

  test(`a control request ends at its timeout on a machine whose clock is set by ${setMs} ms`, async () => {
    const clock = new SetClock();
    const { conversation } = await begin({ clock });
    const answer = rejectionOf(conversation.request("nobody_answers"));
    clock.setMs = setMs;
    await clock.advance(59_999);
    assert.equal(conversation.health().pendingRequests, 1);
    await clock.advance(1);
    assert.match((await answer as Error).message, /within 60000 ms/);
    await end(clock, conversation);
  });
}

test(
  "an unknown session state leaves a turn to its result: answered, the conversation ends without a stall",
  async () => {
    for (const afterResult of [false, true]) {
      const { clock, peer, conversation, reading } = await begin({
        health: { onIdle: "fail" },
      });
      await peer.send(stateLine("running"), assistantLine("here"));
      if (!afterResult) await peer.send(stateLine("napping"));
      assert.equal(conversation.health().state, "running");
      await peer.send(resultLine({ result: "done" }));
      if (afterResult) await peer.send(stateLine("napping"));
      await peer.inputEnded();
      const { items, error } = await reading;
      assert.equal(error, undefined);
      assert.equal(items.at(-1)?.type, "result");
      assert.equal(clock.monotonic(), 0);
      await end(clock, conversation);
    }
  },
  { timeoutMs: 20_000 },
);

test(
  "an unknown session state does not lift the limit on a turn's silence",
  async () => {
    const { clock, peer, conversation, reading } = await begin({
      health: { onIdle: "fail" },
    });
    await peer.send(stateLine("running"), stateLine("napping"));
    await clock.advance(120_000);
    assert.ok((await reading).error instanceof CliStalledError);
    await end(clock, conversation);
  },
  { timeoutMs: 20_000 },
);

test(
  "control lines put off no stop of a CLI that has begun a turn after stdin was closed",
  async () => {
    const { clock, peer, conversation, reading } = await beginStaying();
    await peer.send(stateLine("running"));
    for (let ms = 0; ms <= 130_000; ms += 10_000) {
      void peer.send({ type: "control_cancel_request", request_id: "none" });
      await clock.advance(10_000);
    }
    assert.equal(peer.stops[0]?.reason, "finished");
    await reading;
    await end(clock, conversation);
  },
  { timeoutMs: 20_000 },
);
