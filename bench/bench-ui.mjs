// deno-lint-ignore-file no-console -- prints its result
// Measures streams for web pages. The CLI is a transport in this process, so that nothing but this package is measured.
// Prints one JSON line.
//   node bench-ui.mjs --scenario=ui_chunks --messages=200000 --rounds=7    aiSdkChunks() beside for await, in turns
//   node bench-ui.mjs --scenario=ui_streams --streams=200                  memory of responses that are open
// SLUICE_MODULE (or SLUICE_MODULE_NODE, ...): the root entry; that of pages is looked for beside it.
import process from "node:process";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { args, runtime } from "./lib/common.mjs";
import {
  chunksOf,
  comparePairs,
  deltaLine,
  playing,
  resultLine,
} from "./lib/pairs.mjs";

const where = process.env[`SLUICE_MODULE_${runtime.toUpperCase()}`] ??
  process.env.SLUICE_MODULE;
const root = /^[a-z]{2,}:/.test(where)
  ? where
  : pathToFileURL(resolve(where)).href;
const { query } = await import(root);
const { aiSdkChunks, sseResponse } = await import(
  root.endsWith(".ts")
    ? root.replace(/mod\.ts$/, "src/ui/mod.ts")
    : root.replace(/mod\.js$/, "ui.js")
);
const SESSION = "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11";
const TEXT = { type: "text", text: "" };
const MESSAGE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5",
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
};
const measured = args.scenario === "ui_streams"
  ? await streams()
  : await chunks();
console.log(JSON.stringify({ bench: args.scenario, runtime, ...measured }));
process.exit(0);

/** CPU time of chunks beside that of plain iteration, in pairs that follow each other. */
async function chunks() {
  const messages = Number(args.messages ?? 200_000);
  const transport = playing(outputOf(messages));
  const { cpuMs, withoutCpuMs, percent } = await comparePairs(
    Number(args.rounds ?? 7),
    async (isMapped) => {
      const read = isMapped ? mapped : plain;
      const count = await read(query("x", { transport }));
      if (count < messages) throw new Error(`${count} of ${messages}`);
    },
  );
  return { ms: cpuMs, plainMs: withoutCpuMs, uiTimes: 1 + percent / 100 };
}

async function plain(conversation) {
  let count = 0;
  for await (const _message of conversation) count++;
  return count;
}

async function mapped(conversation) {
  const reader = aiSdkChunks(conversation).getReader();
  let count = 0;
  while (!(await reader.read()).done) count++;
  return count;
}

/** Memory of open responses: each has sent the deltas of a long answer, which its buffer keeps, and waits for more. */
async function streams() {
  const count = Number(args.streams ?? 200);
  const messages = Number(args.messages ?? 1_000);
  const output = outputOf(messages);
  // Code is loaded and warm before the first measurement.
  await open(output, messages);
  const before = memory();
  const readers = [];
  while (readers.length < count) readers.push(await open(output, messages));
  const streamKb = (memory() - before) / count / 1024;
  return { streams: readers.length, messages, streamKb };
}

async function open(output, messages) {
  // The result would end the response.
  const transport = playing(output.slice(0, -1), { staysOpen: true });
  const response = sseResponse(query("x", { transport }), { format: "ai-sdk" });
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  for (let deltas = 0; deltas < messages;) {
    const { value } = await reader.read();
    deltas += decoder.decode(value).split('"text-delta"').length - 1;
  }
  return reader;
}

function memory() {
  for (let round = 0; round < 3; round++) {
    if (runtime === "bun") Bun.gc(true);
    else globalThis.gc?.();
  }
  return process.memoryUsage().rss;
}

/** One answer in deltas of 250 bytes, and its result as the last chunk. */
function outputOf(messages) {
  const lines = [
    event({ type: "message_start", message: MESSAGE }),
    event({ type: "content_block_start", index: 0, content_block: TEXT }),
  ];
  for (let at = 0; at < messages; at++) {
    lines.push(deltaLine(`word ${at} `, SESSION, at));
  }
  lines.push(event({ type: "content_block_stop", index: 0 }));
  return [...chunksOf(lines), ...chunksOf([resultLine(SESSION)])];
}

function event(event) {
  return JSON.stringify({
    type: "stream_event",
    event,
    parent_tool_use_id: null,
    session_id: SESSION,
    uuid: "2d0a4d3e-55b0-4b13-8f0e-000000000000",
  });
}
