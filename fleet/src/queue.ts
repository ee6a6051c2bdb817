import { changeJob, type JobRecord, PLACES } from "./record.ts";
import type { Store } from "./store.ts";

/** Longer than any submitter waits for its server. */
const MOST_SUBMIT_MS = 3_600_000;
/** Time a worker waits for a row that is about to be written. */
const ROW_MS = 1_000;
/** Longest interval between checks for a late row. */
const MOST_LATE_MS = 60_000;

/** The entry of a job in the queue. */
export interface Pushed {
  readonly id: string;
  readonly spec: string;
  /** Number of earlier entries of the job; a later entry replaces this one. */
  readonly pushes: number;
  /** When it was put there, by the server's clock. */
  readonly at: number;
}

/** Puts a job into the queue, before its row says so: no job that is acknowledged can be missing there. */
export async function push(
  store: Store,
  { id, spec, priority, pushes }: Pick<
    JobRecord,
    "id" | "spec" | "priority" | "pushes"
  >,
): Promise<void> {
  const at = Math.round(store.engine.now());
  const value = new TextEncoder().encode(`${at} ${pushes} ${spec} ${id}`);
  // The server drops an id that it had within minutes; a job removed and submitted again has the same id, but another spec.
  await store.engine.push(priority, value, `${spec}#${pushes}`);
}

/** Wakes workers that may take a job, or wait for its row. */
export function wakeWorkers(store: Store, id: string): void {
  store.engine.signal(PLACES.job(id));
  store.engine.signal(PLACES.queue);
}

/** Reads the entry that {@link push} wrote. */
export function pushed(value: Uint8Array): Pushed {
  const text = new TextDecoder().decode(value);
  const [at, pushes, spec = "", ...id] = text.split(" ");
  return { id: id.join(" "), spec, pushes: Number(pushes), at: Number(at) };
}

/**
 * The job of an entry; waits a moment for a row that is about to be written.
 *
 * @returns The row; `undefined` if it is gone, milliseconds until another look if it may still come
 */
export async function jobOfEntry(
  store: Store,
  { id, spec, pushes, at }: Pushed,
  signal: AbortSignal,
): Promise<JobRecord | number | undefined> {
  const { engine } = store;
  const path = PLACES.job(id);
  const [found] = await store.until<readonly [JobRecord | number | undefined]>(
    path,
    async (again) => {
      const row = await store.get<JobRecord>(path);
      if (row !== undefined && row.spec !== spec) return [undefined];
      if (row !== undefined && row.pushes >= pushes) return [row];
      // A job that was removed has no spec.
      const mayCome = row !== undefined ||
        await engine.newest(PLACES.spec(id, spec)) !== undefined;
      const age = engine.now() - at;
      if (!mayCome || age > MOST_SUBMIT_MS) return [undefined];
      if (age > ROW_MS) return [Math.min(age, MOST_LATE_MS)];
      again(ROW_MS - age);
      return undefined;
    },
    signal,
  );
  return found;
}

/** Puts a waiting job into the queue at once. */
export async function wake(store: Store, id: string): Promise<void> {
  let isWaiting = false;
  const record = await changeJob(store, id, (now) => {
    isWaiting = now?.state === "waiting";
    return now && isWaiting ? { ...now, pushes: now.pushes + 1 } : undefined;
  });
  if (isWaiting && record !== undefined) await push(store, record);
  store.engine.signal(PLACES.queue);
}
