import { type JobRecord, PLACES } from "./record.ts";
import type { Store } from "./store.ts";

/** Who runs for a key. */
interface Slot {
  /** Id of the job; empty = nobody. */
  readonly job: string;
  /** When it took the slot, by the server's clock. */
  readonly at: number;
}

/** Takes the one slot of a key for a job; false while another job has it. */
export async function takeSlot(
  store: Store,
  key: string,
  job: string,
): Promise<boolean> {
  const now = store.engine.now();
  const held = await store.get<Slot>(PLACES.slot(key));
  const holder = held?.value.job ?? "";
  if (held !== undefined && holder !== "" && holder !== job) {
    // Who has just taken it may not have begun yet.
    if (now - held.value.at < store.engine.leaseMs) return false;
    const other = await store.get<JobRecord>(PLACES.job(holder));
    if (other?.value.state === "running") return false;
  }
  let isOurs = false;
  await store.change<Slot>(PLACES.slot(key), (slot) => {
    isOurs = slot === undefined ||
      slot.job === holder && slot.at === (held?.value.at ?? slot.at);
    return isOurs ? { job, at: now } : undefined;
  });
  return isOurs;
}

/** Gives the slot back. */
export async function leaveSlot(
  store: Store,
  key: string,
  job: string,
): Promise<void> {
  await store.change<Slot>(
    PLACES.slot(key),
    (slot) => slot?.job === job ? { job: "", at: 0 } : undefined,
  );
}

/** Whether the slot is still that of a job. */
export async function hasSlot(
  store: Store,
  key: string,
  job: string,
): Promise<boolean> {
  return (await store.get<Slot>(PLACES.slot(key)))?.value.job === job;
}
