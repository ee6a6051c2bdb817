import {
  type Approval,
  type ApprovalStore,
  NotPendingError,
} from "@sluice/agent";
import { readDecision } from "@sluice/agent/extend";
import { changeJob, type JobRecord, PLACES } from "./record.ts";
import { wake } from "./queue.ts";
import type { Store } from "./store.ts";

/** A question, and the job that asks. */
interface Row extends Approval {
  readonly job?: string;
}

/**
 * Questions of all jobs of a fleet, answered from any machine.
 *
 * @param store Where they are
 * @param job The job that asks; absent for those that answer
 */
export function fleetApprovals(
  store: Store,
  job?: string,
): Required<ApprovalStore> {
  const changed = () => store.engine.signal(PLACES.approvals);
  async function list(): Promise<readonly Approval[]> {
    const all = new Map<string, Approval>();
    for await (const one of store.rows<Approval>(PLACES.approvals)) {
      all.set(one.request.id, one);
    }
    return [...all.values()].sort(({ request: one }, { request: other }) =>
      one.askedAt.localeCompare(other.askedAt)
    );
  }
  return {
    async park(request) {
      const { id } = request;
      const row: Row = { request, ...job !== undefined && { job } };
      if (job !== undefined) {
        await store.create(PLACES.askedQuestion(job, id), {});
        await store.create(PLACES.openQuestion(job, id), {});
      }
      const isNew = await store.create(PLACES.approval(id), row);
      changed();
      if (isNew || job === undefined) return;
      // It may have been answered before, and closed before it was opened again.
      const known = await store.get<Row>(PLACES.approval(id));
      if (known?.decision !== undefined) await closed(store, job, id);
    },
    async answer(id, given) {
      let isOurs = false;
      const answeredAt = new Date(store.engine.now()).toISOString();
      const row = await store.change<Row>(PLACES.approval(id), (approval) => {
        if (approval === undefined) throw new NotPendingError(id, "unknown");
        const decision = readDecision(given);
        isOurs = approval.decision === undefined;
        return isOurs ? { ...approval, decision, answeredAt } : undefined;
      });
      changed();
      const asking = row?.job;
      if (asking === undefined) return isOurs;
      await closed(store, asking, id);
      await changeJob(store, asking, (now) => {
        if (!now?.waitingFor.includes(id)) return undefined;
        const waitingFor = now.waitingFor.filter((one) => one !== id);
        return { ...now, waitingFor };
      });
      await wake(store, asking);
      return isOurs;
    },
    get: (id) => store.get<Approval>(PLACES.approval(id)),
    list,
    watch: (signal) => changes(store, list, signal),
    async take(id) {
      let isOurs = false;
      await store.change<Approval>(PLACES.approval(id), (approval) => {
        isOurs = approval?.decision !== undefined && !approval.isTaken;
        return isOurs && approval !== undefined
          ? { ...approval, isTaken: true }
          : undefined;
      });
      return isOurs;
    },
    async delete(id) {
      const found = await store.get<Row>(PLACES.approval(id));
      const asking = found?.job;
      if (asking !== undefined) {
        await closed(store, asking, id);
        await store.engine.remove("row", PLACES.askedQuestion(asking, id));
      }
      await store.engine.remove("row", PLACES.approval(id));
      changed();
    },
  };
}

/** Deletes every question of a job. */
export async function removeQuestions(
  store: Store,
  job: string,
): Promise<void> {
  const { engine } = store;
  const asked = PLACES.askedQuestionsOf(job);
  for (const [, , question = ""] of await engine.paths(asked)) {
    await engine.remove("row", PLACES.approval(question));
  }
  await engine.remove("row", PLACES.openQuestionsOf(job));
  await engine.remove("row", asked);
  engine.signal(PLACES.approvals);
}

/** Number of jobs with open questions. */
export async function countAsking(store: Store): Promise<number> {
  const paths = await store.engine.paths(PLACES.openQuestions);
  return new Set(paths.map(([, job]) => job)).size;
}

function closed(store: Store, job: string, question: string): Promise<void> {
  return store.engine.remove("row", PLACES.openQuestion(job, question));
}

/** The answer to a question that is withdrawn. */
export const WITHDRAWN = {
  behavior: "deny",
  message: "This call is over: its agent was stopped",
} as const;

/** Answers the open questions of ended attempts of a job. */
export async function withdraw(
  store: Store,
  { id, left = [] }: JobRecord,
): Promise<void> {
  if (left.length === 0) return;
  const approvals = fleetApprovals(store);
  for (const question of left) {
    await approvals.answer(question, WITHDRAWN).catch((error) => {
      // Its worker was lost before it asked.
      if (!(error instanceof NotPendingError)) throw error;
      return closed(store, id, question);
    });
  }
  await changeJob(store, id, (now) => {
    if (now?.left === undefined) return undefined;
    const { left: all, ...rest } = now;
    const more = all.filter((one) => !left.includes(one));
    return { ...rest, ...more.length > 0 && { left: more } };
  });
}

/** Open questions, then every change since the call. */
async function* changes(
  store: Store,
  list: ApprovalStore["list"],
  signal: AbortSignal,
): AsyncGenerator<Approval> {
  const began = new Date(store.engine.now()).toISOString();
  const seen = new Map<string, string | undefined>();
  const isNew = ({ request: { id }, answeredAt }: Approval) =>
    seen.has(id)
      ? seen.get(id) !== answeredAt
      : answeredAt === undefined || answeredAt >= began;
  while (!signal.aborted) {
    const news = await store.until(PLACES.approvals, async () => {
      const fresh = (await list()).filter(isNew);
      return fresh.length > 0 ? fresh : undefined;
    }, signal).catch((error) => {
      if (signal.aborted) return [];
      throw error;
    });
    for (const one of news) {
      seen.set(one.request.id, one.answeredAt);
      yield one;
    }
  }
}
