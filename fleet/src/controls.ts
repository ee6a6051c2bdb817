import type { JobPrompt } from "./types.ts";
import { fleetError } from "./engine.ts";
import { PLACES } from "./record.ts";
import type { Store } from "./store.ts";

/** A request to the agent of a job. */
type Control =
  | { readonly kind: "send"; readonly prompt: JobPrompt }
  | {
    readonly kind: "interrupt";
    readonly attempt: number;
    /** Whether the end came before it. */
    readonly isAfterEnd?: boolean;
  }
  /** The job takes no further prompts. */
  | { readonly kind: "end" };

/** Requests to the agent of a job, read by its attempt. */
export interface Controls {
  /** The place of the last one that was read. */
  readonly place: number;
  /** Reads the new ones; one call after the other. */
  read(): Promise<void>;
  /** The next prompt, or that there will be none; `undefined` while there is neither. */
  next(): Promise<{ readonly prompt?: JobPrompt } | undefined>;
  /** The next prompt; without one it ends the job's input, so that no other can be added. */
  nextOrEnd(): Promise<JobPrompt | undefined>;
  /** Leaves out the first prompts, which the session that is resumed has. Returns the last of them. */
  skip(count: number): Promise<JobPrompt | undefined>;
}

/** Reads the controls of a job from the beginning. */
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
      if (control.kind === "send") prompts.push(control.prompt);
      else if (control.kind === "interrupt") onInterrupt(control.attempt);
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

/** Sends a request to the agent of a job; rejects a prompt once the job takes none. */
export async function addControl(
  store: Store,
  id: string,
  control: Control,
): Promise<void> {
  await store.add<Control>(PLACES.controls(id), (newest) => {
    if (newest === undefined || !isEnd(newest)) return control;
    if (control.kind !== "send") return { ...control, isAfterEnd: true };
    throw fleetError(
      "settings",
      `Job "${id}" takes no further prompts: it was ended, or has its last result`,
    );
  });
  store.engine.signal(PLACES.job(id));
}

/** Whether there is a prompt, or the end, behind a place. */
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

function isEnd(control: Control): boolean {
  return control.kind === "end" ||
    control.kind === "interrupt" && control.isAfterEnd === true;
}
