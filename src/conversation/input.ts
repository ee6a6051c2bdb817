import { asyncIteratorOf } from "../async/iterator.ts";
import { ClosedError, PromptError } from "../errors/base.ts";
import { textOfError } from "../errors/text.ts";
import type { UserMessageInput } from "../protocol/lines.ts";
import type { UserInput } from "../types/conversation.ts";
import {
  type FirstPrompt,
  isSource,
  type PromptSource,
  type UserLine,
  userLine,
} from "./user_line.ts";
import type { Turn } from "./turn_ends.ts";
import type { Turns } from "./turns.ts";

interface Sink {
  /** Whether the CLI takes prompts as they are, without commands and files in them. */
  readonly isVerbatim: boolean | undefined;
  readonly turns: Turns;
  readonly outbox: { send(text: string): Promise<void> };
  /** Called when a prompt could not be written, unless its sender waits for it. */
  readonly onLost: (cause: unknown) => void;
  readonly onSourceFailed: (error: PromptError) => void;
  /** Called with each prompt before it is written. */
  readonly onPrompt: (message: UserMessageInput) => void;
}

/** The first prompt of a conversation. */
export interface InitialPrompt {
  /** Absent = none yet. */
  readonly prompt: FirstPrompt | undefined;
  /** Whether it is a client's: more prompts may come, and messages are read turn by turn. */
  readonly isKeptOpen: boolean;
}

/** Settings of one prompt that is sent. */
export interface SendSettings {
  /** Id of its user line, unless it has one; a new one. */
  readonly uuid?: string | undefined;
  /** Ends the waiting; a line that is on its way is not taken back. */
  readonly signal?: AbortSignal | undefined;
}

/** Prompts on their way to stdin. */
export class Input {
  readonly #sink: Sink;
  #source: AsyncIterator<UserInput> | undefined;
  #isKeptOpen = false;
  #isOver = false;
  #isClosed = false;

  constructor(sink: Sink) {
    this.#sink = sink;
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
  start({ prompt, isKeptOpen }: InitialPrompt): void {
    this.#isKeptOpen = isKeptOpen;
    if (prompt === undefined) return this.#finish();
    if (isSource(prompt)) return void this.#read(prompt);
    this.#post(prompt).catch((cause) => this.#lost(cause));
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
    const turn = this.#prompted(line);
    try {
      await this.#sink.outbox.send(line.text);
    } catch (error) {
      this.#sink.turns.unsent(turn);
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

  #lost(cause: unknown): void {
    if (this.#isClosed) return;
    this.close();
    this.#sink.onLost(cause);
  }

  async #read(prompts: PromptSource): Promise<void> {
    try {
      const source = this.#source = asyncIteratorOf(prompts);
      for (;;) {
        const { value, done } = await source.next();
        if (this.#isClosed) return;
        if (done) break;
        const line = this.#line(value, crypto.randomUUID());
        try {
          await this.#post(line);
        } catch (cause) {
          return this.#lost(cause);
        }
      }
    } catch (cause) {
      if (this.#isClosed) return;
      const message = `Prompt source failed: ${textOfError(cause)}`;
      this.#sink.onSourceFailed(new PromptError(message, cause));
    }
    this.#finish();
  }

  #line(input: UserInput, uuid: string): UserLine {
    return userLine(input, { uuid, isVerbatim: this.#sink.isVerbatim });
  }

  #post(line: UserLine): Promise<void> {
    this.#prompted(line);
    return this.#sink.outbox.send(line.text);
  }

  #prompted(line: UserLine): Turn {
    const { turns, onPrompt } = this.#sink;
    onPrompt(line.message);
    return turns.prompted(line);
  }

  #finish(): void {
    if (this.#isOver || this.#isKeptOpen) return;
    this.#isOver = true;
    this.#sink.turns.note({ kind: "inputEnded" });
  }
}
