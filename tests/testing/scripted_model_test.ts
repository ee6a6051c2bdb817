import assert from "node:assert/strict";
import {
  FakeClock,
  type ModelAnswer,
  type ModelRequest,
  type ModelTurn,
  type ScriptedModel,
  scriptedModel,
} from "@sluice/agent/testing";
import type { JsonObject } from "@sluice/agent";
import { readSource } from "../_examples.ts";
import { test } from "../_harness.ts";

/** A parsed answer of the API. */
// deno-lint-ignore no-explicit-any -- tests look into answers of all kinds
type Answer = any;

type Headers = Readonly<Record<string, string>>;

/** Headers that the CLI sends with every request of a conversation. */
const FROM_CLI = { "x-app": "cli", "anthropic-beta": "claude-code-20250219" };

function post(
  { url }: ScriptedModel,
  body: JsonObject = {},
  headers: Headers = {},
): Promise<Response> {
  return fetch(`${url}/v1/messages?beta=true`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({
      model: "some-model",
      max_tokens: 1_000,
      messages: [{ role: "user", content: "hi" }],
      ...body,
    }),
  });
}

async function ask(
  model: ScriptedModel,
  body?: JsonObject,
  headers?: Headers,
): Promise<Answer> {
  return await (await post(model, body, headers)).json();
}

async function textOf(...args: Parameters<typeof ask>): Promise<string> {
  return (await ask(...args)).content[0].text;
}

const saying = (text: string): JsonObject => ({
  messages: [{ role: "user", content: [{ type: "text", text }] }],
});

/** The events of a streamed answer. */
async function streamed(model: ScriptedModel): Promise<Answer[]> {
  const response = await post(model, { stream: true });
  const type = response.headers.get("content-type") ?? "";
  assert.match(type, /^text\/event-stream/);
  return eventsIn(await response.text());
}

/** The name of each event has to be its type. */
function eventsIn(text: string): Answer[] {
  return text.split("\n\n").filter((part) => part !== "").map((part) => {
    const [, name, data] = /^event: (.*)\ndata: ([^\n]*)$/.exec(part) ?? [];
    const event = JSON.parse(data ?? "");
    assert.equal(event.type, name);
    return event;
  });
}

test("scriptedModel() gives each request its turn and tells them apart by ids", async () => {
  await using model = await scriptedModel([
    "one",
    { text: "two", model: "other" },
    ({ lastText }) => `You said ${lastText}`,
    ({ body }) => ({ text: `${body.max_tokens}`, stopReason: "max_tokens" }),
    () => {
      throw new Error("Odd request");
    },
  ]);
  assert.equal(model.unusedTurns, 5);
  const first = await ask(model);
  const { content, role, stop_reason, usage } = first;
  assert.deepEqual(content, [{ type: "text", text: "one" }]);
  assert.deepEqual(
    [first.model, role, stop_reason, usage.output_tokens],
    ["some-model", "assistant", "end_turn", 20],
  );
  const second = await ask(model);
  assert.deepEqual([second.content[0].text, second.model], ["two", "other"]);
  assert.notEqual(first.id, second.id);
  assert.equal(await textOf(model, saying("hi")), "You said hi");
  assert.equal((await ask(model)).stop_reason, "max_tokens");
  assert.match((await ask(model)).error.message, /threw: Error: Odd request/);
  assert.equal(model.unusedTurns, 0);
});

test("scriptedModel() streams the events of the Messages API", async () => {
  await using model = await scriptedModel([{
    thinking: "Let me think",
    text: "Hello there",
    tool: "Bash",
    input: { command: "ls" },
    usage: { output_tokens: 7 },
  }]);
  const all = await streamed(model);
  const types = all.map(({ type, index, delta, content_block }) =>
    [type, index, delta?.type ?? content_block?.type]
      .filter((part) => part !== undefined).join(" ")
  );
  assert.deepEqual(types.filter((type) => !type.includes("_delta ")), [
    "message_start",
    "ping",
    "content_block_start 0 thinking",
    "content_block_stop 0",
    "content_block_start 1 text",
    "content_block_stop 1",
    "content_block_start 2 tool_use",
    "content_block_stop 2",
    "message_delta",
    "message_stop",
  ]);
  const join = (index: number, field: string) =>
    all.filter((event) => event.index === index)
      .map(({ delta }) => delta?.[field] ?? "").join("");
  assert.equal(join(0, "thinking"), "Let me think");
  assert.notEqual(join(0, "signature"), "");
  assert.equal(join(1, "text"), "Hello there");
  assert.deepEqual(JSON.parse(join(2, "partial_json")), { command: "ls" });
  assert.deepEqual(all[0].message.content, []);
  const { delta, usage } = all.at(-2);
  assert.deepEqual(delta, { stop_reason: "tool_use", stop_sequence: null });
  assert.equal(usage.output_tokens, 7);
});

