import type { Message } from "../protocol/messages_other.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";
import type { Fate } from "./ledger.ts";

/** One prompt, as a reader of its turn sees it. */
export interface Turn {
  readonly key: number;
  /** Id of its user line; `undefined` for the one prompt that has none. */
  readonly uuid: string | undefined;
  /** The message that settled it: its result, its lifecycle, or what showed that its result was lost. */
  end?: Message;
  result?: ResultMessage;
  /** Whether nothing more of it comes off the queue. */
  isPassed: boolean;
  /** Its last message; absent when that is not known. */
  last?: Message;
  /** Whether a reader has read its answer, or is about to. */
  isRead: boolean;
}

/** Ends of the prompts' turns in the messages: a client reads turn by turn. */
export class TurnEnds {
  /** Whether messages are read turn by turn, and each one is handed over; set before the first prompt. */
  isReadByTurn: boolean;
  /** Prompts that are open, and with a reader by turns those whose answer is unread. */
  #turns: Turn[] = [];
  #keys = 0;
  /** The message handed over last. */
  #last: Message | undefined;

  constructor(isReadByTurn: boolean) {
    this.isReadByTurn = isReadByTurn;
  }

  /** Number of prompts whose answer no reader has begun to read. */
  get unread(): number {
    return this.#turns.filter(({ isRead, isPassed, end }) =>
      // Nothing follows a prompt that could not be written.
      !isRead && !(isPassed && end === undefined)
    ).length;
  }

  /** Whether there has been a prompt. */
  get hasBegun(): boolean {
    return this.#keys > 0;
  }

  add(uuid: string | undefined): Turn {
    const turn = { key: this.#keys++, uuid, isPassed: false, isRead: false };
    this.#turns.push(turn);
    return turn;
  }

  /** Prompts were settled, by a message unless they could not be written. */
  settle(fates: ReadonlyMap<number, Fate>, end: Message | undefined): void {
    for (const turn of this.#turns) {
      const fate = fates.get(turn.key);
      if (fate === undefined) continue;
      if (fate === "unsent") turn.isPassed = true;
      if (end !== undefined) turn.end = end;
      if (fate === "answered" && end?.type === "result") turn.result = end;
    }
    if (this.isReadByTurn) this.#forget();
    else this.#turns = this.#turns.filter(({ key }) => !fates.has(key));
  }

  /** A message has come off the queue. */
  pass(message: Message): void {
    const { type } = message;
    if (
      type === "result" || type === "command_lifecycle" || type === "system"
    ) this.#end(message);
  }

  /** A message goes to the reader. */
  handedOut(message: Message): void {
    this.#last = message;
  }

  /** Takes a prompt by its id, else the oldest whose answer is unread. */
  take(uuid?: string): Turn | undefined {
    const turn = this.#turns.find((one) =>
      !one.isRead && (uuid === undefined || one.uuid === uuid)
    );
    if (turn !== undefined) turn.isRead = true;
    this.#forget();
    return turn;
  }

  /** A reader of all messages has consumed these. */
  markRead(messages: readonly Message[]): void {
    for (const message of messages) {
      if (message.type !== "result") continue;
      for (const turn of this.#turns) {
        if (turn.result === message) turn.isRead = true;
      }
    }
    this.#forget();
  }

  #end(message: Message): void {
    for (const turn of this.#turns) {
      if (turn.end !== message || turn.isPassed) continue;
      turn.isPassed = true;
      // A message that only showed the loss of the result belongs to another turn.
      const isOwn = message === turn.result ||
        message.type === "command_lifecycle";
      const last = isOwn ? message : this.#last;
      if (last !== undefined) turn.last = last;
    }
  }

  /** Forgets turns that have passed and were read. */
  #forget(): void {
    while (this.#turns[0]?.isPassed && this.#turns[0].isRead) {
      this.#turns.shift();
    }
  }
}
