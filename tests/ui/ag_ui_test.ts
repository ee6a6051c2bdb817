import assert from "node:assert/strict";
import type { Approval, Message } from "@sluice/agent";
import { textStream } from "@sluice/agent";
import { type AgUiEvent, agUiEvents, type AgUiRunIds } from "@sluice/agent/ui";
import type { Event } from "@ag-ui/core";
import { EventSchemas } from "@ag-ui/core/schemas";
import { agUiMapping } from "../../src/ui/ag_ui.ts";
import { collect } from "../_collect.ts";
import { test } from "../_harness.ts";
import { assistant, CALL, result, results } from "./_messages.ts";
import { played, questionOf, recordedRuns } from "./_runs.ts";

/** An event of AG-UI as JSON has it: names of types are texts, and lists are not read-only. */
type Json<T> = T extends readonly (infer Item)[] ? Json<Item>[]
  : T extends string ? `${T}`
  : T extends object ? { -readonly [Key in keyof T]: Json<T[Key]> }
  : T;

/** Our events are events of AG-UI. */
function theirs(event: Json<AgUiEvent>): Json<Event> {
  return event;
}

/** Checks events by the schemas, and their order. */
function check(events: readonly AgUiEvent[], name: string): void {
  const open = new Set<string>();
  const begin = (key: string) => {
    assert.ok(!open.has(key), `${name}: ${key} begins twice`);
    open.add(key);
  };
  const inside = (key: string) =>
    assert.ok(open.has(key), `${name}: ${key} is not open`);
  const end = (key: string) =>
    assert.ok(open.delete(key), `${name}: ${key} ends without a beginning`);
  for (const [at, event] of events.entries()) {
    const json = theirs(JSON.parse(JSON.stringify(event)));
    const read = EventSchemas.safeParse(json);
    assert.ok(read.success, `${name}: ${JSON.stringify(event)}`);
    assert.equal(event.type === "RUN_STARTED", at === 0, name);
    const isLast = at === events.length - 1;
    assert.equal(/^RUN_(?:FINISHED|ERROR)$/.test(event.type), isLast, name);
    if ("subagentRunId" in event && event.type.startsWith("TEXT")) {
      inside(`subagent ${event.subagentRunId}`);
    }
    switch (event.type) {
      case "TEXT_MESSAGE_START":
      case "REASONING_MESSAGE_START":
      case "REASONING_START":
        begin(`${event.type.slice(0, -6)} ${event.messageId}`);
        break;
      case "TEXT_MESSAGE_CONTENT":
      case "REASONING_MESSAGE_CONTENT":
        assert.notEqual(event.delta, "", name);
        inside(`${event.type.slice(0, -8)} ${event.messageId}`);
        break;
      case "TEXT_MESSAGE_END":
      case "REASONING_MESSAGE_END":
      case "REASONING_END":
        end(`${event.type.slice(0, -4)} ${event.messageId}`);
        break;
      case "TOOL_CALL_START":
        begin(`call ${event.toolCallId}`);
        break;
      case "TOOL_CALL_ARGS":
        inside(`call ${event.toolCallId}`);
        break;
      case "TOOL_CALL_END":
        end(`call ${event.toolCallId}`);
        break;
      case "SUBAGENT_STARTED":
        begin(`subagent ${event.subagentRunId}`);
        break;
      case "SUBAGENT_FINISHED":
        end(`subagent ${event.subagentRunId}`);
        break;
    }
  }
  assert.deepEqual([...open], [], name);
}

async function eventsOf(
  messages: readonly Message[],
  { error, ids }: { readonly error?: unknown; readonly ids?: AgUiRunIds } = {},
): Promise<readonly AgUiEvent[]> {
  const { items, error: thrown } = await collect(
    agUiEvents(played(messages, error), ids),
  );
  assert.equal(thrown, undefined);
  return items;
}

/** Inputs of calls, put together. */
function inputsIn(events: readonly AgUiEvent[]): Record<string, unknown> {
  const texts = new Map<string, string>();
  for (const event of events) {
    if (event.type !== "TOOL_CALL_ARGS") continue;
    const { toolCallId: id, delta } = event;
    texts.set(id, (texts.get(id) ?? "") + delta);
  }
  return Object.fromEntries(
    [...texts].map(([id, text]) => [id, JSON.parse(text)]),
  );
}

test("every recorded run is a run that the schemas of AG-UI accept, in order and with its text", async () => {
  for (const [name, messages] of await recordedRuns()) {
    const events = await eventsOf(messages);
    check(events, name);
    const { items } = await collect(textStream(played(messages)));
    const text = events.flatMap((event) =>
      event.type === "TEXT_MESSAGE_CONTENT" &&
        event.subagentRunId === undefined
        ? [event.delta]
        : []
    );
    assert.equal(text.join(""), items.join(""), name);
    const whole = messages.filter(({ type }) => type !== "stream_event");
    assert.deepEqual(
      Object.entries(inputsIn(events)).filter(([, input]) => input !== null),
      Object.entries(inputsIn(await eventsOf(whole))),
      name,
    );
  }
});

test("a run that is cut at every message stays in order", async () => {
  for (const [name, messages] of await recordedRuns()) {
    for (let length = 0; length <= Math.min(messages.length, 60); length++) {
      const cut = messages.slice(0, length);
      const error = length % 2 === 0 ? new Error("broken pipe") : undefined;
      const events = await eventsOf(cut, { error });
      check(events, `${name} at ${length}`);
      const last = events.at(-1);
      if (error === undefined) continue;
      assert.equal(last?.type, "RUN_ERROR");
      assert.equal(last.message, "broken pipe");
    }
  }
});

