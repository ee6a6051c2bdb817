import type { Path } from "./engine.ts";
import { type JobRecord, PLACES } from "./record.ts";
import type { Store } from "./store.ts";

/** Number of full slots checked at a time, and the delay before the next ones. */
const CHECKED = 3;
const CHECK_NEXT_MS = 1_000;

/** Maximum number of jobs of one name that run at a time. */
export interface Limit {
  readonly name: string;
  /** Absent = any. */
  readonly most?: number;
}

/** A running job, in the row of all that are limited together. */
interface Slot {
  readonly job: string;
  readonly at: number;
}

/**
 * Takes the slots that a job needs to run: of its key, and of its name.
 *
 * They belong to the job, not to its worker: if that is lost, its next attempt has them.
 *
 * @returns Their rows; `undefined` while other jobs have them
 */
export async function takeSlots(
  store: Store,
  record: JobRecord,
): Promise<readonly Path[] | undefined> {
  const { id, name } = record;
  const limit = name === undefined
    ? undefined
    : await store.get<Limit>(PLACES.limit(await store.hide(name)));
  const most = { key: 1, name: limit?.most };
  const taken: Path[] = [];
  for (const { of, path } of await slotsOf(store, record)) {
    if (most[of] === undefined) continue;
    if (!await take(store, path, most[of], id)) {
      for (const path of taken) await leave(store, path, id);
      return undefined;
    }
    taken.push(path);
  }
  return taken;
}

export async function leaveSlots(
  store: Store,
  record: JobRecord,
): Promise<void> {
  for (const { path } of await slotsOf(store, record)) {
    await leave(store, path, record.id);
  }
}

/** Whether a job still has its slots. */
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

async function slotsOf(
  store: Store,
  record: Pick<JobRecord, "key" | "name">,
): Promise<readonly { readonly of: "key" | "name"; readonly path: Path }[]> {
  const all = [];
  for (const field of ["key", "name"] as const) {
    const what = record[field];
    if (what === undefined) continue;
    const path = PLACES.slots(field, await store.hide(what));
    all.push({ of: field, path });
  }
  return all;
}

async function take(
  store: Store,
  path: Path,
  most: number,
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

/** Slots whose job does not run: its worker was lost before it could leave them. A new one may not run yet. */
async function goneOf(
  store: Store,
  slots: readonly Slot[],
  now: number,
): Promise<readonly Slot[]> {
  const old = slots.filter(({ at }) => now - at >= store.engine.leaseMs);
  const first = Math.floor(now / CHECK_NEXT_MS) * CHECKED;
  const gone: Slot[] = [];
  for (let at = 0; at < Math.min(old.length, CHECKED); at++) {
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
