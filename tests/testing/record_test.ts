import assert from "node:assert/strict";
import type { Launch } from "@sluice/agent";
import {
  type CassetteSink,
  memoryTransport,
  record,
  type RecordOptions,
} from "@sluice/agent/testing";
import { parseCassette } from "../../src/testing/cassette.ts";
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
  sink: CassetteSink,
  options?: RecordOptions,
): Promise<string> {
  const { transport, far } = memoryTransport();
  const channel = await record(transport, sink, options)
    .open(launch, new AbortController().signal);
  await channel.write('{"type":"user","n":1}\n{"type":"keep_alive"}\n');
  const emoji = new TextEncoder().encode('{"text":"😀"}\nno json\n{"last":');
  void far.send({ type: "a", note: `key ${KEY}` }, emoji.slice(0, 11));
  void far.send(emoji.slice(11), "1}");
  far.end({ code: 2, stderrTail: `used ${KEY}\n` });
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

/** Lets what is written asynchronously arrive. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

test("record() writes a cassette and changes nothing of what goes over the transport", async () => {
  const lines: string[] = [];
  const read = await run((line) => void lines.push(line), { timing: false });
  await settled();
  assert.ok(read.includes(KEY), "the reader gets what was sent");
  assert.ok(lines.every((line) => line.endsWith("\n")));
  const events = parseCassette(lines.join(""));
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
  const times = parseCassette(lines.join("")).map(({ t }) => t);
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
  const { transport, far } = memoryTransport();
  const channel = await record(transport, (line) => void lines.push(line))
    .open(launch, new AbortController().signal);
  const secret = "header-4711";
  const servers = { a: { headers: { "X-A": secret } } };
  await channel.write(`${JSON.stringify({ request: { servers } })}\n`);
  void far.send({ type: "a", text: `It said ${secret}.` });
  far.end();
  await new Response(channel.readable as BodyInit).text();
  await channel.stop(PLAN);
  assert.ok(lines.join("").includes("It said [redacted]."));
  assert.ok(!lines.join("").includes(secret));
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
  const events = parseCassette(lines.join(""));
  assert.deepEqual(
    events.map((one) => one.dir === "meta" ? one.event : one.dir),
    ["cassette", "spawn", "in", "stop"],
  );
});
