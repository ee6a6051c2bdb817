import assert from "node:assert/strict";
import {
  FakeClock,
  type ModelRequest,
  type ModelTurn,
  type ScriptedModel,
  scriptedModel,
  type ScriptedModelOptions,
} from "@sluice/agent/testing";
import type { JsonObject } from "@sluice/agent";
import { test } from "../_harness.ts";

/** A parsed answer of the API. */
// deno-lint-ignore no-explicit-any -- tests look into answers of all kinds
type Answer = any;

/** What the CLI sends with every request of a conversation. */
const FROM_CLI = { "x-app": "cli", "anthropic-beta": "claude-code-20250219" };

async function withModel(
  turns: readonly ModelTurn[],
  use: (model: ScriptedModel) => Promise<void>,
  options?: ScriptedModelOptions,
): Promise<void> {
  const model = await scriptedModel(turns, options);
  try {
    await use(model);
  } finally {
    await model.close();
  }
}

function post(
  { url }: ScriptedModel,
  body: JsonObject = {},
  headers: Readonly<Record<string, string>> = {},
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
  headers?: Readonly<Record<string, string>>,
): Promise<Answer> {
  return await (await post(model, body, headers)).json();
}

const saying = (text: string): JsonObject => ({
  messages: [{ role: "user", content: [{ type: "text", text }] }],
});

/** The events of a streamed answer; the name of each has to be its type. */
async function events(response: Response): Promise<Answer[]> {
  return parseEvents(await response.text());
}

function parseEvents(text: string): Answer[] {
  return text.split("\n\n").filter((part) => part !== "").map((part) => {
    const [, name, data] = /^event: (.*)\ndata: ([^\n]*)$/.exec(part) ?? [];
    const event = JSON.parse(data ?? "");
    assert.equal(event.type, name);
    return event;
  });
}

test("scriptedModel() gives each request its turn and tells them apart by ids", async () => {
  await withModel(["one", { text: "two", model: "other" }], async (model) => {
    assert.equal(model.unusedTurns, 2);
    const first = await ask(model);
    const second = await ask(model);
    assert.deepEqual(first.content, [{ type: "text", text: "one" }]);
    assert.equal(first.model, "some-model");
    assert.equal(first.role, "assistant");
    assert.equal(first.stop_reason, "end_turn");
    assert.equal(first.usage.output_tokens, 20);
    assert.equal(second.content[0].text, "two");
    assert.equal(second.model, "other");
    assert.notEqual(first.id, second.id);
    assert.equal(model.unusedTurns, 0);
  });
});

test("scriptedModel() streams the events of the Messages API", async () => {
  await withModel([{
    thinking: "Let me think",
    text: "Hello there",
    tool: "Bash",
    input: { command: "ls" },
    usage: { output_tokens: 7 },
  }], async (model) => {
    const response = await post(model, { stream: true });
    assert.match(
      response.headers.get("content-type") ?? "",
      /^text\/event-stream/,
    );
    const all = await events(response);
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
    assert.deepEqual(all.at(-2).delta, {
      stop_reason: "tool_use",
      stop_sequence: null,
    });
    assert.equal(all.at(-2).usage.output_tokens, 7);
  });
});

test("scriptedModel() calls tools in parallel and gives raw blocks as they stand", async () => {
  const odd = { type: "odd_block", x: [1] };
  await withModel([
    {
      text: "Both.",
      tools: [{ name: "A", id: "t1" }, { name: "B", input: { b: 1 } }],
    },
    { redactedThinking: "abc", content: [odd, { type: "text", text: "raw" }] },
    // As a program without types may have it.
    { tool: "Read", input: null } as unknown as ModelTurn,
  ], async (model) => {
    const { content } = await ask(model);
    assert.deepEqual(content[1], {
      type: "tool_use",
      id: "t1",
      name: "A",
      input: {},
    });
    assert.deepEqual(content[2].input, { b: 1 });
    assert.notEqual(content[2].id, content[1].id);
    const all = await events(await post(model, { stream: true }));
    assert.deepEqual(
      all.filter(({ type }) => type === "content_block_start")
        .map(({ content_block }) => content_block),
      [{ type: "redacted_thinking", data: "abc" }, odd, {
        type: "text",
        text: "",
      }],
    );
    assert.deepEqual((await ask(model)).content[0].input, {});
  });
});

