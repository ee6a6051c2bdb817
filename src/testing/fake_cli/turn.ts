import { systemClock } from "../../async/system_clock.ts";
import type { JsonObject } from "../../types/json.ts";
import type { SayStep } from "../fake_cli_script.ts";
import { messageOf, streamOf } from "../blocks.ts";
import { assistantLine } from "./lines.ts";
import type { FakeWire } from "./wire.ts";

/** Ends the steps of a turn: the host interrupted it. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  /** Whether a tool was about to run or running. */
  readonly forTool: boolean;

  constructor(forTool: boolean) {
    super("Interrupted");
    this.forTool = forTool;
  }
}

/** The turn of one prompt, or of several that came together. */
export class Turn {
  readonly wire: FakeWire;
  readonly prompts: readonly string[];
  /** Milliseconds since 1970. */
  readonly startedAt: number = Date.now();
  /** Aborts when the turn is interrupted, with an {@link Interrupted}, and at the exit. */
  readonly signal: AbortSignal;
  readonly denials: JsonObject[] = [];
  failure: string | undefined;
  /** The result as the script wants it; false for none. */
  result: JsonObject | false | undefined;
  text = "";
  /** Calls of tools without a result yet. */
  openTools = 0;
  /** API messages so far. */
  messages = 0;

  readonly #controller = new AbortController();
  #messageId: string | undefined;

  constructor(wire: FakeWire, prompts: readonly string[]) {
    this.wire = wire;
    this.prompts = prompts;
    this.signal = AbortSignal.any([this.#controller.signal, wire.gone]);
  }

  interrupt(): void {
    this.#controller.abort(new Interrupted(this.openTools > 0));
  }

  /** Id of the API message that the next block belongs to. */
  messageId(): string {
    if (this.#messageId === undefined) {
      this.messages++;
      this.#messageId = `msg_${shortId()}`;
    }
    return this.#messageId;
  }

  /** Begins a new API message with the next block, as after a tool's result. */
  endMessage(): void {
    this.#messageId = undefined;
  }

  /** Sends a block; the assistant line comes before the end of the streamed block, as on the real wire. */
  async sendBlock(
    block: JsonObject,
    { chunks, delayMs = 0 }: Pick<SayStep, "chunks" | "delayMs"> = {},
  ): Promise<void> {
    const id = this.messageId();
    const { wire, prompts } = this;
    const { model, isPartial } = wire.context;
    const { empty, deltas } = streamOf(block, chunks);
    const event = async (type: string, fields: JsonObject = {}) => {
      if (!isPartial) return;
      await wire.send({
        type: "stream_event",
        event: { type, ...fields },
        parent_tool_use_id: null,
        api_message_id: id,
      });
    };
    const line = (part: JsonObject, extra: JsonObject = {}) =>
      wire.send({ ...assistantLine(model, id, part, prompts), ...extra });
    await event("message_start", { message: messageOf(model, id) });
    await event("content_block_start", { index: 0, content_block: empty });
    for (const [index, delta] of deltas.entries()) {
      try {
        if (delayMs > 0) await systemClock.sleep(delayMs, this.signal);
      } catch (interrupted) {
        const text = deltas.slice(0, index).map(({ text }) => text).join("");
        if (index > 0) await line({ ...block, text }, { aborted: true });
        throw interrupted;
      }
      await event("content_block_delta", { index: 0, delta });
    }
    await line(block);
    await event("content_block_stop", { index: 0 });
    const stop_reason = block["type"] === "tool_use" ? "tool_use" : "end_turn";
    await event("message_delta", {
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: 20 },
    });
    await event("message_stop");
  }
}

/** A short id for messages and tool calls. */
export function shortId(): string {
  return crypto.randomUUID().replaceAll("-", "").slice(0, 20);
}
