import type { JsonObject, JsonValue } from "../types/json.ts";

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

/** The stream events of a block: its empty form, its deltas, its end. `mostPieces` limits the words of a text without `chunks`. */
export function blockEvents(
  block: JsonObject,
  index: number,
  chunks: number | undefined,
  mostPieces: number = Infinity,
): readonly JsonObject[] {
  const [empty, deltas] = streamed(
    block,
    (text) => cut(String(text ?? ""), chunks, mostPieces),
    chunks,
  );
  return [
    {
      type: "content_block_start",
      index,
      content_block: { ...block, ...empty },
    },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

/** The members that are empty at the start of a block, and the deltas that fill them. */
function streamed(
  { type, text, thinking, signature, input }: JsonObject,
  pieces: (text: JsonValue | undefined) => readonly string[],
  chunks: number | undefined,
): readonly [empty: JsonObject, deltas: readonly JsonObject[]] {
  switch (type) {
    case "text":
      return [
        { text: "" },
        pieces(text).map((text) => ({ type: "text_delta", text })),
      ];
    case "thinking":
      return [{ thinking: "", signature: "" }, [
        ...pieces(thinking)
          .map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature },
      ]];
    case "tool_use":
    case "server_tool_use":
      return [
        { input: {} },
        cut(JSON.stringify(input ?? {}), chunks ?? 4)
          .map((partial_json) => ({ type: "input_json_delta", partial_json })),
      ];
    default:
      return [{}, []];
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
