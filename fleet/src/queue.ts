import { isOver } from "./machine.ts";
import { changeJob, type JobRecord, PLACES } from "./record.ts";
import type { Store } from "./store.ts";

/** Longer than any submitter waits for its server. */
const MOST_SUBMIT_MS = 3_600_000;

/** The entry of a job in the queue. */
export interface Pushed {
  readonly id: string;
  /** How often the job was put there before; a later entry replaces this one. */
  readonly pushes: number;
}

/** A job on its way into the queue, and since when. */
interface Mark {
  readonly id: string;
  readonly at: number;
}

/** Puts a job into the queue, and wakes workers. */
export async function push(
  store: Store,
  { id, spec, priority, pushes }: JobRecord,
): Promise<void> {
  const value = new TextEncoder().encode(`${pushes} ${id}`);
  // The server drops an id that it had within minutes; a job removed and submitted again has the same id, but another spec.
  await store.engine.push(priority, value, `${spec}#${pushes}`);
  store.engine.signal(PLACES.queue);
}

/** Reads the entry that {@link push} wrote. */
export function pushed(value: Uint8Array): Pushed {
  const text = new TextDecoder().decode(value);
  const end = text.indexOf(" ");
  return { id: text.slice(end + 1), pushes: Number(text.slice(0, end)) };
}

/**
 * Writes the row of a job and puts it into the queue; if this program is lost in between, {@link sweep} does the rest.
 *
 * @param write Writes the row and returns it
 */
export async function enqueue(
  store: Store,
  id: string,
  write: () => Promise<JobRecord | undefined>,
): Promise<void> {
  const mark = PLACES.pushOf(id);
  const at: Mark = { id, at: Math.round(store.engine.now()) };
  await store.change<Mark>(mark, () => at);
  const record = await write();
  if (record !== undefined && !isOver(record)) await push(store, record);
  await store.engine.remove("row", mark);
}

/** Puts jobs into the queue whose submitter was lost, after a lease. Twice does no harm. */
export async function sweep(store: Store): Promise<void> {
  const { engine } = store;
  if ((await engine.paths(PLACES.pushes)).length === 0) return;
  for await (const { id, at } of store.rows<Mark>(PLACES.pushes)) {
    if (engine.now() - at < engine.leaseMs) continue;
    const record = await store.get<JobRecord>(PLACES.job(id));
    if (record?.state === "queued") await push(store, record);
    // A missing row may still be written.
    const isGivenUp = engine.now() - at > MOST_SUBMIT_MS;
    if (record !== undefined || isGivenUp) {
      await engine.remove("row", PLACES.pushOf(id));
    }
  }
}

/** Puts a waiting job into the queue at once. */
export async function wake(store: Store, id: string): Promise<void> {
  let isWaiting = false;
  const record = await changeJob(store, id, (now) => {
    isWaiting = now?.state === "waiting";
    return now && isWaiting ? { ...now, pushes: now.pushes + 1 } : undefined;
  });
  if (isWaiting && record !== undefined) await push(store, record);
}
