import type { JsonObject } from "../types/json.ts";
import { assistantLine, openMessage, streamLine } from "./fake_cli_lines.ts";
import type { SayStep, ThinkStep } from "./fake_cli_script.ts";
import type { Turn } from "./fake_cli_turn.ts";
import { pause } from "./fake_cli_waits.ts";
import type { FakeWire } from "./fake_cli_wire.ts";
import { cut } from "./text_pieces.ts";

/** One block of an API message: how it begins, what comes piece by piece, and the whole. */
interface Block {
  readonly empty: JsonObject;
  readonly deltas: readonly JsonObject[];
  whole(upTo: number): JsonObject;
  readonly delayMs: number;
}

/** The model says a text. */
export async function say(
  wire: FakeWire,
  { say: text, chunks, delayMs = 0 }: SayStep,
  turn: Turn,
): Promise<void> {
  const pieces = cut(text, chunks);
  turn.text = text;
  await sendBlock(wire, turn, {
    empty: { type: "text", text: "" },
    deltas: pieces.map((piece) => ({ type: "text_delta", text: piece })),
    whole: (upTo) => ({ type: "text", text: pieces.slice(0, upTo).join("") }),
    delayMs,
  });
}

/** The model thinks. */
export async function think(
  wire: FakeWire,
  { think: text }: ThinkStep,
  turn: Turn,
): Promise<void> {
  const signature = "ZmFrZQ==";
  await sendBlock(wire, turn, {
    empty: { type: "thinking", thinking: "", signature: "" },
    deltas: [
      ...cut(text).map((thinking) => ({ type: "thinking_delta", thinking })),
      { type: "signature_delta", signature },
    ],
    whole: () => ({ type: "thinking", thinking: text, signature }),
    delayMs: 0,
  });
}

/** The model wants a tool. */
export async function sendToolUse(
  wire: FakeWire,
  turn: Turn,
  block: JsonObject,
): Promise<void> {
  await sendBlock(wire, turn, {
    empty: { ...block, input: {} },
    deltas: cut(JSON.stringify(block["input"]), 3)
      .map((partial_json) => ({ type: "input_json_delta", partial_json })),
    whole: () => block,
    delayMs: 0,
  });
}

/** Sends a block as a message of its own for the stream; the whole line comes before the block's end, as on the real wire. */
async function sendBlock(
  wire: FakeWire,
  turn: Turn,
  { empty, deltas, whole, delayMs }: Block,
): Promise<void> {
  const id = turn.messageId();
  const { model } = wire.context;
  const event = (event: JsonObject): Promise<void> =>
    wire.context.isPartial ? wire.send(streamLine(id, event)) : NOTHING;
  const line = (upTo: number, extra: JsonObject = {}) =>
    wire.send({
      ...assistantLine(model, id, whole(upTo), turn.prompts),
      ...extra,
    });
  await event({ type: "message_start", message: openMessage(model, id) });
  await event({ type: "content_block_start", index: 0, content_block: empty });
  for (const [index, delta] of deltas.entries()) {
    try {
      if (delayMs > 0) await pause(delayMs, turn.signal);
    } catch (interrupted) {
      if (index > 0) await line(index, { aborted: true });
      throw interrupted;
    }
    await event({ type: "content_block_delta", index: 0, delta });
  }
  await line(deltas.length);
  await event({ type: "content_block_stop", index: 0 });
  await event({
    type: "message_delta",
    delta: {
      stop_reason: empty["type"] === "tool_use" ? "tool_use" : "end_turn",
      stop_sequence: null,
    },
    usage: { output_tokens: 20 },
  });
  await event({ type: "message_stop" });
}

const NOTHING = Promise.resolve();