test("scriptedModel() cuts a text into as many pieces as asked, without losing any of it", async () => {
  const long = "word ".repeat(5_000);
  await withModel([
    { text: "abcdef", chunks: 3 },
    { text: long },
    { text: "😀 é \u2028 \ud800", chunks: 20 },
  ], async (model) => {
    const pieces = async () =>
      (await events(await post(model, { stream: true })))
        .flatMap(({ delta }) =>
          delta?.type === "text_delta" ? [delta.text] : []
        );
    assert.deepEqual(await pieces(), ["ab", "cd", "ef"]);
    const many = await pieces();
    assert.ok(many.length <= 200, `${many.length} pieces`);
    assert.equal(many.join(""), long);
    assert.equal((await pieces()).join(""), "😀 é \u2028 \ud800");
  });
});

test("scriptedModel() refuses with status, kind, text and headers", async () => {
  await withModel([
    { error: { status: 529 }, repeat: 2 },
    { error: { status: 401 }, headers: { "x-should-retry": "false" } },
    {
      error: {
        status: 418,
        type: "teapot",
        message: "No",
        headers: { "retry-after": "7" },
      },
    },
    "ok",
  ], async (model) => {
    for (let n = 0; n < 2; n++) {
      const response = await post(model);
      assert.equal(response.status, 529);
      assert.deepEqual(await response.json(), {
        type: "error",
        error: { type: "overloaded_error", message: "Overloaded" },
      });
    }
    const refused = await post(model);
    assert.equal(refused.headers.get("x-should-retry"), "false");
    assert.equal((await refused.json()).error.type, "authentication_error");
    const teapot = await post(model);
    assert.equal(teapot.status, 418);
    assert.equal(teapot.headers.get("retry-after"), "7");
    assert.deepEqual((await teapot.json()).error, {
      type: "teapot",
      message: "No",
    });
    assert.equal((await ask(model)).content[0].text, "ok");
  });
});

test("scriptedModel() reports an error or cuts the connection in mid-stream", async () => {
  await withModel([
    { text: "so far", streamError: true },
    { text: "one two three four", disconnect: true },
    "ok",
  ], async (model) => {
    const all = await events(await post(model, { stream: true }));
    assert.deepEqual(all.at(-1), {
      type: "error",
      error: { type: "overloaded_error", message: "Overloaded" },
    });
    assert.ok(all.some(({ delta }) => delta?.text === "far"));
    assert.ok(!all.some(({ type }) => type === "message_stop"));
    await assert.rejects((await post(model, { stream: true })).text());
    assert.equal((await ask(model)).content[0].text, "ok");
  });
});

test("scriptedModel() hangs until it is released", async () => {
  await withModel(
    [{ text: "said", hang: true }, { hang: true }],
    async (model) => {
      const response = await post(model, { stream: true });
      const reader = response.body!.getReader();
      let text = "";
      while (!text.includes("content_block_stop")) {
        text += new TextDecoder().decode((await reader.read()).value);
      }
      assert.ok(!text.includes("message_stop"));
      model.release();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        text += new TextDecoder().decode(value);
      }
      assert.equal(parseEvents(text).at(-1).type, "message_stop");

      const silent = post(model);
      await model.waitForRequest(2);
      model.release();
      assert.deepEqual((await (await silent).json()).content, []);
    },
  );
});

test("ScriptedModel.close() ends what hangs, may be called twice, and frees the port", async () => {
  const model = await scriptedModel([{ text: "x", hang: true }, {
    hang: true,
  }]);
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
  await withModel(
    [{ text: "a b", startDelayMs: 100, delayMs: 50 }],
    async (model) => {
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
      assert.equal(parseEvents(await asking).at(-1).type, "message_stop");
    },
    { clock },
  );
});

test("scriptedModel() keeps a turn with a condition for a request that fits", async () => {
  await withModel([
    { match: "special", text: "by text" },
    { match: /^re/, text: "by expression" },
    { match: { system: "HELPER", model: "some" }, text: "by fields" },
    {
      match: ({ body }: ModelRequest) => body["max_tokens"] === 5,
      text: "by function",
    },
    { text: "always", repeat: true },
  ], async (model) => {
    const text = async (body: JsonObject) =>
      (await ask(model, body)).content[0].text;
    assert.equal(await text({ max_tokens: 5 }), "by function");
    assert.equal(await text(saying("nothing")), "always");
    assert.equal(
      await text({ system: [{ type: "text", text: "a HELPER" }] }),
      "by fields",
    );
    assert.equal(await text(saying("regular")), "by expression");
    assert.equal(await text(saying("something special")), "by text");
    assert.equal(await text(saying("something special")), "always");
  });
});

test("scriptedModel() lets a function look at the request", async () => {
  await withModel([
    ({ lastText }) => `You said ${lastText}`,
    ({ body }) => ({
      text: String(body["max_tokens"]),
      stopReason: "max_tokens",
    }),
    () => {
      throw new Error("Odd request");
    },
  ], async (model) => {
    assert.equal(
      (await ask(model, saying("hi"))).content[0].text,
      "You said hi",
    );
    assert.equal((await ask(model)).stop_reason, "max_tokens");
    assert.match((await ask(model)).error.message, /threw: Error: Odd request/);
  });
});

