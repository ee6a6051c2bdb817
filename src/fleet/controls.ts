import { FleetError } from "../errors/fleet.ts";
import type { JobPrompt } from "../types/fleet.ts";
import { type Control, PLACES } from "./record.ts";
import type { Store } from "./store.ts";

/** Adds to what is wanted of a job; rejects when it takes nothing more. */
export async function addControl(
  store: Store,
  id: string,
  control: Control,
): Promise<void> {
  const path = PLACES.controls(id);
  for (;;) {
    const newest = await store.newest<Control>(path);
    if (newest?.value.kind === "end") {
      if (control.kind === "end") return;
      throw new FleetError({
        message: `Job "${id}" takes nothing more: it has its last result`,
        fault: "settings",
      });
    }
    const place = await store.append(path, control, newest?.place ?? 0);
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
    return this.#reading = this.#reading.then(() => this.#read());
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
    while (!this.#isOver) {
      const path = PLACES.controls(this.#id);
      const entry = await this.#store.read<Control>(path, this.#place);
      if (entry === undefined) return;
      this.#place = entry.place;
      const control = entry.value;
      if (control.kind === "send") this.#prompts.push(control.prompt);
      else if (control.kind === "interrupt") this.#onInterrupt(control.attempt);
      else this.#isOver = true;
    }
  }
}
