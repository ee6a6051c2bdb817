import { unlessAborted } from "../async/on_abort.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";
import type { Cut } from "../stream/queue.ts";
import type { Consumer } from "./ownership.ts";
import type { Turn, TurnEnds } from "./turn_ends.ts";

/** Turn to read, and its timeout. */
export interface TurnSettings {
  /** Id of the prompt whose turn it is; the oldest unread one. */
  readonly uuid?: string | undefined;
  /** Ends the reading with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Messages and turns that a consumer leaves to the next one. */
export interface Leave {
  /** Messages that were not read. */
  readonly rest: readonly Message[];
  /** Whether it waits for a batch, which is left as well. */
  readonly isTaking: boolean;
  /** Turns that were not read to their end. */
  readonly leftovers?: readonly Turn[];
}

/** The messages that readers of turns take from, one after the other. */
export interface TurnSource {
  /** Claims the messages; returns the turns that were left early, to be read first. */
  claim(
    consumer: Consumer,
    onCut: ((cut: Cut) => void) | undefined,
  ): readonly Turn[];
  /** The next batch, without messages for the host alone: it may be empty, and still end a turn. */
  take(): Promise<readonly Message[] | undefined>;
  /** Reports that the whole batch was handed on. */
  used(): void;
  /** Whether a message was left unread and is to come again. */
  holds(message: Message): boolean;
  release(left: Leave): void;
}

/** A batch came of which nothing was left. */
const NOTHING: unique symbol = Symbol("nothing");
const DONE: IteratorResult<Message> = { value: undefined, done: true };

/** Reads the messages of one turn, up to and including the result that answers its prompt. */
export class TurnReader implements AsyncIterableIterator<Message> {
  readonly #outlet: TurnSource;
  readonly #ends: TurnEnds;
  readonly #consumer: Consumer;
  readonly #settings: TurnSettings;
  #state: "new" | "reading" | "over" = "new";
  #isTaking = false;
  #leftovers: readonly Turn[] = [];
  #turn: Turn | undefined;
  #result: ResultMessage | undefined;
  #batch: readonly Message[] = [];
  #at = 0;
  /** Calls come one after the other. */
  #waiting = 0;
  #previous: Promise<unknown> = Promise.resolve();

  constructor(
    outlet: TurnSource,
    ends: TurnEnds,
    consumer: Consumer,
    settings: TurnSettings,
  ) {
    this.#outlet = outlet;
    this.#ends = ends;
    this.#consumer = consumer;
    this.#settings = settings;
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
    // Everything may be cut off: what it holds is not handed out then.
    this.#leftovers = this.#outlet.claim(
      this.#consumer,
      () => this.#batch = [],
    );
    this.#state = "reading";
  }

  /** Takes its prompt out of the ledger, once that was written. */
  take(): void {
    this.#turn ??= this.#ends.take(this.#settings.uuid);
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

  return(): Promise<IteratorResult<Message>> {
    this.#end();
    return Promise.resolve(DONE);
  }

  async #advance(): Promise<IteratorResult<Message>> {
    if (this.#isOver) return DONE;
    try {
      this.claim();
      // Before the rest of earlier turns is read, so that its prompt counts as read from now on.
      this.take();
      if (this.#leftovers.length > 0) await this.#drain();
      for (;;) {
        if (this.#isOver) return DONE;
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

  /** Counts results on the way to a named prompt as read. */
  #pass(message: Message): void {
    if (this.#settings.uuid !== undefined) {
      this.#ends.markRead([message]);
    }
  }

  /** Whether a message still stands in what was taken and not read. */
  #isAhead(message: Message | undefined): boolean {
    return message !== undefined &&
      (this.#batch.includes(message, this.#at) ||
        this.#outlet.holds(message));
  }

  /** The next message; `undefined` at the end of all. */
  async #read(): Promise<Message | undefined | typeof NOTHING> {
    const { signal } = this.#settings;
    signal?.throwIfAborted();
    if (this.#at >= this.#batch.length) {
      this.#isTaking = true;
      const batch = await unlessAborted(this.#outlet.take(), signal);
      this.#isTaking = false;
      if (batch === undefined || this.#isOver) return undefined;
      this.#batch = batch;
      this.#at = 0;
      if (batch.length === 0) return NOTHING;
    }
    const message = this.#batch[this.#at++];
    if (this.#at === this.#batch.length) this.#outlet.used();
    return message;
  }

  /** Asked anew: it may have been left while it waited. */
  get #isOver(): boolean {
    return this.#state === "over";
  }

  #end(): void {
    const wasReading = this.#state === "reading";
    this.#state = "over";
    if (!wasReading) return;
    const rest = this.#batch.slice(this.#at);
    this.#batch = [];
    const own = this.#turn === undefined ? [] : [this.#turn];
    const leftovers = [...this.#leftovers, ...own];
    this.#outlet.release({ rest, isTaking: this.#isTaking, leftovers });
  }
}
