import type { Approval } from "../approvals/store.ts";
import type { ToolResultBlock } from "../protocol/content.ts";
import type { JsonValue } from "../types/json.ts";
import type { PagePart, ToolCall } from "./parts.ts";

/** Name of a call whose beginning was in an earlier stream. */
const UNKNOWN_TOOL = "unknown";
const NOTHING: readonly PagePart[] = [];

/** Tool calls of a conversation: parts of a call come once and in order, whichever report comes first. */
export interface ToolCalls {
  /** The model begins to write a call. */
  begin(call: ToolCall): readonly PagePart[];
  /** More of its input. */
  delta(call: ToolCall | undefined, delta: string): readonly PagePart[];
  /** Its whole input. */
  input(call: ToolCall, input: JsonValue): readonly PagePart[];
  /** Its result. */
  result(block: Result): readonly PagePart[];
  /** A question about a call, or its answer; a question may overtake the message with the call. */
  approval(approval: Approval): readonly PagePart[];
  /** Forgets finished calls, since some models use their ids again in the next turn; returns questions that were held. */
  turnOver(): readonly PagePart[];
}

type Result = Pick<ToolResultBlock, "tool_use_id" | "is_error"> & {
  readonly content?: JsonValue | ToolResultBlock["content"];
};

/** Keeps track of tool calls. */
export function toolCalls(): ToolCalls {
  const states = new Map<string, "begun" | "ready" | "over">();
  /** Ids of questions that were shown. */
  const asked = new Set<string>();
  const denied = new Set<string>();
  /** Questions about calls whose input is still being read. */
  const held = new Map<string, Approval[]>();

  function input(call: ToolCall, input: JsonValue): readonly PagePart[] {
    const state = states.get(call.id);
    if (state === "ready" || state === "over") return NOTHING;
    states.set(call.id, "ready");
    return [{ type: "tool-input", ...call, input }, ...release(call.id)];
  }

  function release(call: string): readonly PagePart[] {
    const approvals = held.get(call);
    if (approvals === undefined) return NOTHING;
    held.delete(call);
    return approvals.flatMap(show);
  }

  function show({ request, decision }: Approval): readonly PagePart[] {
    const { id, toolUseId, tool: name } = request;
    if (decision === undefined) {
      if (asked.has(id)) return NOTHING;
      asked.add(id);
      const before = input({ id: toolUseId, name }, request.input);
      return [...before, { type: "asked", request }];
    }
    if (!asked.delete(id)) return NOTHING;
    if (decision.behavior === "deny") denied.add(toolUseId);
    return [{ type: "answered", request, decision }];
  }

  return {
    begin(call) {
      if (states.has(call.id)) return NOTHING;
      states.set(call.id, "begun");
      return [{ type: "tool-begin", ...call }];
    },
    delta(call, delta) {
      const isOpen = call !== undefined && states.get(call.id) === "begun";
      return isOpen && delta !== ""
        ? [{ type: "tool-delta", ...call, delta }]
        : NOTHING;
    },
    input,
    result({ tool_use_id: id, content, is_error: isError = false }) {
      if (states.get(id) === "over") return NOTHING;
      const before = input({ id, name: UNKNOWN_TOOL }, {});
      states.set(id, "over");
      const outcome = !isError ? "done" : denied.has(id) ? "denied" : "failed";
      const output = outputOf(content);
      return [...before, { type: "tool-result", id, output, outcome }];
    },
    approval(approval) {
      const { toolUseId } = approval.request;
      if (states.get(toolUseId) !== "begun") return show(approval);
      held.set(toolUseId, [...held.get(toolUseId) ?? [], approval]);
      return NOTHING;
    },
    turnOver() {
      const parts = [...held.keys()].flatMap(release);
      for (const [id, state] of states) {
        if (state !== "over") continue;
        states.delete(id);
        denied.delete(id);
      }
      return parts;
    },
  };
}

/** Content as a page shows it: one text where it is only text. */
function outputOf(content: Result["content"]): JsonValue {
  if (content === undefined) return "";
  if (!Array.isArray(content)) return content as JsonValue;
  const isText = content.every((block) => block?.type === "text");
  return isText ? content.map(({ text }) => text).join("") : content;
}
