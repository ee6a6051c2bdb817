import assert from "node:assert/strict";
import { Scope } from "../../src/async/scope.ts";
import { ActivityFeed } from "../../src/conversation/activity.ts";
import { Ending } from "../../src/conversation/ending.ts";
import { ErrorFeed } from "../../src/conversation/error_feed.ts";
import { makeParts } from "../../src/conversation/parts.ts";
import { Pipeline } from "../../src/conversation/pipeline.ts";
import {
  makeServices,
  type Services,
} from "../../src/conversation/services.ts";
import {
  CliError,
  type JsonObject,
  type JsonValue,
  type Message,
  type ProcessHealth,
  ProtocolError,
  query,
} from "@sluice/agent";
import { resolveOptions } from "../../src/options/resolve.ts";
import { host } from "../_children.ts";
import { Queue } from "../../src/stream/queue.ts";
import type { Router } from "../../src/wire/router.ts";
import { collect, rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import { assistantLine, memoryCli, resultLine } from "./_rig.ts";
import { CliChannel } from "../../src/conversation/cli_channel.ts";

const encoder = new TextEncoder();

test(
  "a stage that fails is a fatal ProtocolError after what had passed, and the last of errors",
  async () => {
    const settings = resolveOptions({});
    const runtime = await host();
    const queue = new Queue<Message>(() => {});
    const errors = new ErrorFeed();
    const scope = new Scope();
    let services: Services | undefined = undefined;
    const ending = new Ending({
      queue,
      errors,
      scope,
      reporter: () => services?.reporter,
    });
    const made = services = makeServices(
      {
        settings,
        queue,
        errors,
        ending,
        scope,
        isKeptOpen: false,
        progress: { position: () => 0, passed: () => Promise.resolve() },
        decided: Promise.resolve(),
        signal: new AbortController().signal,
        health: () => ({}) as ProcessHealth,
        activity: new ActivityFeed({
          state: () => "idle",
          details: () => ({ queued: 0, waitingFor: [], tasks: [] }),
          now: Date.now,
        }),
      },
      runtime,
      new CliChannel(settings, runtime),
    );
    const told: unknown[] = [];
    services = {
      ...made,
      reporter: { ...made.reporter, tell: (error) => void told.push(error) },
    };
    const parts = await makeParts(made);
    queue.open();
    errors.open();
    let isBroken = false;
    const boom = new Error("A bug");
    const router = {
      push: (values: JsonValue[]) => {
        if (isBroken) throw boom;
        return parts.router.push(values);
      },
    } as unknown as Router;
    const pipeline = new Pipeline(parts, { ...parts, router }, false);
    const line = encoder.encode(`${JSON.stringify(resultLine())}\n`);
    pipeline.push(line);
    isBroken = true;
    pipeline.push(line);
    pipeline.push(line);
    assert.equal((await queue.take())?.length, 1);
    const error = await rejectionOf(queue.take());
    assert.ok(error instanceof ProtocolError);
    assert.equal(error.category, "protocol");
    assert.equal(error.fatal, true);
    assert.equal(error.cause, boom);
    errors.end();
    assert.deepEqual((await collect(errors.stream)).items, [error]);
    assert.deepEqual(told, [error]);
    assert.equal(ending.reason, "failed");
    await scope.close();
  },
  { ids: ["R-07"] },
);

test("a transport that gives something else than bytes is a fatal CliError of stage read", async () => {
  const { transport, far } = memoryCli();
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
  await far.send(assistantLine("a"), assistantLine("b"));
  far.end();
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
  const { transport, far } = memoryCli();
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
        await far.send({ ...message, [name]: value });
      }
      const { [name]: _left, ...rest } = message;
      await far.send(rest);
      sent++;
    }
  }
  await far.send(assistantLine("still here"));
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
