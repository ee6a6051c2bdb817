import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import {
  ConfigError,
  type ExitReport,
  type JsonObject,
  type JsonValue,
  type Launch,
} from "@sluice/agent";
import { FakeClock, replay, type ReplayOptions } from "@sluice/agent/testing";
import { test } from "../_harness.ts";

const launch: Launch = { args: [], env: {}, cwd: "/" };

const PLAN = { reason: "closed", graceMs: 1, killMs: 2 } as const;

const HEADER = { dir: "meta", event: "cassette", version: 1 };

/** A recording being played: lines in, lines out. */
async function play(
  recording: readonly JsonObject[] | string,
  options?: ReplayOptions,
) {
  const text = typeof recording === "string"
    ? recording
    : [HEADER, ...recording].map((line) => JSON.stringify(line)).join("\n");
  const signal = new AbortController().signal;
  const channel = await replay(text, options).open(launch, signal);
  const reader = channel.readable.getReader();
  return {
    channel,
    write: (line: JsonObject) => channel.write(`${JSON.stringify(line)}\n`),
    /** The next line, which comes in one chunk. */
    async line(): Promise<JsonObject> {
      const { done, value } = await reader.read();
      assert.ok(!done, "ended");
      return JSON.parse(new TextDecoder().decode(value));
    },
    async exited(): Promise<ExitReport> {
      assert.equal((await reader.read()).done, true);
      return await channel.exited;
    },
  };
}

const request = (id: string, subtype: string, extra: JsonObject = {}) => ({
  type: "control_request",
  request_id: id,
  request: { subtype, ...extra },
});

const reply = (id: string, response: JsonObject = {}) => ({
  type: "control_response",
  response: { subtype: "success", request_id: id, response },
});

const user = (content: string) => ({
  type: "user",
  message: { role: "user", content },
});

test("replay() waits for what the CLI had answered to, and translates request ids", async () => {
  const played = await play([
    { dir: "in", msg: request("old", "initialize") },
    { dir: "in", msg: user("then") },
    { dir: "out", msg: reply("old", { pid: 1 }) },
    { dir: "out", msg: { type: "result" } },
    { dir: "meta", event: "stdin_close" },
    { dir: "meta", event: "exit", code: 0, signal: null },
  ]);
  const first = played.line();
  await played.write(request("new", "initialize"));
  await played.write(user("now"));
  assert.deepEqual(await first, reply("new", { pid: 1 }));
  assert.deepEqual(await played.line(), { type: "result" });
  await played.channel.end();
  assert.equal((await played.exited()).code, 0);
});

test("replay() takes what the host sends in another order", async () => {
  const played = await play([
    { dir: "in", msg: request("a", "get_usage") },
    { dir: "in", msg: request("b", "mcp_status") },
    { dir: "out", msg: reply("a") },
    { dir: "out", msg: reply("b") },
  ]);
  await played.write(request("2", "mcp_status"));
  await played.write(request("1", "get_usage"));
  assert.deepEqual(await played.line(), reply("1"));
  assert.deepEqual(await played.line(), reply("2"));
});

test("replay() calls the hooks of now by the place they were registered at", async () => {
  const hooks = (id: string) => ({
    PreToolUse: [{ matcher: "Bash", hookCallbackIds: [id] }],
  });
  const played = await play([
    { dir: "in", msg: request("a", "initialize", { hooks: hooks("h0") }) },
    { dir: "out", msg: request("c", "hook_callback", { callback_id: "h0" }) },
    { dir: "in", msg: reply("c") },
    { dir: "out", msg: { type: "result" } },
  ]);
  await played.write(request("x", "initialize", { hooks: hooks("mine") }));
  assert.deepEqual(
    await played.line(),
    request("c", "hook_callback", { callback_id: "mine" }),
  );
  const next = played.line();
  await played.write(reply("c", { continue: true }));
  assert.deepEqual(await next, { type: "result" });
});

test("replay() does not wait for the answer to a request that the CLI took back", async () => {
  const cancel = { type: "control_cancel_request", request_id: "c" };
  const played = await play([
    { dir: "out", msg: request("c", "can_use_tool") },
    { dir: "out", msg: cancel },
    { dir: "in", msg: reply("c") },
    { dir: "out", msg: { type: "result" } },
  ]);
  assert.deepEqual(await played.line(), request("c", "can_use_tool"));
  assert.deepEqual(await played.line(), cancel);
  assert.deepEqual(await played.line(), { type: "result" });
});

