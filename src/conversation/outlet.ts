import type { AgentError } from "../errors/base.ts";
import type { Message } from "../protocol/messages_other.ts";
import {
  BatchIterator,
  batchStream,
  itemStream,
  PutBack,
} from "../stream/iterate.ts";
import type { BatchSource, Cut } from "../stream/window.ts";
import type { MessageStream } from "../types/conversation.ts";
import type { LiveConversation } from "./conversation.ts";
import type { TurnReader, TurnSettings } from "./turn_reader.ts";
import type { Turn } from "./turn_ends.ts";

/** How messages are taken, as it reads in an error. */
export type Taker =
  | "for await"
  | "messages"
  | "batches"
  | "text()"
  | "result()"
  | "output()"
  | "receiveMessages()"
  | "receiveResponse()"
  | "ask()";

/** What helps who uses a client for two things at once. */
const ONE_AT_A_TIME = "await that first, or take a client for each dialogue";

/** The messages have one owner at a time. */
export class Ownership {
  readonly #checkOpen: () => void;
  readonly #onRelease: () => void;
  /** Who has them. */
  owner: Taker | undefined;

  constructor(checkOpen: () => void, onRelease: () => void) {
    this.#checkOpen = checkOpen;
    this.#onRelease = onRelease;
  }

  /** Takes the messages; throws `TypeError` that names the owner there is, and what helps. */
  claim(taker: Taker, help?: string): void {
    this.#checkOpen();
    if (this.owner !== undefined) {
      const more = help === undefined ? "" : `; ${help}`;
      throw new TypeError(
        `Messages are already taken by ${this.owner}: ${taker} cannot take them as well${more}`,
      );
    }
    this.owner = taker;
  }

  /** The messages for one taker, who owns them for good, from its first pull on. */
  claimed(taker: Taker, source: BatchSource<Message>): BatchSource<Message> {
    let isOwner = false;
    return {
      onCut: (listener) => source.onCut?.(listener),
      used: () => source.used?.(),
      take: () => {
        try {
          if (!isOwner) this.claim(taker);
        } catch (error) {
          return Promise.reject(error);
        }
        isOwner = true;
        return source.take();
      },
    };
  }

  /** Gives them back. */
  release(): void {
    this.owner = undefined;
    this.#onRelease();
  }
}

/** The messages of a client: all of them, or turn by turn. Takers come one after the other, and may leave early. */
export class TurnsOutlet {
  /** All messages: the same object for one connection. */
  readonly all: MessageStream;
  /** What all takers take from, and give back what they did not read. */
  readonly source: PutBack<Message>;
  readonly #conversation: LiveConversation;
  #leftovers: readonly Turn[] = [];
  /** Drops what the taker of the moment holds. */
  #onCut: ((cut: Cut) => void) | undefined;

