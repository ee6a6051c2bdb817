import { asObject } from "../../errors/text.ts";
import { unlessAborted } from "../../async/on_abort.ts";
import { systemClock } from "../../async/system_clock.ts";
import type { JsonObject } from "../../types/json.ts";
import { blockEvents, messageOf } from "../blocks.ts";
import type { SayStep } from "../fake_cli_script.ts";
import { assistantLine } from "./lines.ts";
import type { HostAnswer } from "./record.ts";
import type { FakeWire } from "./wire.ts";

/** Ends the steps of a turn: the host interrupted it. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** The turn of one prompt, or of several that came together. */
export class Turn {
  readonly wire: FakeWire;
  readonly prompts: readonly string[];
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
  messages = 0;

  /** Id of the API message that the next block belongs to; a tool's result ends it. */
  messageId: string | undefined;

  readonly #controller = new AbortController();

  constructor(wire: FakeWire, prompts: readonly string[]) {
    this.wire = wire;
    this.prompts = prompts;
    this.signal = AbortSignal.any([this.#controller.signal, wire.gone]);
  }

  interrupt(): void {
    this.#controller.abort(new Interrupted());
  }

  /** Sends a control request; rejects when the turn ends before the answer. */
  request(request: JsonObject, id?: string): Promise<HostAnswer> {
    return unlessAborted(this.wire.request(request, id), this.signal);
  }

  /** Sends a block; the assistant line comes before the end of the streamed block, as on the real wire. */
  async sendBlock(
    block: JsonObject,
    { chunks, delayMs = 0 }: Pick<SayStep, "chunks" | "delayMs"> = {},
  ): Promise<void> {
    if (this.messageId === undefined) this.messages++;
    const id = this.messageId ??= `msg_${shortId()}`;
    const { wire, prompts, signal } = this;
    const { model, isPartial } = wire.context;
    const stop_reason = block["type"] === "tool_use" ? "tool_use" : "end_turn";
    const line = assistantLine(model, id, block, prompts);
    let text = "";
    for (
      const event of [
        { type: "message_start", message: messageOf(model, id) },
        ...blockEvents(block, 0, chunks),
        {
          type: "message_delta",
          delta: { stop_reason, stop_sequence: null },
          usage: { output_tokens: 20 },
        },
        { type: "message_stop" },
      ]
    ) {
      const { type } = event;
      if (type === "content_block_delta" && delayMs > 0) {
        try {
          await systemClock.sleep(delayMs, signal);
        } catch (interrupted) {
          const part = assistantLine(model, id, { ...block, text }, prompts);
          if (text !== "") await wire.send({ ...part, aborted: true });
          throw interrupted;
        }
        text += asObject(event["delta"]).text ?? "";
      }
      if (type === "content_block_stop") await wire.send(line);
      if (!isPartial) continue;
      await wire.send({
        type: "stream_event",
        event,
        parent_tool_use_id: null,
        api_message_id: id,
      });
    }
  }
}

export function shortId(): string {
  return crypto.randomUUID().replaceAll("-", "").slice(0, 20);
}
