import type { AgentError } from "../errors/base.ts";
import { BatchIterator, batchStream, itemStream } from "../stream/iterate.ts";
import type { BatchSource, Cut } from "../stream/window.ts";
import type { MessageStream } from "../types/conversation.ts";
import type { Message } from "../types/message.ts";
import type { Ownership, Taker } from "./outlet.ts";
import type { Turn, TurnBook } from "./turn_book.ts";
import { TurnReader } from "./turn_reader.ts";

/** What a {@link TurnsOutlet} is made from. */
export interface TurnsOutletInit {
  /** Where the messages come from. */
  readonly source: BatchSource<Message>;
  /** Who owns them at the moment. */
  readonly ownership: Ownership;
  /** The prompts and their results. */
  readonly book: TurnBook;
  /** The errors beside them. */
  readonly errors: () => ReadableStream<AgentError>;
}

/** The messages of a client: all of them, or turn by turn. Takers come one after the other, and may leave early. */
export class TurnsOutlet {
  /** All messages: the same object for one connection. */
  readonly all: MessageStream;
  readonly #init: TurnsOutletInit;
  readonly #source: PutBack<Message>;
  #leftovers: readonly Turn[] = [];
  /** Drops what the taker of the moment holds. */
  #onCut: ((cut: Cut) => void) | undefined;

  constructor(init: TurnsOutletInit) {
    const { source, book } = this.#init = init;
    source.onCut?.((cut) => this.#onCut?.(cut));
    this.#source = new PutBack({
      onCut: (listener) => source.onCut?.(listener),
      // Nothing may be left of a batch, and still a turn be over.
      take: async () => {
        const batch = await source.take();
        return batch && book.see(batch);
      },
    });
    this.all = this.#messageStream();
  }

  /** The messages of one turn: that of the prompt named, or the next that nobody has read. */
  turn(
    taker: Taker,
    { uuid, signal }: { uuid?: string; signal?: AbortSignal | undefined } = {},
  ): TurnReader {
    const { ownership, book } = this.#init;
    const reader = new TurnReader({
      source: this.#source,
      book,
      signal,
      uuid,
      onBegin: () => {
        ownership.claim(taker);
        this.#onCut = () => reader.drop();
        const leftovers = this.#leftovers;
        this.#leftovers = [];
        return leftovers;
      },
      onEnd: (leftovers) => {
        this.#leftovers = leftovers;
        this.#onCut = undefined;
        ownership.release();
      },
    });
    return reader;
  }

  #messageStream(): MessageStream {
    const { errors } = this.#init;
    const batched = this.#everything();
    return {
      messages: itemStream(this.#iterate()),
      batches: batchStream(batched, (rest) => batched.leave(rest)),
      get errors() {
        return errors();
      },
      [Symbol.asyncIterator]: () => this.#iterate(),
    };
  }

  #iterate(): AsyncIterableIterator<Message> {
    const everything = this.#everything();
    return new BatchIterator(everything, (rest) => everything.leave(rest));
  }

  /** The source for one taker of all messages; what it did not read goes back when it leaves. */
  #everything(): BatchSource<Message> & {
    leave(rest: readonly Message[]): Promise<void>;
  } {
    const { ownership, book } = this.#init;
    let isOwner = false;
    let onCut: ((cut: Cut) => void) | undefined;
    const release = () => {
      if (!isOwner) return;
      isOwner = false;
      this.#onCut = undefined;
      ownership.release();
    };
    return {
      onCut: (listener) => void (onCut = listener),
      take: async () => {
        if (!isOwner) {
          ownership.claim("receiveMessages()");
          isOwner = true;
          this.#onCut = onCut;
          this.#leftovers = [];
        }
        try {
          let batch = await this.#source.take();
          while (batch?.length === 0) batch = await this.#source.take();
          if (batch === undefined) release();
          else book.markRead(batch, true);
          return batch;
        } catch (error) {
          release();
          throw error;
        }
      },
      leave: (rest) => {
        this.#source.putBack(rest);
        book.markRead(rest, false);
        release();
        return Promise.resolve();
      },
    };
  }
}

/** A source that takes items back, for consumers that come one after the other and may leave in the middle of a batch. */
export class PutBack<T> implements BatchSource<T> {
  readonly #source: BatchSource<T>;
  #back: readonly T[] = [];
  /** The batch that was asked for and that nobody got yet. */
  #coming: Promise<readonly T[] | undefined> | undefined;
  #onPutBack: (() => void) | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(source: BatchSource<T>) {
    this.#source = source;
    source.onCut?.(() => {
      this.#back = [];
    });
  }

  /** What was put back, else the next batch; one caller after the other, since an earlier one may put its batch back. */
  take(): Promise<readonly T[] | undefined> {
    const batch = this.#last.then(() => this.#next());
    this.#last = batch.catch(() => {});
    return batch;
  }

  /** Puts items back in front, also of what somebody waits for. */
  putBack(items: readonly T[]): void {
    if (items.length === 0) return;
    this.#back = [...items, ...this.#back];
    this.#onPutBack?.();
  }

  /** Whether an item was put back and not taken again. */
  holds(item: T): boolean {
    return this.#back.includes(item);
  }

  async #next(): Promise<readonly T[] | undefined> {
    if (this.#back.length === 0) {
      this.#coming ??= this.#source.take();
      const returned = new Promise<void>((resolve) => {
        this.#onPutBack = resolve;
      });
      await Promise.race([this.#coming, returned]).catch(() => {});
    }
    const back = this.#back;
    if (back.length > 0) {
      this.#back = [];
      return back;
    }
    const coming = this.#coming;
    this.#coming = undefined;
    return coming;
  }
}
