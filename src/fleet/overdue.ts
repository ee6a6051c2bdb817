import { takeBack } from "./approvals.ts";
import {
  FORMAT,
  isOver,
  type JobRecord,
  over,
  OVERDUE,
  PLACES,
} from "./record.ts";
import type { Store } from "./store.ts";

/**
 * A job that no worker takes in its time is over all the same: whoever looks at it says so.
 *
 * @param again Asked for a further look at the deadline of one that is not over
 */
export async function inTime(
  store: Store,
  record: JobRecord,
  again?: (ms: number) => void,
): Promise<JobRecord> {
  const { engine } = store;
  const leftOf = ({ deadline = Infinity, state }: JobRecord) => {
    // The worker of a running one has the first word.
    const grace = state === "running" ? 3 * engine.leaseMs : 0;
    return deadline + grace - engine.now();
  };
  if (isOver(record) || record.format > FORMAT) return record;
  const left = leftOf(record);
  if (left > 0) {
    again?.(left);
    return record;
  }
  const path = PLACES.job(record.id);
  const changed = await store.change<JobRecord>(path, (now) => {
    if (now === undefined || isOver(now) || leftOf(now) > 0) return undefined;
    const endedAt = Math.round(engine.now());
    return over(now, "dead", OVERDUE, endedAt);
  });
  engine.signal(path);
  await takeBack(store, changed ?? record);
  return changed ?? record;
}
