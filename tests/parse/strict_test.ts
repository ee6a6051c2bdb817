import assert from "node:assert/strict";
import type { JsonObject, Message, ParseError } from "@sluice/agent";
import { loadStrictCheck, Parser } from "../../src/parse/parser.ts";
import { test } from "../_harness.ts";
import { assistant, BLOCK_SAMPLES, SAMPLES, user } from "./_samples.ts";
import { recordedMessages } from "./_transcripts.ts";

async function parseStrictly(
  ...values: readonly (JsonObject | Message)[]
): Promise<{ messages: readonly Message[]; errors: readonly ParseError[] }> {
  const errors: ParseError[] = [];
  const parser = new Parser({
    report: (error) => errors.push(error),
    strict: await loadStrictCheck(),
  });
  return { messages: parser.push(values.map(toJson)), errors };
}

function toJson(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value));
}

/** The text of an error up to the place where it tells the message. */
function factOf(error: ParseError | undefined): string | undefined {
  return error?.message.split(" (message: ")[0];
}

test("strict Parser finds nothing in the samples of every kind", async () => {
  const { messages, errors } = await parseStrictly(
    ...Object.values(SAMPLES),
    assistant(Object.values(BLOCK_SAMPLES)),
  );
  assert.deepEqual(errors, []);
  assert.equal(messages.length, Object.keys(SAMPLES).length + 1);
});

test("strict Parser finds nothing in the recorded runs", async () => {
  const strict = await loadStrictCheck();
  for (const [name, lines] of await recordedMessages()) {
    const parser = new Parser({
      report: (error) => assert.fail(`${name}: ${error.message}`),
      strict,
    });
    assert.equal(parser.push(lines), lines, name);
  }
}, { ids: ["PA-07", "PA-15"] });

test("strict validation looks no further than at the problems that it tells", async () => {
  let looks = 0;
  const tools = new Proxy(Array.from({ length: 200_000 }, (_, n) => n), {
    get(list, key) {
      looks++;
      return Reflect.get(list, key);
    },
  });
  const strict = await loadStrictCheck();
  const problems = strict(
    { ...toJson(SAMPLES["system/init"]), tools } as unknown as JsonObject,
  );
  assert.equal(problems.length, 20);
  assert.equal(problems[19]?.field, "tools[19]");
  assert.ok(looks < 1_000, `${looks} looks`);
});

test("strict Parser reports a deviation and delivers the message", async () => {
  const cases: readonly [kind: string, patch: JsonObject, fact: string][] = [
    [
      "assistant",
      { timestamp: 7 },
      'Field "timestamp": expected string, got number',
    ],
    [
      "assistant",
      { error: "bad_luck" },
      'Field "error": expected one of "authentication_failed", "oauth_org_not_allowed", ',
    ],
    [
      "assistant",
      { tool_use_meta: [{}] },
      'Field "tool_use_meta[0].id" is missing',
    ],
    [
      "user",
      { isSynthetic: "yes" },
      'Field "isSynthetic": expected boolean, got string',
    ],
    ["user", { uuid: 7 }, 'Field "uuid": expected string, got number'],
    [
      "user",
      { origin: { kind: "channel" } },
      'Field "origin.server" is missing',
    ],
    [
      "user",
      { origin: { kind: "ghost" } },
      'Field "origin.kind": expected one of "human", "coordinator", ',
    ],
    ["user", { origin: {} }, 'Field "origin.kind" is missing'],
    [
      "user",
      { origin: "ghost" },
      'Field "origin": expected object, got string',
    ],
    ["stream_event", { event: {} }, 'Field "event.type" is missing'],
    [
      "stream_event",
      { event: { type: "content_block_stop" } },
      'Field "event.index" is missing',
    ],
    ["stream_event", {
      event: {
        type: "content_block_delta",
        index: 0,
        delta: { type: "text_delta", text: 7 },
      },
    }, 'Field "event.delta.text": expected string, got number'],
    [
      "result/success",
      { usage: { input_tokens: "many" } },
      'Field "usage.input_tokens": expected number, got string',
    ],
    [
      "result/success",
      { modelUsage: { "a.b/c": { inputTokens: null } } },
      'Field "modelUsage.a.b/c.inputTokens": expected number, got null',
    ],
    [
      "result/error_max_turns",
      { errors: ["a", 7] },
      'Field "errors[1]": expected string, got number',
    ],
    [
      "system/init",
      { tools: [7] },
      'Field "tools[0]": expected string, got number',
    ],
    [
      "system/init",
      { permissionMode: "yolo" },
      'Field "permissionMode": expected one of "default", ',
    ],
    [
      "system/status",
      { status: "dancing" },
      'Field "status": expected one of "compacting", "requesting", null, got "dancing"',
    ],
    [
      "system/compact_boundary",
      { compact_metadata: { trigger: "manual" } },
      'Field "compact_metadata.pre_tokens" is missing',
    ],
    ["system/api_retry", { error_status: "529" }, ""],
    [
      "rate_limit_event",
      { rate_limit_info: {} },
      'Field "rate_limit_info.status" is missing',
    ],
    [
      "active_goal",
      { value: { condition: "x" } },
      'Field "value.iterations" is missing',
    ],
  ];
  for (const [kind, patch, fact] of cases) {
    const message = { ...toJson(SAMPLES[kind]), ...patch };
    const { messages, errors } = await parseStrictly(message);
    if (fact === "") {
      // Required fields do not depend on strictness.
      assert.deepEqual(messages, [], kind);
      continue;
    }
    assert.deepEqual(messages, [message], kind);
    assert.ok(
      errors.some((error) => factOf(error)?.startsWith(fact)),
      `${kind}: ${errors.map(factOf).join()}`,
    );
    assert.ok(errors.every(({ fatal }) => !fatal));
  }
}, { ids: ["PA-01"] });

