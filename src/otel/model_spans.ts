import type {
  AssistantMessage,
  StreamEventMessage,
} from "../protocol/messages_turn.ts";
import { ATTRIBUTE as A, SPAN } from "./names.ts";
import { messageOf } from "./message_facts.ts";
import { content, remember, type Setting } from "./setting.ts";
import { KIND, Span } from "./spans.ts";
import { PROVIDER, tokensOf } from "./usage.ts";

/** Messages that the CLI wrote itself. */
const SYNTHETIC = "<synthetic>";

interface OpenRequest {
  readonly id: string;
  readonly model: string;
  readonly span: Span;
  /** Its answer so far, if it is captured. */
  readonly blocks: unknown[];
  lastMs: number;
}

/** Source of a request: the main agent, or a subagent by the tool call that began it. */
type Agent = string | null;

/** Spans of requests to the model, of which the CLI shows the answers: one begins when the agent has its input. */
export class ModelSpans {
  readonly #setting: Setting;
  readonly #under: (agent: Agent) => Span;
  readonly #open = new Map<Agent, OpenRequest>();
  readonly #lastIds = new Map<Agent, string>();
  readonly #readyMs = new Map<Agent, number>();

  constructor(setting: Setting, under: (agent: Agent) => Span) {
    this.#setting = setting;
    this.#under = under;
  }

  /** An agent has its next input: what it says from now on is another request. */
  ready(agent: Agent, atMs: number): void {
    this.#close(agent);
    remember(this.#readyMs, agent, atMs);
  }

  /** A piece of a message that is being written. */
  streamed({ event, parent_tool_use_id: agent }: StreamEventMessage): void {
    switch (event.type) {
      case "message_start": {
        const { id, model, usage } = event.message;
        this.#begin(agent, { id, model, usage }, Date.now());
        break;
      }
      case "message_delta": {
        const { usage, delta } = event;
        this.#open.get(agent)?.span.set({
          ...tokensOf(usage),
          ...delta.stop_reason && { [A.finishReasons]: [delta.stop_reason] },
        });
        break;
      }
      case "message_stop":
        this.#close(agent, Date.now());
        break;
    }
  }

  /** A message, or a block of one. */
  said(
    { message, parent_tool_use_id: agent, error }: AssistantMessage,
    atMs: number,
  ): void {
    const { id, model, usage, content: blocks } = message;
    if (model === SYNTHETIC) return;
    const open = this.#open.get(agent)?.id === id
      ? this.#open.get(agent)
      : this.#begin(agent, { id, model, usage }, atMs);
    if (open === undefined) return;
    open.lastMs = atMs;
    if (this.#setting.captureContent) open.blocks.push(...blocks);
    if (error !== undefined) open.span.fail(error);
  }

  endAll(): void {
    for (const agent of [...this.#open.keys()]) this.#close(agent);
  }

  /** Begins one; `undefined` for one that is over. */
  #begin(
    agent: Agent,
    { id, model, usage }: Pick<
      AssistantMessage["message"],
      "id" | "model" | "usage"
    >,
    atMs: number,
  ): OpenRequest | undefined {
    if (this.#lastIds.get(agent) === id) return undefined;
    this.#close(agent);
    remember(this.#lastIds, agent, id);
    const span = new Span(this.#setting.tracer(), {
      name: `${SPAN.model} ${model}`,
      kind: KIND.client,
      parent: this.#under(agent),
      atMs: Math.min(this.#readyMs.get(agent) ?? atMs, atMs),
      attributes: {
        [A.operation]: "chat",
        [A.provider]: PROVIDER,
        [A.requestModel]: model,
        [A.responseModel]: model,
        [A.responseId]: id,
        // Output tokens are known at the end alone.
        ...tokensOf({ ...usage, output_tokens: undefined }),
      },
    });
    const open = { id, model, span, blocks: [], lastMs: atMs };
    this.#open.set(agent, open);
    return open;
  }

  #close(agent: Agent, atMs?: number): void {
    const open = this.#open.get(agent);
    if (open === undefined) return;
    this.#open.delete(agent);
    const { span, blocks, model, lastMs } = open;
    const text = content(
      this.#setting,
      () => messageOf("assistant", blocks),
    );
    if (text !== undefined) span.set({ [A.outputMessages]: text });
    this.#readyMs.delete(agent);
    this.#setting.record("duration", span.end(atMs ?? lastMs), {
      [A.operation]: "chat",
      [A.provider]: PROVIDER,
      [A.requestModel]: model,
    });
  }
}
