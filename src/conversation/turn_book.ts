import type { Message } from "../types/message.ts";
import type { ResultMessage } from "../types/message_turn.ts";
import { namedPrompts } from "./named_prompts.ts";

/** What became of one prompt. */
export interface Turn {
  /** Id of its user line. */
  readonly uuid: string;
  /** Whether it is over. */
  isOver: boolean;
  /** Whether somebody has read its answer, or is about to. */
  isRead: boolean;
  /** The result that answers it; absent while it is not over, and for one that was taken back or dropped. */
  result?: ResultMessage;
}

/** Which result answers which prompt: prompts that the CLI merged into one turn share theirs. */
export class TurnBook {
  readonly #turns: Turn[] = [];
  #namesPrompts = false;

  /** A prompt was written. */
  prompted(uuid: string): void {
    this.#turns.push({ uuid, isOver: false, isRead: false });
  }

  /** A prompt could not be written: nothing answers it. */
  lost(uuid: string): void {
    this.#end((turn) => turn.uuid === uuid);
  }

  /** Takes a prompt by its id, else the oldest whose answer nobody has read. */
  take(uuid?: string): Turn | undefined {
    const turn = this.#turns.find((one) =>
      !one.isRead && (uuid === undefined || one.uuid === uuid)
    );
    if (turn !== undefined) turn.isRead = true;
    this.#forget();
    return turn;
  }

  /** Messages that were handed to a reader of all of them, or that it gave back. */
  markRead(messages: readonly Message[], isRead: boolean): void {
    for (const message of messages) {
      if (message.type !== "result") continue;
      for (const turn of this.#turns) {
        if (turn.result === message) turn.isRead = isRead;
      }
    }
    if (isRead) this.#forget();
  }

  /** Looks at messages as they come off the window, once each. */
  see(messages: readonly Message[]): void {
    for (const message of messages) {
      if (message.type === "result") this.#sawResult(message);
      else if (message.type === "command_lifecycle") {
        const { state, command_uuid: uuid } = message;
        if (
          state === "cancelled" || state === "discarded" || state === "refused"
        ) this.#end((turn) => turn.uuid === uuid);
      }
    }
  }

  #sawResult(result: ResultMessage): void {
    const named = namedPrompts(result);
    if (named.size > 0) {
      this.#namesPrompts = true;
      for (const uuid of named) {
        this.#end((turn) => turn.uuid === uuid, result);
      }
    } else if (!this.#namesPrompts || result.is_error) {
      // A CLI that names no prompts answers them in order; one that does tells of its own work without a name.
      this.#end(() => true, result);
    }
  }

  #end(isMeant: (turn: Turn) => boolean, result?: ResultMessage): void {
    const turn = this.#turns.find((one) => !one.isOver && isMeant(one));
    if (turn === undefined) return;
    turn.isOver = true;
    if (result !== undefined) turn.result = result;
  }

  /** What is over and read needs no place. */
  #forget(): void {
    while (this.#turns[0]?.isOver && this.#turns[0].isRead) {
      this.#turns.shift();
    }
  }
}
