import type { Message } from "../protocol/messages_other.ts";
import type { JobMessage, JobPrompt } from "../types/fleet.ts";
import { fleetError } from "./engine.ts";
import { inTime } from "./overdue.ts";
import {
  type Control,
  isOver,
  type JobRecord,
  PLACES,
  Stop,
} from "./record.ts";
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

/**
 * Writes the messages of one attempt, while others may only read.
 *
 * What comes while one write is under way goes out together with the next one. Each write says which entry it saw last:
 * after a later attempt has written, none succeeds any more, and the attempt is stopped.
 */
export class MessageWriter {
  readonly #store: Store;
  readonly #id: string;
  readonly #attempt: number;
  #after: number;
  #next: number;
  #backlog: { readonly message: Message; readonly size: number }[] = [];
  #size = 0;
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  private constructor(
    store: Store,
    id: string,
    attempt: number,
    begun: { readonly place: number; readonly next: number },
  ) {
    this.#store = store;
    this.#id = id;
    this.#attempt = attempt;
    this.#after = begun.place;
    this.#next = begun.next;
  }

  /** Takes the log over from earlier attempts; rejects with {@link Stop} when a later one has it. */
  static async begin(
    store: Store,
    id: string,
    attempt: number,
  ): Promise<MessageWriter> {
    const path = PLACES.messages(id);
    for (;;) {
      const newest = await store.newest<Entry>(path);
      const before = newest?.value;
      if (before !== undefined && before.attempt > attempt) {
        throw new Stop("fenced");
      }
      const next = before === undefined ? 1 : before.first + countOf(before);
      const mark: Entry = { first: next, attempt, messages: [] };
      const place = await store.append(path, mark, newest?.place ?? 0);
      if (place !== undefined) {
        return new MessageWriter(store, id, attempt, { place, next });
      }
    }
  }

  /** Adds a message; resolves at once unless much is unwritten. Rejects when writing failed. */
  async add(message: Message): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.error;
    const size = sizeOf(message);
    this.#backlog.push({ message, size });
    this.#size += size;
    this.#writing ??= this.#write().catch((error) => {
      this.#failure = { error };
      throw error;
    });
    // Who fails is told at the next message, or at the end.
    this.#writing.catch(() => {});
    if (this.#size > BACKLOG) await this.#writing;
  }

  /** Resolves when everything is written. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    // What comes in the same turn goes out together.
    await Promise.resolve();
    for (;;) {
      const [first] = this.#backlog;
      if (first === undefined) break;
      const messages = this.#batch();
      if (this.#store.fits(first.size)) await this.#append({ messages });
      else {
        const large = `${this.#attempt}.${this.#next}`;
        const path = PLACES.message(this.#id, large);
        await this.#store.writeDocument(path, first.message);
        await this.#append({ messages: [], large });
      }
    }
    this.#writing = undefined;
  }

  #batch(): readonly Message[] {
    const messages: Message[] = [];
    let sum = 0;
    for (const { message, size } of this.#backlog) {
      sum += size;
      const isFull = messages.length > 0 &&
        (sum > BATCH_BYTES || !this.#store.fits(sum));
      if (isFull) break;
      messages.push(message);
      this.#size -= size;
    }
    this.#backlog = this.#backlog.slice(messages.length);
    return messages;
  }

  async #append(what: Pick<Entry, "messages" | "large">): Promise<void> {
    const path = PLACES.messages(this.#id);
    const entry = { first: this.#next, attempt: this.#attempt, ...what };
    const place = await this.#store.append(path, entry, this.#after);
    if (place === undefined) throw new Stop("fenced");
    this.#after = place;
    this.#next += countOf(entry);
    this.#store.engine.signal(PLACES.job(this.#id));
  }
}

/**
 * Reads the messages of a job, from a number on, until it is over.
 *
 * Nothing is read before it is asked for: who stalls holds up nobody, and costs nothing.
 */
export async function* readMessages(
  store: Store,
  id: string,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<JobMessage> {
  const path = PLACES.messages(id);
  let after = await placeBefore(store, id, from);
  for (;;) {
    const entry = await store.until(PLACES.job(id), async (again) => {
      const next = await store.read<Entry>(path, after);
      if (next !== undefined) return next;
      const job = await store.get<JobRecord>(PLACES.job(id));
      const isOpen = job !== undefined &&
        !isOver(await inTime(store, job, again));
      if (isOpen) return undefined;
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
export class Controls {
  readonly #store: Store;
  readonly #id: string;
  readonly #onInterrupt: (attempt: number) => void;
  #place = 0;
  #isOver = false;
  #prompts: JobPrompt[] = [];
  #reading: Promise<void> = Promise.resolve();

  constructor(
    store: Store,
    id: string,
    onInterrupt: (attempt: number) => void,
  ) {
    this.#store = store;
    this.#id = id;
    this.#onInterrupt = onInterrupt;
  }

  /** Reads what is new; one call after the other. */
  read(): Promise<void> {
    return this.#reading = this.#reading.catch(() => {})
      .then(() => this.#read());
  }

  /** The place of the last one that was read. */
  get place(): number {
    return this.#place;
  }

  /** What was said next: a prompt, or that there will be none; `undefined` when nothing was. */
  async next(): Promise<{ readonly prompt?: JobPrompt } | undefined> {
    await this.read();
    const prompt = this.#prompts.shift();
    if (prompt !== undefined) return { prompt };
    return this.#isOver ? {} : undefined;
  }

  /** The next prompt; `undefined` when there is none, and from then on nobody can add one. */
  async nextOrEnd(): Promise<JobPrompt | undefined> {
    for (;;) {
      await this.read();
      const prompt = this.#prompts.shift();
      if (prompt !== undefined || this.#isOver) return prompt;
      const end: Control = { kind: "end" };
      const path = PLACES.controls(this.#id);
      if (await this.#store.append(path, end, this.#place) !== undefined) {
        this.#isOver = true;
      }
    }
  }

  /** Leaves out the first prompts: the session that is taken up has them. Gives the last of them. */
  async skip(count: number): Promise<JobPrompt | undefined> {
    await this.read();
    return this.#prompts.splice(0, count).at(-1);
  }

  async #read(): Promise<void> {
    for (;;) {
      const path = PLACES.controls(this.#id);
      const entry = await this.#store.read<Control>(path, this.#place);
      if (entry === undefined) return;
      const control = entry.value;
      if ("prompt" in control) this.#prompts.push(control.prompt);
      else if (control.kind === "send") {
        const large = PLACES.prompt(this.#id, control.large);
        this.#prompts.push(await this.#store.readDocument<JobPrompt>(large));
      } else if (control.kind === "interrupt") {
        this.#onInterrupt(control.attempt);
      } else this.#isOver = true;
      this.#place = entry.place;
    }
  }
}
