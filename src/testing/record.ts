import { Deferred } from "../async/deferred.ts";
import type { Channel, ExitReport, Transport } from "../ports/transport.ts";
import { LineFramer } from "../stream/line_framer.ts";
import { splitLines } from "./lines.ts";
import {
  type RecordingSink,
  RecordingWriter,
  type RecordOptions,
} from "./recording_writer.ts";

/**
 * Wraps a transport, and records its traffic, one JSON object per line.
 *
 * API keys, tokens, passwords, e-mail addresses of the account, headers, variables of servers and settings, and the
 * conversation's secrets are replaced by `[redacted]`; of the environment only names are kept. Prompts and tool
 * results are kept: review a recording before you share it. Streamed blocks are redacted as a whole: their lines are
 * written when no block is open. `stop()` waits until the sink has received everything.
 *
 * @param transport The transport to record
 * @param sink Receives the recording
 * @param options Timing, and further redaction
 * @returns A transport to be used in its place
 *
 * @example Record a conversation without its secrets
 * ```ts
 * import { memoryTransport, record } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { transport } = memoryTransport({ respond: () => ({ type: "pong" }) });
 * const lines: string[] = [];
 * const recorded = record(transport, (line) => void lines.push(line));
 *
 * const launch = { args: [], env: { API_KEY: "correct-horse" }, cwd: "/" };
 * const channel = await recorded.open(launch, new AbortController().signal);
 * await channel.write('{"type":"ping","note":"correct-horse"}\n');
 * await channel.stop({ reason: "closed", graceMs: 0, killMs: 0 });
 *
 * assert.match(lines[0] ?? "", /"event":"cassette","version":1/);
 * assert.match(lines.join(""), /"msg":{"type":"ping","note":"\[redacted\]"}/);
 * ```
 */
export function record(
  transport: Transport,
  sink: RecordingSink,
  options: RecordOptions = {},
): Transport {
  return {
    async open(launch, signal) {
      const channel = await transport.open(launch, signal);
      return recorded(channel, new RecordingWriter(launch, sink, options));
    },
  };
}

function recorded(
  channel: Channel,
  writer: RecordingWriter,
): Channel {
  const { pid, origin, gone } = channel;
  const ended = new Deferred<void>();
  return {
    ...pid !== undefined && { pid },
    ...origin !== undefined && { origin },
    ...gone !== undefined && { gone },
    readable: tapped(channel.readable, writer, ended),
    exited: exited(),
    async write(text) {
      for (const line of splitLines(text)) writer.line("in", line);
      await channel.write(text);
    },
    async end() {
      writer.meta("stdin_close", {});
      await channel.end();
    },
    async stop(plan) {
      writer.meta("stop", { reason: plan.reason });
      await channel.stop(plan);
      writer.end();
      await writer.written;
    },
  };

  /** Stderr and exit come after all output. */
  async function exited(): Promise<ExitReport> {
    const report = await channel.exited;
    void ended.promise.then(() => {
      const { code, signal, stderrTail } = report;
      if (stderrTail !== "") writer.stderr(stderrTail);
      writer.meta("exit", { code, signal });
    });
    return report;
  }
}

/** Passes every chunk on, and records the lines in it. */
function tapped(
  source: ReadableStream<Uint8Array>,
  writer: RecordingWriter,
  ended: Deferred<void>,
): ReadableStream<Uint8Array> {
  const framer = new LineFramer({ maxLineBytes: Infinity });
  const reader = source.getReader();
  const finish = () => {
    for (const line of framer.end()) writer.line("out", line);
    writer.end();
    ended.resolve();
  };
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (done) {
          finish();
          return controller.close();
        }
        for (const line of framer.push(value)) writer.line("out", line);
        controller.enqueue(value);
      } catch (error) {
        finish();
        throw error;
      }
    },
    cancel: async (reason) => {
      finish();
      await reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
}
