import type {
  ApprovalStore,
  CanUseTool,
  PermissionDecision,
} from "@sluice/agent";
import { approvalId, readAsked, unlessAborted } from "@sluice/agent/extend";
import { fleetApprovals, WITHDRAWN } from "./approvals.ts";
import { Stop } from "./machine.ts";
import { type JobRecord, PLACES } from "./record.ts";
import type { Store } from "./store.ts";

const NEVER = new Promise<never>(() => {});

/** The questions of one attempt: each stands in the job's row first, so that a later attempt can withdraw it. */
export interface Questions {
  /** For calls that are deferred; no answer is taken by an attempt that was replaced. */
  readonly store: ApprovalStore;
  /** Ids of the requests for calls that may be deferred, by the ids of the calls. */
  readonly parked: ReadonlyMap<string, string>;
  /** For calls that wait in their agent, however long that takes. */
  readonly ask: CanUseTool;
}

export function questionsOf(
  { store, record, signal, change, sessionId }: {
    readonly store: Store;
    readonly record: JobRecord;
    /** Aborted when the attempt is stopped. */
    readonly signal: AbortSignal;
    /** Changes the job's row, as long as the attempt has the job. */
    change(next: (now: JobRecord) => JobRecord): Promise<unknown>;
    sessionId(): string | undefined;
  },
): Questions {
  const approvals = fleetApprovals(store, record.id);
  const parked = new Map<string, string>();

  /** Lists a question in the row, or takes it off; an attempt that was replaced waits for its end, so that its agent gets no answer. */
  async function list(
    id: string,
    isOpen: boolean,
    ended: AbortSignal,
  ): Promise<void> {
    try {
      await change((now) => {
        const others = now.waitingFor.filter((one) => one !== id);
        return { ...now, waitingFor: isOpen ? [...others, id] : others };
      });
    } catch (error) {
      if (error instanceof Stop) await unlessAborted(NEVER, ended);
      throw error;
    }
  }

  async function asked(
    ...[tool, input, context]: Parameters<CanUseTool>
  ): Promise<PermissionDecision> {
    const { toolUseId = context.requestId, agentId, mcpServer } = context;
    const call = { sessionId: sessionId() ?? "", toolUseId, tool, input };
    const id = await approvalId(call);
    try {
      await list(id, true, context.signal);
      await approvals.park({
        id,
        ...call,
        askedAt: new Date(store.engine.now()).toISOString(),
        ...agentId !== undefined && { agentId },
        ...mcpServer !== undefined && { mcpServer: mcpServer.name },
      });
      const decision = await store.until(
        PLACES.approvals,
        async () => (await readAsked(await approvals.get(id), id)).decision,
        context.signal,
      );
      await list(id, false, context.signal);
      return decision;
    } catch (error) {
      approvals.answer(id, WITHDRAWN).catch(() => {});
      list(id, false, context.signal).catch(() => {});
      throw error;
    }
  }

  return {
    store: {
      ...approvals,
      async park(request) {
        const { id, toolUseId } = request;
        parked.set(toolUseId, id);
        if ((await approvals.get(id))?.decision !== undefined) return;
        await list(id, true, signal);
        await approvals.park(request);
      },
      async take(id) {
        await list(id, false, signal);
        return await approvals.take(id);
      },
    },
    parked,
    ask: Object.assign(asked, { timeoutMs: Infinity }),
  };
}
