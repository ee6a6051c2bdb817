import type { Message } from "@sluice/agent";
import type { JobMessage, JobPrompt } from "./types.ts";
import { fleetError } from "./engine.ts";
import { type Control, PLACES, Stop } from "./record.ts";
import { sizeOf, type Store } from "./store.ts";

/** Messages that came together; the numbers go on from the first. */
interface Entry {
  readonly first: number;
  readonly attempt: number;
  readonly messages: readonly Message[];
  /** In the place of messages: the name of the document with one that is too large. */
  readonly large?: string;
}

/** The most of a batch: whoever reads the beginning need not wait for much more. */
const BATCH_BYTES = 262_144;
/** Unwritten text beyond which the CLI is held back. */
const BACKLOG = 4_194_304;

/** Writes the messages of one attempt, while others may only read. */
export interface MessageWriter {
  /** Adds a message; resolves at once unless much is unwritten. Rejects when writing failed. */
  add(message: Message): Promise<void>;
  /** Resolves when everything is written. */
  flush(): Promise<void>;
}

/**
 * Takes the log over from earlier attempts; rejects with {@link Stop} when a later one has it.
 *
 * What comes while one write is under way goes out together with the next one. Each write says which entry it saw last:
 * after a later attempt has written, none succeeds any more, and the attempt is stopped.
 */
export async function messageWriter(
  store: Store,
  id: string,
  attempt: number,
): Promise<MessageWriter> {
  const path = PLACES.messages(id);
  let next = 1;
  let after: number | undefined;
  while (after === undefined) {
    const newest = await store.newest<Entry>(path);
    const before = newest?.value;
    if (before !== undefined) {
      if (before.attempt > attempt) throw new Stop("fenced");
      next = before.first + countOf(before);
    }
    const mark: Entry = { first: next, attempt, messages: [] };
    after = await store.append(path, mark, newest?.place ?? 0);
  }
  let place = after;
  let backlog: { readonly message: Message; readonly size: number }[] = [];
  let unwritten = 0;
  let writing: Promise<void> | undefined;
  let failure: { readonly error: unknown } | undefined;

  async function write(): Promise<void> {
    // What comes in the same turn goes out together.
    await Promise.resolve();
    for (;;) {
      const [first] = backlog;
      if (first === undefined) break;
      const messages = batch();
      if (store.fits(first.size)) await append({ messages });
      else {
        const large = `${attempt}.${next}`;
        await store.writeDocument(PLACES.message(id, large), first.message);
        await append({ messages: [], large });
      }
    }
    writing = undefined;
  }

  function batch(): readonly Message[] {
    const messages: Message[] = [];
    let sum = 0;
    for (const { message, size } of backlog) {
      sum += size;
      const isFull = messages.length > 0 &&
        (sum > BATCH_BYTES || !store.fits(sum));
      if (isFull) break;
      messages.push(message);
      unwritten -= size;
    }
    backlog = backlog.slice(messages.length);
    return messages;
  }

  async function append(
    what: Pick<Entry, "messages" | "large">,
  ): Promise<void> {
    const entry = { first: next, attempt, ...what };
    const written = await store.append(path, entry, place);
    if (written === undefined) throw new Stop("fenced");
    place = written;
    next += countOf(entry);
    store.engine.signal(PLACES.job(id));
  }

  return {
    async add(message) {
      if (failure !== undefined) throw failure.error;
      const size = sizeOf(message);
      backlog.push({ message, size });
      unwritten += size;
      writing ??= write().catch((error) => {
        failure = { error };
        throw error;
      });
      // Who fails is told at the next message, or at the end.
      writing.catch(() => {});
      if (unwritten > BACKLOG) await writing;
    },
    async flush() {
      await writing;
    },
  };
}

/**
 * Reads the messages of a job, from a number on, until it is over.
 *
 * Nothing is read before it is asked for: who stalls holds up nobody, and costs nothing.
 *
 * @param isOpen Whether the job is not over yet; asks for a further look at the end of its time
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
      // What was written before it was over may have come just now.
      return await store.read<Entry>(path, after) ?? "over";
    }, signal);
    if (entry === "over") return;
    after = entry.place;
    const { first, attempt, messages, large } = entry.value;
    const all = large === undefined
      ? messages
      : [await store.readDocument<Message>(PLACES.message(id, large))];
    for (const [index, message] of all.entries()) {
      const seq = first + index;
      if (seq >= from) yield { seq, attempt, message };
    }
  }
}

/** A place before the message of a number, and not far from it: numbers grow as places do. */
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

