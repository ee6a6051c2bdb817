import type { ContentBlock } from "../types/content.ts";
import type { ChatMessage } from "./chat_message.ts";

/** Messages that are kept or dropped as one, oldest first. */
export interface Unit {
  readonly messages: readonly number[];
}

/** What a list of messages falls into. */
export interface Units {
  /** In the order of their first messages. */
  readonly units: readonly Unit[];
  /** Messages that no window may hold: results without a call, calls that never got their results. */
  readonly orphans: number;
}

/** Each message but those of the system by itself. */
export function singleUnits(messages: readonly ChatMessage[]): Units {
  const units = messages.flatMap(({ role }, index) =>
    role === "system" ? [] : [{ messages: [index] }]
  );
  return { units, orphans: 0 };
}

/** Exchanges with tools as one, all other messages by themselves. */
export function groupUnits(messages: readonly ChatMessage[]): Units {
  const groups = new Groups();
  for (const [index, message] of messages.entries()) {
    if (message.role !== "system") groups.add(index, message);
  }
  return groups.finish();
}

/** A unit that is still growing; one that was merged into another knows which. */
interface Group {
  readonly messages: number[];
  /** Calls without a result so far. */
  readonly open: Set<string>;
  hasOrphan: boolean;
  mergedInto?: Group;
}

class Groups {
  readonly #groups: Group[] = [];
  readonly #byCall = new Map<string, Group>();

  add(index: number, { content }: ChatMessage): void {
    const own: Group = { messages: [index], open: new Set(), hasOrphan: false };
    this.#groups.push(own);
    if (typeof content === "string") return;
    for (const block of content) {
      const answered = answeredCall(block);
      if (answered !== undefined) this.#answer(own, answered);
      else if ("input" in block) {
        this.#byCall.set(block.id, own);
        rootOf(own).open.add(block.id);
      }
    }
  }

  finish(): Units {
    const sound = this.#groups.filter((one) =>
      one.mergedInto === undefined && !one.hasOrphan
    );
    for (const { messages } of sound) messages.sort((a, b) => a - b);
    const last = sound.reduce((most, one) => Math.max(most, lastOf(one)), -1);
    // Calls without results are fine where they are still being worked on: at the very end.
    const units = sound
      .filter((one) => one.open.size === 0 || lastOf(one) === last)
      .sort((a, b) => firstOf(a) - firstOf(b));
    const kept = units.reduce((sum, { messages }) => sum + messages.length, 0);
    return { units, orphans: this.#groups.length - kept };
  }

  #answer(own: Group, call: string): void {
    const asked = this.#byCall.get(call);
    if (asked === undefined) rootOf(own).hasOrphan = true;
    else merge(rootOf(asked), rootOf(own)).open.delete(call);
  }
}

/** The call that a block has the result of, also a block of a kind that came later. */
function answeredCall(block: ContentBlock): string | undefined {
  const fields = block.type === "unknown" ? block.raw : block;
  const call = "tool_use_id" in fields ? fields.tool_use_id : undefined;
  return typeof call === "string" ? call : undefined;
}

/** Joins the smaller to the larger, so that long exchanges stay cheap. */
function merge(one: Group, other: Group): Group {
  if (one === other) return one;
  const [large, small] = one.messages.length < other.messages.length
    ? [other, one]
    : [one, other];
  for (const index of small.messages) large.messages.push(index);
  for (const call of small.open) large.open.add(call);
  large.hasOrphan ||= small.hasOrphan;
  small.mergedInto = large;
  return large;
}

function rootOf(group: Group): Group {
  let root = group;
  while (root.mergedInto !== undefined) root = root.mergedInto;
  return root;
}

function firstOf({ messages }: Unit): number {
  return messages[0] ?? -1;
}

function lastOf({ messages }: Unit): number {
  return messages.at(-1) ?? -1;
}