test("scriptedModel() calls tools in parallel and gives raw blocks as they stand", async () => {
  const odd = { type: "odd_block", x: [1] };
  const tools = [{ name: "A", id: "t1" }, { name: "B", input: { b: 1 } }];
  await using model = await scriptedModel([
    { text: "Both.", tools },
    { redactedThinking: "abc", content: [odd, { type: "text", text: "raw" }] },
    // As a program without types may have it.
    { tool: "Read", input: null } as unknown as ModelTurn,
  ]);
  const { content: [_, a, b] } = await ask(model);
  assert.deepEqual(a, { type: "tool_use", id: "t1", name: "A", input: {} });
  assert.deepEqual(b.input, { b: 1 });
  assert.notEqual(b.id, a.id);
  const blocks = (await streamed(model))
    .flatMap(({ content_block }) => content_block ?? []);
  assert.deepEqual(blocks, [
    { type: "redacted_thinking", data: "abc" },
    odd,
    { type: "text", text: "" },
  ]);
  assert.deepEqual((await ask(model)).content[0].input, {});
});

test("scriptedModel() cuts a text into as many pieces as asked, without losing any of it", async () => {
  const long = "word ".repeat(5_000);
  const odd = "😀 é \u2028 \ud800";
  await using model = await scriptedModel([
    { text: "abcdef", chunks: 3 },
    long,
    { text: odd, chunks: 20 },
  ]);
  const pieces = async () =>
    (await streamed(model)).flatMap(({ delta }) => delta?.text ?? []);
  assert.deepEqual(await pieces(), ["ab", "cd", "ef"]);
  const many = await pieces();
  assert.ok(many.length <= 200, `${many.length} pieces`);
  assert.equal(many.join(""), long);
  assert.equal((await pieces()).join(""), odd);
});

test("scriptedModel() refuses with status, kind, text and headers", async () => {
  const headers = { "retry-after": "7" };
  await using model = await scriptedModel([
    { error: { status: 529 }, repeat: 2 },
    { error: { status: 401 }, headers: { "x-should-retry": "false" } },
    { error: { status: 418, type: "teapot", message: "No", headers } },
    "ok",
  ]);
  for (
    const [status, type, message, header] of [
      [529, "overloaded_error", "Overloaded"],
      [529, "overloaded_error", "Overloaded"],
      [401, "authentication_error", "invalid x-api-key", "x-should-retry"],
      [418, "teapot", "No", "retry-after"],
    ] as const
  ) {
    const response = await post(model);
    assert.equal(response.status, status);
    if (header !== undefined) assert.ok(response.headers.has(header));
    const error = { type, message };
    assert.deepEqual(await response.json(), { type: "error", error });
  }
  assert.equal(await textOf(model), "ok");
});

test("scriptedModel() reports an error or cuts the connection in mid-stream", async () => {
  await using model = await scriptedModel([
    { text: "so far", streamError: true },
    { text: "one two three four", disconnect: true },
    "ok",
  ]);
  const all = await streamed(model);
  const error = { type: "overloaded_error", message: "Overloaded" };
  assert.deepEqual(all.at(-1), { type: "error", error });
  assert.ok(all.some(({ delta }) => delta?.text === "far"));
  assert.ok(!all.some(({ type }) => type === "message_stop"));
  await assert.rejects(streamed(model));
  assert.equal(await textOf(model), "ok");
});

