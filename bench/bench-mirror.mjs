// deno-lint-ignore-file no-console -- prints its result
// Measures what a copy of 100,000 entries in a store costs: the same output, in this process, read with the option
// `transcripts` and without it, in turns. What is compared is CPU time, of pairs that follow each other: others on the
// machine, who come and go in seconds, change wall time by half. Prints one JSON line.
//   node bench-mirror.mjs --peer=sluice --entries=100000 --rounds=7
// SLUICE_MODULE (or SLUICE_MODULE_NODE, ...): the root entry.
import process from "node:process";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { runtime } from "./lib/common.mjs";

const settings = Object.fromEntries(
  process.argv.slice(2).map((one) => one.replace(/^--/, "").split("=")),
);
const entries = Number(settings.entries ?? 100_000);
const rounds = Number(settings.rounds ?? 15);
const where = process.env[`SLUICE_MODULE_${runtime.toUpperCase()}`] ??
  process.env.SLUICE_MODULE;
const { query } = await import(
  /^[a-z]{2,}:/.test(where) ? where : pathToFileURL(resolve(where)).href
);

const ID = "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11";
const CHUNK_BYTES = 64 * 1024;
const encoder = new TextEncoder();
const chunks = output();

const times = { with: [], without: [] };
// The first rounds warm up.
for (let round = -2; round < rounds; round++) {
  // Who is first gets what the other left to collect.
  const order = round % 2 === 0 ? ["without", "with"] : ["with", "without"];
  for (const which of order) {
    const time = await read(which === "with");
    if (round >= 0) times[which].push(time);
  }
}
const shares = times.with.map(({ cpuMs }, round) =>
  (cpuMs / times.without[round].cpuMs - 1) * 100
).sort((a, b) => a - b);
const least = (which, what) =>
  Math.min(...times[which].map((time) => time[what]));
console.log(JSON.stringify({
  bench: "mirror",
  runtime,
  ms: least("with", "ms"),
  withoutMs: least("without", "ms"),
  cpuMs: least("with", "cpuMs"),
  withoutCpuMs: least("without", "cpuMs"),
  mirrorPercent: Math.max(0, at(0.5)),
  // Half of the pairs lie between these.
  mirrorPercentFrom: at(0.25),
  mirrorPercentTo: at(0.75),
}));
process.exit(0);

/** The share that this part of the pairs stays below. */
function at(part) {
  return shares[Math.floor((shares.length - 1) * part)];
}

/** Reads all of it, and gives the milliseconds that took, on the clock and of computing. */
async function read(isKept) {
  let kept = 0;
  const store = {
    append(_key, some) {
      kept += some.length;
      return Promise.resolve();
    },
    load: () => Promise.resolve(null),
  };
  const before = process.cpuUsage();
  const began = performance.now();
  const conversation = query("x", {
    transport: { open },
    ...isKept && { transcripts: { store } },
  });
  let messages = 0;
  for await (const _ of conversation) messages++;
  const ms = performance.now() - began;
  const { user, system } = process.cpuUsage(before);
  await conversation.close();
  // Two more say which host it is.
  const wanted = isKept ? entries + 2 : 0;
  if (messages !== entries * 4 + 1 || kept !== wanted) {
    throw new Error(`${messages} messages, ${kept} entries`);
  }
  return { ms, cpuMs: (user + system) / 1_000 };
}

/** A CLI that answers the first request, and says everything. */
function open() {
  let begin;
  const begun = new Promise((resolve) => begin = resolve);
  let end;
  const exited = new Promise((resolve) => end = resolve);
  let at = -1;
  const readable = new ReadableStream({
    async pull(controller) {
      if (at === -1) controller.enqueue(encoder.encode(await begun));
      else if (at < chunks.length) controller.enqueue(chunks[at]);
      else {
        controller.close();
        end({ code: 0, signal: null, stderrTail: "" });
      }
      at++;
    },
  }, { highWaterMark: 0 });
  return Promise.resolve({
    readable,
    exited,
    write(text) {
      const { type, request_id: id } = JSON.parse(text.split("\n")[0]);
      if (type === "control_request") {
        const response = { subtype: "success", request_id: id, response: {} };
        begin(JSON.stringify({ type: "control_response", response }) + "\n");
      }
      return Promise.resolve();
    },
    end: () => Promise.resolve(),
    stop: () => Promise.resolve(),
  });
}

/** Four deltas for each entry, and a result. */
function output() {
  const lines = [];
  for (let at = 0; at < entries; at++) {
    for (let delta = 0; delta < 4; delta++) {
      lines.push(JSON.stringify({
        type: "stream_event",
        event: {
          type: "content_block_delta",
          index: 0,
          delta: { type: "text_delta", text: `some words of ${at}.${delta}` },
        },
        session_id: ID,
        parent_tool_use_id: null,
        uuid: `2d0a4d3e-55b0-4b13-8f0e-${String(at).padStart(12, "0")}`,
      }));
    }
    lines.push(JSON.stringify({
      type: "transcript_mirror",
      filePath: `/home/ada/.claude/projects/-home-ada/${ID}.jsonl`,
      entries: [{
        parentUuid: `3d0a4d3e-55b0-4b13-8f0e-${String(at).padStart(12, "0")}`,
        isSidechain: false,
        type: "assistant",
        message: {
          role: "assistant",
          content: [{ type: "text", text: "words ".repeat(40) }],
          usage: { input_tokens: 1, output_tokens: 1 },
        },
        uuid: `4d0a4d3e-55b0-4b13-8f0e-${String(at).padStart(12, "0")}`,
        timestamp: "2026-11-20T08:20:08.661Z",
        cwd: "/home/ada",
        sessionId: ID,
        version: "2.1.330",
      }],
    }));
  }
  lines.push(JSON.stringify({
    type: "result",
    subtype: "success",
    is_error: false,
    duration_ms: 1,
    duration_api_ms: 1,
    num_turns: 1,
    result: "done",
    stop_reason: "end_turn",
    total_cost_usd: 0,
    usage: { input_tokens: 1, output_tokens: 1 },
    modelUsage: {},
    permission_denials: [],
    session_id: ID,
    uuid: "5d0a4d3e-55b0-4b13-8f0e-000000000000",
  }));
  const bytes = encoder.encode(lines.join("\n") + "\n");
  const chunks = [];
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    chunks.push(bytes.slice(at, at + CHUNK_BYTES));
  }
  return chunks;
}
