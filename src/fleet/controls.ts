import { FleetError } from "../errors/fleet.ts";
import type { JobPrompt } from "../types/fleet.ts";
import { type Control, PLACES } from "./record.ts";
import type { Store } from "./store.ts";

/** A character of a text takes at most so many bytes. */
const MOST_BYTES = 3;

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
      throw new FleetError({
        message:
          `Job "${id}" takes nothing more: it was told so, or has its last result`,
        fault: "settings",
      });
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
  if (store.fits(JSON.stringify(control).length * MOST_BYTES)) {
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

  async #in(sent: Control & { readonly kind: "send" }): Promise<JobPrompt> {
    if ("prompt" in sent) return sent.prompt;
    const path = PLACES.prompt(this.#id, sent.large);
    return await this.#store.readDocument<JobPrompt>(path);
  }

  async #read(): Promise<void> {
    for (;;) {
      const path = PLACES.controls(this.#id);
      const entry = await this.#store.read<Control>(path, this.#place);
      if (entry === undefined) return;
      const control = entry.value;
      if (control.kind === "send") this.#prompts.push(await this.#in(control));
      else if (control.kind === "interrupt") this.#onInterrupt(control.attempt);
      else this.#isOver = true;
      this.#place = entry.place;
    }
  }
}
