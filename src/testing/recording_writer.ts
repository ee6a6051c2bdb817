import { attempt } from "../async/deferred.ts";
import { redactedCopy } from "../errors/redact.ts";
import { Scrubber } from "../errors/scrubber.ts";
import { withoutSecrets } from "../errors/secrets.ts";
import { asObject, isObject, parsedJson, REDACTED } from "../errors/text.ts";
import type { Launch } from "../ports/transport.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { HEADER, type RecordedLine, RECORDING_VERSION } from "./recording.ts";

/** Receives a recording: a function that gets each line with its newline, or a stream of texts, such as a file's behind a `TextEncoderStream`. */
export type RecordingSink =
  | ((line: string) => void | Promise<void>)
  | WritableStream<string>;

/** Settings of a recording. */
export interface RecordOptions {
  /** Whether each line has its time; true by default. */
  readonly timing?: boolean | undefined;
  /** Redacts each text further; runs after the rules of this package. */
  readonly scrub?: ((text: string) => string) | undefined;
  /** Called when the sink fails; the conversation continues, the recording ends. Ignored by default. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

interface OpenBlock {
  /** The message of the block: that of a subagent, or of the main conversation. */
  readonly parent: JsonValue | undefined;
  /** The member of a delta that holds the text. */
  readonly field: string;
  readonly pieces: {
    readonly line: { msg: JsonValue };
    readonly text: string;
  }[];
}

/**
 * Writes a recording without secrets. Streamed blocks are redacted as a whole, since a secret may span deltas: all
 * lines are held back until no block is open.
 */
export class RecordingWriter {
  /** Resolves when the sink has received everything so far. */
  written: Promise<void> = Promise.resolve();
  readonly #sink: Exclude<RecordingSink, WritableStream<string>>;
  readonly #options: RecordOptions;
  readonly #scrubber: Scrubber;
  readonly #startedAt: number = performance.now();
  readonly #open = new Map<string, OpenBlock>();
  readonly #held: RecordedLine[] = [];
  #hasFailed = false;

  constructor(
    { env, args, cwd }: Launch,
    sink: RecordingSink,
    options: RecordOptions,
  ) {
    this.#sink = typeof sink === "function" ? sink : writerTo(sink);
    this.#options = options;
    this.#scrubber = new Scrubber({ env, args });
    const { scrub = (text: string) => text } = options;
    this.meta(HEADER, { version: RECORDING_VERSION });
    this.meta("spawn", {
      argv: this.#scrubber.command(args).map(scrub),
      cwd,
      env: Object.keys(env).sort(),
    });
  }

  meta(event: string, facts: Readonly<Record<string, JsonValue>>): void {
    this.#add({ ...this.#time(), dir: "meta", event, ...facts });
  }

  stderr(text: string): void {
    this.#add({ ...this.#time(), dir: "err", text: this.#text(text) });
  }

  /** A line to the CLI, or one from it. */
  line(dir: "in" | "out", text: string): void {
    const time = this.#time();
    const msg = parsedJson(text);
    if (msg === undefined) {
      return this.#add({ ...time, dir, raw: this.#text(text) });
    }
    // The CLI may repeat the secrets of a message to it.
    if (dir === "in") this.#scrubber.learn({ documents: [msg] });
    else {
      const delta = deltaOf(msg);
      if (delta !== undefined) return this.#addDelta(time, msg, delta);
      this.#endBlocksAt(msg);
    }
    this.#add({ ...time, dir, msg: this.#value(msg) });
  }

  /** Ends all blocks. */
  end(): void {
    this.#endBlocks(() => true);
    this.#flush();
  }

  #time(): Pick<RecordedLine, "t"> {
    return this.#options.timing === false
      ? {}
      : { t: Math.round(performance.now() - this.#startedAt) };
  }

  #add(line: RecordedLine): void {
    this.#held.push(line);
    this.#flush();
  }

