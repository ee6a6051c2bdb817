import type { ContentBlock } from "../protocol/content.ts";
import type { Message } from "../protocol/messages_other.ts";
import type {
  AssistantMessage,
  MessageIdentity,
  StreamEvent,
} from "../protocol/messages_turn.ts";
import type { Mapping } from "./mapping.ts";
import type { Block, PagePart, TextKind, ToolCall } from "./parts.ts";
import { toolCalls } from "./tool_calls.ts";

/** The main conversation, or one subagent. */
interface Writer {
  readonly parent: string | undefined;
  /** Id of the message that stream events write: its text does not come twice. */
  streamed?: string;
  /** Id of the newest message, and how many of its blocks came whole. */
  message?: string;
  blocks: number;
  /** Open blocks and open tool calls, by index. */
  readonly open: Map<number, Block>;
  readonly calls: Map<number, ToolCall>;
}

const NOTHING: readonly PagePart[] = [];

/**
 * Folds messages into parts: from stream events where there are any, else from whole messages.
 *
 * Blocks that are cut off are ended with their message, their turn or the stream.
 */
export function foldParts(): Mapping<PagePart> {
  const main = writerOf(undefined);
  const subagents = new Map<string, Writer>();
  const tools = toolCalls();
  let hasStarted = false;

  function started(
    parts: readonly PagePart[],
    message?: Message,
  ): readonly PagePart[] {
    if (hasStarted) return parts;
    hasStarted = true;
    const { uuid, session_id: sessionId } = (message ?? {}) as Partial<
      MessageIdentity
    >;
    return [{
      type: "start",
      id: typeof uuid === "string" ? uuid : crypto.randomUUID(),
      ...typeof sessionId === "string" && { sessionId },
    }, ...parts];
  }

  function partsOf(message: Message): readonly PagePart[] {
    switch (message.type) {
      case "stream_event":
        return streamed(writer(message.parent_tool_use_id), message.event);
      case "assistant":
        return whole(writer(message.parent_tool_use_id), message.message);
      case "user": {
        const { content } = message.message;
        if (typeof content === "string") return NOTHING;
        return content.flatMap((block) =>
          block.type === "tool_result" ? tools.result(block) : NOTHING
        );
      }
      case "result": {
        const asked = tools.turnOver();
        return [...ended(main), ...asked, { type: "turn", result: message }];
      }
      default:
        return NOTHING;
    }
  }

  function writer(parent: string | null | undefined): Writer {
    if (parent === null || parent === undefined) return main;
    let subagent = subagents.get(parent);
    if (subagent === undefined) {
      subagents.set(parent, subagent = writerOf(parent));
    }
    return subagent;
  }

  function streamed(writer: Writer, event: StreamEvent): readonly PagePart[] {
    switch (event.type) {
      case "content_block_delta": {
        const { index, delta } = event;
        if (delta.type === "input_json_delta") {
          return tools.delta(writer.calls.get(index), delta.partial_json);
        }
        const block = writer.open.get(index);
        const text = delta.type === "text_delta"
          ? delta.text
          : delta.type === "thinking_delta"
          ? delta.thinking
          : "";
        if (block === undefined || text === "") return NOTHING;
        const { kind, id, parent } = block;
        return [{ type: "delta", kind, id, parent, delta: text }];
      }
      case "message_start":
        writer.streamed = event.message.id;
        return begun(writer, event.message.id);
      case "content_block_start":
        return opened(writer, event.index, event.content_block);
      case "content_block_stop": {
        const block = writer.open.get(event.index);
        writer.open.delete(event.index);
        writer.calls.delete(event.index);
        return block === undefined ? NOTHING : [{ type: "end", ...block }];
      }
      default:
        return NOTHING;
    }
  }

  function opened(
    writer: Writer,
    index: number,
    block: ContentBlock,
  ): readonly PagePart[] {
    if (block.type === "text" || block.type === "thinking") {
      const { type: kind } = block;
      const open = blockOf(writer, kind, index);
      writer.open.set(index, open);
      const delta = block.type === "text" ? block.text : block.thinking;
      const begin = { type: "begin", ...open } as const;
      return delta ? [begin, { type: "delta", ...open, delta }] : [begin];
    }
    if (!isCall(block)) return NOTHING;
    const call = callOf(writer, block);
    writer.calls.set(index, call);
    return tools.begin(call);
  }

  function whole(
    writer: Writer,
    { id, content }: AssistantMessage["message"],
  ): readonly PagePart[] {
    const isNew = writer.message !== id;
    const parts = isNew ? [...begun(writer, id)] : [];
    const isStreamed = writer.streamed === id;
    for (const block of content) {
      if (isCall(block)) {
        parts.push(...tools.input(callOf(writer, block), block.input));
      } else if (isResult(block)) parts.push(...tools.result(block));
      else if (block.type === "text" || block.type === "thinking") {
        const delta = block.type === "text" ? block.text : block.thinking;
        if (isStreamed || delta === "") continue;
        const one = blockOf(writer, block.type, writer.blocks++);
        parts.push({ type: "begin", ...one });
        parts.push({ type: "delta", ...one, delta }, { type: "end", ...one });
      }
    }
    return parts;
  }

  /** A message of the model begins; open blocks of the one before were cut off. */
  function begun(writer: Writer, id: string): readonly PagePart[] {
    const parts = ended(writer);
    writer.message = id;
    writer.blocks = 0;
    return writer === main ? [...parts, { type: "step", id }] : parts;
  }

  function ended(writer: Writer): readonly PagePart[] {
    const open = [...writer.open.values()];
    writer.open.clear();
    writer.calls.clear();
    return open.map((block) => ({ type: "end", ...block }));
  }

  return {
    message: (message) => started(partsOf(message), message),
    approval: (approval) => started(tools.approval(approval)),
    end(failure) {
      const open = [main, ...subagents.values()].flatMap(ended);
      const asked = tools.turnOver();
      return started([...open, ...asked, { type: "over", failure }]);
    },
  };
}

function writerOf(parent: string | undefined): Writer {
  return { parent, blocks: 0, open: new Map(), calls: new Map() };
}

function blockOf(
  { message = "", parent }: Writer,
  kind: TextKind,
  index: number,
): Block {
  return {
    kind,
    id: `${message}-${index}`,
    ...parent !== undefined && { parent },
  };
}

type CallBlock = Extract<ContentBlock, { readonly input: unknown }>;

function isCall(block: ContentBlock): block is CallBlock {
  return block.type === "tool_use" || block.type === "server_tool_use" ||
    block.type === "mcp_tool_use";
}

type ResultBlock = Extract<ContentBlock, { readonly tool_use_id: string }>;

function isResult(block: ContentBlock): block is ResultBlock {
  return block.type === "tool_result" || block.type === "mcp_tool_result" ||
    block.type === "web_search_tool_result";
}

function callOf({ parent }: Writer, { id, name }: CallBlock): ToolCall {
  return { id, name, ...parent !== undefined && { parent } };
}
