import { Change } from "../async/change.ts";
import type { Deadline, Deadlines } from "../async/deadline.ts";
import { unlessAborted } from "../async/on_abort.ts";
import { LiveClient } from "../conversation/live_client.ts";
import { ClosedError } from "../errors/base.ts";
import { cut, textOfError } from "../errors/text.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";
import type { SessionInfo } from "../protocol/session.ts";
import type { CallSettings, Prompt, UserInput } from "../types/conversation.ts";
import type { AgentOptions } from "../types/options.ts";

/** How long a client waits for the prompt of a caller that asked for it. */
const HOLD_MS = 10_000;

/** A client with several callers: turns that overlap run one after the other, and it knows whether it is in use. */
export class KeyedClient<T> extends LiveClient<T> {
  readonly #onSent: () => void;
  /** Callers that have not sent a prompt yet. */
  readonly #holds = new Set<Deadline>();
  #turns = 0;
  #last: Promise<unknown> = Promise.resolve();
  readonly #change = new Change();
  #wasConnected = false;

  constructor(options: AgentOptions, onSent: () => void) {
    super(options);
    this.#onSent = onSent;
  }

  /** Whether it does nothing, and no caller needs it. */
  get isFree(): boolean {
    return this.isIdle && this.#turns === 0 && !this.isReading &&
      this.unreadTurns === 0;
  }

  /** Whether it does nothing, though an answer may be unread. */
  get isIdle(): boolean {
    return this.#holds.size === 0 && this.activity().state === "idle";
  }

  /** Whether its session has to be resumed for a deferred call; not while a caller needs this client. */
  get isToResume(): boolean {
    return this.hasDeferredCall && this.isIdle && this.#turns === 0 &&
      !this.isReading;
  }

  get isConnected(): boolean {
    return this.state === "connected";
  }

  /** Milliseconds for which it has done nothing; 0 while it is at work. */
  idleMs(now: number): number {
    const { since } = this.activity();
    return this.isIdle ? now - since.getTime() : 0;
  }

  /** Logs what went wrong beside the turns. */
  report(text: string, error: unknown): void {
    this.warn(text, { reason: cut(textOfError(error)) });
  }

  /** Resolves when it is free, or gone. */
  async whenFree(): Promise<void> {
    while (this.isConnected && !this.isFree) {
      if (this.#holds.size > 0 || this.#turns > 0) await this.#change.next;
      else if (!this.isIdle) await this.#whenIdle();
      else await this.whenRead();
    }
  }

  /** Resolves at the next change to idle, or at the end. */
  async #whenIdle(): Promise<void> {
    for await (const { state } of this.watch()) if (state === "idle") return;
  }

  /** Keeps it from being closed until the caller has sent a prompt, or has had the time to. */
  hold(deadlines: Deadlines): void {
    const hold = deadlines.add(HOLD_MS, () => this.#release(hold));
    this.#holds.add(hold);
  }

  override connect(
    prompt?: Prompt,
    settings?: CallSettings,
  ): Promise<SessionInfo> {
    // Its session is continued by the client that get() returns next.
    if (this.#wasConnected && this.state === "disconnected") {
      return Promise.reject(new ClosedError("Client"));
    }
    const connected = super.connect(prompt, settings);
    connected.then(() => this.#wasConnected = true, () => {});
    return connected;
  }

  override sendMessage(
    input: UserInput,
    settings?: CallSettings,
  ): Promise<void> {
    return this.#prompted(super.sendMessage(input, settings));
  }

  override ask(
    input: UserInput,
    settings?: CallSettings,
  ): Promise<ResultMessage> {
    return this.#inTurn(settings, () => super.ask(input, settings));
  }

  override text(input: UserInput, settings?: CallSettings): Promise<string> {
    return this.#inTurn(settings, () => super.text(input, settings));
  }

  override output(input: UserInput, settings?: CallSettings): Promise<T> {
    return this.#inTurn(settings, () => super.output(input, settings));
  }

  #inTurn<R>(
    { signal }: CallSettings = {},
    work: () => Promise<R>,
  ): Promise<R> {
    const before = this.#last;
    const turn = unlessAborted(before, signal).then(work);
    this.#last = Promise.allSettled([before, turn]);
    return this.#prompted(turn);
  }

  /** Counts a prompt as under way until its promise settles. */
  async #prompted<R>(turn: Promise<R>): Promise<R> {
    this.#turns++;
    const [hold] = this.#holds;
    if (hold !== undefined) this.#release(hold);
    try {
      return await turn;
    } finally {
      this.#turns--;
      this.#change.tell();
      this.#onSent();
    }
  }

  #release(hold: Deadline): void {
    hold.cancel();
    this.#holds.delete(hold);
    this.#change.tell();
  }
}
