import { Deferred } from "../async/deferred.ts";
import type {
  Channel,
  ExitReport,
  Launch,
  Transport,
} from "../ports/transport.ts";
import { LineFramer } from "../stream/line_framer.ts";
import type { JsonValue } from "../types/json.ts";
import { CASSETTE_VERSION, type CassetteLine } from "./cassette.ts";
import { CassetteScrubber } from "./scrub.ts";
import { StreamedLines } from "./streamed.ts";
import { splitLines } from "./wire_lines.ts";

/** Where a cassette goes: a function that gets each line with its newline, or a stream of texts, such as a file's behind a `TextEncoderStream`. */
export type CassetteSink =
  | ((line: string) => void | Promise<void>)
  | WritableStream<string>;

/** Settings of a recording. */
export interface RecordOptions {
  /** Whether each line has its time; true unless given. */
  readonly timing?: boolean | undefined;
  /** Takes out of each text what this package cannot know to be secret; runs after its own rules. */
  readonly scrub?: ((text: string) => string) | undefined;
  /** Called when the sink fails; the conversation goes on, the recording ends. Ignored unless given. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * Wraps a transport, and writes down what goes over it: a cassette, one JSON object per line.
 *
 * API keys, tokens, passwords, e-mail addresses of the account, headers, variables of servers and settings, and what the
 * conversation was given as secret are replaced by `[redacted]`; of the environment only names are kept. What prompts and tools say is kept: look
 * through a cassette before giving it away. Streamed blocks are redacted as a whole: their lines are written when the block ends. `stop()` waits until the sink has taken everything so far.
 *
 * @param transport What is recorded
 * @param sink Where it goes
 * @param options Timing, and further scrubbing
 * @returns A transport to be used in its place
 *
 * @example What goes over a transport, without secrets
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
  sink: CassetteSink,
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
  sink: CassetteSink,
  { timing = true, scrub, onError = () => {} }: RecordOptions,
): Channel {
  const { pid, origin, gone } = channel;
  const scrubber = new CassetteScrubber(launch, scrub);
  const startedAt = performance.now();
  const writer = typeof sink === "function" ? undefined : sink.getWriter();
  const write = typeof sink === "function"
    ? sink
    : (line: string) => writer?.write(line);
  let written: Promise<void> = Promise.resolve();
  let hasFailed = false;
  const lines = new StreamedLines(scrubber, (line) => {
    const text = `${JSON.stringify(line)}\n`;
    then(() => write(text));
  });
  putMeta("cassette", { version: CASSETTE_VERSION });
  putMeta("spawn", {
    argv: scrubber.args(launch.args),
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

  /** Stderr and exit stand after everything that came out. */
  async function exited(): Promise<ExitReport> {
    const report = await channel.exited;
    void hasEnded.then(() => {
      const { code, signal, stderrTail } = report;
      if (stderrTail !== "") {
        put({ dir: "err", text: scrubber.text(stderrTail) });
      }
      putMeta("exit", { code, signal });
      // A stream is the caller's: another recording may follow on it.
      then(() => writer?.releaseLock());
    });
    return report;
  }

  /** Hands every chunk on as it is, and writes down the lines in it. */
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
      return put({ dir, raw: scrubber.text(text) });
    }
    if (dir === "out") return lines.addMessage(time(), msg);
    scrubber.learn(msg);
    put({ dir, msg: scrubber.value(msg) });
  }

  function putMeta(
    event: string,
    facts: Readonly<Record<string, JsonValue>>,
  ): void {
    put({ dir: "meta", event, ...facts });
  }

  function put(line: CassetteLine): void {
    lines.add({ ...time(), ...line });
  }

  function time(): { readonly t?: number } {
    return timing ? { t: Math.round(performance.now() - startedAt) } : {};
  }

  /** What is done with the sink, one after the other; the first failure ends it. */
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
