import {
  type Approval,
  type ApprovalDecision,
  approvalId,
  type ApprovalRequest,
  type ApprovalStore,
} from "../approvals/store.ts";
import type { JsonValue } from "../types/json.ts";
import { casesOf, holds, same, type StoreCase } from "./store_cases.ts";

/** Number of callers that try the same at the same time. */
const RACERS = 8;

const ALLOW: ApprovalDecision = { behavior: "allow" };

/**
 * Tests the contract of an approval store, as cases for any test runner; cases of optional methods pass without them.
 *
 * @param make Creates an empty store for each case
 * @returns The cases
 *
 * @example Test your own store
 * ```ts
 * import { memoryApprovals } from "@sluice/agent";
 * import { approvalStoreCases } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * for (const { name, run } of approvalStoreCases(memoryApprovals)) {
 *   await assert.doesNotReject(run(), name);
 * }
 * ```
 */
export function approvalStoreCases(
  make: () => ApprovalStore | Promise<ApprovalStore>,
): readonly StoreCase[] {
  return casesOf(make, () => undefined, CASES);
}

type Case = (store: ApprovalStore) => Promise<void>;

const CASES: Readonly<Record<string, Case>> = {
  "a deferred request is returned as it was asked": async (store) => {
    const text = 'ä "\u0000\n\ud83c\udf0a'.repeat(30_000);
    const request = await parkedIn(store, "a", {
      input: { text, list: [1, null, { a: {} }] },
      cwd: "/home/user/project",
      agentId: "agent",
    });
    same(await store.get(request.id), { request });
    same(await store.get((await requestOf("b")).id), undefined);
  },
  "storing a request again changes nothing": async (store) => {
    const request = await answeredIn(store, "a");
    await parkedIn(store, "a", { askedAt: "2030-01-01T00:00:00.000Z" });
    const found = await store.get(request.id);
    same([found?.request, found?.decision], [request, ALLOW]);
  },
  "a request stored by several callers at once exists once": async (
    store,
  ) => {
    await race(() => parkedIn(store, "a"));
    same((await store.list()).length, 1);
  },
  "only the first of several answers counts": async (store) => {
    const { id } = await parkedIn(store, "a");
    const winner = await winnerOf((index) =>
      store.answer(id, { behavior: "deny", message: `${index}` })
    );
    same(await store.answer(id, ALLOW), false);
    const { decision, answeredAt = "" } = await store.get(id) ?? {};
    same(decision, { behavior: "deny", message: `${winner}` });
    holds(!Number.isNaN(Date.parse(answeredAt)), "answeredAt is a time");
  },
  "an unknown id is not answered": async (store) => {
    const { id } = await parkedIn(store, "a");
    const others = ["b", "", `../${id}`, `a/../${id}`, "__proto__"];
    for (const other of [...others, id.toUpperCase()]) {
      await rejects(() => store.answer(other, ALLOW), "NotPendingError");
      same(await store.get(other), undefined);
    }
    same((await store.get(id))?.decision, undefined);
  },
  "an invalid decision leaves the request open": async (store) => {
    const { id } = await parkedIn(store, "a");
    const wrong: readonly unknown[] = [
      undefined,
      "allow",
      {},
      { behavior: "defer" },
      { behavior: "deny" },
      { behavior: "allow", updatedInput: "x" },
      { behavior: "allow", updatedPermissions: [] },
    ];
    for (const one of wrong) {
      const decision = one as ApprovalDecision;
      await rejects(() => store.answer(id, decision), "TypeError");
    }
    same((await store.get(id))?.decision, undefined);
    same(await store.answer(id, ALLOW), true);
  },
  "a decision is kept whole": async (store) => {
    const updatedInput = { command: "ls", deep: { a: [1] } };
    const decisions: readonly ApprovalDecision[] = [
      { behavior: "allow", updatedInput },
      { behavior: "deny", message: "Nö", interrupt: true },
    ];
    for (const [index, decision] of decisions.entries()) {
      const { id } = await answeredIn(store, `q${index}`, decision);
      same((await store.get(id))?.decision, decision);
    }
  },
  "changes to a returned value do not reach the store": async (store) => {
    const input = { list: ["a"] };
    const { id } = await parkedIn(store, "a", { input });
    input.list.push("b");
    const found = await store.get(id);
    (found?.request.input.list as JsonValue[]).push("c");
    same((await store.get(id))?.request.input, { list: ["a"] });
  },
  "list() returns all requests, oldest first": async (store) => {
    same(await store.list(), []);
    const asked = await Promise.all(
      ["03", "01", "02"].map((day) =>
        parkedIn(store, day, { askedAt: `2026-01-${day}T00:00:00.000Z` })
      ),
    );
    const [late, early, middle] = asked.map(({ id }) => id);
    await store.answer(String(middle), ALLOW);
    const listed = await store.list();
    same(listed.map(({ request }) => request.id), [early, middle, late]);
    same(listed.map(({ decision }) => decision ?? null), [null, ALLOW, null]);
  },
  "take() succeeds for one of several callers": async (store) => {
    if (store.take === undefined) return;
    const { id } = await requestOf("a");
    same(await store.take(id), false);
    await parkedIn(store, "a");
    same(await store.take(id), false);
    await store.answer(id, ALLOW);
    await winnerOf(async () => await store.take?.(id) === true);
    same((await store.get(id))?.isTaken, true);
  },
  "delete() removes one request": async (store) => {
    if (store.delete === undefined) return;
    const gone = (await answeredIn(store, "a")).id;
    const kept = (await answeredIn(store, "b")).id;
    for (const id of [gone, gone, `../${kept}`]) await store.delete(id);
    same(await store.get(gone), undefined);
    same((await store.get(kept))?.decision, ALLOW);
    // Asked anew, it has no answer of before.
    await parkedIn(store, "a");
    same((await store.get(gone))?.decision, undefined);
  },
  "watch() reports requests and answers until its signal aborts": async (
    store,
  ) => {
    if (store.watch === undefined) return;
    const ended = new AbortController();
    const changes = store.watch(ended.signal)[Symbol.asyncIterator]();
    let seen: Approval | undefined;
    const change = async () => {
      const { value, done } = await changes.next();
      holds(done !== true, "it ends by its signal alone");
      seen = value;
    };
    const first = change();
    const { id } = await parkedIn(store, "a");
    await first;
    await store.answer(id, ALLOW);
    while (seen?.decision === undefined) await change();
    const last = changes.next();
    ended.abort();
    same((await last).done, true);
    same(seen.request.id, id);
  },
  "watch() starts with the open requests": async (store) => {
    if (store.watch === undefined) return;
    await answeredIn(store, "a");
    const open = await parkedIn(store, "b");
    // A store may tell before and after by its clock, to the millisecond.
    await new Promise((resolve) => setTimeout(resolve, 5));
    const ended = new AbortController();
    for await (const { request } of store.watch(ended.signal)) {
      same(request.id, open.id);
      ended.abort();
    }
  },
};

