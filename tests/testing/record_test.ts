import assert from "node:assert/strict";
import type { JsonObject, Launch } from "@sluice/agent";
import {
  memoryTransport,
  record,
  type RecordingSink,
  type RecordOptions,
} from "@sluice/agent/testing";
import { test } from "../_harness.ts";
import { nextTurn } from "../_turn.ts";

const KEY = "sk-ant-api03-abcdefgh";

const launch: Launch = {
  args: ["--model=m", "--settings", `{"apiKey":"${KEY}"}`],
  env: { ANTHROPIC_API_KEY: KEY, PATH: "/bin" },
  cwd: "/project",
};

const PLAN = { reason: "closed", graceMs: 1, killMs: 2 } as const;

/** A recorded channel, its peer, and the recording so far. */
async function opened(options?: RecordOptions, sink?: RecordingSink) {
  const lines: string[] = [];
  const { transport, peer } = memoryTransport();
  const keep = (line: string) => void lines.push(line);
  const channel = await record(transport, sink ?? keep, options)
    .open(launch, new AbortController().signal);
  return { lines, peer, channel };
}

/** Records what a CLI sends before it exits, and what it is sent. */
async function recordingOf(
  sent: readonly JsonObject[],
  received: readonly JsonObject[] = [],
  options: RecordOptions = { timing: false },
): Promise<readonly JsonObject[]> {
  const { lines, peer, channel } = await opened(options);
  for (const one of received) await channel.write(`${JSON.stringify(one)}\n`);
  for (const one of sent) void peer.send(one);
  peer.end();
  await new Response(channel.readable as BodyInit).text();
  await channel.stop(PLAN);
  return lines.map((line) => JSON.parse(line));
}

const messagesIn = (recording: readonly JsonObject[]) =>
  recording.flatMap(({ msg = [] }) => msg);

test("record() records the traffic of a transport and changes nothing of it", async () => {
  const { lines, peer, channel } = await opened({ timing: false });
  await channel.write('{"type":"user","n":1}\n{"type":"keep_alive"}\n');
  const emoji = new TextEncoder().encode('{"text":"😀"}\nno json\n{"last":');
  void peer.send({ type: "a", note: `key ${KEY}` }, emoji.slice(0, 11));
  void peer.send(emoji.slice(11), "1}");
  peer.end({ code: 2, stderrTail: `used ${KEY}\n` });
  const read = await new Response(channel.readable as BodyInit).text();
  await channel.end();
  await channel.exited;
  await channel.stop(PLAN);
  assert.ok(read.includes(KEY), "the reader gets what was sent");
  assert.ok(lines.every((line) => line.endsWith("\n")));
  const [header, ...events] = lines.map((line) => JSON.parse(line));
  assert.deepEqual(header, { dir: "meta", event: "cassette", version: 1 });
  assert.deepEqual(events, [
    {
      dir: "meta",
      event: "spawn",
      argv: ["--model=m", "--settings", "[redacted]"],
      cwd: "/project",
      env: ["ANTHROPIC_API_KEY", "PATH"],
    },
    { dir: "in", msg: { type: "user", n: 1 } },
    { dir: "in", msg: { type: "keep_alive" } },
    { dir: "out", msg: { type: "a", note: "key [redacted]" } },
    { dir: "out", msg: { text: "😀" } },
    { dir: "out", raw: "no json" },
    { dir: "out", msg: { last: 1 } },
    { dir: "err", text: "used [redacted]\n" },
    { dir: "meta", event: "exit", code: 2, signal: null },
    { dir: "meta", event: "stdin_close" },
    { dir: "meta", event: "stop", reason: "closed" },
  ]);
});

test("record() gives each line its time unless told otherwise, and applies the caller's own rule last", async () => {
  const scrub = (text: string) => text.replaceAll("key [redacted]", "Ada");
  const note = `key ${KEY}`;
  const lines = await recordingOf([{ type: "a", note }], [], { scrub });
  assert.ok(lines.every(({ t }) => typeof t === "number" && t >= 0));
  assert.deepEqual(messagesIn(lines), [{ type: "a", note: "Ada" }]);
});

