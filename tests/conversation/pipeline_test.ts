import assert from "node:assert/strict";
import {
  CliError,
  type JsonObject,
  type JsonValue,
  query,
} from "@sluice/agent";
import { collect } from "../_collect.ts";
import { test } from "../_harness.ts";
import { assistantLine, memoryCli, resultLine } from "./_rig.ts";

test("a transport that gives something else than bytes is a fatal CliError of stage read", async () => {
  const { transport, peer } = memoryCli();
  const conversation = query("x", {
    transport: {
      open: async (launch, signal) => {
        const channel = await transport.open(launch, signal);
        const reader = channel.readable.getReader();
        let count = 0;
        return {
          ...channel,
          readable: new ReadableStream({
            async pull(controller) {
              const { value, done } = await reader.read();
              if (done) return controller.close();
              controller.enqueue(count++ < 2 ? value : "text" as never);
            },
          }, { highWaterMark: 0 }),
        };
      },
    },
  });
  const reading = collect(conversation);
  await conversation.ready;
  await peer.send(assistantLine("a"), assistantLine("b"));
  peer.end();
  const { items, error } = await reading;
  assert.equal(items.length, 1);
  assert.ok(error instanceof CliError);
  assert.equal(error.stage, "read");
  await conversation.close();
});

const ODD: readonly JsonValue[] = [
  null,
  0,
  -1.5,
  "",
  "text",
  true,
  [],
  [null],
  [[]],
  {},
  { type: 5 },
  { type: "text" },
];

/** Messages that the conversation looks into, each with all fields it may have. */
const LOOKED_INTO: readonly JsonObject[] = [
  resultLine({
    user_message_uuid: "a",
    user_message_uuids: ["a"],
    structured_output: {},
    errors: [],
  }),
  assistantLine("a"),
  {
    type: "user",
    message: { role: "user", content: [{ type: "tool_result" }] },
    parent_tool_use_id: null,
    session_id: "s",
    uuid: "u",
    isReplay: true,
  },
  {
    type: "stream_event",
    event: { type: "message_stop" },
    parent_tool_use_id: null,
    session_id: "s",
    uuid: "u",
  },
  {
    type: "system",
    subtype: "session_state_changed",
    state: "running",
    sdk_host_only: true,
    session_id: "s",
    uuid: "u",
  },
  {
    type: "system",
    subtype: "background_tasks_changed",
    tasks: [],
    session_id: "s",
    uuid: "u",
  },
  {
    type: "system",
    subtype: "task_started",
    task_id: "b",
    description: "d",
    is_backgrounded: true,
    session_id: "s",
    uuid: "u",
  },
  {
    type: "system",
    subtype: "task_updated",
    task_id: "b",
    patch: { status: "running", is_backgrounded: true },
    session_id: "s",
    uuid: "u",
  },
  {
    type: "command_lifecycle",
    command_uuid: "x",
    state: "started",
    session_id: "s",
    uuid: "u",
  },
];

test("no value in any field of a message ends the stream", async () => {
  const { transport, peer } = memoryCli();
  async function* prompts(): AsyncGenerator<string> {
    yield "x";
    await new Promise(() => {});
  }
  const conversation = query(prompts(), { transport });
  await conversation.ready;
  const reading = collect(conversation);
  const errors = collect(conversation.errors);
  let sent = 0;
  for (const message of LOOKED_INTO) {
    for (const name of Object.keys(message)) {
      if (name === "type") continue;
      for (const value of ODD) {
        sent++;
        await peer.send({ ...message, [name]: value });
      }
      const { [name]: _left, ...rest } = message;
      await peer.send(rest);
      sent++;
    }
  }
  await peer.send(assistantLine("still here"));
  await conversation.close();
  const { items, error } = await reading;
  assert.equal(error, undefined);
  assert.ok(sent > 400);
  assert.ok(items.length > 100);
  const last = items.at(-1);
  assert.ok(last?.type === "assistant" && last.uuid === "u");
  assert.equal((await errors).error, undefined);
  for (const one of (await errors).items) assert.equal(one.fatal, false);
}, { ids: ["R-03", "PA-01", "QA-03"] });
