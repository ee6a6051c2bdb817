import { onAbort } from "../async/on_abort.ts";
import type { AgentError } from "../errors/base.ts";
import {
  BatchIterator,
  batchStream,
  itemStream,
  singleStream,
} from "../stream/iterate.ts";
import { PutBack } from "../stream/put_back.ts";
import type { BatchSource, Cut } from "../stream/window.ts";
import type { MessageStream } from "../types/conversation.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";
import type { Turn, Turns } from "./turns.ts";

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

/** The messages have one owner at a time. */
export class Ownership {
  readonly #checkOpen: () => void;
  readonly #onRelease: () => void;
  #owner: Taker | undefined;

  constructor(checkOpen: () => void, onRelease: () => void) {
    this.#checkOpen = checkOpen;
    this.#onRelease = onRelease;
  }

  get isTaken(): boolean {
    return this.#owner !== undefined;
  }

  /** Takes the messages; throws `TypeError` that names the owner there is. */
  claim(taker: Taker): void {
    this.#checkOpen();
    if (this.#owner !== undefined) {
      throw new TypeError(
        `Messages are already taken by ${this.#owner}: ${taker} cannot take them as well`,
      );
    }
    this.#owner = taker;
  }

  /** Gives them back. */
  release(): void {
    this.#owner = undefined;
    this.#onRelease();
  }
}

/** The messages of a conversation in several shapes; the first taker owns them for good, from its first pull on. */
export class Outlet {
  readonly #source: BatchSource<Message>;
  readonly #ownership: Ownership;
  readonly #onLeave: () => Promise<void>;
  #messages: ReadableStream<Message> | undefined;
  #batches: ReadableStream<readonly Message[]> | undefined;

  constructor(
    source: BatchSource<Message>,
    ownership: Ownership,
    onLeave: () => Promise<void>,
  ) {
    this.#source = source;
    this.#ownership = ownership;
    this.#onLeave = onLeave;
  }

  /** Single messages as a stream; the same one each time. */
  get messages(): ReadableStream<Message> {
    return this.#messages ??= singleStream(
      this.claimed("messages"),
      this.#onLeave,
    );
  }

  /** Batches as a stream; the same one each time. */
  get batches(): ReadableStream<readonly Message[]> {
    return this.#batches ??= batchStream(
      this.claimed("batches"),
      this.#onLeave,
    );
  }

  /** Single messages, one by one. */
  iterate(): AsyncIterableIterator<Message> {
    const source = this.claimed("for await");
    return new BatchIterator(source, this.#onLeave);
  }

  /** The source for one taker. */
  claimed(taker: Taker): BatchSource<Message> {
    const source = this.#source;
    let isOwner = false;
    return {
      onCut: (listener) => source.onCut?.(listener),
      used: () => source.used?.(),
      take: () => {
        if (!isOwner) {
          try {
            this.#ownership.claim(taker);
          } catch (error) {
            return Promise.reject(error);
          }
          isOwner = true;
        }
        return source.take();
      },
    };
  }
}

/** What the messages are taken from. */
interface TurnsSource {
  readonly source: BatchSource<Message>;
  /** Who owns them at the moment. */
  readonly ownership: Ownership;
  /** The prompts and their results; there when there are messages. */
  readonly turns: Turns;
  /** The errors beside them. */
  readonly errors: ReadableStream<AgentError>;
}

/** The messages of a client: all of them, or turn by turn. Takers come one after the other, and may leave early. */
export class TurnsOutlet {
  /** All messages: the same object for one connection. */
  readonly all: MessageStream;
  readonly #ownership: Ownership;
  readonly #turns: () => Turns;
  readonly #source: PutBack<Message>;
  #leftovers: readonly Turn[] = [];
  /** Drops what the taker of the moment holds. */
  #onCut: ((cut: Cut) => void) | undefined;