test("record() writes to a stream until stop(), also after the exit, and leaves it open", async () => {
  const lines: string[] = [];
  const errors: unknown[] = [];
  const stream = new WritableStream<string>({
    write: (line) => void lines.push(line),
  });
  const onError = (error: unknown) => errors.push(error);
  const { peer, channel } = await opened({ onError }, stream);
  peer.end();
  await channel.readable.cancel();
  await channel.exited;
  await nextTurn();
  await channel.stop(PLAN);
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).event),
    ["cassette", "spawn", "exit", "stop"],
  );
  assert.deepEqual(errors, []);
  assert.equal(stream.locked, false);
  await stream.close();
});

test("record() continues without a sink that fails, and reports it once", async () => {
  const errors: unknown[] = [];
  const broken = new Error("Disk full");
  const onError = (error: unknown) => errors.push(error);
  const { peer, channel } = await opened({ onError }, () => {
    throw broken;
  });
  void peer.send({ type: "a" });
  peer.end();
  const read = await new Response(channel.readable as BodyInit).text();
  await channel.stop(PLAN);
  assert.equal(read, '{"type":"a"}\n');
  assert.deepEqual(errors, [broken]);
});

test("record() continues if the report of a failed sink fails itself", async () => {
  const onErrors = [
    () => {
      throw new Error("log is full");
    },
    () => Promise.reject(new Error("log is full")),
  ];
  for (const onError of onErrors) {
    const { channel } = await opened({ onError }, () => {
      throw new Error("Disk full");
    });
    await channel.stop(PLAN);
    await nextTurn();
  }
});

test("record() has written everything when stop() resolves", async () => {
  const lines: string[] = [];
  const { channel } = await opened({}, async (line) => {
    await nextTurn();
    lines.push(line);
  });
  await channel.write('{"type":"user"}\n');
  await channel.stop(PLAN);
  const events = lines.map((line) => JSON.parse(line));
  assert.deepEqual(
    events.map(({ dir, event = dir }) => event),
    ["cassette", "spawn", "in", "stop"],
  );
});

/** A line of a streamed answer. */
const streamed = (event: JsonObject, parent: string | null = null) => ({
  type: "stream_event",
  event,
  parent_tool_use_id: parent,
});

const stopOf = (index: number) =>
  streamed({ type: "content_block_stop", index });

/** The deltas of a text, some characters each. */
const deltas = (text: string, kind: string, index: number, width: number) =>
  (text.match(new RegExp(`[^]{1,${width}}`, "g")) ?? []).map((piece) => {
    const field = kind === "input_json" ? "partial_json" : kind;
    const delta = { type: `${kind}_delta`, [field]: piece };
    return streamed({ type: "content_block_delta", index, delta });
  });

/** The texts of the deltas in a recording, joined by block. */
function joined(recording: readonly JsonObject[]): Record<string, string> {
  const blocks: Record<string, string> = {};
  for (const line of recording) {
    const { event } = (line.msg ?? {}) as JsonObject;
    const { delta, index } = (event ?? {}) as JsonObject;
    const { type, ...texts } = (delta ?? {}) as JsonObject;
    const key = `${index} ${type}`;
    for (const text of Object.values(texts)) {
      blocks[key] = (blocks[key] ?? "") + text;
    }
  }
  return blocks;
}

test("record() keeps no secret that the CLI streams in pieces", async () => {
  const input = JSON.stringify({
    command: `curl -H "x: ${KEY}" '${KEY}'`,
    password: "short",
    n: [1, { deep: "é" }],
  });
  for (const width of [1, 3, 7, 1_000]) {
    const lines = await recordingOf([
      ...deltas(`My key is ${KEY}, yes`, "text", 0, width)
        .flatMap((delta) => [delta, streamed({ type: "ping" })]),
      { type: "system", subtype: "status" },
      ...deltas(`, and ${encodeURIComponent(KEY)}`, "text", 0, width),
      stopOf(0),
      ...deltas(`Think of ${KEY}`, "thinking", 1, width),
      stopOf(1),
      ...deltas(input, "input_json", 2, width),
      stopOf(2),
      ...deltas("no secret", "text", 3, width),
      ...deltas('{"token":"abc"}', "input_json", 6, width),
      // It was interrupted.
      ...deltas(`{"command":"${KEY}`, "input_json", 4, width),
      { type: "result" },
      ...deltas(`The end of ${KEY}`, "text", 5, width),
    ]);
    const { "2 input_json_delta": last = "", ...blocks } = joined(lines);
    assert.deepEqual(JSON.parse(last), {
      command: `curl -H "x: [redacted]" '[redacted]'`,
      password: "[redacted]",
      n: [1, { deep: "é" }],
    });
    assert.deepEqual(blocks, {
      "0 text_delta": "My key is [redacted], yes, and [redacted]",
      "1 thinking_delta": "Think of [redacted]",
      "3 text_delta": "no secret",
      "6 input_json_delta": '{"token":"[redacted]"}',
      "4 input_json_delta": '{"command":"[redacted]',
      "5 text_delta": "The end of [redacted]",
    });
  }
}, { ids: ["E-07"] });