  #addDelta(
    time: Pick<RecordedLine, "t">,
    msg: JsonValue,
    { key, parent, field, text }: Delta,
  ): void {
    const block = this.#open.get(key) ?? { parent, field, pieces: [] };
    this.#open.set(key, block);
    const shown = this.#value(withText(msg, field, ""));
    const line = { ...time, dir: "out" as const, msg: shown };
    block.pieces.push({ line, text });
    this.#held.push(line);
  }

  #flush(): void {
    if (this.#open.size > 0) return;
    for (const line of this.#held.splice(0)) {
      const text = `${JSON.stringify(line)}\n`;
      this.#then(() => this.#sink(text));
    }
  }

  /** Ends the blocks that can get no more deltas after a message. */
  #endBlocksAt(msg: JsonValue): void {
    if (!isObject(msg)) return;
    if (msg["type"] === "result") return this.#endBlocks(() => true);
    const { event, parent_tool_use_id: parent } = msg;
    const isEnd = msg["type"] === "stream_event" && isObject(event) &&
      event["type"] !== "ping" && event["type"] !== "content_block_delta";
    if (isEnd) this.#endBlocks((block) => block.parent === parent);
  }

  #endBlocks(isMeant: (block: OpenBlock) => boolean): void {
    for (const [key, block] of this.#open) {
      if (!isMeant(block)) continue;
      this.#open.delete(key);
      const { field, pieces } = block;
      const text = pieces.map(({ text }) => text).join("");
      const clean = field === "partial_json"
        ? this.#json(text)
        : this.#text(text);
      for (const [at, { line, text: piece }] of pieces.entries()) {
        // A redacted text stands in the first piece.
        const part = clean === text ? piece : at === 0 ? clean : "";
        line.msg = withText(line.msg, field, part);
      }
    }
  }

  #text(text: string): string {
    const { scrub = (text: string) => text } = this.#options;
    return scrub(this.#scrubber.scrub(text));
  }

  #value(value: JsonValue): JsonValue {
    const clean = withoutAddresses(withoutSecrets(value));
    return redactedCopy(clean, { scrub: (text: string) => this.#text(text) });
  }

  /** A JSON text, unchanged where it has no secrets; one that is cut off counts as plain text. */
  #json(text: string): string {
    const value = parsedJson(text);
    if (value === undefined) return this.#text(text);
    const clean = JSON.stringify(this.#value(value));
    return clean === JSON.stringify(value) ? text : clean;
  }

  /** Uses the sink, one call after the other; the first failure ends the recording. */
  #then(act: () => void | Promise<void>): void {
    this.written = this.written.then(async () => {
      if (this.#hasFailed) return;
      try {
        await act();
      } catch (error) {
        this.#hasFailed = true;
        attempt(() => this.#options.onError?.(error));
      }
    });
  }
}

/** A stream is the caller's, and locked for each line alone: the process may exit before it is stopped. */
function writerTo(
  stream: WritableStream<string>,
): (line: string) => Promise<void> {
  return async (line) => {
    const writer = stream.getWriter();
    try {
      await writer.write(line);
    } finally {
      writer.releaseLock();
    }
  };
}

/** The owner of the account stays private. */
function withoutAddresses(value: JsonValue): JsonValue {
  return JSON.parse(
    JSON.stringify(value),
    (name, part) =>
      name === "email" && typeof part === "string" ? REDACTED : part,
  );
}

interface Delta {
  readonly parent: JsonValue | undefined;
  readonly key: string;
  readonly field: string;
  readonly text: string;
}

function deltaOf(msg: JsonValue): Delta | undefined {
  if (!isObject(msg) || msg["type"] !== "stream_event") return undefined;
  const { event, parent_tool_use_id: parent } = msg;
  if (!isObject(event) || event["type"] !== "content_block_delta") {
    return undefined;
  }
  const { delta, index } = event;
  const [field, text] = Object.entries(asObject(delta))
    .find(([name, part]) => name !== "type" && typeof part === "string") ?? [];
  if (field === undefined || typeof text !== "string") return undefined;
  return { parent, field, text, key: JSON.stringify([parent, index, field]) };
}

function withText(msg: JsonValue, field: string, text: string): JsonValue {
  const message = msg as JsonObject;
  const event = message["event"] as JsonObject;
  const delta = event["delta"] as JsonObject;
  return {
    ...message,
    event: { ...event, delta: { ...delta, [field]: text } },
  };
}