  constructor(conversation: LiveConversation) {
    const { source } = conversation;
    this.#conversation = conversation;
    source.onCut?.((cut) => this.#onCut?.(cut));
    this.source = new PutBack({
      onCut: (listener) => source.onCut?.(listener),
      used: () => source.used?.(),
      // Nothing may be left of a batch, and still a turn be over.
      take: async () => {
        const batch = await source.take();
        return batch && conversation.turns.handOver(batch);
      },
    });
    const batched = this.#everything();
    this.all = {
      messages: itemStream(this.#iterate()),
      batches: batchStream(batched, (rest) => batched.leave(rest)),
      get errors() {
        return conversation.errors;
      },
      [Symbol.asyncIterator]: () => this.#iterate(),
    };
  }

  /** The messages of one turn: that of the prompt named, or the next that nobody has read. */
  turn(taker: Taker, settings: TurnSettings = {}): TurnReader {
    return this.#conversation.readTurn(this, taker, settings);
  }

  /** Takes the messages, and says how what was taken is dropped; gives the turns that were left early, to be read first. */
  claim(taker: Taker, onCut?: (cut: Cut) => void): readonly Turn[] {
    this.#conversation.ownership.claim(taker, ONE_AT_A_TIME);
    this.#onCut = onCut;
    const leftovers = this.#leftovers;
    this.#leftovers = [];
    return leftovers;
  }

  /** Gives the messages back, with the turns that were not read to their end. */
  release(leftovers: readonly Turn[] = []): void {
    this.#leftovers = leftovers;
    this.#onCut = undefined;
    this.#conversation.ownership.release();
  }

  #iterate(): AsyncIterableIterator<Message> {
    const everything = this.#everything();
    return new BatchIterator(everything, (rest) => everything.leave(rest));
  }

  /** The source for one taker of all messages; what it did not read goes back when it leaves. */
  #everything(): BatchSource<Message> & {
    leave(rest: readonly Message[]): Promise<void>;
  } {
    let isOwner = false;
    /** The batch that the consumer works on: what it leaves of that is not read. */
    let held: readonly Message[] = [];
    let onCut: ((cut: Cut) => void) | undefined;
    const markRead = (rest: readonly Message[]) => {
      const { length } = held;
      this.#conversation.turns.ends.markRead(
        held.slice(0, length - rest.length),
      );
      held = [];
    };
    const release = () => {
      if (!isOwner) return;
      isOwner = false;
      this.release();
    };
    return {
      onCut: (listener) => void (onCut = listener),
      used: () => this.source.used(),
      take: async () => {
        if (!isOwner) {
          this.claim("receiveMessages()", onCut);
          isOwner = true;
        }
        if (held.length > 0) markRead([]);
        try {
          let batch = await this.source.take();
          while (batch?.length === 0) batch = await this.source.take();
          if (batch === undefined) release();
          else held = batch;
          return batch;
        } catch (error) {
          release();
          throw error;
        }
      },
      leave: (rest) => {
        this.source.putBack(rest);
        if (held.length > 0) markRead(rest);
        release();
        return Promise.resolve();
      },
    };
  }
}

const NEWEST = 256;

/** The `errors` stream: the newest 256, never blocking, costing nothing when nobody reads. */
export class ErrorFeed {
  #stream: ReadableStream<AgentError> | undefined;
  #held: AgentError[] = [];
  #controller: ReadableStreamDefaultController<AgentError> | undefined;
  #isOpen = false;
  #isReading = false;
  #isFailed = false;
  #isEnded = false;

  /** The stream; ends after the messages do. Made when it is asked for: the first one of a program costs milliseconds. */
  get stream(): ReadableStream<AgentError> {
    return this.#stream ??= new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
        if (this.#isEnded) this.#finish(controller);
      },
      pull: () => {
        this.#isReading = true;
        this.#serve();
      },
      cancel: () => {
        this.#isEnded = true;
      },
    }, { highWaterMark: 0 });
  }

  /** Whether somebody waits for the next one. */
  get isAwaited(): boolean {
    return this.#isReading && !this.#isEnded;
  }

  /** Lets errors be handed out: a start that fails has exactly one. */
  open(): void {
    this.#isOpen = true;
    this.#serve();
  }

  /** The start failed: this is the only one. */
  fail(error: AgentError): void {
    this.#held = [];
    this.push(error);
    this.#isFailed = true;
  }

  /** Adds one; after the end, and after a start that failed, it is dropped. */
  push(error: AgentError): void {
    if (this.#isEnded || this.#isFailed) return;
    this.#held.push(error);
    if (this.#held.length > NEWEST) this.#held.shift();
    this.#serve();
  }

  /** No more errors. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (this.#controller !== undefined) this.#finish(this.#controller);
  }

  /** A stream that is closed still hands out what was put into it. */
  #finish(controller: ReadableStreamDefaultController<AgentError>): void {
    for (const error of this.#held) controller.enqueue(error);
    this.#held = [];
    controller.close();
  }

  #serve(): void {
    if (!this.#isOpen || !this.#isReading) return;
    const error = this.#held.shift();
    if (error === undefined) return;
    this.#isReading = false;
    this.#controller?.enqueue(error);
  }
}