test("scriptedModel() answers what the CLI asks on the side without taking a turn", async () => {
  const wanting = (properties: JsonObject) => ({
    output_config: {
      format: {
        type: "json_schema",
        schema: { type: "object", properties, required: ["x", "y"] },
      },
    },
  });
  await withModel(["the turn"], async (model) => {
    const check = await ask(model, { max_tokens: 1 }, FROM_CLI);
    assert.equal(check.content[0].text, "ok");
    const { "anthropic-beta": _, ...withoutBeta } = FROM_CLI;
    const aside = await ask(model, saying("side question"), withoutBeta);
    assert.equal(aside.content[0].text, "ok");
    const verdict = await ask(
      model,
      wanting({ x: { type: "boolean" }, y: { type: "string" }, z: {} }),
      FROM_CLI,
    );
    assert.deepEqual(JSON.parse(verdict.content[0].text), {
      x: true,
      y: "Scripted",
    });
    const suggestion = await ask(
      model,
      saying("[SUGGESTION MODE: ..."),
      FROM_CLI,
    );
    assert.equal(suggestion.content[0].text, "ok");
    assert.equal(model.unusedTurns, 1);
    assert.equal((await ask(model, {}, FROM_CLI)).content[0].text, "the turn");
    assert.deepEqual(
      model.requests.map(({ isSide }) => isSide),
      [true, true, true, true, false],
    );
  });
  const turns = [{ match: { isSide: true }, text: "scripted aside" }];
  await withModel(turns, async (model) => {
    const side = { max_tokens: 1 };
    for (const text of ["scripted aside", "usual aside"]) {
      const { content } = await ask(model, side, FROM_CLI);
      assert.equal(content[0].text, text);
    }
  }, { sideText: "usual aside" });
});

test("ScriptedModel.requests holds what was asked, without secrets", async () => {
  await withModel(["ok"], async (model) => {
    await ask(model, {
      system: "Be brief",
      messages: [
        { role: "user", content: "first" },
        {
          role: "user",
          content: [{
            type: "tool_result",
            tool_use_id: "t",
            content: [{ type: "text", text: "result" }],
          }, { type: "text", text: "last" }],
        },
        { role: "system", content: "Added later" },
      ],
    }, {
      "x-api-key": "secret",
      authorization: "Bearer secret",
      "x-other": "kept",
    });
    const [request] = model.requests;
    assert.equal(request?.method, "POST");
    assert.equal(request?.path, "/v1/messages");
    assert.equal(request?.headers["x-other"], "kept");
    assert.equal(request?.body["max_tokens"], 1_000);
    assert.equal(request?.lastText, "result\nlast");
    assert.equal(request?.system, "Be brief\nAdded later");
    assert.ok(!JSON.stringify(request).includes("secret"));
  });
});

test("ScriptedModel.waitForRequest() counts requests that take turns, until its timeout; one beyond the script gets an error", async () => {
  await withModel(["a", "b"], async (model) => {
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
});

test("scriptedModel() answers the rest of the API sensibly", async () => {
  await withModel([], async ({ url, requests }) => {
    const counted = await fetch(`${url}/v1/messages/count_tokens`, {
      method: "POST",
      body: JSON.stringify({
        messages: [{ role: "user", content: "x".repeat(400) }],
      }),
    });
    assert.ok((await counted.json()).input_tokens >= 100);
    const hello = await fetch(`${url}/api/hello`, { method: "HEAD" });
    assert.equal(hello.status, 200);
    assert.deepEqual((await (await fetch(`${url}/v1/models`)).json()).data, []);
    const nothing = await fetch(`${url}/nowhere`);
    assert.equal(nothing.status, 404);
    assert.match(
      (await nothing.json()).error.message,
      /nothing at GET \/nowhere/,
    );
    assert.ok(requests.every(({ isSide }) => isSide));
  });
});

test("ScriptedModel.env leads the CLI to the model and nowhere else, without the developer's login and proxy", async () => {
  const { env, url, close } = await scriptedModel([]);
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal(env.ANTHROPIC_BASE_URL, url);
  assert.equal(env.CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC, "1");
  assert.ok(!("HOME" in env));
  assert.equal(env.ANTHROPIC_AUTH_TOKEN, "");
  assert.equal(env.CLAUDE_CODE_OAUTH_TOKEN, "");
  assert.match(env.ANTHROPIC_API_KEY ?? "", /scripted/);
  assert.equal(env.NO_PROXY, "127.0.0.1");
  await close();
});
