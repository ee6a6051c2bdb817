import { isObject } from "../errors/text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { RecordedLine } from "./recording.ts";
import type { RecordingRedactor } from "./recording_redactor.ts";

interface Delta {
  readonly parent: JsonValue | undefined;
  readonly key: string;
  /** The member that holds the text. */
  readonly field: string;
  readonly text: string;
}

interface OpenBlock {
  /** The message of the block: that of a subagent, or of the main conversation. */
  readonly parent: JsonValue | undefined;
  readonly field: string;
  readonly pieces: {
    readonly line: { msg: JsonValue };
    readonly text: string;
  }[];
}

/** Redacts streamed blocks as a whole, since a secret may span deltas; holds all lines back until no block is open. */
export class StreamedLines {
  readonly #redactor: RecordingRedactor;
  readonly #write: (line: RecordedLine) => void;
  readonly #open = new Map<string, OpenBlock>();
  readonly #held: RecordedLine[] = [];

  constructor(
    redactor: RecordingRedactor,
    write: (line: RecordedLine) => void,
  ) {
    this.#redactor = redactor;
    this.#write = write;
  }

  add(line: RecordedLine): void {
    this.#held.push(line);
    this.#flush();
  }

  /** Writes a message of the CLI in its turn, redacted. */
  addMessage(time: Pick<RecordedLine, "t">, msg: JsonValue): void {
    const delta = deltaOf(msg);
    if (delta === undefined) {
      this.#endBlocksAt(msg);
      return this.add({ ...time, dir: "out", msg: this.#redactor.value(msg) });
    }
    const { key, parent, field, text } = delta;
    const block = this.#open.get(key) ?? { parent, field, pieces: [] };
    this.#open.set(key, block);
    const shown = this.#redactor.value(withText(msg, field, ""));
    const line = { ...time, dir: "out" as const, msg: shown };
    block.pieces.push({ line, text });
    this.#held.push(line);
  }

  end(): void {
    this.#endBlocks(() => true);
    this.#flush();
  }

  #flush(): void {
    if (this.#open.size > 0) return;
    for (const line of this.#held.splice(0)) this.#write(line);
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
        ? this.#redactor.json(text)
        : this.#redactor.text(text);
      for (const [at, { line, text: piece }] of pieces.entries()) {
        // A redacted text stands in the first piece.
        const part = clean === text ? piece : at === 0 ? clean : "";
        line.msg = withText(line.msg, field, part);
      }
    }
  }
}

function deltaOf(msg: JsonValue): Delta | undefined {
  if (!isObject(msg) || msg["type"] !== "stream_event") return undefined;
  const { event, parent_tool_use_id: parent } = msg;
  if (!isObject(event) || event["type"] !== "content_block_delta") {
    return undefined;
  }
  const { delta, index } = event;
  const [field, text] = Object.entries(isObject(delta) ? delta : {})
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
