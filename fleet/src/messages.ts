import type { Message } from "@sluice/agent";
import type { JobMessage } from "./types.ts";
import { PLACES } from "./record.ts";
import { Stop } from "./machine.ts";
import type { Store } from "./store.ts";

/** Messages that were written together; they are numbered from the first. */
interface Entry {
  readonly first: number;
  readonly attempt: number;
  readonly messages: readonly Message[];
}

/** The most of a batch, in characters. */
const BATCH_SIZE = 87_000;
/** Unwritten characters beyond which the CLI is held back. */
const BACKLOG_SIZE = 1_400_000;

/** Writes the messages of one attempt to the log of its job. */
export interface MessageWriter {
  /** Adds a message; resolves at once unless much is unwritten. Rejects when writing failed. */
  add(message: Message): Promise<void>;
  /** Resolves when everything is written. */
  flush(): Promise<void>;
}

/**
 * Takes the log of a job over from earlier attempts; rejects with {@link Stop} when a later one has it.
 *
 * Messages that come during a write are written together next.
 */
export async function messageWriter(
  store: Store,
  id: string,
  attempt: number,
): Promise<MessageWriter> {
  let next = 1;
  const append = await store.takeOver<Entry>(PLACES.messages(id), (newest) => {
    if (newest !== undefined) {
      if (newest.attempt > attempt) throw new Stop("fenced");
      next = newest.first + newest.messages.length;
    }
    return { first: next, attempt, messages: [] };
  });
  const backlog: { readonly message: Message; readonly size: number }[] = [];
  let unwritten = 0;
  let writing: Promise<void> | undefined;
  let failure: { readonly error: unknown } | undefined;

  async function write(): Promise<void> {
    // Messages of the same turn of the event loop go out together.
    await Promise.resolve();
    while (backlog.length > 0) {
      const messages = batch();
      const isOurs = await append({ first: next, attempt, messages });
      if (!isOurs) throw new Stop("fenced");
      next += messages.length;
      store.engine.signal(PLACES.job(id));
    }
    writing = undefined;
  }

  function batch(): readonly Message[] {
    let count = 0;
    let sum = 0;
    for (const { size } of backlog) {
      if (count > 0 && sum + size > BATCH_SIZE) break;
      sum += size;
      count++;
    }
    unwritten -= sum;
    return backlog.splice(0, count).map(({ message }) => message);
  }

  return {
    async add(message) {
      if (failure !== undefined) throw failure.error;
      const size = JSON.stringify(message).length;
      backlog.push({ message, size });
      unwritten += size;
      writing ??= write().catch((error) => {
        failure = { error };
        throw error;
      });
      // A failure is reported with the next message, or at the end.
      writing.catch(() => {});
      if (unwritten > BACKLOG_SIZE) await writing;
    },
    async flush() {
      await writing;
    },
  };
}

/**
 * Reads the messages of a job from a number on, each batch when it is pulled, until the job is over.
 *
 * @param isOpen Whether the job is not over yet; asks for another look at its deadline
 */
export async function* readMessages(
  store: Store,
  id: string,
  from: number,
  isOpen: (again: (ms: number) => void) => Promise<boolean>,
  signal: AbortSignal,
): AsyncGenerator<JobMessage> {
  const path = PLACES.messages(id);
  let after = await placeBefore(store, id, from);
  for (;;) {
    const entry = await store.until(PLACES.job(id), async (again) => {
      const next = await store.read<Entry>(path, after);
      if (next !== undefined) return next;
      if (await isOpen(again)) return undefined;
      // The last messages may have been written during the look.
      return await store.read<Entry>(path, after) ?? "over";
    }, signal);
    if (entry === "over") return;
    after = entry.place;
    const { first, attempt, messages } = entry.value;
    for (const [index, message] of messages.entries()) {
      const seq = first + index;
      if (seq >= from) yield { seq, attempt, message };
    }
  }
}

/** A place shortly before the message of a number: numbers grow as places do. */
async function placeBefore(
  store: Store,
  id: string,
  from: number,
): Promise<number> {
  if (from <= 1) return 0;
  const path = PLACES.messages(id);
  let low = 0;
  let high = (await store.newest<Entry>(path))?.place ?? 0;
  while (low < high - 1) {
    const middle = Math.floor((low + high) / 2);
    const entry = await store.read<Entry>(path, middle);
    if (entry === undefined || entry.value.first > from) high = middle;
    else low = Math.max(middle, entry.place - 1);
  }
  return low;
}