  constructor(conversation: TurnsSource) {
    const { source, ownership } = conversation;
    this.#ownership = ownership;
    this.#turns = () => conversation.turns;
    source.onCut?.((cut) => this.#onCut?.(cut));
    this.#source = new PutBack({
      onCut: (listener) => source.onCut?.(listener),
      used: () => source.used?.(),
      // Nothing may be left of a batch, and still a turn be over.
      take: async () => {
        const batch = await source.take();
        return batch && this.#turns().handOver(batch);
      },
    });
    this.all = this.#messageStream(() => conversation.errors);
  }

  /** The messages of one turn: that of the prompt named, or the next that nobody has read. */
  turn(taker: Taker, settings: TurnSettings = {}): TurnReader {
    const claim: Claim = {
      take: () => {
        this.#ownership.claim(taker);
        this.#onCut = () => reader.drop();
        const leftovers = this.#leftovers;
        this.#leftovers = [];
        return leftovers;
      },
      giveBack: (leftovers) => {
        this.#leftovers = leftovers;
        this.#onCut = undefined;
        this.#ownership.release();
      },
    };
    const reader = new TurnReader(
      this.#source,
      this.#turns(),
      claim,
      settings,
    );
    return reader;
  }

  #messageStream(errors: () => ReadableStream<AgentError>): MessageStream {
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
    const ownership = this.#ownership;
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
      used: () => this.#source.used(),
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
          else this.#turns().markRead(batch, true);
          return batch;
        } catch (error) {
          release();
          throw error;
        }
      },
      leave: (rest) => {
        this.#source.putBack(rest);
        if (rest.length > 0) this.#turns().markRead(rest, false);
        release();
        return Promise.resolve();
      },
    };
  }
}

/** Which turn is read, and for how long. */
export interface TurnSettings {
  /** Id of the prompt whose turn it is; the oldest that nobody has read. */
  readonly uuid?: string | undefined;
  /** Ends the reading with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The hold of a reader on the messages. */
interface Claim {
  /** Takes the messages; gives the turns that were left early, to be read to their end first. */
  take(): readonly Turn[];
  /** Gives the messages back, with the turns that were not read to their end. */
  giveBack(leftovers: readonly Turn[]): void;
}

/** A batch came of which nothing was left. */
const NOTHING: unique symbol = Symbol("nothing");
const DONE: IteratorResult<Message> = { value: undefined, done: true };

/** Reads the messages of one turn, up to and including the result that answers its prompt. */
class TurnReader implements AsyncIterableIterator<Message> {
  readonly #source: PutBack<Message>;
  readonly #turns: Turns;
  readonly #claim: Claim;
  readonly #uuid: string | undefined;
  readonly #signal: AbortSignal | undefined;
  #state: "new" | "reading" | "over" = "new";
  #leftovers: readonly Turn[] = [];
  #turn: Turn | undefined;
  #result: ResultMessage | undefined;
  #batch: readonly Message[] = [];
  #at = 0;
  /** Calls come one after the other. */
  #waiting = 0;
  #previous: Promise<unknown> = Promise.resolve();

