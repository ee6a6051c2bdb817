import type { Message } from "../protocol/messages_other.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";

/** Whether it is an event of a content block: by far the most are, so no texts are compared. */
export function isOfBlock(message: Message): boolean {
  const { event } = message as {
    readonly event?: { readonly index?: unknown };
  };
  return event?.index !== undefined;
}

/** When the CLI wrote a message; messages may be read late. */
export function timeOf(timestamp: unknown): number {
  const now = Date.now();
  const then = typeof timestamp === "string" ? Date.parse(timestamp) : NaN;
  return then <= now ? then : now;
}

/** The type of an error result: what the API answered, or the limit that was reached. */
export function errorOf({ subtype, ...more }: ResultMessage): string {
  const status = (more as { readonly api_error_status?: unknown })
    .api_error_status;
  return subtype === "success"
    ? typeof status === "number" ? String(status) : "error"
    : subtype;
}

/** A message in the form of the semantic conventions. */
export function messageOf(
  role: "user" | "assistant",
  given: unknown,
): readonly object[] {
  const blocks = Array.isArray(given) ? given : [{ type: "text", text: given }];
  const parts = blocks.map((block) => {
    const { type, text, thinking, name, id, input } = Object(block);
    switch (type) {
      case "text":
        return { type, content: text };
      case "thinking":
        return { type: "reasoning", content: thinking };
      case "tool_use":
        return { type: "tool_call", id, name, arguments: input };
      default:
        return { type: String(type) };
    }
  });
  return [{ role, parts }];
}