test("strict Parser tells the block that deviates", async () => {
  const { messages, errors } = await parseStrictly(assistant([
    { type: "text", text: "One" },
    { type: "tool_result", tool_use_id: "toolu_1", is_error: "no" as never },
    { type: "server_tool_use" } as never,
    { type: "hologram" } as never,
  ]));
  assert.equal(messages.length, 1);
  assert.deepEqual(errors.map(({ field, details }) => [field, details]), [
    ["message.content[1].is_error", { blockType: "tool_result", index: 1 }],
    ["message.content[2].id", { blockType: "server_tool_use", index: 2 }],
    ["message.content[2].name", { blockType: "server_tool_use", index: 2 }],
    ["message.content[2].input", { blockType: "server_tool_use", index: 2 }],
  ]);
}, { ids: ["PA-01", "PA-11"] });

test("strict Parser reports the wrong inside of the API message", async () => {
  const message = toJson(assistant([]));
  const { errors } = await parseStrictly({
    ...message,
    message: { content: [], role: "user" },
  });
  assert.deepEqual(errors.map(({ field }) => field), [
    "message.id",
    "message.type",
    "message.model",
    "message.stop_reason",
    "message.stop_sequence",
    "message.usage",
    "message.role",
  ]);
  assert.equal(
    factOf(errors[6]),
    'Field "message.role": expected "assistant", got "user"',
  );
});

test("strict Parser leaves unknown kinds and unknown fields alone", async () => {
  const { messages, errors } = await parseStrictly(
    { type: "news" },
    { type: "system", subtype: "news" },
    { ...toJson(SAMPLES["result/success"]), subtype: "error_out_of_luck" },
    { ...toJson(user("Say hello")), weather: { wind: 7 } },
  );
  assert.equal(messages.length, 4);
  assert.deepEqual(errors, []);
});

test("strict Parser skips what lacks a required field, once reported", async () => {
  const { messages, errors } = await parseStrictly({
    type: "prompt_suggestion",
  });
  assert.deepEqual(messages, []);
  assert.equal(errors.length, 1);
});

test("strict Parser tells no more than 20 deviations of one message", async () => {
  const { errors } = await parseStrictly({
    ...toJson(SAMPLES["system/init"]),
    tools: Array.from({ length: 100 }, () => 7),
  });
  assert.equal(errors.length, 20);
});

test("strict Parser takes what the CLI sends beside the samples", async () => {
  const sample = (type: string) =>
    Object.values(SAMPLES).find((one) => one.type === type);
  const { errors } = await parseStrictly(
    toJson({
      ...sample("assistant"),
      tool_use_meta: [{ id: "toolu_1", display_name: "Echo" }],
    }),
    toJson({
      ...sample("result"),
      first_stream_post_queued_behind: "user_message",
      first_text_post_queued_behind: "none",
    }),
    toJson({
      ...sample("user"),
      origin: { kind: "task-notification", subkind: "external-event" },
    }),
  );
  assert.deepEqual(errors.map(factOf), []);
});