test("replay() answers what it does not know: requests with an error, interrupt with the end", async () => {
  const played = await play([
    { dir: "out", msg: { type: "a" } },
    { dir: "in", msg: user("never sent") },
    { dir: "out", msg: { type: "b" } },
  ]);
  assert.deepEqual(await played.line(), { type: "a" });
  await played.write(request("1", "set_model"));
  const { response } = await played.line() as { response: JsonObject };
  assert.equal(response["subtype"], "error");
  assert.match(String(response["error"]), /no recorded answer to "set_model"/);
  await played.write(request("2", "interrupt"));
  assert.deepEqual(await played.line(), reply("2", { still_queued: [] }));
  await played.channel.end();
  assert.equal((await played.exited()).code, 0);
});

test("replay() ends with a reason when there is a prompt too many", async () => {
  const played = await play([]);
  await played.write(user("hello?"));
  const { code, stderrTail } = await played.exited();
  assert.equal(code, 1);
  assert.match(stderrTail, /no recorded answer to this prompt/);
});

test("replay() keeps the pauses when asked to, and stops in the middle of one", async () => {
  const clock = new FakeClock();
  const played = await play([
    { t: 10, dir: "out", msg: { n: 1 } },
    { t: 510, dir: "out", msg: { n: 2 } },
    { t: 60_000, dir: "out", msg: { n: 3 } },
  ], { timing: true, clock });
  assert.deepEqual(await played.line(), { n: 1 });
  let second: JsonObject | undefined;
  const reading = played.line().then((line) => second = line);
  await clock.advance(499);
  assert.equal(second, undefined);
  await clock.advance(1);
  await reading;
  assert.deepEqual(second, { n: 2 });
  const ending = played.exited();
  await clock.untilPending();
  await played.channel.stop(PLAN);
  assert.equal((await ending).reason, "closed");
});

test("replay() rejects a recording that is broken or newer", () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ["{nonsense", /broken at line 1/],
    ['{"dir":"sideways"}', /broken at line 1/],
    [
      JSON.stringify({ ...HEADER, version: 2 }),
      /unknown version: 2, known is 1/,
    ],
  ];
  for (const [text, expected] of cases) {
    assert.throws(
      () => replay(text),
      (error) => error instanceof ConfigError && expected.test(error.message),
    );
  }
});

const TRANSCRIPTS = new URL("../fixtures/transcripts/", import.meta.url);

test("replay() plays every recorded transcript to a host that does what the host did", async () => {
  const names = (await readdir(TRANSCRIPTS))
    .filter((name) => name.endsWith(".ndjson"));
  assert.ok(names.length >= 10, `${names.length} transcripts`);
  for (const name of names) {
    const text = await readFile(new URL(name, TRANSCRIPTS), "utf8");
    const played = await play(text);
    const seen: JsonValue[] = [];
    const lines = text.trim().split("\n").map((line) => JSON.parse(line));
    const said: JsonValue[] = [];
    for (const { dir, msg, event } of lines) {
      if (event === "stdin_close") await played.channel.end();
      if (msg === undefined) continue;
      if (dir === "in") await played.write(msg).catch(() => {});
      else {
        said.push(msg);
        seen.push(await played.line());
      }
    }
    assert.deepEqual(seen, said, name);
    await played.channel.end();
    await played.exited();
  }
});

test("replay() answers what a start with hooks asks, also from a recording whose prompt left with initialize", async () => {
  const lines: readonly JsonObject[] = [
    { dir: "in", msg: request("a", "initialize", { hooks: {} }) },
    { dir: "in", msg: { type: "user", message: {} }, t: 1 },
    { dir: "out", msg: reply("a"), t: 5 },
    { dir: "out", msg: { type: "assistant" }, t: 9 },
  ];
  const played = await play(lines);
  await played.write(request("x", "initialize"));
  await played.write(request("y", "get_hooks_listing"));
  await played.write(request("z", "apply_flag_settings"));
  const answers = [
    await played.line(),
    await played.line(),
    await played.line(),
  ].map(({ response }) => response as JsonObject);
  assert.deepEqual(
    answers.map(({ subtype, request_id }) => `${request_id} ${subtype}`)
      .toSorted(),
    ["x success", "y success", "z success"],
  );
  await played.write({ type: "user", message: {} });
  assert.deepEqual(await played.line(), { type: "assistant" });
  await played.channel.stop(PLAN);
});
