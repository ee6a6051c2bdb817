import { isObject } from "../errors/text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";

/** A value as a list; anything else is an empty one. */
export function asList(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** A member of a value that may be no object. */
export function fieldOf(
  part: JsonValue | undefined,
  name: string,
): JsonValue | undefined {
  return isObject(part) ? part[name] : undefined;
}

/** The lines of a text that ends with a newline; `\n` alone ends a line. */
export function splitLines(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}

/** A line as an object; text that is no JSON object comes as `{ raw: text }`. */
export function parseLine(text: string): JsonObject {
  try {
    const line: unknown = JSON.parse(text);
    if (isObject(line)) return line;
  } catch {
    // Told as it came.
  }
  return { raw: text };
}

/** Pieces of the arguments of a tool call, when a script names no number. */
const INPUT_PIECES = 4;

/** What a message costs unless a script says otherwise. */
export const USUAL_USAGE: JsonObject = {
  input_tokens: 100,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 20,
};

/** A message of the Messages API as it begins. */
export function openMessage(
  model: string,
  id: string,
  usage: JsonObject = USUAL_USAGE,
): JsonObject {
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  };
}

/** A block as a stream tells it: empty at first, then piece by piece. `chunks` and `mostPieces` are those of {@link cut}. */
export function apart(
  block: JsonObject,
  chunks: number | undefined,
  mostPieces?: number,
): { readonly empty: JsonObject; readonly deltas: readonly JsonObject[] } {
  switch (block["type"]) {
    case "text":
      return {
        empty: { ...block, text: "" },
        deltas: cut(block["text"], chunks, mostPieces)
          .map((text) => ({ type: "text_delta", text })),
      };
    case "thinking":
      return {
        empty: { ...block, thinking: "", signature: "" },
        deltas: [
          ...cut(block["thinking"], chunks, mostPieces)
            .map((thinking) => ({ type: "thinking_delta", thinking })),
          { type: "signature_delta", signature: block["signature"] },
        ],
      };
    case "tool_use":
    case "server_tool_use":
      return {
        empty: { ...block, input: {} },
        deltas: cut(
          JSON.stringify(block["input"] ?? {}),
          chunks ?? INPUT_PIECES,
        ).map((partial_json) => ({ type: "input_json_delta", partial_json })),
      };
    default:
      return { empty: block, deltas: [] };
  }
}

/** Cuts a text into so many pieces, or after each blank where that makes no more than the most; a text always gives at least one. */
function cut(
  value: unknown,
  chunks: number | undefined,
  mostPieces: number = Infinity,
): readonly string[] {
  const text = String(value ?? "");
  if (chunks === undefined) {
    const words = text.match(/\S*\s+|\S+/g) ?? [text];
    if (words.length <= mostPieces) return words;
  }
  const count = Math.max(1, chunks ?? mostPieces);
  const size = Math.max(1, Math.ceil(text.length / count));
  const all: string[] = [];
  for (let at = 0; at < text.length; at += size) {
    all.push(text.slice(at, at + size));
  }
  return all.length === 0 ? [""] : all;
}
