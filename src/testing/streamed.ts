import { isObject } from "../errors/text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { CassetteLine } from "./cassette.ts";
import type { CassetteScrubber } from "./scrub.ts";

/** One piece of a streamed content block. */
interface Delta {
  /** The message it belongs to: that of a subagent, or of the main conversation. */
  readonly parent: JsonValue | undefined;
  readonly key: string;
  /** The member that holds the text. */
  readonly field: string;
  readonly text: string;
}

interface HeldLine {
  readonly line: CassetteLine;
  readonly block?: Block;
}

/** All deltas of one block; their lines are held until it ends. */
interface Block {
  readonly parent: JsonValue | undefined;
  readonly field: string;
  readonly texts: string[];
  /** What is written in the place of the texts; `undefined` while the block is open. */
  clean?: string[];
}

/** Redacts streamed blocks as a whole, since a secret may span deltas; holds back their lines, and those behind them. */
export class StreamedLines {
  readonly #scrubber: CassetteScrubber;
  readonly #write: (line: CassetteLine) => void;
  readonly #open = new Map<string, Block>();
  #held: HeldLine[] = [];

  constructor(
    scrubber: CassetteScrubber,
    write: (line: CassetteLine) => void,
  ) {
    this.#scrubber = scrubber;
    this.#write = write;
  }

  /** Writes a line in its turn. */
  add(line: CassetteLine): void {
    this.#held.push({ line });
    this.#flush();
  }

  /** Writes a message of the CLI in its turn, redacted; `line` is the rest of its line. */
  addMessage(line: { readonly t?: number }, msg: JsonValue): void {
    const delta = deltaOf(msg);
    const text = delta === undefined ? msg : withText(msg, delta.field, "");
    const whole = { ...line, dir: "out", msg: this.#scrubber.value(text) };
    if (delta === undefined) {
      this.#endWith(msg);
      return this.add(whole as CassetteLine);
    }
    const { key, parent, field } = delta;
    const block = this.#open.get(key) ?? { parent, field, texts: [] };
    this.#open.set(key, block);
    block.texts.push(delta.text);
    this.#held.push({ line: whole as CassetteLine, block });
  }

  /** Ends all blocks: nothing more is to come. */
  end(): void {
    this.#endWhere(() => true);
    this.#flush();
  }

  /** Ends the blocks that can get no more deltas after a message. */
  #endWith(msg: JsonValue): void {
    if (!isObject(msg)) return;
    if (msg["type"] === "result") return this.#endWhere(() => true);
    const { event, parent_tool_use_id: parent } = msg;
    const isEnd = msg["type"] === "stream_event" && isObject(event) &&
      event["type"] !== "ping" && event["type"] !== "content_block_delta";
    if (isEnd) this.#endWhere((block) => block.parent === parent);
  }

  #endWhere(isMeant: (block: Block) => boolean): void {
    for (const [key, block] of this.#open) {
      if (!isMeant(block)) continue;
      this.#open.delete(key);
      const text = block.texts.join("");
      const clean = block.field === "partial_json"
        ? this.#scrubber.json(text)
        : this.#scrubber.text(text);
      block.clean = divided(clean, block.texts);
    }
  }

  #flush(): void {
    const first = this.#held
      .findIndex(({ block }) => block !== undefined && !block.clean);
    const ready = first < 0 ? this.#held.length : first;
    for (const { line, block } of this.#held.splice(0, ready)) {
      const text = block?.clean?.shift();
      const msg = "msg" in line ? line.msg : undefined;
      this.#write(
        block === undefined || text === undefined || msg === undefined
          ? line
          : { ...line, msg: withText(msg, block.field, text) } as CassetteLine,
      );
    }
  }
}

/** The text in pieces of the former lengths; the last one gets the rest. */
function divided(text: string, pieces: readonly string[]): string[] {
  let from = 0;
  return pieces.map((piece, at) => {
    const isLast = at === pieces.length - 1;
    const to = isLast ? text.length : from + piece.length;
    const part = text.slice(from, to);
    from = to;
    return part;
  });
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