test("scriptedModel() hangs until it is released", async () => {
  const turns = [{ text: "said", hang: true }, { hang: true }];
  await using model = await scriptedModel(turns);
  const response = await post(model, { stream: true });
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk);
    if (!text.includes("content_block_stop")) continue;
    // The first release completes the answer, later ones have no effect.
    if (!text.includes("message_delta")) model.release();
  }
  assert.equal(eventsIn(text).at(-1).type, "message_stop");

  const silent = ask(model);
  await model.waitForRequest(2);
  model.release();
  assert.deepEqual((await silent).content, []);
});

test("ScriptedModel.close() ends what hangs, may be called twice, and frees the port", async () => {
  const turns = [{ text: "x", hang: true }, { hang: true }];
  const model = await scriptedModel(turns);
  const streaming = await post(model, { stream: true });
  const silent = post(model).then((response) => response.text());
  const ends = Promise.allSettled([streaming.text(), silent]);
  await model.waitForRequest(2);
  await Promise.all([model.close(), model.close()]);
  await ends;
  await assert.rejects(post(model));
});

test("scriptedModel() takes its time by the clock it was given", async () => {
  const clock = new FakeClock();
  const turns = [{ text: "a b", startDelayMs: 100, delayMs: 50 }];
  await using model = await scriptedModel(turns, { clock });
  let begun = false;
  const asking = post(model, { stream: true }).then((response) => {
    begun = true;
    return response.text();
  });
  await clock.untilPending();
  assert.equal(begun, false);
  await clock.advance(100);
  for (let piece = 0; piece < 2; piece++) {
    await clock.untilPending();
    await clock.advance(50);
  }
  assert.equal(eventsIn(await asking).at(-1).type, "message_stop");
});

test("scriptedModel() keeps a turn with a condition for a request that fits", async () => {
  const isSmall = ({ body }: ModelRequest) => body["max_tokens"] === 5;
  await using model = await scriptedModel([
    { match: "special", text: "by text" },
    { match: /^re/g, text: "by expression", repeat: 2 },
    { match: { system: "HELPER", model: "some" }, text: "by fields" },
    { match: isSmall, text: "by function" },
    { text: "always", repeat: true },
  ]);
  const system = [{ type: "text", text: "a HELPER" }];
  for (
    const [body, expected] of [
      [{ max_tokens: 5 }, "by function"],
      [saying("nothing"), "always"],
      [{ system }, "by fields"],
      [saying("regular"), "by expression"],
      [saying("regular again"), "by expression"],
      [saying("something special"), "by text"],
      [saying("something special"), "always"],
    ] as const
  ) assert.equal(await textOf(model, body), expected);
});

test("scriptedModel() answers what the CLI asks on the side without taking a turn", async () => {
  const properties = { x: { type: "boolean" }, y: { type: "string" }, z: {} };
  const schema = { type: "object", properties, required: ["x", "y"] };
  const format = { type: "json_schema", schema };
  const { "anthropic-beta": _, ...withoutBeta } = FROM_CLI;
  await using model = await scriptedModel(["the turn"]);
  for (
    const [body, headers, expected] of [
      [{ max_tokens: 1 }, FROM_CLI, "ok"],
      [saying("side question"), withoutBeta, "ok"],
      [{ output_config: { format } }, FROM_CLI, '{"x":true,"y":"Scripted"}'],
      [saying("[SUGGESTION MODE: ..."), FROM_CLI, "ok"],
      [{}, FROM_CLI, "the turn"],
    ] as const
  ) {
    assert.equal(await textOf(model, body, headers), expected);
    assert.equal(model.unusedTurns, expected === "the turn" ? 0 : 1);
  }
  assert.deepEqual(
    model.requests.map(({ isSide }) => isSide),
    [true, true, true, true, false],
  );
  const turns = [{ match: { isSide: true }, text: "scripted aside" }];
  const options = { sideText: "usual aside" };
  await using other = await scriptedModel(turns, options);
  for (const text of ["scripted aside", "usual aside"]) {
    assert.equal(await textOf(other, { max_tokens: 1 }, FROM_CLI), text);
  }
});