test("record() keeps the order of lines, and deltas without a secret as they are", async () => {
  const index = 0;
  const sent = [
    ...deltas("one", "text", index, 2),
    { type: "system", subtype: "between" },
    ...deltas('{"a": 1, "b":"\\u00e9"}', "input_json", 1, 4),
    streamed({ type: "content_block_delta", index, delta: { citation: {} } }),
    stopOf(1),
    { type: "assistant", message: {} },
  ];
  assert.deepEqual(messagesIn(await recordingOf(sent)), sent);
});

test("record() writes lines when no block is open: that of a subagent ends by itself, all end with the turn", async () => {
  const { lines, peer, channel } = await opened();
  const reader = channel.readable.getReader();
  const delta = { type: "text_delta", text: "abc" };
  const piece = { type: "content_block_delta", index: 0, delta };
  const stop = { type: "content_block_stop", index: 0 };
  await nextTurn();
  let before = lines.length;
  for (
    const [line, added] of [
      [streamed(piece, "sub"), 0],
      [streamed(stop), 0],
      [streamed(stop, "sub"), 3],
      // That of the main conversation was interrupted.
      [streamed(piece), 0],
      [{ type: "result" }, 2],
      [streamed(piece), 0],
    ] as const
  ) {
    void peer.send(line);
    await reader.read();
    await nextTurn();
    assert.equal(lines.length - before, added);
    before = lines.length;
  }
  await channel.stop(PLAN);
  assert.match(lines.slice(before).join(""), /"abc"/);
});

test(
  "record() redacts under telling names and by patterns, and leaves what only sounds alike",
  async () => {
    const redacted = "[redacted]";
    const secret = (hidden: string) => ({
      mcpServers: {
        web: {
          url: `http://${
            hidden === redacted ? hidden : "me:pw"
          }@x/?token=${hidden}`,
          headers: { "X-Own": hidden, accept: "*" },
        },
        local: { args: ["serve", "--api-key", hidden], env: { ODD: hidden } },
      },
      settings: { env: { DB_PASS: hidden } },
      list: [{ apiKey: hidden }, { accessToken: hidden }],
      account: { email: hidden, organization: "Ada" },
    });
    const shown = {
      max_tokens: 100,
      usage: { input_tokens: 3 },
      apiKeySource: "ANTHROPIC_API_KEY",
      progressToken: 2,
      token: "",
      keys: [1, true, "text"],
      questions: [{ header: "Auth method", question: "Which?" }],
      inputSchema: { properties: { token: { type: "string" } } },
      plain: "Basic functionality of https://host/a@b, npm_config_cache",
    };
    const keys = [
      "sk-ant-api03-abcdefgh_12345",
      "sk_live_abcdefgh12345",
      "ghp_abcdefghijklmnopqrst",
      "github_pat_abcdefghijklmnopqrst",
      "xoxb-1234567890-abc",
      "AKIAABCDEFGHIJKLMNOP",
      "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4",
      "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
    ];
    const texts = keys.flatMap((key) => [`a ${key} b`, `\\n${key} b`]);
    const cut = "a -----BEGIN PRIVATE KEY-----\nabc\ndef";
    const lines = await recordingOf([secret("4711-abc"), shown, {
      texts,
      cut,
    }]);
    assert.deepEqual(messagesIn(lines), [secret(redacted), shown, {
      texts: keys.flatMap(() => ["a [redacted] b", "\\n[redacted] b"]),
      cut: "a [redacted]",
    }]);
  },
  { ids: ["E-07"] },
);

test("record() keeps no secret that the CLI repeats", async () => {
  const secret = "header-4711";
  const servers = { a: { headers: { "X-A": secret } } };
  const text = `It said ${secret}.`;
  const lines = await recordingOf([{ type: "a", text }], [{
    request: { servers },
  }]);
  assert.deepEqual(messagesIn(lines).at(-1), {
    type: "a",
    text: "It said [redacted].",
  });
  assert.ok(!JSON.stringify(lines).includes(secret));
});
