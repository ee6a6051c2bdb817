import type { ResultMessage } from "../protocol/messages_turn.ts";
import { textOf, wasInterrupted } from "../parse/read.ts";
import type {
  AiSdkChunk,
  AiSdkFinishReason,
  AiSdkMetadata,
  AiSdkToolCall,
} from "./ai_sdk_types.ts";
import { foldParts } from "./fold.ts";
import { mapped, type Mapping } from "./mapping.ts";
import type { BlockPart, PagePart, ToolCall, ToolPart } from "./parts.ts";
import { tokensOf } from "./usage.ts";

const NOTHING: readonly AiSdkChunk[] = [];
/** The agent runs its tools, and a page knows them by name only. */
const OWN = { providerExecuted: true, dynamic: true } as const;

/** Maps a conversation to one message of the AI SDK. */
export function aiSdkMapping(): Mapping<AiSdkChunk> {
  /** Texts of open blocks of subagents. */
  const texts = new Map<string, string>();
  let isInStep = false;
  let last: ResultMessage | undefined;

  function chunksOf(part: PagePart): readonly AiSdkChunk[] {
    switch (part.type) {
      case "begin":
      case "delta":
      case "end":
        return blockChunks(part);
      case "over":
        return endChunks(part.failure);
      case "start": {
        const { id: messageId, sessionId } = part;
        const known = sessionId !== undefined;
        return [{
          type: "start",
          messageId,
          ...known && { messageMetadata: { sessionId } },
        }];
      }
      case "step": {
        const finished = finishStep();
        isInStep = true;
        return [...finished, { type: "start-step" }];
      }
      case "asked": {
        const { id: approvalId, toolUseId: toolCallId } = part.request;
        return [{ type: "tool-approval-request", approvalId, toolCallId }];
      }
      case "answered": {
        const { decision, request: { id: approvalId } } = part;
        return [{
          type: "tool-approval-response",
          approvalId,
          approved: decision.behavior === "allow",
          ...decision.behavior === "deny" && { reason: decision.message },
          providerExecuted: true,
        }];
      }
      case "turn":
        last = part.result;
        return turnChunks(part.result);
      default:
        return toolChunks(part);
    }
  }

  function blockChunks(part: BlockPart): readonly AiSdkChunk[] {
    if (part.parent !== undefined) return subagentChunks(part, part.parent);
    const { id } = part;
    const isText = part.kind === "text";
    switch (part.type) {
      case "begin":
        return [{ type: isText ? "text-start" : "reasoning-start", id }];
      case "delta": {
        const { delta } = part;
        return [{ type: isText ? "text-delta" : "reasoning-delta", id, delta }];
      }
      case "end":
        return [{ type: isText ? "text-end" : "reasoning-end", id }];
    }
  }

  /** Text of a subagent does not belong to the answer: its blocks come whole, as parts of their own. */
  function subagentChunks(
    part: BlockPart,
    toolCallId: string,
  ): readonly AiSdkChunk[] {
    const { id, kind } = part;
    const text = texts.get(id) ?? "";
    if (part.type === "delta") texts.set(id, text + part.delta);
    if (part.type !== "end") return NOTHING;
    texts.delete(id);
    if (text === "") return NOTHING;
    return [{ type: "data-subagent", id, data: { toolCallId, kind, text } }];
  }

  function toolChunks(part: ToolPart): readonly AiSdkChunk[] {
    switch (part.type) {
      case "tool-begin":
        // Another step may begin before the input of a subagent is complete.
        return part.parent === undefined
          ? [{ type: "tool-input-start", ...callOf(part) }]
          : NOTHING;
      case "tool-delta":
        return part.parent === undefined
          ? [{
            type: "tool-input-delta",
            toolCallId: part.id,
            inputTextDelta: part.delta,
          }]
          : NOTHING;
      case "tool-input": {
        const { input } = part;
        return [{ type: "tool-input-available", ...callOf(part), input }];
      }
      case "tool-result": {
        const { id: toolCallId, output, outcome } = part;
        if (outcome === "denied") {
          return [{ type: "tool-output-denied", toolCallId }];
        }
        if (outcome === "done") {
          return [{
            type: "tool-output-available",
            toolCallId,
            output,
            ...OWN,
          }];
        }
        const errorText = typeof output === "string"
          ? output
          : JSON.stringify(output);
        return [{ type: "tool-output-error", toolCallId, errorText, ...OWN }];
      }
    }
  }

  function turnChunks(result: ResultMessage): readonly AiSdkChunk[] {
    const output = "structured_output" in result
      ? result.structured_output
      : undefined;
    return [
      ...finishStep(),
      ...output === undefined
        ? NOTHING
        : [{ type: "data-output", data: output } as const],
      { type: "message-metadata", messageMetadata: metadataOf(result) },
    ];
  }

  function endChunks(failure?: { readonly message: string }) {
    const chunks = [...finishStep()];
    const finishReason = failure === undefined ? reasonOf(last) : "error";
    if (finishReason === "interrupted") chunks.push({ type: "abort" });
    if (finishReason === "error") {
      const text = failure?.message ?? (last && textOf(last));
      chunks.push({ type: "error", errorText: text || "The agent failed" });
    }
    return [...chunks, { type: "finish", finishReason } as const];
  }

  function finishStep(): readonly AiSdkChunk[] {
    if (!isInStep) return NOTHING;
    isInStep = false;
    return [{ type: "finish-step" }];
  }

  return mapped(foldParts(), chunksOf);
}

function callOf({ id, name, parent }: ToolCall): AiSdkToolCall {
  return {
    toolCallId: id,
    toolName: name,
    ...OWN,
    ...parent !== undefined && { toolMetadata: { parentToolCallId: parent } },
  };
}

function metadataOf(result: ResultMessage): AiSdkMetadata {
  const { cacheWriteInputTokens: _written, ...usage } = tokensOf(result);
  return {
    sessionId: result.session_id,
    usage,
    costUsd: result.total_cost_usd,
    durationMs: result.duration_ms,
  };
}

/** Reasons of the API, and of the CLI for a call that waits for its approval. */
const REASONS: Readonly<Record<string, AiSdkFinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  refusal: "content-filter",
  tool_use: "tool-calls",
  tool_deferred: "tool-calls",
};

function reasonOf(result: ResultMessage | undefined): AiSdkFinishReason {
  if (result === undefined) return "other";
  if (wasInterrupted(result)) return "interrupted";
  if (result.is_error) return "error";
  return result.stop_reason === null
    ? "stop"
    : REASONS[result.stop_reason] ?? "other";
}
