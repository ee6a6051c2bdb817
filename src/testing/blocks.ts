import type { JsonObject } from "../types/json.ts";

const DEFAULT_USAGE: JsonObject = {
  input_tokens: 100,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 20,
};

/** A message of the Messages API; at its beginning it has one output token. */
export function messageOf(
  model: string,
  id: string,
  content: readonly JsonObject[] = [],
  usage: JsonObject = { output_tokens: 1 },
): JsonObject {
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    content,
    stop_reason: null,
    stop_sequence: null,
    usage: { ...DEFAULT_USAGE, ...usage },
  };
}

/** A stream of a block: its empty form, then its deltas. `mostPieces` limits the words of a text without `chunks`. */
export function streamOf(
  block: JsonObject,
  chunks: number | undefined,
  mostPieces: number = Infinity,
): { readonly empty: JsonObject; readonly deltas: readonly JsonObject[] } {
  const { type, text, thinking, signature, input } = block;
  const pieces = (value: unknown) =>
    cut(String(value ?? ""), chunks, mostPieces);
  switch (type) {
    case "text":
      return {
        empty: { ...block, text: "" },
        deltas: pieces(text).map((text) => ({ type: "text_delta", text })),
      };
    case "thinking":
      return {
        empty: { ...block, thinking: "", signature: "" },
        deltas: [
          ...pieces(thinking)
            .map((thinking) => ({ type: "thinking_delta", thinking })),
          { type: "signature_delta", signature },
        ],
      };
    case "tool_use":
    case "server_tool_use":
      return {
        empty: { ...block, input: {} },
        deltas: cut(JSON.stringify(input ?? {}), chunks ?? 4)
          .map((partial_json) => ({ type: "input_json_delta", partial_json })),
      };
    default:
      return { empty: block, deltas: [] };
  }
}

/** Cuts a text into pieces, by default after each blank; there is always one. */
function cut(
  text: string,
  chunks: number | undefined,
  mostPieces = Infinity,
): readonly string[] {
  const words = text.match(/\S*\s+|\S+/g) ?? [""];
  if (chunks === undefined && words.length <= mostPieces) return words;
  const size = Math.ceil(text.length / (chunks ?? mostPieces)) || 1;
  const pieces = Array.from(
    { length: Math.ceil(text.length / size) },
    (_, at) => text.slice(at * size, (at + 1) * size),
  );
  return pieces.length === 0 ? [""] : pieces;
}
