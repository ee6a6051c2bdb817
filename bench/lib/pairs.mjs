// deno-lint-ignore-file explicit-module-boundary-types -- plain JavaScript
// Compares two ways to read the same output in this process: CPU time of pairs that follow each other, since others on
// the machine, who come and go in seconds, change wall time by half.
import process from "node:process";

const CHUNK_BYTES = 64 * 1024;
const encoder = new TextEncoder();

/** Runs both in turns; returns the best times, and by how many percent the first takes longer, with half of the pairs. */
export async function comparePairs(rounds, read) {
  const times = { with: [], without: [] };
  // The first rounds warm up.
  for (let round = -2; round < rounds; round++) {
    // The first of a pair gets what the other left to collect.
    const order = round % 2 === 0 ? ["without", "with"] : ["with", "without"];
    for (const which of order) {
      const before = process.cpuUsage();
      const began = performance.now();
      await read(which === "with");
      const ms = performance.now() - began;
      const { user, system } = process.cpuUsage(before);
      if (round >= 0) times[which].push({ ms, cpuMs: (user + system) / 1_000 });
    }
  }
  const shares = times.with.map(({ cpuMs }, round) =>
    (cpuMs / times.without[round].cpuMs - 1) * 100
  ).sort((a, b) => a - b);
  const at = (part) => shares[Math.floor((shares.length - 1) * part)];
  const least = (which, what) =>
    Math.min(...times[which].map((time) => time[what]));
  return {
    ms: least("with", "ms"),
    withoutMs: least("without", "ms"),
    cpuMs: least("with", "cpuMs"),
    withoutCpuMs: least("without", "cpuMs"),
    percent: Math.max(0, at(0.5)),
    percentFrom: at(0.25),
    percentTo: at(0.75),
  };
}

/** A delta of a text, as a line. */
export function deltaLine(text, sessionId, n) {
  return JSON.stringify({
    type: "stream_event",
    event: {
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text },
    },
    session_id: sessionId,
    parent_tool_use_id: null,
    uuid: `2d0a4d3e-55b0-4b13-8f0e-${String(n).padStart(12, "0")}`,
  });
}

/** The result of a turn, as a line. */
export function resultLine(sessionId) {
  return JSON.stringify({
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
    session_id: sessionId,
    uuid: "5d0a4d3e-55b0-4b13-8f0e-000000000000",
  });
}

/** Lines in chunks as a pipe has them. */
export function chunksOf(lines) {
  const bytes = encoder.encode([...lines].join("\n") + "\n");
  const chunks = [];
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    chunks.push(bytes.slice(at, at + CHUNK_BYTES));
  }
  return chunks;
}

/** A transport to a CLI that answers the first request, writes all chunks, and ends unless it stays open. */
export function playing(chunks, { staysOpen = false } = {}) {
  return {
    open() {
      let begin;
      const begun = new Promise((resolve) => begin = resolve);
      let end;
      const exited = new Promise((resolve) => end = resolve);
      let at = -1;
      const readable = new ReadableStream({
        async pull(controller) {
          if (at === -1) controller.enqueue(encoder.encode(await begun));
          else if (at < chunks.length) controller.enqueue(chunks[at]);
          else if (staysOpen) return new Promise(() => {});
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
            const response = {
              subtype: "success",
              request_id: id,
              response: {},
            };
            begin(
              JSON.stringify({ type: "control_response", response }) + "\n",
            );
          }
          return Promise.resolve();
        },
        end: () => Promise.resolve(),
        stop: () => Promise.resolve(),
      });
    },
  };
}
