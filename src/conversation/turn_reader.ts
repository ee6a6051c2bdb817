import type { PutBack } from "../stream/put_back.ts";
import type { Message } from "../types/message.ts";
import type { Turn, TurnBook } from "./turn_book.ts";

/** What a {@link TurnReader} is made from. */
export interface TurnReaderInit {
  /** The messages; what was not read goes back to it. */
  readonly source: PutBack<Message>;
  /** The prompts and their results. */
  readonly book: TurnBook;
  /** Ends the reading with its reason. */
  readonly signal: AbortSignal | undefined;
  /** Takes the messages; gives the turn that somebody left early, to be read to its end first. */
  readonly onBegin: () => Turn | undefined;
  /** Gives the messages back, with the turn that was not read to its end. */
  readonly onEnd: (leftover: Turn | undefined) => void;
}

/** Reads the messages of one turn, up to and including the result that answers its prompt. */
export class TurnReader implements AsyncIterableIterator<Message> {
  readonly #init: TurnReaderInit;
  #state: "new" | "reading" | "over" = "new";
  #hasBegun = false;
  #leftover: Turn | undefined;
  #turn: Turn | undefined;
  #batch: readonly Message[] = [];
  #at = 0;

  constructor(init: TurnReaderInit) {
    this.#init = init;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Takes the messages now instead of with the first `next()`. */
  claim(): void {
    if (this.#state !== "new") return;
    this.#leftover = this.#init.onBegin();
    this.#state = "reading";
  }

  /** The next message of the turn; done after its result, and when all messages have ended. */
  async next(): Promise<IteratorResult<Message>> {
    if (this.#state === "over") return { value: undefined, done: true };
    try {
      const message = await this.#next();
      if (message !== undefined) return { value: message, done: false };
    } catch (error) {
      this.#end();
      throw error;
    }
    this.#end();
    return { value: undefined, done: true };
  }

  /** The reader leaves. */
  return(): Promise<IteratorResult<Message>> {
    this.#end();
    return Promise.resolve({ value: undefined, done: true });
  }

  async #next(): Promise<Message | undefined> {
    this.claim();
    if (!this.#hasBegun) {
      await this.#drain();
      this.#hasBegun = true;
      this.#turn = this.#init.book.takeUnread();
    }
    const turn = this.#turn;
    if (turn?.isOver && !this.#isAhead(turn.result)) {
      // Answered by a result that has passed: the CLI took several prompts into one turn. Or never to be answered.
      return this.#last(turn.result);
    }
    const message = await this.#read();
    if (message === undefined) return this.#last(undefined);
    const isLast = turn === undefined
      ? message.type === "result"
      : message === turn.result;
    return isLast ? this.#last(message) : message;
  }

  /** Reads a turn that was left early to its end. */
  async #drain(): Promise<void> {
    for (;;) {
      const turn = this.#leftover;
      if (turn === undefined) return;
      if (turn.isOver && !this.#isAhead(turn.result)) break;
      const message = await this.#read();
      if (message === undefined || message === turn.result) break;
    }
    this.#leftover = undefined;
  }

  /** Whether a result still stands in what was taken and not read. */
  #isAhead(result: Message | undefined): boolean {
    return result !== undefined &&
      (this.#batch.includes(result, this.#at) ||
        this.#init.source.holds(result));
  }

  #last(message: Message | undefined): Message | undefined {
    this.#turn = undefined;
    this.#end();
    return message;
  }

  #end(): void {
    const wasReading = this.#state === "reading";
    this.#state = "over";
    if (!wasReading) return;
    this.#init.source.putBack(this.#batch.slice(this.#at));
    this.#batch = [];
    this.#init.onEnd(this.#leftover ?? this.#turn);
  }

  async #read(): Promise<Message | undefined> {
    const { source, signal } = this.#init;
    signal?.throwIfAborted();
    if (this.#at >= this.#batch.length) {
      this.#batch = await takeUnless(source, signal) ?? [];
      this.#at = 0;
    }
    return this.#batch[this.#at++];
  }
}

/** Takes a batch, unless the signal comes first; a batch that comes after it goes back. */
function takeUnless(
  source: PutBack<Message>,
  signal: AbortSignal | undefined,
): Promise<readonly Message[] | undefined> {
  const taken = source.take();
  if (signal === undefined) return taken;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    taken.then((batch) => {
      signal.removeEventListener("abort", abort);
      if (signal.aborted && batch !== undefined) source.putBack(batch);
      else resolve(batch);
    }, reject);
  });
}
