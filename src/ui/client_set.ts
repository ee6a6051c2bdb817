import { Deadlines } from "../async/deadline.ts";
import { unlessAborted } from "../async/on_abort.ts";
import { throwFailures } from "../async/scope.ts";
import { ClosedError } from "../errors/base.ts";
import { CapacityError } from "../errors/capacity.ts";
import { textOfError } from "../errors/text.ts";
import type { CallSettings } from "../types/conversation.ts";
import type { KeyedClient } from "./keyed_client.ts";
import { type EntrySettings, ThreadEntry } from "./thread_entry.ts";
import { ThreadSessions, type UserThread } from "./thread_sessions.ts";

/** How many clients there may be. */
interface Limits {
  readonly max: number;
  readonly maxPerKey: number;
}

type Settings =
  & Pick<EntrySettings, "clock" | "idleMs" | "waitMs" | "optionsOf">
  & Limits;

/** Clients by thread, each in one of a limited number of slots; the one idle for longest leaves its slot to a thread that waits. */
export class ClientSet<T> {
  readonly #limits: Limits;
  readonly #settings: EntrySettings;
  /** Threads with a slot; the one used last is the last. */
  readonly #entries = new Map<string, ThreadEntry<T>>();
  /** Threads that wait for a slot, the oldest first, and the entries that leave for them. */
  readonly #queue = new Map<string, Waiting<T>>();
  /** Entries in use that the queue waits for. */
  readonly #awaited = new Set<ThreadEntry<T>>();
  #closing: Promise<void> | undefined;

  constructor(settings: Settings) {
    this.#limits = settings;
    this.#settings = {
      ...settings,
      deadlines: new Deadlines(settings.clock),
      sessions: new ThreadSessions(),
      onChange: () => this.#serve(),
      onGone: (thread) => {
        this.#entries.delete(idOf(thread));
        this.#serve();
      },
    };
  }

  async get(
    thread: UserThread,
    { signal }: CallSettings = {},
  ): Promise<KeyedClient<T>> {
    if (this.#closing !== undefined) throw new ClosedError("Clients");
    signal?.throwIfAborted();
    const id = idOf(thread);
    const last = this.#entries.get(id)?.client;
    if (last?.hasDeferredCall) {
      // It is idle a moment after the result.
      const idle = last.settled({ background: false }).catch(() => {});
      await unlessAborted(idle, signal);
    }
    const entry = this.#entries.get(id);
    const client = entry?.client;
    if (entry && client && !client.isToResume) {
      this.#entries.delete(id);
      this.#entries.set(id, entry);
      return entry.use(client);
    }
    // One that starts; any other is over, or about to be.
    const isStarting = entry?.canLeave === false;
    return await (isStarting ? entry : this.#queued(id, thread)).wait(signal);
  }

  peek(thread: UserThread): KeyedClient<T> | undefined {
    return this.#entries.get(idOf(thread))?.client;
  }

  async sessionId(thread: UserThread): Promise<string> {
    const known = this.#entries.get(idOf(thread))?.sessionId;
    if (known !== undefined) return known;
    const { optionsOf, sessions } = this.#settings;
    return (await sessions.find(thread, await optionsOf(thread))).id;
  }

  stats(): { clients: number; busy: number; waiting: number } {
    const all = [...this.#entries.values()];
    return {
      clients: all.length,
      busy: all.filter(({ canLeave }) => !canLeave).length,
      waiting: this.#queue.size,
    };
  }

  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    const closed = new ClosedError("Clients");
    const waiting = [...this.#queue.values()];
    this.#queue.clear();
    for (const { entry } of waiting) entry.fail(closed);
    const ended = [...this.#entries.values()].map(async (entry) => {
      entry.fail(closed);
      await entry.start();
      return await entry.end();
    });
    const failures = (await Promise.all(ended)).filter((one) => one);
    this.#settings.deadlines.close();
    const texts = failures.map(textOfError).join("; ");
    throwFailures(failures, `Several clients failed to close: ${texts}`);
  }

  #queued(id: string, thread: UserThread): ThreadEntry<T> {
    let waiting = this.#queue.get(id);
    if (waiting === undefined) {
      waiting = { entry: new ThreadEntry(thread, this.#settings) };
      this.#queue.set(id, waiting);
    }
    return waiting.entry;
  }

  /** Gives slots to threads that wait, the oldest first. */
  #serve(): void {
    for (const [id, waiting] of this.#queue) {
      const { entry, before } = waiting;
      if (!entry.hasCallers) {
        this.#queue.delete(id);
        continue;
      }
      const limit = this.#limitFor(entry);
      const same = this.#entries.get(id);
      if (limit === undefined && same === undefined) {
        this.#queue.delete(id);
        this.#entries.set(id, entry);
        void entry.start();
        continue;
      }
      if (before !== undefined && this.#has(before)) continue;
      const slots = this.#slotsFor(entry, limit);
      waiting.before = same ?? this.#freeOf(slots);
      if (waiting.before !== undefined) void waiting.before.end();
      else this.#putOff(id, waiting, slots, limit);
    }
  }

  #has(entry: ThreadEntry<T>): boolean {
    return this.#entries.get(idOf(entry.thread)) === entry;
  }

  #limitFor(
    { thread: { user } }: ThreadEntry<T>,
  ): CapacityError["limit"] | undefined {
    const { max, maxPerKey } = this.#limits;
    let own = 0;
    for (const { thread } of this.#entries.values()) {
      if (thread.user === user) own++;
    }
    if (own >= maxPerKey) return "maxPerKey";
    return this.#entries.size >= max ? "max" : undefined;
  }

  /** Entries that can make room, the one used last at the end. */
  #slotsFor(
    { thread: { user } }: ThreadEntry<T>,
    limit: CapacityError["limit"] | undefined,
  ): readonly ThreadEntry<T>[] {
    const all = [...this.#entries.values()];
    return limit === "maxPerKey"
      ? all.filter(({ thread }) => thread.user === user)
      : all;
  }

  #freeOf(slots: readonly ThreadEntry<T>[]): ThreadEntry<T> | undefined {
    const queue = [...this.#queue.values()];
    const promised = new Set(queue.map(({ before }) => before));
    const free = slots.filter((one) => one.canLeave && !promised.has(one));
    return free.find(({ isLeaving }) => isLeaving) ?? free[0];
  }

  /** Refuses callers that do not wait, and looks again when a client is free. */
  #putOff(
    id: string,
    { entry }: Waiting<T>,
    slots: readonly ThreadEntry<T>[],
    limit: CapacityError["limit"] = "max",
  ): void {
    entry.refuse(new CapacityError(limit, this.#limits[limit]));
    if (!entry.hasCallers) this.#queue.delete(id);
    else for (const slot of slots) this.#await(slot);
  }

  /** Serves again when an entry is free; one that starts or leaves reports that itself. */
  #await(entry: ThreadEntry<T>): void {
    if (entry.isLeaving || this.#awaited.has(entry)) return;
    const free = entry.whenFree();
    if (free === undefined) return;
    this.#awaited.add(entry);
    void free.then(() => {
      this.#awaited.delete(entry);
      this.#serve();
    });
  }
}

interface Waiting<T> {
  readonly entry: ThreadEntry<T>;
  before?: ThreadEntry<T> | undefined;
}

/** One text for each thread: JSON keeps the parts apart. */
function idOf({ user, thread }: UserThread): string {
  return JSON.stringify([user, thread ?? null]);
}
