// Prompts and tool results are those of the API's package.
import type {
  SDKMessage,
  SDKUserMessage,
} from "@anthropic-ai/claude-agent-sdk";
import type {
  ContentBlockParam,
  DocumentBlockParam,
  ImageBlockParam,
  MessageParam,
  TextBlockParam,
  ToolResultBlockParam,
} from "@anthropic-ai/sdk/resources";
import type Anthropic from "@anthropic-ai/sdk";

export async function* prompts(
  history: MessageParam[],
): AsyncGenerator<SDKUserMessage> {
  for (const message of history) {
    yield { type: "user", message, parent_tool_use_id: null, session_id: "" };
  }
}

export function ofBlocks(content: ContentBlockParam[]): SDKUserMessage {
  return {
    type: "user",
    message: { role: "user", content },
    parent_tool_use_id: null,
  };
}

export function ofImage(
  image: ImageBlockParam,
  text: TextBlockParam,
  doc: DocumentBlockParam,
): SDKUserMessage {
  return {
    type: "user",
    message: { role: "user", content: [image, text, doc] },
    parent_tool_use_id: null,
  };
}

export function ofAnthropic(
  content: Anthropic.Messages.ContentBlockParam[] | string,
): SDKUserMessage {
  return {
    type: "user",
    message: { role: "user", content },
    parent_tool_use_id: null,
  };
}

export function back(message: SDKUserMessage): MessageParam {
  return message.message;
}

export function backContent(
  message: SDKUserMessage,
): string | ContentBlockParam[] {
  return message.message.content;
}

export function changed(
  message: SDKUserMessage,
  blocks: TextBlockParam[],
): SDKUserMessage {
  return { ...message, message: { role: "user", content: blocks } };
}

export function results(m: SDKMessage): ToolResultBlockParam[] {
  if (m.type !== "user" || typeof m.message.content === "string") return [];
  return (m.message.content as ContentBlockParam[]).filter((
    b,
  ): b is ToolResultBlockParam => b.type === "tool_result");
}

export function results2(m: SDKMessage): string[] {
  const out: string[] = [];
  if (m.type === "user" && Array.isArray(m.message.content)) {
    for (const b of m.message.content) {
      if (b.type === "tool_result") {
        out.push(b.tool_use_id);
        if (typeof b.content === "string") {
          out.push(b.content);
        } else {for (const c of b.content ?? []) {
            if (c.type === "text") out.push(c.text);
          }}
        if (b.is_error) out.push("e");
      }
    }
  }
  return out;
}
