import type { Message } from "../../protocol/messages_other.ts";
import type { Live } from "./data.ts";

/** The block of the main conversation that the model writes. */
export interface LiveBlock {
  readonly now: Live | undefined;
  /** Takes a message; returns whether the block changed. */
  take(message: Message): boolean;
  /** Nothing is written any more. */
  end(): void;
}

/** Follows what the model writes. */
export function liveBlock(): LiveBlock {
  let now: Live | undefined;
  let blocks = 0;

  function begin(label: string): boolean {
    now = { id: ++blocks, label, text: "" };
    return true;
  }

  function take(message: Message): boolean {
    if (message.type === "result") return clear();
    if (message.type === "assistant") {
      return message.parent_tool_use_id === null && clear();
    }
    if (message.type !== "stream_event") return false;
    const { event, parent_tool_use_id: parent } = message;
    if (parent !== null) return false;
    if (event.type === "content_block_start") {
      const { content_block: block } = event;
      return begin("name" in block ? String(block.name) : block.type);
    }
    if (event.type !== "content_block_delta" || now === undefined) return false;
    const more = Object.entries(event.delta)
      .find(([name]) => TEXTS.includes(name))?.[1];
    if (typeof more !== "string") return false;
    now = { ...now, text: now.text + more };
    return true;
  }

  function clear(): boolean {
    const had = now !== undefined;
    now = undefined;
    return had;
  }

  return {
    get now() {
      return now;
    },
    take,
    end: () => void clear(),
  };
}

/** The members of a delta that a person reads. */
const TEXTS: readonly string[] = ["text", "thinking", "partial_json"];
