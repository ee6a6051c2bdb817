import { ClosedError, PromptError } from "../errors/state.ts";
import { textOfError } from "../errors/text.ts";
import type { UserInput } from "../types/conversation.ts";
import type { Outbox } from "../wire/outbox.ts";
import type { Turns } from "./turns.ts";
import {
  type FirstPrompt,
  isSource,
  type PromptSource,
  type UserLine,
  userLine,
} from "./user_line.ts";

/** What the prompts of a conversation are sent with. */
interface InputOptions {
  /** Whether the CLI takes prompts as they are. */
  readonly isVerbatim: boolean | undefined;
  /** A prompt could not be written, and nobody waits for it. */
  readonly onUnheard: (cause: unknown) => void;
  /** The source threw. */
  readonly onFault: (error: PromptError) => void;
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
  readonly #outbox: Outbox;
  readonly #turns: Turns;
  readonly #options: InputOptions;
  #source: AsyncIterator<UserInput> | undefined;
  #isKeptOpen = false;
  #isOver = false;
  #isClosed = false;

  constructor(outbox: Outbox, turns: Turns, options: InputOptions) {
    this.#outbox = outbox;
    this.#turns = turns;
    this.#options = options;
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
  start({ prompt, isKeptOpen }: Use): void {
    this.#isKeptOpen = isKeptOpen;
    if (prompt !== undefined && isSource(prompt)) return this.#begin(prompt);
    if (prompt !== undefined) {
      this.#post(prompt).catch((cause) => this.#unheard(cause));
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
    const line = this.#line(input, uuid);
    const turn = this.#turns.prompted(line);
    try {
      await this.#outbox.send(line.text);
    } catch (error) {
      this.#turns.unsent(turn);
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

  #begin(source: PromptSource): void {
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
    this.#options.onUnheard(cause);
  }

  #fault(cause: unknown): void {
    const message = `Prompt source failed: ${textOfError(cause)}`;
    this.#options.onFault(new PromptError(message, cause));
    this.#finish();
  }

  async #read(source: AsyncIterator<UserInput>): Promise<void> {
    for (;;) {
      let line: UserLine;
      try {
        const { value, done } = await source.next();
        if (this.#isClosed) return;
        if (done) break;
        line = this.#line(value, crypto.randomUUID());
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

  #line(input: UserInput, uuid: string): UserLine {
    const { isVerbatim } = this.#options;
    return userLine(input, { uuid, isVerbatim });
  }

  #post(line: UserLine): Promise<void> {
    this.#turns.prompted(line);
    return this.#outbox.send(line.text);
  }

  #finish(): void {
    if (this.#isOver || this.#isKeptOpen) return;
    this.#isOver = true;
    this.#turns.promptsOver();
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
