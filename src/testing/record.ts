import type {
  Channel,
  ExitReport,
  Launch,
  StopPlan,
  Transport,
} from "../ports/transport.ts";
import { LineFramer } from "../stream/line_framer.ts";
import type { JsonValue } from "../types/json.ts";
import { CASSETTE_VERSION, type CassetteLine } from "./cassette.ts";
import { CassetteScrubber } from "./scrub.ts";
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
 * through a cassette before giving it away. `stop()` waits until the sink has taken everything so far.
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
      return new Recorder(channel, launch, sink, options);
    },
  };
}

class Recorder implements Channel {
  readonly pid?: number;
  readonly origin?: NonNullable<Channel["origin"]>;
  readonly gone?: NonNullable<Channel["gone"]>;
  readonly readable: ReadableStream<Uint8Array>;
  readonly exited: Channel["exited"];
  readonly #channel: Channel;
  readonly #scrubber: CassetteScrubber;
  readonly #put: (line: CassetteLine) => void;
  readonly #tape: Tape;
  readonly #hasEnded: Promise<unknown>;

  constructor(
    channel: Channel,
    launch: Launch,
    sink: CassetteSink,
    { timing = true, scrub, onError = () => {} }: RecordOptions,
  ) {
    this.#channel = channel;
    if (channel.pid !== undefined) this.pid = channel.pid;
    if (channel.origin !== undefined) this.origin = channel.origin;
    if (channel.gone !== undefined) this.gone = channel.gone;
    this.#scrubber = new CassetteScrubber(launch, scrub);
    const startedAt = performance.now();
    this.#tape = new Tape(sink, onError);
    this.#put = (line) => {
      const t = Math.round(performance.now() - startedAt);
      this.#tape.put(`${JSON.stringify(timing ? { t, ...line } : line)}\n`);
    };
    this.#putMeta("cassette", { version: CASSETTE_VERSION });
    this.#putMeta("spawn", {
      argv: this.#scrubber.args(launch.args),
      cwd: launch.cwd,
      env: Object.keys(launch.env).sort(),
    });
    const [readable, hasEnded] = this.#tap(channel.readable);
    this.readable = readable;
    this.#hasEnded = hasEnded;
    this.exited = this.#exited();
  }

  async write(text: string): Promise<void> {
    for (const line of splitLines(text)) this.#putLine("in", line);
    await this.#channel.write(text);
  }

  async end(): Promise<void> {
    this.#putMeta("stdin_close", {});
    await this.#channel.end();
  }

  async stop(plan: StopPlan): Promise<void> {
    this.#putMeta("stop", { reason: plan.reason });
    await this.#channel.stop(plan);
    await this.#tape.written();
  }

  /** Stderr and exit stand after everything that came out. */
  async #exited(): Promise<ExitReport> {
    const report = await this.#channel.exited;
    void this.#hasEnded.then(() => {
      const { code, signal, stderrTail } = report;
      if (stderrTail !== "") {
        this.#put({ dir: "err", text: this.#scrubber.tail(stderrTail) });
      }
      this.#putMeta("exit", { code, signal });
      this.#tape.end();
    });
    return report;
  }

  /** Hands every chunk on as it is, and writes down the lines in it. */
  #tap(
    source: ReadableStream<Uint8Array>,
  ): [ReadableStream<Uint8Array>, Promise<void>] {
    const framer = new LineFramer({ maxLineBytes: Infinity });
    const reader = source.getReader();
    let end = () => {};
    const hasEnded = new Promise<void>((resolve) => end = resolve);
    const finish = () => {
      for (const line of framer.end()) this.#putLine("out", line);
      end();
    };
    const readable = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (done) {
            finish();
            return controller.close();
          }
          for (const line of framer.push(value)) this.#putLine("out", line);
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
    return [readable, hasEnded];
  }

  #putLine(dir: "in" | "out", text: string): void {
    let msg: JsonValue;
    try {
      msg = JSON.parse(text);
    } catch {
      return this.#put({ dir, raw: this.#scrubber.text(text) });
    }
    if (dir === "in") this.#scrubber.learn(msg);
    this.#put({ dir, msg: this.#scrubber.value(msg) });
  }

  #putMeta(event: string, facts: Readonly<Record<string, JsonValue>>): void {
    this.#put({ dir: "meta", event, ...facts });
  }
}

/** Writes lines one after the other; the first failure ends it. */
class Tape {
  readonly #write: (line: string) => void | Promise<void>;
  readonly #close: () => void | Promise<void>;
  readonly #onError: (error: unknown) => void;
  #written: Promise<void> = Promise.resolve();
  #hasFailed = false;

  constructor(sink: CassetteSink, onError: (error: unknown) => void) {
    this.#onError = onError;
    if (typeof sink === "function") {
      this.#write = sink;
      this.#close = () => {};
    } else {
      const writer = sink.getWriter();
      this.#write = (line) => writer.write(line);
      // The stream is the caller's: another recording may follow on it.
      this.#close = () => writer.releaseLock();
    }
  }

  put(line: string): void {
    this.#then(() => this.#write(line));
  }

  end(): void {
    this.#then(() => this.#close());
  }

  /** Resolves when the sink has taken what was put so far. */
  written(): Promise<void> {
    return this.#written;
  }

  #then(act: () => void | Promise<void>): void {
    this.#written = this.#written.then(async () => {
      if (this.#hasFailed) return;
      try {
        await act();
      } catch (error) {
        this.#hasFailed = true;
        this.#onError(error);
      }
    });
  }
}
