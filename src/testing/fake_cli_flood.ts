import { assistantLine } from "./fake_cli_lines.ts";
import type { FloodStep } from "./fake_cli_script.ts";
import type { Turn } from "./fake_cli_turn.ts";
import type { FakeWire } from "./fake_cli_wire.ts";

/** Bytes that go out in one write. */
const WRITE_BYTES = 65_536;

const TEXT = "@TEXT@";
const UUID = "@UUID@";

/** Sends many messages; made from one line, so that the fake CLI is not what is slow. */
export async function flood(
  wire: FakeWire,
  { messages, bytes = 250, kind = "stream_event" }: FloodStep["flood"],
  turn: Turn,
): Promise<void> {
  const [head, middle, tail] = frame(wire, kind, turn);
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
    await wire.write(batch);
    batch = "";
  }
}

/** A line cut where the text and the uuid go. */
function frame(
  wire: FakeWire,
  kind: "stream_event" | "assistant",
  turn: Turn,
): [string, string, string] {
  const id = turn.messageId();
  const { model, sessionId } = wire.context;
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
