import type { Deadline, Deadlines } from "../async/deadline.ts";
import type { ResultMessage } from "../types/message_turn.ts";
import { namedPrompts } from "./turn_book.ts";
import type { Turns } from "./turns.ts";

/** Longest wait for background tasks at the end; the CLI's own limit. Source: protocol reference, section Process. */
const BACKGROUND_MS = 600_000;
/** A task that ended starts a turn within 0.1 s, measured; some end without one. */
const FOLLOW_UP_MS = 5_000;

/** What a {@link StdinHold} is made from. */
export interface StdinHoldInit {
  /** What is known of the turns. */
  readonly turns: Turns;
  /** Limits. */
  readonly deadlines: Deadlines;
  /** Closes stdin. */
  readonly end: () => void;
}

/**
 * Decides when stdin may close: hooks, permission callbacks and tools need it open as long as the CLI may ask.
 *
 * For a prompt that ended, that is when the session is idle after the last result, with no background task left; where
 * the CLI does not report its state, at the last result.
 */
export class StdinHold {
  readonly #init: StdinHoldInit;
  #isReady = false;
  #isPromptOver = false;
  #isEnded = false;
  /** Ids of the prompts without a result, in order; `undefined` for one without an id. */
  #unanswered: (string | undefined)[] = [];
  #wait: Deadline | undefined;

  constructor(init: StdinHoldInit) {
    this.#init = init;
  }

  /** The start is over; before that nothing ends it but its own limit. */
  ready(): void {
    this.#isReady = true;
    const { turns } = this.#init;
    if (!turns.reportsState || !turns.isRunning) this.#endIfDone();
  }

  /** A prompt was posted. */
  prompted(uuid: string | undefined): void {
    this.#unanswered.push(uuid);
    this.#cancelWait();
  }

  /** No more prompts come. */
  promptOver(): void {
    this.#isPromptOver = true;
    const { turns } = this.#init;
    if (!turns.reportsState || !turns.isRunning) this.#endIfDone();
  }

  /** A result came; several prompts may share it. */
  answered(result: ResultMessage): void {
    const named = namedPrompts(result);
    // A result that names prompts answers all up to them; one that names none answers the oldest.
    const last = this.#unanswered.findLastIndex((uuid) =>
      uuid !== undefined && named.has(uuid)
    );
    if (last !== -1) this.#unanswered.splice(0, last + 1);
    else if (named.size === 0) this.#unanswered.shift();
    if (!this.#init.turns.reportsState) this.#endIfDone();
  }

  /** A prompt is done with, perhaps without a result: taken back, dropped, refused. */
  settled(uuid: string): void {
    const at = this.#unanswered.indexOf(uuid);
    if (at !== -1) this.#unanswered.splice(at, 1);
    // Its result may have been lost on the way, and the CLI idle since.
    if (!this.#init.turns.isRunning) this.#endIfDone();
  }

  /** The CLI is idle: the one prompt that has no id is done with, even if its result was lost on the way. */
  idle(): void {
    if (this.#init.turns.hasRun && this.#unanswered[0] === undefined) {
      this.#unanswered.shift();
    }
    this.#endIfDone();
  }

  /** A background task began or ended. */
  tasksChanged(): void {
    if (this.#wait === undefined || this.#init.turns.backgroundTasks > 0) {
      return;
    }
    // The turn that tells the model of it begins in a moment, and may ask.
    this.#waitFor(FOLLOW_UP_MS);
  }

  #endIfDone(): void {
    if (!this.#isReady || !this.#isPromptOver || this.#isEnded) return;
    if (this.#unanswered.length > 0) return;
    if (this.#init.turns.backgroundTasks > 0) this.#waitFor(BACKGROUND_MS);
    else this.#end();
  }

  #waitFor(ms: number): void {
    this.#cancelWait();
    this.#wait = this.#init.deadlines.add(ms, () => this.#end());
  }

  #cancelWait(): void {
    this.#wait?.cancel();
    this.#wait = undefined;
  }

  #end(): void {
    this.#cancelWait();
    this.#isEnded = true;
    this.#init.end();
  }
}