  /** Takes the id of the prompt whose turn it is, unless it is that of the oldest that nobody has read, and what ends the reading. */
  constructor(
    source: PutBack<Message>,
    turns: Turns,
    claim: Claim,
    { uuid, signal }: TurnSettings,
  ) {
    this.#source = source;
    this.#turns = turns;
    this.#claim = claim;
    this.#uuid = uuid;
    this.#signal = signal;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The result that ended the turn, once it was handed out. */
  get result(): ResultMessage | undefined {
    return this.#result;
  }

  /** Takes the messages now instead of with the first `next()`. */
  claim(): void {
    if (this.#state !== "new") return;
    this.#leftovers = this.#claim.take();
    this.#state = "reading";
  }

  /** Takes its prompt out of the ledger, once that was written. */
  take(): void {
    this.#turn ??= this.#turns.take(this.#uuid);
  }

  /** The next message of the turn; done after its result, and when all messages have ended. */
  next(): Promise<IteratorResult<Message>> {
    const result = this.#waiting++ === 0
      ? this.#advance()
      : this.#previous.then(() => this.#advance());
    const leave = () => void this.#waiting--;
    this.#previous = result.then(leave, leave);
    return result;
  }

  /** Everything was cut off: what it holds is not handed out any more. */
  drop(): void {
    this.#batch = [];
    this.#at = 0;
  }

  return(): Promise<IteratorResult<Message>> {
    this.#end();
    return Promise.resolve(DONE);
  }

  async #advance(): Promise<IteratorResult<Message>> {
    if (this.#state === "over") return DONE;
    try {
      this.claim();
      if (this.#leftovers.length > 0) await this.#drain();
      for (;;) {
        this.take();
        // Answered by a result that has passed: the CLI took several prompts into one turn. Or never to be answered.
        const turn = this.#turn;
        if (turn && this.#hasPassed(turn)) return this.#handOut(turn.result);
        const message = await this.#read();
        if (message === NOTHING) continue;
        if (!message || !turn || this.#isOf(turn, message)) {
          return this.#handOut(message);
        }
        this.#at--;
      }
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  /** Whether a turn is over, and nothing of it is left. */
  #hasPassed({ isPassed, last }: Turn): boolean {
    return isPassed && !this.#isAhead(last);
  }

  /** Whether a message that was just read is still of a turn, or shows by itself that the turn was over before. */
  #isOf(turn: Turn, message: Message): boolean {
    return message === turn.last || !this.#hasPassed(turn);
  }

  #handOut(message: Message | undefined): IteratorResult<Message> {
    // A prompt may have been sent while this waited.
    this.take();
    const isLast = message === undefined ||
      (this.#turn === undefined
        ? message.type === "result"
        : message === this.#turn.result);
    if (isLast) {
      if (message?.type === "result") this.#result = message;
      this.#turn = undefined;
      this.#end();
    } else this.#pass(message);
    return message === undefined ? DONE : { value: message, done: false };
  }

  /** Reads the turns that were left early to their end. */
  async #drain(): Promise<void> {
    for (;;) {
      const left = this.#leftovers.filter((turn) => !this.#hasPassed(turn));
      this.#leftovers = left;
      if (left.length === 0) return;
      const message = await this.#read();
      if (message === NOTHING) continue;
      if (message === undefined) this.#leftovers = [];
      else if (left.some((turn) => this.#isOf(turn, message))) {
        this.#pass(message);
      } else this.#at--;
    }
  }

  /** Whoever waits for one prompt leaves no other result on the way for somebody else. */
  #pass(message: Message): void {
    if (this.#uuid !== undefined) this.#turns.markRead([message], true);
  }

  /** Whether a message still stands in what was taken and not read. */
  #isAhead(message: Message | undefined): boolean {
    return message !== undefined &&
      (this.#batch.includes(message, this.#at) ||
        this.#source.holds(message));
  }

  /** The next message; `undefined` at the end of all. */
  async #read(): Promise<Message | undefined | typeof NOTHING> {
    const source = this.#source;
    this.#signal?.throwIfAborted();
    if (this.#at >= this.#batch.length) {
      const batch = await takeUnless(source, this.#signal);
      if (batch === undefined) return undefined;
      if (this.#state === "over") {
        // Left while it waited.
        source.putBack(batch);
        return undefined;
      }
      this.#batch = batch;
      this.#at = 0;
      if (batch.length === 0) return NOTHING;
    }
    const message = this.#batch[this.#at++];
    if (this.#at === this.#batch.length) source.used();
    return message;
  }

  #end(): void {
    const wasReading = this.#state === "reading";
    this.#state = "over";
    if (!wasReading) return;
    this.#source.putBack(this.#batch.slice(this.#at));
    this.#batch = [];
    const own = this.#turn === undefined ? [] : [this.#turn];
    this.#claim.giveBack([...this.#leftovers, ...own]);
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
    const leave = onAbort(signal, () => reject(signal.reason));
    taken.then((batch) => {
      if (signal.aborted && batch !== undefined) source.putBack(batch);
      else resolve(batch);
    }, reject).finally(leave);
  });
}
