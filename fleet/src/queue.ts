import type { Lane, Path } from "./engine.ts";
import { isOver, type JobRecord, PLACES } from "./record.ts";
import type { Store } from "./store.ts";

/** Longer than any submitter waits for its server. */
const MOST_SUBMIT_MS = 3_600_000;

/** What stands in the queue for a job. */
export interface Pushed {
  readonly id: string;
  /** How often it was put there before: with a later one in the queue it is of no use. */
  readonly pushes: number;
}

/** Puts a job into the queue, and wakes workers. */
export async function push(
  store: Store,
  { id, spec, priority, pushes }: Pick<
    JobRecord,
    "id" | "spec" | "priority" | "pushes"
  >,
): Promise<void> {
  const lane: Lane = priority;
  const value = new TextEncoder().encode(`${pushes} ${id}`);
  // The server drops an id that it had within minutes; a job removed and submitted again has the same id, but another spec.
  await store.engine.push(lane, value, `${spec}#${pushes}`);
  store.engine.signal(PLACES.queue);
}

/**
 * Writes the row of a job and puts it into the queue; where this program is lost in between, a worker's {@link sweep} does.
 *
 * @param write Writes the row; gives it as it is then
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

/** A job on its way into the queue, and since when. */
interface Mark {
  readonly id: string;
  readonly at: number;
}

/** Puts jobs into the queue whose submitter was lost before it could: after a lease. One that is there twice does no harm. */
export async function sweep(store: Store): Promise<void> {
  const { engine } = store;
  if ((await engine.paths(PLACES.pushes)).length === 0) return;
  for await (const { id, at } of store.rows<Mark>(PLACES.pushes)) {
    if (engine.now() - at < engine.leaseMs) continue;
    const record = await store.get<JobRecord>(PLACES.job(id));
    if (record?.state === "queued") await push(store, record);
    // One without a row may be written yet.
    const isGivenUp = engine.now() - at > MOST_SUBMIT_MS;
    if (record !== undefined || isGivenUp) {
      await engine.remove("row", PLACES.pushOf(id));
    }
  }
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

/** Who has just taken a place may not have begun yet; of the others so many are looked at, each time the next ones. */
const LOOKED_AT = 3;
const LOOK_ON_MS = 1_000;

/** A job that runs, in the row of all that count together. */
interface Slot {
  readonly job: string;
  /** When it was taken, by the server's clock. */
  readonly at: number;
}

/** What a job counts among: those of its key, and those of its name. */
interface Pool {
  readonly path: Path;
  readonly most: number;
}

/**
 * Takes the slots that a job needs to run; `undefined` while others have them.
 *
 * They are those of the job, not of its worker: when that is lost, they are kept for its next attempt.
 */
export async function takeSlots(
  store: Store,
  { id, key, name }: JobRecord,
): Promise<readonly Path[] | undefined> {
  const taken: Path[] = [];
  const limit = name === undefined
    ? undefined
    : await store.get<Limit>(PLACES.limit(await store.hide(name)));
  const pools: readonly Pool[] = [
    ...key === undefined
      ? []
      : [{ path: await slotsOf(store, "key", key), most: 1 }],
    ...name === undefined || limit?.most === undefined
      ? []
      : [{ path: await slotsOf(store, "name", name), most: limit.most }],
  ];
  for (const pool of pools) {
    if (!await take(store, pool, id)) {
      for (const path of taken) await leave(store, path, id);
      return undefined;
    }
    taken.push(pool.path);
  }
  return taken;
}

/** Gives back what a job has. */
export async function leaveSlots(
  store: Store,
  { id, key, name }: JobRecord,
): Promise<void> {
  if (key !== undefined) {
    await leave(store, await slotsOf(store, "key", key), id);
  }
  if (name !== undefined) {
    await leave(store, await slotsOf(store, "name", name), id);
  }
}

async function slotsOf(
  store: Store,
  of: "key" | "name",
  what: string,
): Promise<Path> {
  return PLACES.slots(of, await store.hide(what));
}

/** Whether slots are still those of a job. */
export async function hasSlots(
  store: Store,
  paths: readonly Path[],
  job: string,
): Promise<boolean> {
  for (const path of paths) {
    const slots = await store.get<readonly Slot[]>(path);
    if (!slots?.some((slot) => slot.job === job)) return false;
  }
  return true;
}

/** How many jobs of a name may run at a time. */
export interface Limit {
  readonly name: string;
  /** Absent = any. */
  readonly most?: number;
}

async function take(
  store: Store,
  { path, most }: Pool,
  job: string,
): Promise<boolean> {
  const now = store.engine.now();
  let others: readonly Slot[] = [];
  const takeWithout = async (gone: readonly Slot[]) => {
    let isOurs = false;
    await store.change<readonly Slot[]>(path, (slots = []) => {
      others = slots.filter((one) =>
        one.job !== job &&
        !gone.some(({ job, at }) => one.job === job && one.at === at)
      );
      isOurs = others.length < most;
      return isOurs ? [...others, { job, at: now }] : undefined;
    });
    return isOurs;
  };
  if (await takeWithout([])) return true;
  const gone = await goneOf(store, others, now);
  return gone.length > 0 && await takeWithout(gone);
}

/** Slots whose job does not run: whoever had to give them back was lost. */
async function goneOf(
  store: Store,
  slots: readonly Slot[],
  now: number,
): Promise<readonly Slot[]> {
  const old = slots.filter(({ at }) => now - at >= store.engine.leaseMs);
  const first = Math.floor(now / LOOK_ON_MS) * LOOKED_AT;
  const gone: Slot[] = [];
  for (let at = 0; at < Math.min(old.length, LOOKED_AT); at++) {
    const slot = old[(first + at) % old.length];
    if (slot === undefined) continue;
    const job = await store.get<JobRecord>(PLACES.job(slot.job));
    if (job?.state !== "running") gone.push(slot);
  }
  return gone;
}

async function leave(store: Store, path: Path, job: string): Promise<void> {
  await store.change<readonly Slot[]>(
    path,
    (slots) =>
      slots?.some((slot) => slot.job === job)
        ? slots.filter((slot) => slot.job !== job)
        : undefined,
  );
}
