import { systemClock } from "../async/system_clock.ts";
import type { Clock } from "../ports/clock.ts";
import { type ChatMessage, takeMessage } from "./messages.ts";
import { optionError } from "./input_error.ts";
import { type Budget, truncate } from "./truncate.ts";

/** Settings of a new session; all may be left out. */
export interface SessionInit {
  /** Its id; a new UUID by default. In a store: letters, digits, `.`, `_` and `-`, at most 128, no dot first. */
  readonly id?: string | undefined;
  /** Text of a first system message; none by default. */
  readonly system?: string | undefined;
  /** Clock for `created` and `updated`; this machine's by default. */
  readonly clock?: Clock | undefined;
}

export interface SessionState {
  readonly id: string;
  readonly created: Date;
  readonly updated: Date;
  readonly messages: ChatMessage[];
  readonly clock: Clock;
  /** Gets appended messages before the session does; throws to refuse them. */
  readonly onAppend?: (messages: readonly ChatMessage[]) => void;
}

export let restoreSession: (state: SessionState) => Session;

/** Content of a session; the messages are a copy. */
export let contentOf: (session: Session) => SessionState;

/**
 * A chat's history, which only grows.
 *
 * Shape:
 * - Messages in the order of the calls; nothing removes or edits them.
 * - In memory, unless a {@link SessionStore} made it: then appended messages are written to its file.
 * - Not safe for concurrent use: when several tasks append, the caller has to order the calls.
 *
 * @example Append messages and get those that fit a budget
 * ```ts
 * import { Session } from "@sluice/agent/session";
 * import assert from "node:assert/strict";
 *
 * const session = Session.create({ system: "You are brief." });
 * session.append(
 *   { role: "user", content: "Tell me everything about rivers." },
 *   { role: "assistant", content: "They flow." },
 * );
 * assert.equal(session.messages.length, 3);
 *
 * const window = session.view({ maxTokens: 8 });
 * assert.deepEqual(window.map(({ content }) => content), ["You are brief.", "They flow."]);
 * assert.equal(session.messages.length, 3);
 * ```
 */
export class Session {
  readonly #state: Omit<SessionState, "messages" | "updated">;
  readonly #messages: ChatMessage[];
  #updatedMs: number;
  /** The frozen copy that was given out. */
  #given: readonly ChatMessage[] | undefined;

  static {
    restoreSession = (state) => new Session(state);
    contentOf = (session) => ({
      ...session.#state,
      updated: session.updated,
      messages: [...session.#messages],
    });
  }

  private constructor({ messages, updated, ...state }: SessionState) {
    this.#state = state;
    this.#messages = messages;
    this.#updatedMs = updated.getTime();
  }

  /**
   * Creates a session, empty or with a system message.
   *
   * @param init Id, system message and clock; all may be left out
   * @returns A session in memory
   * @throws {ConfigError} If the id is no text or empty, or the system message is no text
   */
  static create(init: SessionInit = {}): Session {
    const { id = crypto.randomUUID(), system, clock = systemClock } = init;
    if (typeof id !== "string" || id === "") {
      throw optionError("id", "must be a text that is not empty", id);
    }
    const now = new Date(clock.now());
    const session = new Session({
      id,
      created: now,
      updated: now,
      messages: [],
      clock,
    });
    if (system === undefined) return session;
    if (typeof system !== "string") {
      throw optionError("system", "must be a text", system);
    }
    session.append({ role: "system", content: system });
    return session;
  }

  /** Id of the session. */
  get id(): string {
    return this.#state.id;
  }

  /** When it was created. */
  get created(): Date {
    return new Date(this.#state.created);
  }

  /** When it last grew; the latest of its making, each `append()` and each message's own time. */
  get updated(): Date {
    return new Date(this.#updatedMs);
  }

  /** All messages, oldest first: a frozen list that later calls do not change. */
  get messages(): readonly ChatMessage[] {
    return this.#given ??= Object.freeze([...this.#messages]);
  }

  /**
   * Adds messages at the end, all of them or none.
   *
   * Each is copied, and the copy is frozen: role, content, `id` and `created`, which is now where it is missing; other fields
   * are not kept.
   *
   * @param messages Messages in their order
   * @throws {ConfigError} If a message has a wrong role, a wrong time, or a block without what its kind requires
   * @throws {ClosedError} If a store made the session, and has closed it
   */
  append(...messages: readonly ChatMessage[]): void {
    if (messages.length === 0) return;
    const { clock, onAppend } = this.#state;
    const now = clock.now();
    const taken = messages.map((message, index) =>
      takeMessage(message, `messages[${index}]`, now)
    );
    onAppend?.(taken);
    for (const message of taken) {
      this.#messages.push(message);
      const said = message.created?.getTime() ?? now;
      this.#updatedMs = Math.max(this.#updatedMs, now, said);
    }
    this.#given = undefined;
  }

  /**
   * Returns the messages that fit into a budget, by {@link truncate}. Changes nothing, in the session or on disk.
   *
   * @param budget Tokens there are, and how they are counted
   * @returns The same message objects, in their order
   * @throws {ConfigError} If `maxTokens` is negative or no number
   * @throws {BudgetError} With `strict`, if system messages and the newest unit do not fit
   */
  view(budget: Budget): readonly ChatMessage[] {
    return truncate(this.#messages, budget);
  }
}
