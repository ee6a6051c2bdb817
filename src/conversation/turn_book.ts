import type { Message } from "../types/message.ts";
import type { CommandLifecycleMessage } from "../types/message_other.ts";
import type { SessionStateMessage } from "../types/message_system.ts";
import type { ResultMessage } from "../types/message_turn.ts";

/** What became of one prompt. */
export interface Turn {
  /** Id of its user line. */
  readonly uuid: string;
  /** Whether the CLI says that it has done all of it. */
  isDone: boolean;
  /** Whether it is over. */
  isOver: boolean;
  /** Whether somebody has read its answer, or is about to. */
  isRead: boolean;
  /** The result that answers it; absent while it is not over, and for one that was taken back or dropped, or whose line was lost. */
  result?: ResultMessage;
  /** What comes last of it, once it is over: its result, or the word that it was taken back; absent when that is not known. */
  last?: Message;
}

/** Which result answers which prompt: prompts that the CLI merged into one turn share theirs. */
export class TurnBook {
  readonly #turns: Turn[] = [];
  #namesPrompts = false;

  /** A prompt was written. */
  prompted(uuid: string): void {
    this.#turns.push({ uuid, isDone: false, isOver: false, isRead: false });
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

  /** Looks at messages as they come off the window, once each, and takes out the states that are for the host alone. */
  see(messages: readonly Message[]): readonly Message[] {
    let kept: Message[] | undefined;
    let last: Message | undefined;
    for (let at = 0; at < messages.length; at++) {
      // The index is in bounds.
      const message = messages[at] as Message;
      if (message.type === "result") this.#sawResult(message, last);
      else if (message.type === "command_lifecycle") this.#sawLife(message);
      else if (isState(message)) {
        if (message.state === "idle") this.#giveUpDone(last);
        if (message.sdk_host_only === true) {
          kept ??= messages.slice(0, at);
          continue;
        }
      }
      last = message;
      kept?.push(message);
    }
    return kept ?? messages;
  }

  #sawLife(message: CommandLifecycleMessage): void {
    const { state, command_uuid: uuid } = message;
    if (state === "completed") {
      const turn = this.#turns.find((one) => one.uuid === uuid);
      if (turn !== undefined) turn.isDone = true;
    } else if (state !== "queued" && state !== "started") {
      this.#end((turn) => turn.uuid === uuid, message);
    }
  }

  /** What is done and was not answered by now never will be: the line of its result was lost. */
  #giveUpDone(last: Message | undefined): void {
    for (const turn of this.#turns) {
      if (turn.isOver || !turn.isDone) continue;
      turn.isOver = true;
      if (last !== undefined) turn.last = last;
    }
  }

  #sawResult(result: ResultMessage, before: Message | undefined): void {
    const named = namedPrompts(result);
    if (named.size > 0) {
      this.#namesPrompts = true;
      for (const uuid of named) {
        this.#end((turn) => turn.uuid === uuid, result);
      }
      this.#giveUpDone(before);
    } else if (!this.#namesPrompts || result.is_error) {
      // A CLI that names no prompts answers them in order; one that does tells of its own work without a name.
      this.#end(() => true, result);
    }
  }

  #end(isMeant: (turn: Turn) => boolean, last?: Message): void {
    const turn = this.#turns.find((one) => !one.isOver && isMeant(one));
    if (turn === undefined) return;
    turn.isOver = true;
    if (last === undefined) return;
    turn.last = last;
    if (last.type === "result") turn.result = last;
  }

  /** What is over and read needs no place. */
  #forget(): void {
    while (this.#turns[0]?.isOver && this.#turns[0].isRead) {
      this.#turns.shift();
    }
  }
}

function isState(message: Message): message is SessionStateMessage {
  return message.type === "system" &&
    message.subtype === "session_state_changed";
}

/** Ids of the prompts that a result answers, where the CLI names them; both fields are optional and may hold anything. */
export function namedPrompts(
  { user_message_uuid: first, user_message_uuids: all }: ResultMessage,
): ReadonlySet<unknown> {
  const named = new Set<unknown>(Array.isArray(all) ? all : []);
  if (first !== undefined) named.add(first);
  return named;
}
