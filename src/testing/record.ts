import { Deferred } from "../async/deferred.ts";
import type {
  Channel,
  ExitReport,
  Launch,
  Transport,
} from "../ports/transport.ts";
import { LineFramer } from "../stream/line_framer.ts";
import type { JsonValue } from "../types/json.ts";
import { HEADER, type RecordedLine, RECORDING_VERSION } from "./recording.ts";
import { RecordingRedactor } from "./recording_redactor.ts";
import { StreamedLines } from "./streamed_lines.ts";
import { splitLines } from "./lines.ts";

/** Receives a recording: a function that gets each line with its newline, or a stream of texts, such as a file's behind a `TextEncoderStream`. */
export type RecordingSink =
  | ((line: string) => void | Promise<void>)
  | WritableStream<string>;

/** Settings of a recording. */
export interface RecordOptions {
  /** Whether each line has its time; true unless given. */
  readonly timing?: boolean | undefined;
  /** Redacts each text further; runs after the rules of this package. */
  readonly scrub?: ((text: string) => string) | undefined;
  /** Called when the sink fails; the conversation continues, the recording ends. Ignored unless given. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

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
 * @example Traffic without secrets
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
      return recorded(channel, launch, sink, options);
    },
  };
}

function recorded(
  channel: Channel,
  launch: Launch,
  sink: RecordingSink,
  { timing = true, scrub, onError = () => {} }: RecordOptions,
): Channel {
  const { pid, origin, gone } = channel;
  const redactor = new RecordingRedactor(launch, scrub);
  const startedAt = performance.now();
  const writer = typeof sink === "function" ? undefined : sink.getWriter();
  const write = typeof sink === "function"
    ? sink
    : (line: string) => writer?.write(line);
  let written: Promise<void> = Promise.resolve();
  let hasFailed = false;
  const lines = new StreamedLines(redactor, (line) => {
    const text = `${JSON.stringify(line)}\n`;
    then(() => write(text));
  });
  putMeta(HEADER, { version: RECORDING_VERSION });
  putMeta("spawn", {
    argv: redactor.args(launch.args),
    cwd: launch.cwd,
    env: Object.keys(launch.env).sort(),
  });
  const [readable, hasEnded] = tap(channel.readable);
  return {
    ...pid !== undefined && { pid },
    ...origin !== undefined && { origin },
    ...gone !== undefined && { gone },
    readable,
    exited: exited(),
    async write(text) {
      for (const line of splitLines(text)) putLine("in", line);
      await channel.write(text);
    },
    async end() {
      putMeta("stdin_close", {});
      await channel.end();
    },
    async stop(plan) {
      putMeta("stop", { reason: plan.reason });
      await channel.stop(plan);
      lines.end();
      await written;
    },
  };

  /** Stderr and exit come after all output. */
  async function exited(): Promise<ExitReport> {
    const report = await channel.exited;
    void hasEnded.then(() => {
      const { code, signal, stderrTail } = report;
      if (stderrTail !== "") {
        put({ dir: "err", text: redactor.text(stderrTail) });
      }
      putMeta("exit", { code, signal });
      // A stream is the caller's: another recording may follow on it.
      then(() => writer?.releaseLock());
    });
    return report;
  }

  /** Passes every chunk on, and records the lines in it. */
  function tap(
    source: ReadableStream<Uint8Array>,
  ): [ReadableStream<Uint8Array>, Promise<void>] {
    const framer = new LineFramer({ maxLineBytes: Infinity });
    const reader = source.getReader();
    const ended = new Deferred<void>();
    const finish = () => {
      for (const line of framer.end()) putLine("out", line);
      lines.end();
      ended.resolve();
    };
    const readable = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (done) {
            finish();
            return controller.close();
          }
          for (const line of framer.push(value)) putLine("out", line);
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
    return [readable, ended.promise];
  }

  function putLine(dir: "in" | "out", text: string): void {
    let msg: JsonValue;
    try {
      msg = JSON.parse(text);
    } catch {
      return put({ dir, raw: redactor.text(text) });
    }
    if (dir === "out") return lines.addMessage(time(), msg);
    redactor.learn(msg);
    put({ dir, msg: redactor.value(msg) });
  }

  function putMeta(
    event: string,
    facts: Readonly<Record<string, JsonValue>>,
  ): void {
    put({ dir: "meta", event, ...facts });
  }

  function put(line: RecordedLine): void {
    lines.add({ ...time(), ...line });
  }

  function time(): { readonly t?: number } {
    return timing ? { t: Math.round(performance.now() - startedAt) } : {};
  }

  /** Uses the sink, one call after the other; the first failure ends the recording. */
  function then(act: () => void | Promise<void>): void {
    written = written.then(async () => {
      if (hasFailed) return;
      try {
        await act();
      } catch (error) {
        hasFailed = true;
        onError(error);
      }
    });
  }
}
