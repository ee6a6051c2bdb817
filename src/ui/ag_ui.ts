import { asObject } from "../errors/text.ts";
import type {
  AgUiEvent,
  AgUiSubagentEvent,
  AgUiTextEvent,
} from "./ag_ui_types.ts";
import { type AgUiRunIds, runOf } from "./ag_ui_run.ts";
import { foldParts } from "./fold.ts";
import { mapped, type Mapping } from "./mapping.ts";
import type { BlockPart, PagePart, ToolCall, ToolPart } from "./parts.ts";

/** Name of a subagent whose call was not seen. */
const SUBAGENT = "subagent";

/** Maps a conversation to one run of AG-UI. */
export function agUiMapping(ids: AgUiRunIds = {}): Mapping<AgUiEvent> {
  const run = runOf(ids);
  /** Open calls, and whether some of their input was sent. */
  const open = new Map<string, boolean>();
  /** Calls of which a subagent may come: their kind, and the subagent that made them. */
  const calls = new Map<string, { name: string; parent: string | undefined }>();
  const subagents = new Set<string>();

  function eventsOf(part: PagePart): readonly AgUiEvent[] {
    switch (part.type) {
      case "start":
        return [run.started(part)];
      case "begin":
      case "delta":
      case "end":
        return [...entered(part.parent), ...blockEvents(part)];
      case "asked":
        run.asked(part.request);
        return [approval({ request: part.request })];
      case "answered": {
        const { request, decision } = part;
        return [approval({ request, decision })];
      }
      case "turn":
        run.turn(part.result);
        return [];
      case "step":
        return [];
      case "over":
        return [...closed(), run.ended(part.failure)];
      default:
        return toolEvents(part);
    }
  }

  function toolEvents(part: ToolPart): readonly AgUiEvent[] {
    const { id: toolCallId } = part;
    if (part.type === "tool-result") return resultEvents(part);
    const by = attributed(part.parent);
    switch (part.type) {
      case "tool-begin":
        open.set(toolCallId, false);
        return [...entered(part.parent), {
          type: "TOOL_CALL_START",
          toolCallId,
          toolCallName: part.name,
          ...by,
        }];
      case "tool-delta":
        open.set(toolCallId, true);
        return [{
          type: "TOOL_CALL_ARGS",
          toolCallId,
          delta: part.delta,
          ...by,
        }];
      case "tool-input": {
        const begun = open.has(toolCallId)
          ? []
          : toolEvents({ ...part, type: "tool-begin" });
        const isWritten = open.get(toolCallId) === true;
        const delta = JSON.stringify(part.input);
        open.delete(toolCallId);
        noteCall(part);
        return [
          ...begun,
          ...isWritten
            ? []
            : [{ type: "TOOL_CALL_ARGS", toolCallId, delta, ...by } as const],
          { type: "TOOL_CALL_END", toolCallId, ...by },
        ];
      }
    }
  }

  function noteCall(
    { id, input, parent }: Extract<ToolPart, { readonly type: "tool-input" }>,
  ): void {
    const kind = asObject(input).subagent_type;
    if (typeof kind === "string") calls.set(id, { name: kind, parent });
  }

  function resultEvents(
    { id: toolCallId, output, outcome }: Extract<
      ToolPart,
      { readonly type: "tool-result" }
    >,
  ): readonly AgUiEvent[] {
    const finished = subagents.delete(toolCallId)
      ? [finishedOf(toolCallId)]
      : [];
    return [...finished, {
      type: "TOOL_CALL_RESULT",
      messageId: `${toolCallId}-result`,
      toolCallId,
      content: typeof output === "string" ? output : JSON.stringify(output),
      role: "tool",
      ...outcome !== "done" && { metadata: { outcome } },
    }];
  }

  /** The beginning of a subagent, with its first part. */
  function entered(parent: string | undefined): readonly AgUiEvent[] {
    if (parent === undefined || subagents.has(parent)) return [];
    subagents.add(parent);
    const call = calls.get(parent);
    return [...entered(call?.parent), {
      type: "SUBAGENT_STARTED",
      subagentRunId: parent,
      name: call?.name ?? SUBAGENT,
      parentToolCallId: parent,
      ...call?.parent !== undefined && { parentSubagentRunId: call.parent },
    }];
  }

  /** Ends of calls that were cut off, and of subagents. */
  function closed(): readonly AgUiEvent[] {
    return [
      ...[...open.keys()].map((toolCallId) =>
        ({ type: "TOOL_CALL_END", toolCallId }) as const
      ),
      ...[...subagents].reverse().map(finishedOf),
    ];
  }

  return mapped(foldParts(), eventsOf);
}

function approval(
  value: Extract<AgUiEvent, { readonly type: "CUSTOM" }>["value"],
): AgUiEvent {
  return { type: "CUSTOM", name: "approval", value };
}

function finishedOf(subagentRunId: string): AgUiSubagentEvent {
  return { type: "SUBAGENT_FINISHED", subagentRunId };
}

function attributed(
  parent: ToolCall["parent"],
): { readonly subagentRunId?: string } {
  return parent === undefined ? {} : { subagentRunId: parent };
}

function blockEvents(part: BlockPart): readonly AgUiTextEvent[] {
  const to = { messageId: part.id, ...attributed(part.parent) };
  const isText = part.kind === "text";
  switch (part.type) {
    case "begin":
      return isText
        ? [{ type: "TEXT_MESSAGE_START", ...to, role: "assistant" }]
        : [
          { type: "REASONING_START", ...to },
          { type: "REASONING_MESSAGE_START", ...to, role: "reasoning" },
        ];
    case "delta": {
      const { delta } = part;
      return isText
        ? [{ type: "TEXT_MESSAGE_CONTENT", ...to, delta }]
        : [{ type: "REASONING_MESSAGE_CONTENT", ...to, delta }];
    }
    case "end":
      return isText ? [{ type: "TEXT_MESSAGE_END", ...to }] : [
        { type: "REASONING_MESSAGE_END", ...to },
        { type: "REASONING_END", ...to },
      ];
  }
}
