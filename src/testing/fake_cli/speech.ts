import { systemClock } from "../../async/system_clock.ts";
import type { JsonObject } from "../../types/json.ts";
import type { FloodStep, SayStep, ThinkStep } from "../fake_cli_script.ts";
import { apart, openMessage } from "../message_blocks.ts";
import { assistantLine, streamLine } from "./lines.ts";
import type { Turn } from "./turn.ts";

/** The model says a text. */
export async function say(
  { say: text, ...pace }: SayStep,
  turn: Turn,
): Promise<void> {
  turn.text = text;
  await sendBlock(turn, { type: "text", text }, pace);
}

export async function think(
  { think: thinking }: ThinkStep,
  turn: Turn,
): Promise<void> {
  const signature = "ZmFrZQ==";
  await sendBlock(turn, { type: "thinking", thinking, signature });
}

/** Sends a block as a message of its own for the stream; the whole line comes before the block's end, as on the real wire. */
export async function sendBlock(
  turn: Turn,
  block: JsonObject,
  { chunks, delayMs = 0 }: Pick<SayStep, "chunks" | "delayMs"> = {},
): Promise<void> {
  const id = turn.messageId();
  const { wire } = turn;
  const { model } = wire.context;
  const { empty, deltas } = apart(block, chunks);
  const event = (event: JsonObject): Promise<void> =>
    wire.context.isPartial ? wire.send(streamLine(id, event)) : NOTHING;
  const line = (told: JsonObject, extra: JsonObject = {}) =>
    wire.send({
      ...assistantLine(model, id, told, turn.prompts),
      ...extra,
    });
  await event({ type: "message_start", message: openMessage(model, id) });
  await event({ type: "content_block_start", index: 0, content_block: empty });
  for (const [index, delta] of deltas.entries()) {
    try {
      if (delayMs > 0) await systemClock.sleep(delayMs, turn.signal);
    } catch (interrupted) {
      const text = deltas.slice(0, index).map(({ text }) => text).join("");
      if (index > 0) await line({ ...block, text }, { aborted: true });
      throw interrupted;
    }
    await event({ type: "content_block_delta", index: 0, delta });
  }
  await line(block);
  await event({ type: "content_block_stop", index: 0 });
  await event({
    type: "message_delta",
    delta: {
      stop_reason: block["type"] === "tool_use" ? "tool_use" : "end_turn",
      stop_sequence: null,
    },
    usage: { output_tokens: 20 },
  });
  await event({ type: "message_stop" });
}

const NOTHING = Promise.resolve();

/** Bytes that go out in one write. */
const WRITE_BYTES = 65_536;

const TEXT = "@TEXT@";
const UUID = "@UUID@";

/** Sends many messages; made from one line, so that the fake CLI is not what is slow. */
export async function flood(
  { messages, bytes = 250, kind = "stream_event" }: FloodStep["flood"],
  turn: Turn,
): Promise<void> {
  const [head, middle, tail] = frame(kind, turn);
  // A uuid has 36 characters, the number in the text up to 8.
  const padding = ".".repeat(
    Math.max(0, bytes - head.length - middle.length - tail.length - 46),
  );
  let batch = "";
  for (let number = 0; number < messages; number++) {
    turn.signal.throwIfAborted();
    const uuid = `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
    batch += `${head}${number} ${padding}${middle}${uuid}${tail}`;
    if (batch.length < WRITE_BYTES && number < messages - 1) continue;
    await turn.wire.write(batch);
    batch = "";
  }
}

/** A line cut where the text and the uuid go. */
function frame(
  kind: "stream_event" | "assistant",
  turn: Turn,
): [string, string, string] {
  const id = turn.messageId();
  const { model, sessionId } = turn.wire.context;
  const line = JSON.stringify({
    ...(kind === "assistant"
      ? assistantLine(model, id, { type: "text", text: TEXT }, turn.prompts)
      : {
        type: "stream_event",
        event: {
          type: "content_block_delta",
          index: 0,
          delta: { type: "text_delta", text: TEXT },
        },
        parent_tool_use_id: null,
      }),
    session_id: sessionId,
    uuid: UUID,
  });
  const [head = "", rest = ""] = line.split(TEXT);
  const [middle = "", tail = ""] = rest.split(UUID);
  return [head, middle, `${tail}\n`];
}
