import assert from "node:assert/strict";
import { Client, type JsonObject, type Message } from "@sluice/agent";
import { telemetry } from "@sluice/agent/otel";
import { FakeClock } from "@sluice/agent/testing";
import {
  assistantLine,
  INIT,
  memoryCli,
  requestLine,
  resultLine,
  stateLine,
} from "../conversation/_rig.ts";
import { test } from "../_harness.ts";
import { spansInMemory } from "./_spans.ts";

const ERROR = 2;

/** A line of the model, with these blocks. */
function says(
  id: string,
  blocks: readonly JsonObject[],
  more: JsonObject = {},
  message: JsonObject = {},
): JsonObject {
  const line = assistantLine("");
  const inner = {
    ...line.message as JsonObject,
    id,
    content: blocks,
    ...message,
  };
  return { ...line, message: inner, ...more };
}

function call(id: string, name: string): JsonObject {
  return { type: "tool_use", id, name, input: {} };
}

/** The result of a tool call. */
function result(
  id: string,
  more: JsonObject = {},
  block: JsonObject = {},
): JsonObject {
  const content = [{
    type: "tool_result",
    tool_use_id: id,
    content: "ok",
    ...block,
  }];
  return {
    type: "user",
    message: { role: "user", content },
    parent_tool_use_id: null,
    ...more,
  };
}

function text(of: string): JsonObject {
  return { type: "text", text: of };
}

/** A piece of a message that is being written. */
function piece(event: JsonObject): JsonObject {
  return {
    type: "stream_event",
    event,
    parent_tool_use_id: null,
    session_id: "s",
    uuid: "u",
  };
}

const OF_AGENT = { parent_tool_use_id: "task" };
const STARTED: JsonObject = {
  type: "system",
  subtype: "task_started",
  task_id: "a1",
  tool_use_id: "task",
  description: "x",
  subagent_type: "Explore",
  uuid: "u",
  session_id: "s",
};
const NOTIFIED: JsonObject = {
  type: "system",
  subtype: "task_notification",
  task_id: "a1",
  status: "completed",
  output_file: "",
  summary: "",
  uuid: "u",
  session_id: "s",
};

/** A client with telemetry, its first prompt sent, and the CLI that it talks to. */
async function talking() {
  const memory = spansInMemory();
  const { transport, peer } = memoryCli();
  const { options } = telemetry({ tracer: memory.tracer, agentName: "helper" });
  const client = new Client(options({ transport, clock: new FakeClock() }));
  await client.connect();
  await client.sendMessage("x");
  return { ...memory, peer, client };
}

test("What a subagent does is below the tool call that began it", async () => {
  const { tree, one, peer, client } = await talking();
  await peer.send(
    INIT,
    says("m1", [call("task", "Agent")]),
    STARTED,
    says("m2", [call("t2", "Read")], OF_AGENT),
    result("t2", OF_AGENT, { is_error: true }),
    says("m3", [text("found")], OF_AGENT),
    result("task"),
    NOTIFIED,
    says("m4", [text("done")]),
    resultLine(),
  );
  await client.close();
  assert.deepEqual(tree(), [
    "invoke_agent helper",
    "  startup",
    "  turn",
    "    chat m",
    "    chat m",
    "    execute_tool Agent",
    "      chat m",
    "      chat m",
    "      execute_tool Read",
  ]);
  const { attributes } = one("execute_tool Agent");
  assert.equal(attributes["sluice.subagent.type"], "Explore");
  const read = one("execute_tool Read");
  assert.deepEqual(read.status, { code: ERROR });
  assert.equal(read.attributes["error.type"], "tool_error");
});

test("A permission request of a subagent that no message has named yet is below the only call that can have begun it", async () => {
  const { tree, peer, client } = await talking();
  const asks = (id: string, agent_id: string) =>
    requestLine(id, {
      subtype: "can_use_tool",
      tool_name: "Bash",
      input: { command: "ls" },
      tool_use_id: id,
      agent_id,
    });
  await peer.send(
    INIT,
    says("m1", [call("task", "Agent")]),
    asks("t1", "a1"),
    STARTED,
    says("m2", [call("task2", "Agent"), call("task3", "Agent")]),
    asks("t2", "a2"),
    resultLine(),
  );
  await client.close();
  assert.deepEqual(
    tree().filter((line) => !line.includes("chat")),
    [
      "invoke_agent helper",
      "  startup",
      "  turn",
      "    execute_tool Agent",
      "      execute_tool Bash",
      "        permission Bash",
      "    execute_tool Agent",
      "    execute_tool Agent",
      "    execute_tool Bash",
      "      permission Bash",
    ],
  );
});

