import assert from "node:assert/strict";
import type { JsonObject, Launch } from "@sluice/agent";
import {
  memoryTransport,
  record,
  type RecordingSink,
  type RecordOptions,
} from "@sluice/agent/testing";
import { test } from "../_harness.ts";

const KEY = "sk-ant-api03-abcdefgh";

const launch: Launch = {
  args: ["--model=m", "--settings", `{"apiKey":"${KEY}"}`],
  env: { ANTHROPIC_API_KEY: KEY, PATH: "/bin" },
  cwd: "/project",
};

const PLAN = { reason: "closed", graceMs: 1, killMs: 2 } as const;

/** One run: a prompt, odd output in odd pieces, an exit. */
async function run(
  sink: RecordingSink,
  options?: RecordOptions,
): Promise<string> {
  const { transport, peer } = memoryTransport();
  const channel = await record(transport, sink, options)
    .open(launch, new AbortController().signal);
  await channel.write('{"type":"user","n":1}\n{"type":"keep_alive"}\n');
  const emoji = new TextEncoder().encode('{"text":"😀"}\nno json\n{"last":');
  void peer.send({ type: "a", note: `key ${KEY}` }, emoji.slice(0, 11));
  void peer.send(emoji.slice(11), "1}");
  peer.end({ code: 2, stderrTail: `used ${KEY}\n` });
  let read = "";
  for await (
    const chunk of channel.readable.pipeThrough(
      new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>,
    )
  ) {
    read += chunk;
  }
  await channel.end();
  await channel.exited;
  await channel.stop(PLAN);
  return read;
}

/** The lines of a recording. */
function parsed(recording: string): readonly JsonObject[] {
  return recording.trim().split("\n").map((line) => JSON.parse(line));
}

/** Lets what is written asynchronously arrive. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

test("record() records the traffic of a transport and changes nothing of it", async () => {
  const lines: string[] = [];
  const read = await run((line) => void lines.push(line), { timing: false });
  await settled();
  assert.ok(read.includes(KEY), "the reader gets what was sent");
  assert.ok(lines.every((line) => line.endsWith("\n")));
  const events = parsed(lines.join(""));
  const { event, version } = events[0] as { event?: string; version?: number };
  assert.deepEqual({ event, version }, { event: "cassette", version: 1 });
  assert.deepEqual(events.slice(1), [
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
  assert.ok(!lines.join("").includes(KEY));
});

test("record() gives each line its time unless told otherwise", async () => {
  const lines: string[] = [];
  await run((line) => void lines.push(line));
  await settled();
  const times = parsed(lines.join("")).map(({ t }) => t);
  assert.ok(times.every((t) => typeof t === "number" && t >= 0));
});

test("record() writes to a stream and leaves it open", async () => {
  const lines: string[] = [];
  const stream = new WritableStream<string>({
    write: (line) => void lines.push(line),
  });
  await run(stream);
  await settled();
  assert.ok(lines.length > 5);
  assert.equal(stream.locked, false);
  await stream.close();
});

test("record() goes on without a sink that fails, and tells once", async () => {
  const errors: unknown[] = [];
  const broken = new Error("Disk full");
  const read = await run(() => {
    throw broken;
  }, { onError: (error) => errors.push(error) });
  await settled();
  assert.ok(read.length > 0);
  assert.deepEqual(errors, [broken]);
});

test("record() keeps no secret that the CLI repeats", async () => {
  const lines: string[] = [];
  const { transport, peer } = memoryTransport();
  const channel = await record(transport, (line) => void lines.push(line))
    .open(launch, new AbortController().signal);
  const secret = "header-4711";
  const servers = { a: { headers: { "X-A": secret } } };
  await channel.write(`${JSON.stringify({ request: { servers } })}\n`);
  void peer.send({ type: "a", text: `It said ${secret}.` });
  peer.end();
  await new Response(channel.readable as BodyInit).text();
  await channel.stop(PLAN);
  assert.ok(lines.join("").includes("It said [redacted]."));
  assert.ok(!lines.join("").includes(secret));
});

/** A line of a streamed answer. */
const streamed = (event: JsonObject, parent: string | null = null) => ({
  type: "stream_event",
  event,
  parent_tool_use_id: parent,
});

/** The deltas of a text, some characters each. */
const deltas = (text: string, kind: string, index: number, width: number) =>
  (text.match(new RegExp(`[^]{1,${width}}`, "g")) ?? []).map((piece) => {
    const field = kind === "input_json" ? "partial_json" : kind;
    const delta = { type: `${kind}_delta`, [field]: piece };
    return streamed({ type: "content_block_delta", index, delta });
  });