/** A question, by a name that its call has. */
async function requestOf(
  name: string,
  more: Partial<ApprovalRequest> = {},
): Promise<ApprovalRequest> {
  const call = {
    sessionId: "0b7c7a0e-9d0c-4f5b-8f39-5f3f9c1f2f11",
    toolUseId: `toolu_${name}`,
    tool: "Bash",
    input: { command: "ls" },
    ...more,
  };
  // Stores may show nothing else than what its id was made of.
  return {
    id: await approvalId(call),
    askedAt: "2026-01-01T00:00:00.000Z",
    ...call,
  };
}

async function parkedIn(
  store: ApprovalStore,
  name: string,
  more?: Partial<ApprovalRequest>,
): Promise<ApprovalRequest> {
  const request = await requestOf(name, more);
  await store.park(request);
  return request;
}

async function answeredIn(
  store: ApprovalStore,
  name: string,
  decision: ApprovalDecision = ALLOW,
): Promise<ApprovalRequest> {
  const request = await parkedIn(store, name);
  await store.answer(request.id, decision);
  return request;
}

function race<T>(call: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: RACERS }, (_, index) => call(index)));
}

/** The index of the only call that succeeds. */
async function winnerOf(
  call: (index: number) => Promise<boolean>,
): Promise<number> {
  const won = await race(call);
  same(won.filter((isFirst) => isFirst === true).length, 1);
  return won.indexOf(true);
}

async function rejects(
  call: () => Promise<unknown>,
  name: string,
): Promise<void> {
  const outcome = await call().then(() => "resolved", (error) => error?.name);
  holds(outcome === name, `rejects with ${name}: ${outcome}`);
}