function countOf({ messages, large }: Entry): number {
  return large === undefined ? messages.length : 1;
}

/** Adds to what is wanted of a job; rejects when it takes nothing more. */
export async function addControl(
  store: Store,
  id: string,
  control: Control,
): Promise<void> {
  const path = PLACES.controls(id);
  for (;;) {
    const newest = await store.newest<Control>(path);
    const isOver = newest !== undefined && isEnd(newest.value);
    if (isOver && control.kind === "end") return;
    if (isOver && control.kind === "send") {
      throw fleetError(
        "settings",
        `Job "${id}" takes nothing more: it was told so, or has its last result`,
      );
    }
    const added = isOver ? { ...control, isAfterEnd: true } : control;
    const place = await store.append(path, added, newest?.place ?? 0);
    if (place !== undefined) break;
  }
  store.engine.signal(PLACES.job(id));
}

/** Whether somebody has added a prompt, or the end, behind a place. */
export async function isMoreSaid(
  store: Store,
  id: string,
  heard: number,
): Promise<boolean> {
  for (let after = heard;;) {
    const entry = await store.read<Control>(PLACES.controls(id), after);
    if (entry === undefined) return false;
    if (entry.value.kind !== "interrupt") return true;
    after = entry.place;
  }
}

/** Whether nothing more is said behind it. */
function isEnd(control: Control): boolean {
  return control.kind === "end" ||
    control.kind === "interrupt" && control.isAfterEnd === true;
}

/** Adds a further prompt, of any size. */
export async function addPrompt(
  store: Store,
  id: string,
  prompt: JobPrompt,
): Promise<void> {
  const control: Control = { kind: "send", prompt };
  if (store.fits(sizeOf(control))) {
    return await addControl(store, id, control);
  }
  const large = crypto.randomUUID();
  await store.writeDocument(PLACES.prompt(id, large), prompt);
  await addControl(store, id, { kind: "send", large });
}

/** What is wanted of a running job, read by its attempt. */
export interface Controls {
  /** The place of the last one that was read. */
  readonly place: number;
  /** Reads what is new; one call after the other. */
  read(): Promise<void>;
  /** What was said next: a prompt, or that there will be none; `undefined` when nothing was. */
  next(): Promise<{ readonly prompt?: JobPrompt } | undefined>;
  /** The next prompt; `undefined` when there is none, and from then on nobody can add one. */
  nextOrEnd(): Promise<JobPrompt | undefined>;
  /** Leaves out the first prompts: the session that is taken up has them. Gives the last of them. */
  skip(count: number): Promise<JobPrompt | undefined>;
}

/** Reads what is wanted of a job from the beginning on. */
export function controlsOf(
  store: Store,
  id: string,
  onInterrupt: (attempt: number) => void,
): Controls {
  const path = PLACES.controls(id);
  let place = 0;
  let isOver = false;
  const prompts: JobPrompt[] = [];
  let reading: Promise<void> = Promise.resolve();

  async function readNews(): Promise<void> {
    for (;;) {
      const entry = await store.read<Control>(path, place);
      if (entry === undefined) return;
      const control = entry.value;
      if ("prompt" in control) prompts.push(control.prompt);
      else if (control.kind === "send") {
        const large = PLACES.prompt(id, control.large);
        prompts.push(await store.readDocument<JobPrompt>(large));
      } else if (control.kind === "interrupt") onInterrupt(control.attempt);
      else isOver = true;
      place = entry.place;
    }
  }

  function read(): Promise<void> {
    return reading = reading.catch(() => {}).then(readNews);
  }

  return {
    get place() {
      return place;
    },
    read,
    async next() {
      await read();
      const prompt = prompts.shift();
      if (prompt !== undefined) return { prompt };
      return isOver ? {} : undefined;
    },
    async nextOrEnd() {
      for (;;) {
        await read();
        const prompt = prompts.shift();
        if (prompt !== undefined || isOver) return prompt;
        const end: Control = { kind: "end" };
        if (await store.append(path, end, place) !== undefined) isOver = true;
      }
    },
    async skip(count) {
      await read();
      return prompts.splice(0, count).at(-1);
    },
  };
}