test("A subagent in the background stays below its tool call, whatever the turns do", async () => {
  const { tree, one, spans, peer, client } = await talking();
  await peer.send(
    INIT,
    says("m1", [call("task", "Agent")]),
    STARTED,
    result("task"),
    // So many that ended calls are forgotten.
    ...Array.from({ length: 40 }, (_, n) => [
      says("m0", [call(`g${n}`, "Glob")]),
      result(`g${n}`),
    ]).flat(),
    says("m2", [call("t2", "Read")], OF_AGENT),
    says("m3", [text("begun")]),
    resultLine(),
  );
  // The CLI is idle after the first turn; what the agent says is no sign of the second.
  await client.sendMessage("y");
  await peer.send(
    says("m4", [call("t3", "Grep")], OF_AGENT),
    stateLine("idle"),
    result("t2", OF_AGENT),
    result("t3", OF_AGENT),
    NOTIFIED,
  );
  assert.equal(spans().filter(({ name }) => name === "turn").length, 1);
  await peer.send(INIT, says("m5", [text("done")]), resultLine());
  await client.close();
  assert.deepEqual(tree().filter((one) => !one.includes("Glob")), [
    "invoke_agent helper",
    "  startup",
    "  turn",
    "    chat m",
    "    chat m",
    "    chat m",
    "    execute_tool Agent",
    "      chat m",
    "      chat m",
    "      execute_tool Grep",
    "      execute_tool Read",
    "  turn",
    "    chat m",
  ]);
  for (const name of ["execute_tool Read", "execute_tool Grep"]) {
    assert.equal(one(name).status.code, 0, name);
  }
});

test("A model request lasts from its input to its last block, by the clock of the CLI", async () => {
  const { spans, peer, client } = await talking();
  const at = (ms: number) => ({
    timestamp: new Date(beganMs + ms).toISOString(),
  });
  const beganMs = Date.now() - 10_000;
  const usage = {
    input_tokens: 1,
    output_tokens: 1,
    cache_read_input_tokens: 2,
    cache_creation_input_tokens: 3,
  };
  await peer.send(
    INIT,
    says("m1", [call("t1", "Bash")], at(0)),
    result("t1", at(2_000)),
    says("m2", [text("a")], at(3_000), { usage }),
    says("m2", [text("b")], at(5_000)),
    // Written by the CLI.
    says("m3", [text("c")], at(6_000), { model: "<synthetic>" }),
    resultLine(),
  );
  await client.close();
  const chats = spans().filter(({ name }) => name === "chat m");
  const msOf = ([seconds, nanos]: readonly [number, number]) =>
    Math.round(seconds * 1e3 + nanos / 1e6) - beganMs;
  assert.equal(chats.length, 2);
  const last = chats[1];
  assert.deepEqual(last && [msOf(last.startTime), msOf(last.endTime)], [
    2_000,
    5_000,
  ]);
  assert.equal(last?.attributes["gen_ai.usage.input_tokens"], 6);
  const tool = spans().find(({ name }) => name === "execute_tool Bash");
  assert.deepEqual(tool && [msOf(tool.startTime), msOf(tool.endTime)], [
    0,
    2_000,
  ]);
});

test("Pieces of a message and its blocks are one model request", async () => {
  const { spans, peer, client } = await talking();
  const { message } = says("m1", []);
  const usage = { output_tokens: 9 };
  await peer.send(
    INIT,
    piece({ type: "message_start", message: message ?? {} }),
    says("m1", [text("a")]),
    piece({
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage,
    }),
    piece({ type: "message_stop" }),
    says("m1", [text("b")]),
    resultLine(),
  );
  await client.close();
  const chats = spans().filter(({ name }) => name === "chat m");
  assert.equal(chats.length, 1);
  assert.equal(chats[0]?.attributes["gen_ai.usage.output_tokens"], 9);
});

test("A malformed message hides no other", async () => {
  const { tree, peer, client } = await talking();
  // In one piece.
  const lines = [
    INIT,
    piece({ type: "message_start" }),
    piece({ type: "message_delta" }),
    says("m1", [call("t1", "Bash")]),
    result("t1"),
    resultLine({ usage: null, modelUsage: null }),
  ];
  await peer.send(lines.map((one) => JSON.stringify(one)).join("\n") + "\n");
  await client.close();
  const names = tree().map((line) => line.trim());
  for (const name of ["turn", "chat m", "execute_tool Bash"]) {
    assert.ok(names.includes(name), name);
  }
});

test("Of an event of a content block, telemetry reads its index alone", () => {
  const { tracer } = spansInMemory();
  const { metrics } = telemetry({ tracer }).options();
  const observer = metrics?.conversation?.begin?.({ isWarm: false });
  const reads: string[] = [];
  const counted = (name: string, of: object): JsonObject =>
    new Proxy(of, {
      get(target, key) {
        reads.push(`${name}.${String(key)}`);
        return Reflect.get(target, key);
      },
    }) as JsonObject;
  const types = ["start", "delta", "stop"].map((one) => `content_block_${one}`);
  const messages = types.map((type) => {
    const event = counted("event", { type, index: 0 });
    return counted("message", piece(event));
  });
  observer?.messages?.(messages as unknown as readonly Message[]);
  assert.deepEqual(
    reads,
    types.flatMap(() => ["message.event", "event.index"]),
  );
});
