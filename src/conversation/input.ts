import { ClosedError, PromptError } from "../errors/base.ts";
import { textOfError } from "../errors/text.ts";
import type { UserInput } from "../types/conversation.ts";
import {
  type FirstPrompt,
  isSource,
  type PromptSource,
  type UserLine,
  userLine,
} from "./user_line.ts";
import type { OpenChannel } from "./cli_channel.ts";
import { endUnheard, type Unheard } from "./exit.ts";
import type { Turns } from "./turns.ts";

/** Where prompts go. */
interface Sink extends Unheard {
  readonly turns: Turns;
  readonly outbox: { send(text: string): Promise<void> };
}

/** How a conversation is begun with. */
export interface Use {
  /** What to say first; absent = nothing yet. */
  readonly prompt: FirstPrompt | undefined;
  /** Whether it is a client's: more may be said, and messages are read turn by turn. */
  readonly isKeptOpen: boolean;
}

/** Prompts on their way to stdin. */
export class Input {
  readonly #parts: Sink;
  readonly #channel: OpenChannel;
  #source: AsyncIterator<UserInput> | undefined;
  #isKeptOpen = false;
  #isOver = false;
  #isClosed = false;

  constructor(parts: Sink, channel: OpenChannel) {
    this.#parts = parts;
    this.#channel = channel;
  }

  /** Whether `send()` may still add prompts. */
  get #isOpen(): boolean {
    const isSource = this.#source !== undefined || this.#isKeptOpen;
    return isSource && !this.#isOver && !this.#isClosed;
  }

  /** Whether more prompts are to come from a source, which is all that keeps the conversation. */
  get hasMore(): boolean {
    return this.#isOpen && !this.#isKeptOpen;
  }

  /** Posts a single prompt, or begins to read a source; one that is kept open is over only when it is closed. */
  start({ prompt, isKeptOpen }: Use): void {
    this.#isKeptOpen = isKeptOpen;
    if (prompt === undefined) return this.#finish();
    if (isSource(prompt)) return void this.#read(prompt);
    this.#post(prompt).catch((cause) => this.#unheard(cause));
    this.#finish();
  }

  /** Posts one more prompt; resolves when it was taken. */
  async send(
    input: UserInput,
    uuid: string = crypto.randomUUID(),
  ): Promise<void> {
    if (this.#isClosed) throw new ClosedError("Conversation");
    if (!this.#isOpen) {
      throw new TypeError(
        "Cannot send more: the prompt was not a stream, or that stream has ended",
      );
    }
    const line = this.#line(input, uuid);
    const { turns, outbox } = this.#parts;
    const turn = turns.prompted(line);
    try {
      await outbox.send(line.text);
    } catch (error) {
      turns.unsent(turn);
      throw error;
    }
  }

  /** Stops reading the source and lets go of it; does not wait for a source that never answers. */
  close(): void {
    this.#isClosed = true;
    if (this.#source === undefined || this.#isOver) return;
    this.#isOver = true;
    const source = this.#source;
    Promise.resolve().then(() => source.return?.()).catch(() => {});
  }

  #unheard(cause: unknown): void {
    if (this.#isClosed) return;
    this.close();
    endUnheard(this.#parts, this.#channel, cause).catch(() => {});
  }

  async #read(prompts: PromptSource): Promise<void> {
    try {
      const source = this.#source = iteratorOf(prompts);
      for (;;) {
        const { value, done } = await source.next();
        if (this.#isClosed) return;
        if (done) break;
        const line = this.#line(value, crypto.randomUUID());
        try {
          await this.#post(line);
        } catch (cause) {
          return this.#unheard(cause);
        }
      }
    } catch (cause) {
      if (this.#isClosed) return;
      const message = `Prompt source failed: ${textOfError(cause)}`;
      void this.#parts.ending.fail(new PromptError(message, cause));
    }
    this.#finish();
  }

  #line(input: UserInput, uuid: string): UserLine {
    const { verbatimPrompts: isVerbatim } = this.#parts.settings.options;
    return userLine(input, { uuid, isVerbatim });
  }

  #post(line: UserLine): Promise<void> {
    this.#parts.turns.prompted(line);
    return this.#parts.outbox.send(line.text);
  }

  #finish(): void {
    if (this.#isOver || this.#isKeptOpen) return;
    this.#isOver = true;
    this.#parts.turns.inputEnded();
  }
}

/** A `ReadableStream` is no async iterable everywhere. */
function iteratorOf(source: PromptSource): AsyncIterator<UserInput> {
  if (!(source instanceof ReadableStream)) {
    return source[Symbol.asyncIterator]();
  }
  const reader = source.getReader();
  return {
    next: async () => {
      const { value, done } = await reader.read();
      return done ? { value: undefined, done } : { value, done };
    },
    return: async () => {
      await reader.cancel();
      return { value: undefined, done: true };
    },
  };
}