test("a question may overtake the message with its call, and inputs stay whole", async () => {
  let tried = 0;
  for (const [name, messages] of await recordedRuns()) {
    const question = await questionOf(messages, { behavior: "allow" });
    if (question === undefined) continue;
    const inputs = inputsIn(await eventsOf(messages));
    const { toolUseId } = question.asked.request;
    const end = messages.findIndex((message) =>
      message.type === "user" &&
      JSON.stringify(message).includes(`"tool_use_id":"${toolUseId}"`)
    );
    for (let place = 0; place <= end; place++) {
      const mapping = agUiMapping();
      const events: AgUiEvent[] = [];
      for (const [at, message] of messages.entries()) {
        if (at === place) events.push(...mapping.approval(question.asked));
        events.push(...mapping.message(message));
      }
      events.push(...mapping.approval(question.answered), ...mapping.end());
      check(events, `${name} at ${place}`);
      assert.deepEqual(inputsIn(events), inputs, `${name} at ${place}`);
      const custom = events.filter(({ type }) => type === "CUSTOM");
      assert.deepEqual(
        custom.map((event) =>
          "value" in event && (event.value as Approval).decision?.behavior
        ),
        [undefined, "allow"],
      );
      tried++;
    }
  }
  assert.ok(tried > 20, `${tried} places`);
});

test("a run ends with its result, its usage and its cost", async () => {
  const ids = { threadId: "thread", runId: "run" };
  const [first, last] = await eventsOf([result(), result()], { ids });
  assert.deepEqual(first, {
    type: "RUN_STARTED",
    ...ids,
    protocolVersion: "1.0",
  });
  assert.deepEqual(last, {
    type: "RUN_FINISHED",
    ...ids,
    result: "Done.",
    outcome: { type: "success" },
    usage: [{
      provider: "anthropic",
      inputTokens: 30,
      outputTokens: 10,
      totalTokens: 40,
      cachedInputTokens: 6,
      cacheWriteInputTokens: 4,
    }],
    metadata: { sessionId: "s1", costUsd: 0.25, durationMs: 12 },
  });
  const [start] = await eventsOf([result()]);
  assert.deepEqual(start, {
    type: "RUN_STARTED",
    threadId: "s1",
    runId: "u1",
    protocolVersion: "1.0",
  });
});

test("a failed, interrupted or deferred turn ends its run accordingly", async () => {
  const deferred = {
    stop_reason: "tool_deferred",
    deferred_tool_use: CALL,
  };
  const cases: readonly (readonly [object, object])[] = [
    [{ is_error: true, result: "Bad key" }, {
      type: "RUN_ERROR",
      message: "Bad key",
      code: "success",
    }],
    [{ structured_output: [1] }, { type: "RUN_FINISHED", result: [1] }],
    [{ is_error: true, terminal_reason: "aborted_tools" }, {
      type: "RUN_FINISHED",
      outcome: { type: "cancelled" },
    }],
    [deferred, {
      type: "RUN_FINISHED",
      outcome: {
        type: "interrupt",
        interrupts: [{
          id: "t1",
          reason: "tool_call",
          message: "Bash",
          toolCallId: "t1",
        }],
      },
    }],
  ];
  for (const [fields, expected] of cases) {
    const events = await eventsOf([result(fields)]);
    check(events, JSON.stringify(fields));
    const last = events.at(-1) as Readonly<Record<string, unknown>> | undefined;
    for (const [key, value] of Object.entries(expected)) {
      assert.deepEqual(last?.[key], value, key);
    }
  }
  const messages = [assistant([CALL]), result(deferred)];
  const question = await questionOf(messages, undefined);
  assert.ok(question);
  const mapping = agUiMapping();
  mapping.approval(question.asked);
  messages.forEach((message) => mapping.message(message));
  const [last] = mapping.end();
  assert.ok(last?.type === "RUN_FINISHED" && last.outcome.type === "interrupt");
  assert.equal(last.outcome.interrupts[0]?.id, question.asked.request.id);
});

test("a subagent begins with its first part and ends with the result of its call", async () => {
  const by = { parent_tool_use_id: "t0" };
  const call = {
    ...CALL,
    id: "t0",
    name: "Agent",
    input: { subagent_type: "helper" },
  };
  const events = await eventsOf([
    assistant([call]),
    assistant([{ type: "text", text: "from below" }], by),
    assistant([CALL], by),
    results({ type: "tool_result", tool_use_id: "t0", content: "done" }),
    assistant([{ type: "text", text: "from above" }]),
  ]);
  check(events, "subagent");
  const seen = events.map((event) => {
    const by = "subagentRunId" in event ? ` ${event.subagentRunId}` : "";
    return `${event.type}${by}`;
  });
  assert.deepEqual(seen.slice(4, 12), [
    "SUBAGENT_STARTED t0",
    ...["START", "CONTENT", "END"].map((one) => `TEXT_MESSAGE_${one} t0`),
    ...["START", "ARGS", "END"].map((one) => `TOOL_CALL_${one} t0`),
    "SUBAGENT_FINISHED t0",
  ]);
  const started = events.find(({ type }) => type === "SUBAGENT_STARTED");
  assert.ok(started && "name" in started && started.name === "helper");
  const failed = await eventsOf([
    results({ type: "tool_result", tool_use_id: "t1", is_error: true }),
  ]);
  const end = failed.find(({ type }) => type === "TOOL_CALL_RESULT");
  assert.deepEqual(end && "metadata" in end && end.metadata, {
    outcome: "failed",
  });
});
