import type { Lane } from "./engine.ts";
import { type JobRecord, PLACES } from "./record.ts";
import type { Store } from "./store.ts";

/** What stands in the queue for a job. */
export interface Pushed {
  readonly id: string;
  /** How often it was put there before: with a later one in the queue it is of no use. */
  readonly pushes: number;
}

/** Puts a job into the queue, and wakes workers. */
export async function push(
  store: Store,
  { id, priority, pushes }: Pick<JobRecord, "id" | "priority" | "pushes">,
): Promise<void> {
  const lane: Lane = priority;
  const value = new TextEncoder().encode(`${pushes} ${id}`);
  await store.engine.push(lane, value, `${id}#${pushes}`);
  store.engine.signal(PLACES.queue);
}

/** Reads what {@link push} wrote. */
export function pushed(value: Uint8Array): Pushed {
  const text = new TextDecoder().decode(value);
  const end = text.indexOf(" ");
  return { id: text.slice(end + 1), pushes: Number(text.slice(0, end)) };
}

/** A job that waits has something to go on with: it is looked at now, and otherwise some time later. */
export async function wake(store: Store, id: string): Promise<void> {
  const path = PLACES.job(id);
  let isWaiting = false;
  const record = await store.change<JobRecord>(path, (now) => {
    isWaiting = now?.state === "waiting";
    return isWaiting && now !== undefined
      ? { ...now, pushes: now.pushes + 1 }
      : undefined;
  });
  store.engine.signal(path);
  if (isWaiting && record !== undefined) await push(store, record);
}
