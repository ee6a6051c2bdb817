import { ClosedError, PromptError } from "../errors/state.ts";
import { textOfError } from "../errors/text.ts";
import type { Prompt, UserInput } from "../types/conversation.ts";
import type { Outbox } from "../wire/outbox.ts";
import type { Turns } from "./turns.ts";
import { isSource, type UserLine, userLine } from "./user_line.ts";

/** What an {@link Input} is made from. */
export interface InputInit {
  /** The way out. */
  readonly outbox: Outbox;
  /** Hears of each prompt. */
  readonly turns: Pick<Turns, "prompted" | "unsent" | "promptsOver">;
  /** A prompt could not be written, and nobody waits for it. */
  readonly onUnheard: (cause: unknown) => void;
  /** The source threw. */
  readonly onFault: (error: PromptError) => void;
}

/** Prompts on their way to stdin. */
export class Input {
  readonly #init: InputInit;
  #source: AsyncIterator<UserInput> | undefined;
  #isKeptOpen = false;
  #isOver = false;
  #isClosed = false;

  constructor(init: InputInit) {
    this.#init = init;
  }

  /** Whether `send()` may still add prompts. */
  get isOpen(): boolean {
    const isSource = this.#source !== undefined || this.#isKeptOpen;
    return isSource && !this.#isOver && !this.#isClosed;
  }

  /** Whether more prompts are to come from a source, which is all that keeps the conversation. */
  get hasMore(): boolean {
    return this.isOpen && !this.#isKeptOpen;
  }

  /** Posts a single prompt, or begins to read a source; one that is kept open is over only when it is closed. */
  start(prompt: Prompt | undefined, isKeptOpen: boolean): void {
    this.#isKeptOpen = isKeptOpen;
    if (prompt !== undefined && isSource(prompt)) {
      this.#begin(prompt);
      return;
    }
    if (prompt !== undefined) {
      const line = userLine(
        prompt,
        isKeptOpen ? crypto.randomUUID() : undefined,
      );
      this.#post(line).catch((cause) => this.#unheard(cause));
    }
    this.#finish();
  }

  /** Posts one more prompt; resolves when it was taken. */
  async send(
    input: UserInput,
    uuid: string = crypto.randomUUID(),
  ): Promise<void> {
    if (this.#isClosed) throw new ClosedError("Conversation");
    if (!this.isOpen) {
      throw new TypeError(
        "Cannot send more: the prompt was not a stream, or that stream has ended",
      );
    }
    const line = userLine(input, uuid);
    const { outbox, turns } = this.#init;
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

  #begin(source: AsyncIterable<UserInput> | ReadableStream<UserInput>): void {
    try {
      this.#source = iteratorOf(source);
    } catch (cause) {
      return this.#fault(cause);
    }
    this.#read(this.#source);
  }

  #unheard(cause: unknown): void {
    if (this.#isClosed) return;
    this.close();
    this.#init.onUnheard(cause);
  }

  #fault(cause: unknown): void {
    const message = `Prompt source failed: ${textOfError(cause)}`;
    this.#init.onFault(new PromptError(message, cause));
    this.#finish();
  }

  async #read(source: AsyncIterator<UserInput>): Promise<void> {
    for (;;) {
      let line: UserLine;
      try {
        const { value, done } = await source.next();
        if (this.#isClosed) return;
        if (done) break;
        line = userLine(value, crypto.randomUUID());
      } catch (cause) {
        return this.#isClosed ? undefined : this.#fault(cause);
      }
      try {
        await this.#post(line);
      } catch (cause) {
        return this.#unheard(cause);
      }
    }
    this.#finish();
  }

  #post(line: UserLine): Promise<void> {
    const { turns, outbox } = this.#init;
    turns.prompted(line);
    return outbox.send(line.text);
  }

  #finish(): void {
    if (this.#isOver || this.#isKeptOpen) return;
    this.#isOver = true;
    this.#init.turns.promptsOver();
  }
}

/** A `ReadableStream` is no async iterable everywhere. */
function iteratorOf(
  source: AsyncIterable<UserInput> | ReadableStream<UserInput>,
): AsyncIterator<UserInput> {
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
