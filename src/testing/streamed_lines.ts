import { isObject } from "../errors/text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { RecordedLine } from "./recording.ts";
import type { RecordingRedactor } from "./recording_redactor.ts";

/** One piece of a streamed content block. */
interface Delta {
  readonly parent: JsonValue | undefined;
  readonly key: string;
  /** The member that holds the text. */
  readonly field: string;
  readonly text: string;
}

type SentLine = Extract<RecordedLine, { readonly msg: JsonValue }>;

interface HeldLine {
  line: RecordedLine;
  /** Whether its block has not ended yet. */
  isOpen: boolean;
}

interface Block {
  /** The message of the block: that of a subagent, or of the main conversation. */
  readonly parent: JsonValue | undefined;
  readonly field: string;
  readonly pieces: { readonly held: HeldLine; readonly text: string }[];
}

/** Redacts streamed blocks as a whole, since a secret may span deltas; holds back their lines, and those behind them. */
export class StreamedLines {
  readonly #redactor: RecordingRedactor;
  readonly #write: (line: RecordedLine) => void;
  readonly #open = new Map<string, Block>();
  readonly #held: HeldLine[] = [];

  constructor(
    redactor: RecordingRedactor,
    write: (line: RecordedLine) => void,
  ) {
    this.#redactor = redactor;
    this.#write = write;
  }

  /** Writes a line in its turn. */
  add(line: RecordedLine): void {
    this.#held.push({ line, isOpen: false });
    this.#flush();
  }

  /** Writes a message of the CLI in its turn, redacted. */
  addMessage(head: { readonly t?: number }, msg: JsonValue): void {
    const delta = deltaOf(msg);
    const text = delta === undefined ? msg : withText(msg, delta.field, "");
    const line = { ...head, dir: "out", msg: this.#redactor.value(text) };
    if (delta === undefined) {
      this.#endBlocksAt(msg);
      return this.add(line as RecordedLine);
    }
    const { key, parent, field } = delta;
    const block = this.#open.get(key) ?? { parent, field, pieces: [] };
    this.#open.set(key, block);
    const held = { line: line as RecordedLine, isOpen: true };
    block.pieces.push({ held, text: delta.text });
    this.#held.push(held);
  }

  /** Ends all blocks. */
  end(): void {
    this.#endBlocks(() => true);
    this.#flush();
  }

  #flush(): void {
    const open = this.#held.findIndex(({ isOpen }) => isOpen);
    const count = open < 0 ? this.#held.length : open;
    for (const { line } of this.#held.splice(0, count)) this.#write(line);
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

  #endBlocks(isMeant: (block: Block) => boolean): void {
    for (const [key, block] of this.#open) {
      if (!isMeant(block)) continue;
      this.#open.delete(key);
      const { field, pieces } = block;
      const text = pieces.map(({ text }) => text).join("");
      const clean = field === "partial_json"
        ? this.#redactor.json(text)
        : this.#redactor.text(text);
      for (const [at, { held, text: piece }] of pieces.entries()) {
        // A redacted text stands in the first piece.
        const part = clean === text ? piece : at === 0 ? clean : "";
        const line = held.line as SentLine;
        held.line = { ...line, msg: withText(line.msg, field, part) };
        held.isOpen = false;
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

/** A delta with another text. */
function withText(msg: JsonValue, field: string, text: string): JsonValue {
  const message = msg as JsonObject;
  const event = message["event"] as JsonObject;
  const delta = event["delta"] as JsonObject;
  return {
    ...message,
    event: { ...event, delta: { ...delta, [field]: text } },
  };
}
