import { onAbort } from "../async/on_abort.ts";
import { NotPendingError } from "../errors/base.ts";
import {
  type Approval,
  type ApprovalStore,
  byAge,
  readDecision,
} from "./store.ts";

/** A store that lives as long as this process. */
export function memoryStore(): Required<ApprovalStore> {
  const approvals = new Map<string, Approval>();
  const watchers = new Set<(approval: Approval) => void>();

  function set(approval: Approval): void {
    approvals.set(approval.request.id, approval);
    for (const watcher of watchers) watcher(approval);
  }

  // Copies, so that the stored ones cannot be changed.
  return {
    park(request) {
      const { id } = request;
      if (!approvals.has(id)) set({ request: structuredClone(request) });
      return Promise.resolve();
    },
    // deno-lint-ignore require-await -- what it throws is a rejection
    async answer(id, decision) {
      const approval = approvals.get(id);
      if (approval === undefined) throw new NotPendingError(id, "unknown");
      const read = readDecision(decision);
      if (approval.decision !== undefined) return false;
      set({
        ...approval,
        decision: read,
        answeredAt: new Date().toISOString(),
      });
      return true;
    },
    get(id) {
      return Promise.resolve(structuredClone(approvals.get(id)));
    },
    list() {
      return Promise.resolve(structuredClone(byAge([...approvals.values()])));
    },
    take(id) {
      const approval = approvals.get(id);
      const isFree = approval?.decision !== undefined && !approval.isTaken;
      if (isFree) set({ ...approval, isTaken: true });
      return Promise.resolve(isFree);
    },
    delete(id) {
      approvals.delete(id);
      return Promise.resolve();
    },
    async *watch(signal) {
      const open = [...approvals.values()].filter(({ decision }) =>
        decision === undefined
      );
      const waiting = [...structuredClone(byAge(open))];
      let wake = () => {};
      const onChange = (approval: Approval) => {
        waiting.push(structuredClone(approval));
        wake();
      };
      watchers.add(onChange);
      const unfollow = onAbort(signal, () => wake());
      try {
        while (!signal.aborted) {
          const next = waiting.shift();
          if (next !== undefined) yield next;
          else await new Promise<void>((resolve) => wake = resolve);
        }
      } finally {
        watchers.delete(onChange);
        unfollow();
      }
    },
  };
}
