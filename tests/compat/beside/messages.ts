// Messages, usage and stream events are those of the API's package.
import type {
  NonNullableUsage,
  SDKAssistantMessage,
  SDKMessage,
  SDKPartialAssistantMessage,
  SDKResultMessage,
} from "@anthropic-ai/claude-agent-sdk";
import type {
  BetaContentBlock,
  BetaMessage,
  BetaRawMessageStreamEvent,
  BetaTextBlock,
  BetaToolUseBlock,
  BetaUsage,
} from "@anthropic-ai/sdk/resources/beta/messages/messages.mjs";

export function beta(message: SDKAssistantMessage): BetaMessage {
  return message.message;
}

export function betaBlocks(message: SDKAssistantMessage): BetaContentBlock[] {
  return message.message.content;
}

export function blockText(block: BetaContentBlock): string {
  return block.type === "text" ? block.text : "";
}

export function texts(message: SDKAssistantMessage): string {
  return message.message.content.map(blockText).join("");
}

export function toolUses(message: SDKAssistantMessage): BetaToolUseBlock[] {
  return message.message.content.filter((b): b is BetaToolUseBlock =>
    b.type === "tool_use"
  );
}

export function textBlocks(m: SDKAssistantMessage): BetaTextBlock[] {
  return m.message.content.filter((b) => b.type === "text");
}

export function make(message: BetaMessage): SDKAssistantMessage {
  return {
    type: "assistant",
    message,
    parent_tool_use_id: null,
    uuid: "0-0-0-0-0",
    session_id: "",
  };
}

export function usageOf(message: SDKAssistantMessage): BetaUsage {
  return message.message.usage;
}

export function citations(message: SDKAssistantMessage): string[] {
  return message.message.content.flatMap((block) =>
    block.type === "text"
      ? (block.citations ?? []).map((one) => one.cited_text)
      : []
  );
}

export function searched(message: SDKAssistantMessage): number {
  let found = 0;
  for (const block of message.message.content) {
    if (
      block.type === "web_search_tool_result" && Array.isArray(block.content)
    ) found += block.content.filter((one) => one.url !== "").length;
  }
  return found;
}

export function total(usage: NonNullableUsage): number {
  return usage.input_tokens + usage.output_tokens +
    usage.cache_read_input_tokens + usage.cache_creation_input_tokens +
    usage.server_tool_use.web_search_requests +
    usage.cache_creation.ephemeral_1h_input_tokens;
}

export const tier = (usage: NonNullableUsage): string => usage.service_tier;

export function resultUsage(r: SDKResultMessage): NonNullableUsage {
  return r.usage;
}

export function asBeta(u: NonNullableUsage): BetaUsage {
  return u;
}

export function fromBeta(u: BetaUsage): Partial<NonNullableUsage> {
  return {
    input_tokens: u.input_tokens,
    server_tool_use: u.server_tool_use ?? undefined,
  } as Partial<NonNullableUsage>;
}

export function usageIn(message: SDKMessage): NonNullableUsage | undefined {
  return message.type === "result" ? message.usage : undefined;
}

export function delta(m: SDKPartialAssistantMessage): string {
  const e: BetaRawMessageStreamEvent = m.event;
  if (e.type === "content_block_delta" && e.delta.type === "text_delta") {
    return e.delta.text;
  }
  return "";
}

export function delta2(m: SDKPartialAssistantMessage): string {
  if (
    m.event.type === "content_block_delta" &&
    m.event.delta.type === "text_delta"
  ) return m.event.delta.text;
  if (
    m.event.type === "content_block_start" &&
    m.event.content_block.type === "tool_use"
  ) return m.event.content_block.name;
  if (m.event.type === "message_delta") {
    return String(m.event.usage.output_tokens) + m.event.delta.stop_reason;
  }
  return "";
}

export function eventOf(
  event: BetaRawMessageStreamEvent,
): Pick<SDKPartialAssistantMessage, "event"> {
  return { event };
}

export function show(m: SDKAssistantMessage): string {
  let s = "";
  for (const b of m.message.content) {
    switch (b.type) {
      case "text":
        s += b.text;
        break;
      case "thinking":
        s += b.thinking + b.signature;
        break;
      case "redacted_thinking":
        s += b.data;
        break;
      case "tool_use":
        s += b.name + b.id + JSON.stringify(b.input);
        break;
      case "server_tool_use":
        s += b.name;
        break;
      case "web_search_tool_result":
        s += JSON.stringify(b.content);
        break;
      case "mcp_tool_use":
        s += b.server_name;
        break;
      default:
        s += b.type;
    }
  }
  return s + m.message.stop_reason + m.message.model + m.message.id +
    (m.message.usage.cache_read_input_tokens ?? 0);
}