/** The texts of the deltas in a recording, joined by block. */
function joined(recording: string): Record<string, string> {
  const blocks: Record<string, string> = {};
  for (const line of parsed(recording)) {
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

/** Records what a CLI sends. */
async function recordingOf(sent: readonly JsonObject[]): Promise<string[]> {
  const lines: string[] = [];
  const { transport, peer } = memoryTransport();
  const channel = await record(transport, (line) => void lines.push(line), {
    timing: false,
  }).open(launch, new AbortController().signal);
  for (const one of sent) void peer.send(one);
  peer.end();
  await new Response(channel.readable as BodyInit).text();
  await channel.stop(PLAN);
  return lines;
}

test("record() keeps no secret that the CLI streams in pieces", async () => {
  const input = JSON.stringify({
    command: `curl -H "x: ${KEY}" '${KEY}'`,
    password: "short",
    n: [1, { deep: "é" }],
  });
  for (const width of [1, 3, 7, 1_000]) {
    const stop = (index: number) =>
      streamed({ type: "content_block_stop", index });
    const lines = await recordingOf([
      ...deltas(`My key is ${KEY}, yes`, "text", 0, width)
        .flatMap((delta) => [delta, streamed({ type: "ping" })]),
      { type: "system", subtype: "status" },
      ...deltas(`, and ${encodeURIComponent(KEY)}`, "text", 0, width),
      stop(0),
      ...deltas(`Think of ${KEY}`, "thinking", 1, width),
      stop(1),
      ...deltas(input, "input_json", 2, width),
      stop(2),
      ...deltas("no secret", "text", 3, width),
      ...deltas('{"token":"abc"}', "input_json", 6, width),
      // It was interrupted.
      ...deltas(`{"command":"${KEY}`, "input_json", 4, width),
      { type: "result" },
      ...deltas(`The end of ${KEY}`, "text", 5, width),
    ]);
    const blocks = joined(lines.join(""));
    assert.deepEqual(JSON.parse(blocks["2 input_json_delta"] ?? ""), {
      command: `curl -H "x: [redacted]" '[redacted]'`,
      password: "[redacted]",
      n: [1, { deep: "é" }],
    });
    delete blocks["2 input_json_delta"];
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
    streamed({ type: "content_block_stop", index: 1 }),
    { type: "assistant", message: {} },
  ];
  const lines = parsed((await recordingOf(sent)).join(""));
  assert.deepEqual(
    lines.flatMap(({ msg = [] }) => msg),
    sent,
  );
});

test("record() writes a block when it ends, that of a subagent by itself", async () => {
  const lines: string[] = [];
  const { transport, peer } = memoryTransport();
  const channel = await record(transport, (line) => void lines.push(line))
    .open(launch, new AbortController().signal);
  const reader = channel.readable.getReader();
  const send = async (line: JsonObject) => {
    void peer.send(line);
    await reader.read();
    await settled();
  };
  await settled();
  const before = lines.length;
  const delta = { type: "text_delta", text: "abc" };
  await send(streamed({ type: "content_block_delta", index: 0, delta }, "sub"));
  await send(streamed({ type: "content_block_stop", index: 0 }));
  assert.equal(lines.length, before);
  await send(streamed({ type: "content_block_stop", index: 0 }, "sub"));
  assert.equal(lines.length, before + 3);
  // That of the main conversation was interrupted.
  await send(streamed({ type: "content_block_delta", index: 1, delta }));
  await send({ type: "result" });
  assert.equal(lines.length, before + 5);
  await send(streamed({ type: "content_block_delta", index: 2, delta }));
  assert.equal(lines.length, before + 5);
  await channel.stop(PLAN);
  assert.match(lines.slice(before + 5).join(""), /"abc"/);
});

test("record() has written everything when stop() resolves", async () => {
  const lines: string[] = [];
  const sink = async (line: string) => {
    await settled();
    lines.push(line);
  };
  const { transport } = memoryTransport();
  const channel = await record(transport, sink)
    .open(launch, new AbortController().signal);
  await channel.write('{"type":"user"}\n');
  await channel.stop(PLAN);
  const events = parsed(lines.join(""));
  assert.deepEqual(
    events.map((one) => one.dir === "meta" ? one.event : one.dir),
    ["cassette", "spawn", "in", "stop"],
  );
});

test(
  "record() redacts under telling names, and leaves what only sounds alike",
  async () => {
    const hidden = {
      mcpServers: {
        web: {
          url: "http://me:pw@x/?token=abc",
          headers: { "X-Own": "abc", accept: "*" },
        },
        local: { args: ["serve", "--api-key", "abc"], env: { ODD: "abc" } },
      },
      settings: { env: { DB_PASS: "abc" } },
      list: [{ apiKey: "abc" }, { accessToken: "abc" }],
      account: { email: "ada@example.com", organization: "Ada" },
    };
    const shown = {
      max_tokens: 100,
      usage: { input_tokens: 3 },
      apiKeySource: "ANTHROPIC_API_KEY",
      progressToken: 2,
      token: "",
      keys: [1, true, "text"],
      questions: [{ header: "Auth method", question: "Which?" }],
      inputSchema: { properties: { token: { type: "string" } } },
    };
    const lines = parsed((await recordingOf([hidden, shown])).join(""));
    const redacted = "[redacted]";
    assert.deepEqual(lines.flatMap(({ msg = [] }) => msg), [
      {
        mcpServers: {
          web: {
            url: "http://[redacted]@x/?token=[redacted]",
            headers: { "X-Own": redacted, accept: "*" },
          },
          local: {
            args: ["serve", "--api-key", redacted],
            env: { ODD: redacted },
          },
        },
        settings: { env: { DB_PASS: redacted } },
        list: [{ apiKey: redacted }, { accessToken: redacted }],
        account: { email: redacted, organization: "Ada" },
      },
      shown,
    ]);
  },
  { ids: ["E-07"] },
);

test(
  "record() redacts patterns of keys and tokens wherever they stand",
  async () => {
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
    const plain = "Basic functionality of https://host/a@b, npm_config_cache";
    const lines = await recordingOf([{ texts, cut, plain }]);
    const line = lines.find((one) => one.includes("texts")) ?? "";
    assert.deepEqual(JSON.parse(line).msg, {
      texts: keys.flatMap(() => ["a [redacted] b", "\\n[redacted] b"]),
      cut: "a [redacted]",
      plain,
    });
  },
  { ids: ["E-07"] },
);

test("record() applies the caller's own rule last", async () => {
  const lines: string[] = [];
  await run((line) => void lines.push(line), {
    scrub: (text) => text.replaceAll("key [redacted]", "Ada"),
  });
  await settled();
  assert.match(lines.join(""), /"note":"Ada"/);
});
