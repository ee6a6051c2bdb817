import { Change } from "../async/change.ts";
import { settleWithin, withTimeout } from "../async/deadline.ts";
import type { Deferred } from "../async/deferred.ts";
import { onAbort } from "../async/on_abort.ts";
import { textOfError, typeOf } from "../errors/text.ts";
import type { FullClock } from "../ports/clock.ts";
import {
  type Approval,
  type ApprovalDecision,
  approvalId,
  type ApprovalRequest,
  type ApprovalStore,
  readAsked,
} from "./store.ts";

/** Timeout of a store for one call, in milliseconds. */
export const STORE_MS = 30_000;
/** Time between two looks at a store that reports no changes, in milliseconds, and at one that does. */
const ASK_MS = 250;
const ASK_WATCHED_MS = 5_000;

/** Requests that wait in a store. */
export interface Waiting {
  park(request: ApprovalRequest, signal: AbortSignal): Promise<void>;
  has(id: string, signal: AbortSignal): Promise<boolean>;
  /** Whether there is a request for this call, of any session or working directory: a fork has the calls of its session. */
  hasCall(
    call: Pick<ApprovalRequest, "toolUseId" | "tool" | "input">,
    signal: AbortSignal,
  ): Promise<boolean>;
  /** A request as it is now; throws when it is not there. */
  look(id: string, signal: AbortSignal): Promise<Approval>;
  /** The decision; `undefined` when none came in time, or before the program leaves. */
  decision(
    id: string,
    mostMs: number,
    signal: AbortSignal,
  ): Promise<ApprovalDecision | undefined>;
  deny(id: string, message: string, signal?: AbortSignal): Promise<unknown>;
  /** Notes that a decision takes effect; false when it did before. */
  take(id: string, signal: AbortSignal): Promise<boolean>;
}

/** Waits in a store: each of its calls is within a limit, and named in what it throws. */
export function waitIn(
  store: ApprovalStore,
  clock: FullClock,
  leaving: Deferred<void>,
): Waiting {
  return {
    park: (request, signal) =>
      inTime("park a request", () => store.park(request), signal),
    has: (id, signal) =>
      inTime(
        "give a request",
        // A database may give null for none.
        async () => (await store.get(id) ?? undefined) !== undefined,
        signal,
      ),
    hasCall: (call, signal) =>
      inTime("list its requests", async () => {
        const { tool, input } = call;
        for (const { request } of await store.list()) {
          const isSame = request.toolUseId === call.toolUseId &&
            await approvalId({ ...request, tool, input }) === request.id;
          if (isSame) return true;
        }
        return false;
      }, signal),
    look,
    decision: decisionOf,
    deny: (id, message, signal) =>
      inTime(
        "take a decision",
        () => store.answer(id, { behavior: "deny", message }),
        signal,
      ),
    async take(id, signal) {
      return await inTime("note that a decision is taken", async () => {
        // Only a store that has no take() may leave this open.
        if (store.take === undefined) return true;
        const isFree: unknown = await store.take(id);
        if (typeof isFree === "boolean") return isFree;
        throw new TypeError(
          `take() must return true or false, returned ${typeOf(isFree)}`,
        );
      }, signal);
    },
  };

  async function decisionOf(
    id: string,
    mostMs: number,
    signal: AbortSignal,
  ): Promise<ApprovalDecision | undefined> {
    const ends = clock.monotonic() + mostMs;
    const done = new AbortController();
    const changes = watchFor(id, AbortSignal.any([signal, done.signal]));
    try {
      while (true) {
        signal.throwIfAborted();
        // Taken before the look, so that an answer during it is not missed.
        const change = changes.next();
        const { decision } = await look(id, signal);
        const leftMs = ends - clock.monotonic();
        const isOver = leftMs <= 0 || leaving.isSettled;
        if (decision !== undefined || isOver) return decision;
        const everyMs = changes.isWatched ? ASK_WATCHED_MS : ASK_MS;
        const news = Promise.race([change, leaving.promise]);
        await settleWithin(news, Math.min(leftMs, everyMs), clock);
      }
    } finally {
      done.abort();
    }
  }

  /** Changes of one request that the store reports. */
  function watchFor(id: string, signal: AbortSignal) {
    const change = new Change();
    const changes = {
      isWatched: store.watch !== undefined,
      next: () => change.next,
    };
    onAbort(signal, () => change.tell());
    const follow = async () => {
      // An async function without types returns a promise of the stream.
      for await (const { request } of await store.watch?.(signal, id) ?? []) {
        if (request.id === id) change.tell();
      }
    };
    // One that breaks or ends is asked like one that cannot watch.
    follow().catch(() => {}).finally(() => {
      changes.isWatched = false;
      change.tell();
    });
    return changes;
  }

  async function look(id: string, signal: AbortSignal): Promise<Approval> {
    return await inTime("give a request", async () => {
      const found = await store.get(id);
      if (found === undefined) throw new Error("it is gone");
      return await readAsked(found, id);
    }, signal);
  }

  /** A call of the store: within its limit, and with its name in what it throws. */
  async function inTime<T>(
    what: string,
    work: () => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const fact = `the approval store did not ${what}`;
    try {
      return await withTimeout(work, {
        clock,
        ms: STORE_MS,
        signal,
        onTimeout: () => new Error(`no answer within ${STORE_MS} ms`),
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new Error(`${fact}: ${textOfError(error)}`, { cause: error });
    }
  }
}
