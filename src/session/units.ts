import type { ContentBlock } from "../protocol/content.ts";
import type { ChatMessage } from "./messages.ts";

/** Places of messages that are kept or dropped as one. */
type Unit = readonly number[];

/** Gives each message as a unit of its own: always the same list, so it holds until the next one is asked for. */
export function singles(): (index: number) => Unit {
  const unit = [0];
  return (index) => {
    unit[0] = index;
    return unit;
  };
}

/** Messages with calls of tools or their results. */
interface Group {
  readonly messages: number[];
  first: number;
  last: number;
  /** How many results wait for their call. */
  orphans: number;
  /** Whether it holds a call without a result. */
  isOpen: boolean;
}

/** Places of the results of one call, and of the call. */
interface Results {
  readonly at: number[];
  calledAt?: number;
}

/**
 * Finds groups from the newest message on: so far as they are asked for, since most of a long chat is often dropped.
 *
 * The function that it gives is called with the place of each message but those of the system, the newest first. It gives the unit at
 * the first message of one; nothing at the others, and nothing for a unit that no request may hold. Calls without results are fine
 * where they are still being worked on: at the very end.
 */
export function groupsIn(
  messages: readonly ChatMessage[],
): (index: number) => Unit | undefined {
  const alone = singles();
  const groups: (Group | undefined)[] = new Array(messages.length);
  const byCall = new Map<string, Results>();
  /** The oldest message that was looked at. */
  let seen = messages.length;
  /** The newest message that is certainly not in a group with a result without its call. */
  let newest = -1;

  function lookDownTo(index: number): void {
    while (seen > index) look(--seen);
  }

  function look(index: number): void {
    // The index is in bounds.
    const { role, content } = messages[index] as ChatMessage;
    if (role === "system") return;
    if (typeof content !== "string") group(content, index);
    const own = groups[index];
    // No older message comes to a group without waiting results.
    if (own === undefined) newest = Math.max(newest, index);
    else if (own.orphans === 0) newest = Math.max(newest, own.last);
  }

  function group(content: readonly ContentBlock[], index: number): void {
    // Backwards, like everything here: a result belongs to the nearest call before it.
    for (let at = content.length - 1; at >= 0; at--) {
      // The place is in bounds.
      const block = content[at] as ContentBlock;
      const answered = answeredCall(block);
      if (answered !== undefined) {
        ownGroup(index).orphans++;
        const results = byCall.get(answered);
        if (results === undefined || results.calledAt !== undefined) {
          byCall.set(answered, { at: [index] });
        } else results.at.push(index);
      } else if ("input" in block) {
        const results = byCall.get(block.id);
        if (results !== undefined && results.calledAt === undefined) {
          results.calledAt = index;
          for (const one of results.at) {
            ownGroup(one).orphans--;
            join(one, index);
          }
        } else {
          const own = ownGroup(index);
          // Two calls of one message may share an id and its results.
          if (results?.calledAt !== index) own.isOpen = true;
        }
      }
    }
  }

  /** The group of a message that is looked at or was; a new one where it has none yet. */
  function ownGroup(index: number): Group {
    return groups[index] ??= {
      messages: [index],
      first: index,
      last: index,
      orphans: 0,
      isOpen: false,
    };
  }

  /** Makes the groups of two messages one: the larger takes the smaller in, so that long exchanges stay cheap. */
  function join(index: number, older: number): void {
    const [one, other] = [ownGroup(index), ownGroup(older)];
    if (one === other) return;
    const [large, small] = one.messages.length < other.messages.length
      ? [other, one]
      : [one, other];
    for (const at of small.messages) {
      large.messages.push(at);
      groups[at] = large;
    }
    large.first = Math.min(large.first, small.first);
    large.last = Math.max(large.last, small.last);
    large.orphans += small.orphans;
    large.isOpen ||= small.isOpen;
  }

  return (index) => {
    lookDownTo(index);
    const group = groups[index];
    if (group === undefined) return alone(index);
    // A unit has the place of its first message.
    if (group.first !== index || group.orphans > 0) return undefined;
    // It is at the end when all behind it turn out to have no call.
    if (group.isOpen && newest === group.last) lookDownTo(0);
    return group.isOpen && newest !== group.last ? undefined : group.messages;
  };
}

/** The call that a block has the result of, also a block of a kind that came later. */
function answeredCall(block: ContentBlock): string | undefined {
  const fields = block.type === "unknown" ? block.raw : block;
  const call = "tool_use_id" in fields ? fields.tool_use_id : undefined;
  return typeof call === "string" ? call : undefined;
}
