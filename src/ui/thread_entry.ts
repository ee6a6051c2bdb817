import type { Deadline, Deadlines } from "../async/deadline.ts";
import { Deferred } from "../async/deferred.ts";
import { unlessAborted } from "../async/on_abort.ts";
import type { FullClock } from "../ports/clock.ts";
import type { AgentOptions } from "../types/options.ts";
import { KeyedClient } from "./keyed_client.ts";
import {
  connectSession,
  type ThreadSession,
  type ThreadSessions,
  type UserThread,
} from "./thread_sessions.ts";

/** Settings of all entries. */
export interface EntrySettings {
  readonly clock: FullClock;
  readonly deadlines: Deadlines;
  readonly sessions: ThreadSessions;
  readonly idleMs: number;
  readonly waitMs: number;
  readonly optionsOf: (thread: UserThread) => Promise<AgentOptions>;
  /** A caller no longer waits, or the client has connected. */
  readonly onChange: () => void;
  /** Nothing is left of an entry that had a slot. */
  readonly onGone: (thread: UserThread) => void;
}

/** A call that waits for the client. */
interface Caller<T> {
  readonly got: Deferred<KeyedClient<T>>;
  isPatient: boolean;
}

interface Open<T> {
  readonly client: KeyedClient<T>;
  readonly options: AgentOptions;
  session: ThreadSession;
}

/** The client of a thread on its way: awaited by its callers, connected with the thread's session, closed when idle for long. */
export class ThreadEntry<T> {
  readonly thread: UserThread;
  readonly #settings: EntrySettings;
  readonly #callers = new Set<Caller<T>>();
  /** Ends the start. */
  readonly #ending = new AbortController();
  #starting: Promise<void> | undefined;
  #open: Open<T> | undefined;
  #idle: Deadline | undefined;
  #gone: Promise<unknown> | undefined;

  constructor(thread: UserThread, settings: EntrySettings) {
    this.thread = thread;
    this.#settings = settings;
  }

  /** The client while it can be used. */
  get client(): KeyedClient<T> | undefined {
    const { client } = this.#open ?? {};
    return client?.isConnected && !this.isLeaving ? client : undefined;
  }

  /** Id of the session, once that is known. */
  get sessionId(): string | undefined {
    return this.#open && (this.#open.client.sessionId ?? this.#open.session.id);
  }

  get isLeaving(): boolean {
    return this.#gone !== undefined;
  }

  /** Whether its client is closed or may be. */
  get canLeave(): boolean {
    if (this.#open === undefined) return this.isLeaving;
    return this.client?.isFree ?? true;
  }

  get hasCallers(): boolean {
    return this.#callers.size > 0;
  }

  /** Resolves when it can leave; `undefined` while it starts. */
  whenFree(): Promise<void> | undefined {
    return this.#open?.client.whenFree();
  }

  /** Gives the client to a caller. */
  use(client: KeyedClient<T>): KeyedClient<T> {
    client.hold(this.#settings.deadlines);
    this.#rest();
    return client;
  }

  /** Waits for the client; the last caller that leaves ends its start. */
  async wait(signal: AbortSignal | undefined): Promise<KeyedClient<T>> {
    const { waitMs, deadlines, onChange } = this.#settings;
    const caller: Caller<T> = {
      got: new Deferred<KeyedClient<T>>().quiet(),
      isPatient: waitMs > 0,
    };
    this.#callers.add(caller);
    const limit = waitMs > 0 && waitMs !== Infinity
      ? deadlines.add(waitMs, () => {
        caller.isPatient = false;
        onChange();
      })
      : undefined;
    onChange();
    try {
      return await unlessAborted(caller.got.promise, signal);
    } finally {
      limit?.cancel();
      this.#callers.delete(caller);
      if (!this.hasCallers && this.#open === undefined) {
        this.fail(signal?.reason);
        onChange();
      }
    }
  }

  /** Rejects callers that do not wait any longer. */
  refuse(error: unknown): void {
    for (const caller of this.#callers) {
      if (caller.isPatient) continue;
      this.#callers.delete(caller);
      caller.got.reject(error);
    }
  }

  /** Rejects all callers, and ends the start. */
  fail(reason: unknown): void {
    for (const { got } of this.#callers) got.reject(reason);
    this.#callers.clear();
    if (this.#starting === undefined || this.#open !== undefined) return;
    this.#ending.abort(reason);
    this.#gone ??= this.#starting;
  }

  /** Connects; resolves when that has succeeded, or when nothing is left of it. */
  start(): Promise<void> {
    return this.#starting ??= this.#start();
  }

  async #start(): Promise<void> {
    try {
      const open = await this.#connect(this.#ending.signal);
      this.#open = open;
      for (const { got } of this.#callers) got.resolve(this.use(open.client));
      this.#callers.clear();
      this.#rest();
      this.#settings.onChange();
    } catch (error) {
      this.fail(error);
      this.#settings.onGone(this.thread);
    }
  }

  async #connect(signal: AbortSignal): Promise<Open<T>> {
    const { thread } = this;
    const { sessions, optionsOf } = this.#settings;
    const options = await unlessAborted(optionsOf(thread), signal);
    const session = await unlessAborted(sessions.find(thread, options), signal);
    const client = await connectSession(session, options, {
      make: (all) => new KeyedClient<T>(all, () => void this.#sent()),
      signal,
    });
    if (!signal.aborted) return { client, options, session };
    await client.close();
    throw signal.reason;
  }

  /** A prompt was sent or answered: a command such as `/clear` begins another session. */
  async #sent(): Promise<void> {
    const { client } = this;
    await client?.settled({ background: false }).catch(() => {});
    if (client !== undefined) await this.#note();
  }

  /** Keeps the id of the session when it has changed. */
  async #note(): Promise<void> {
    const open = this.#open;
    const id = open?.client.sessionId;
    if (!open || id === undefined || id === open.session.id) return;
    const { client, options, session } = open;
    open.session = { ...session, id };
    try {
      await this.#settings.sessions.move(open.session, options);
    } catch (error) {
      open.session = session;
      client.report("Store did not get the new session of a client", error);
    }
  }

  /** Closes the client when it has done nothing for long enough. */
  #rest(ms: number = this.#settings.idleMs): void {
    const { clock, deadlines, idleMs } = this.#settings;
    this.#idle?.cancel();
    if (ms === Infinity || this.isLeaving) return;
    this.#idle = deadlines.add(ms, () => {
      const doneMs = this.client?.idleMs(clock.now()) ?? Infinity;
      const left = idleMs - Math.max(doneMs, 0);
      if (left > 0) this.#rest(left);
      else void this.end();
    });
  }

  /** Closes the client; resolves when nothing of it is left, to the failure if there was one. */
  end(): Promise<unknown> {
    return this.#gone ??= this.#end();
  }

  async #end(): Promise<unknown> {
    this.#idle?.cancel();
    const { client } = this.#open ?? {};
    try {
      await this.#note();
      await client?.close();
      return undefined;
    } catch (error) {
      client?.report("Client did not close cleanly", error);
      return error;
    } finally {
      this.#settings.onGone(this.thread);
    }
  }
}