test("ScriptedModel.requests holds what was asked, without secrets", async () => {
  await using model = await scriptedModel(["ok"]);
  const content = [
    {
      type: "tool_result",
      tool_use_id: "t",
      content: [{ type: "text", text: "result" }],
    },
    { type: "text", text: "last" },
  ];
  await ask(model, {
    system: "Be brief",
    messages: [
      { role: "user", content: "first" },
      { role: "user", content },
      { role: "system", content: "Added later" },
    ],
  }, {
    "x-api-key": "secret",
    authorization: "Bearer secret",
    "x-other": "kept",
  });
  const [request] = model.requests;
  const { headers, body, isSide: _, ...rest } = request as ModelRequest;
  assert.equal(headers["x-other"], "kept");
  assert.equal(body["max_tokens"], 1_000);
  assert.deepEqual(rest, {
    method: "POST",
    path: "/v1/messages",
    lastText: "result\nlast",
    system: "Be brief\nAdded later",
  });
  assert.ok(!JSON.stringify(request).includes("secret"));
});

test("ScriptedModel.waitForRequest() counts requests that take turns, until its timeout; one beyond the script gets an error", async () => {
  await using model = await scriptedModel(["a", "b"]);
  const second = model.waitForRequest(2);
  await ask(model, { max_tokens: 1 }, FROM_CLI);
  await ask(model, saying("one"));
  await ask(model, saying("two"));
  assert.equal((await second).lastText, "two");
  assert.equal((await model.waitForRequest()).lastText, "one");
  await assert.rejects(
    model.waitForRequest(3, { timeoutMs: 5 }),
    /did not get request 3 within 5 ms: it got POST \/v1\/messages/,
  );
  const response = await post(model, saying("one more"));
  assert.equal(response.status, 410);
  assert.match(
    (await response.json()).error.message,
    /no turn for request 3: its script has 2, the last user message ends with "one more"/,
  );
});

test("scriptedModel() answers the rest of the API sensibly", async () => {
  await using model = await scriptedModel([]);
  const fetched = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${model.url}${path}`, init);
    return [response.status, await response.text()] as const;
  };
  const body = JSON.stringify({ messages: ["x".repeat(400)] });
  const init = { method: "POST", body };
  const [, counted] = await fetched("/v1/messages/count_tokens", init);
  assert.ok(JSON.parse(counted).input_tokens >= 100);
  assert.equal((await fetched("/api/hello", { method: "HEAD" }))[0], 200);
  assert.deepEqual(JSON.parse((await fetched("/v1/models"))[1]).data, []);
  const [status, nothing] = await fetched("/nowhere");
  assert.equal(status, 404);
  assert.match(nothing, /nothing at GET \/nowhere/);
  assert.ok(model.requests.every(({ isSide }) => isSide));
});

test("ScriptedModel.env leads the CLI to the model and nowhere else, without the developer's login and proxy", async () => {
  await using model = await scriptedModel([]);
  const { env, url } = model;
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal(env.ANTHROPIC_BASE_URL, url);
  assert.equal(env.CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC, "1");
  assert.ok(!("HOME" in env));
  assert.equal(env.ANTHROPIC_AUTH_TOKEN, "");
  assert.equal(env.CLAUDE_CODE_OAUTH_TOKEN, "");
  assert.match(env.ANTHROPIC_API_KEY ?? "", /scripted/);
  assert.equal(env.NO_PROXY, "127.0.0.1");
});

test("docs/testing.md has each field of a turn, and no other", () => {
  const fields: Readonly<Record<keyof ModelAnswer, true>> = {
    thinking: true,
    redactedThinking: true,
    text: true,
    tool: true,
    input: true,
    tools: true,
    content: true,
    error: true,
    streamError: true,
    disconnect: true,
    hang: true,
    match: true,
    repeat: true,
    chunks: true,
    delayMs: true,
    startDelayMs: true,
    stopReason: true,
    usage: true,
    model: true,
    headers: true,
  };
  const [, behind = ""] = readSource("docs/testing.md")
    .split("| field of a turn");
  const [table = ""] = behind.split("\n\n");
  const cells = [...table.matchAll(/^\| (`[^|]+) +\|/gm)]
    .flatMap(([, cell = ""]) => cell.match(/\w+/g) ?? []);
  assert.deepEqual(cells.toSorted(), Object.keys(fields).toSorted());
});
