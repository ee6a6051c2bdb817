import type { ContentBlock } from "../protocol/content.ts";
import type { ChatMessage } from "./messages.ts";

/** Places of messages that are kept or dropped as one. */
export type Unit = readonly number[];

/** Each message but those of the system as a unit of its own, newest first. */
export function singlesIn(messages: readonly ChatMessage[]): readonly Unit[] {
  return messages.flatMap(({ role }, at) => role === "system" ? [] : [[at]])
    .reverse();
}

/** Messages with calls of tools and their results. */
interface Group {
  readonly places: number[];
  first: number;
  last: number;
  /** Whether it holds a result without its call. */
  isOrphan: boolean;
  /** Whether it holds a call without a result. */
  isOpen: boolean;
}

/**
 * The messages that stay or go together, newest first: a call and its results, a result belonging to the nearest call before it.
 *
 * Leaves out units that no request may hold. Calls without results are allowed at the very end, where they are still being worked on.
 */
export function groupsIn(messages: readonly ChatMessage[]): readonly Unit[] {
  const groups: (Group | undefined)[] = new Array(messages.length);
  const calls = new Map<string, { at: number; isAnswered: boolean }>();

  /** The group of a message; a new one where it has none yet. */
  function groupAt(at: number): Group {
    return groups[at] ??= {
      places: [at],
      first: at,
      last: at,
      isOrphan: false,
      isOpen: false,
    };
  }

  /** Makes the groups of two messages one: the larger takes the smaller in, so that long exchanges stay cheap. */
  function join(one: Group, other: Group): void {
    if (one === other) return;
    if (one.places.length < other.places.length) return join(other, one);
    for (const at of other.places) {
      one.places.push(at);
      groups[at] = one;
    }
    one.first = Math.min(one.first, other.first);
    one.last = Math.max(one.last, other.last);
    one.isOrphan ||= other.isOrphan;
    one.isOpen ||= other.isOpen;
  }

  function replaceCall(id: string, at: number): void {
    const before = calls.get(id);
    // Two calls of one message may share an id and its results.
    if (before?.at === at) return;
    if (before?.isAnswered === false) groupAt(before.at).isOpen = true;
    calls.set(id, { at, isAnswered: false });
    groupAt(at);
  }

  for (const [at, { role, content }] of messages.entries()) {
    if (role === "system" || typeof content === "string") continue;
    for (const block of content) {
      const answered = answeredCall(block);
      if (answered === undefined) {
        if ("input" in block) replaceCall(block.id, at);
        continue;
      }
      const call = calls.get(answered);
      if (call === undefined) groupAt(at).isOrphan = true;
      else {
        call.isAnswered = true;
        join(groupAt(call.at), groupAt(at));
      }
    }
  }
  for (const { at, isAnswered } of calls.values()) {
    if (!isAnswered) groupAt(at).isOpen = true;
  }
  const end = messages.findLastIndex(({ role }, at) =>
    role !== "system" && !groups[at]?.isOrphan
  );
  return singlesIn(messages).flatMap((single): readonly Unit[] => {
    const [at = 0] = single;
    const group = groups[at];
    if (group === undefined) return [single];
    const { first, last, isOrphan, isOpen, places } = group;
    // A unit has the place of its first message.
    const isLeftOut = first !== at || isOrphan || isOpen && last !== end;
    return isLeftOut ? [] : [places];
  });
}

/** The call that a block has the result of, also a block of a kind that came later. */
function answeredCall(block: ContentBlock): string | undefined {
  const fields = block.type === "unknown" ? block.raw : block;
  const call = "tool_use_id" in fields ? fields.tool_use_id : undefined;
  return typeof call === "string" ? call : undefined;
}
