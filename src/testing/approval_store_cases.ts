import {
  type Approval,
  type ApprovalDecision,
  approvalId,
  type ApprovalRequest,
  type ApprovalStore,
} from "../approvals/store.ts";
import type { JsonValue } from "../types/json.ts";
import { casesOf, same, type StoreCase } from "./store_cases.ts";

/** How many callers try the same at the same time. */
const RACERS = 8;

const ALLOW: ApprovalDecision = { behavior: "allow" };

/**
 * Tests the contract of an approval store, as cases for any test runner; cases of optional methods pass without them.
 *
 * @param make Makes an empty store for each case
 * @returns The cases
 *
 * @example Try a store
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
    const text = 'ä "\u0000\n\ud83c\udf0a'.repeat(100_000);
    const request = await parkedIn(store, "a", {
      input: { text, list: [1, null, { a: {} }] },
      agentId: "agent",
    });
    same(await store.get(request.id), { request });
    same(await store.get((await requestOf("b")).id), undefined);
  },
  "storing a request again changes nothing": async (store) => {
    const request = await parkedIn(store, "a");
    await store.answer(request.id, ALLOW);
    await parkedIn(store, "a", { askedAt: "2030-01-01T00:00:00.000Z" });
    const found = await store.get(request.id);
    same(found?.request, request);
    same(found?.decision, ALLOW);
  },
  "a request stored by several callers at once exists once": async (
    store,
  ) => {
    await race(() => parkedIn(store, "a"));
    same((await store.list()).length, 1);
  },
  "only the first of several answers counts": async (store) => {
    const { id } = await parkedIn(store, "a");
    const won = await race((index) =>
      store.answer(id, { behavior: "deny", message: String(index) })
    );
    same(won.filter((isFirst) => isFirst === true).length, 1);
    same(await store.answer(id, ALLOW), false);
    const message = String(won.indexOf(true));
    const found = await store.get(id);
    same(found?.decision, { behavior: "deny", message });
    if (Number.isNaN(Date.parse(found?.answeredAt ?? ""))) {
      throw new Error("Field answeredAt must be a time");
    }
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
      await rejects(
        () => store.answer(id, one as ApprovalDecision),
        "TypeError",
      );
    }
    same((await store.get(id))?.decision, undefined);
    same(await store.answer(id, ALLOW), true);
  },
  "a decision is kept whole": async (store) => {
    const decisions: readonly ApprovalDecision[] = [
      {
        behavior: "allow",
        updatedInput: { command: "ls", deep: { a: [1] } },
      },
      { behavior: "deny", message: "Nö", interrupt: true },
    ];
    for (const [index, decision] of decisions.entries()) {
      const { id } = await parkedIn(store, `q${index}`);
      await store.answer(id, decision);
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
    const [late, early, middle] = ["03", "01", "02"].map((day) =>
      parkedIn(store, day, { askedAt: `2026-01-${day}T00:00:00.000Z` })
    );
    const ids = await Promise.all(
      [early, middle, late].map(async (one) => (await one)?.id),
    );
    await store.answer(String(ids[1]), ALLOW);
    const listed = await store.list();
    same(listed.map(({ request }) => request.id), ids);
    same(listed.map(({ decision }) => decision ?? null), [null, ALLOW, null]);
  },
  "take() succeeds for one of several callers": async (store) => {
    if (store.take === undefined) return;
    const { id } = await requestOf("a");
    same(await store.take(id), false);
    await parkedIn(store, "a");
    same(await store.take(id), false);
    await store.answer(id, ALLOW);
    const won = await race(() => store.take?.(id) ?? Promise.resolve(false));
    same(won.filter((isFirst) => isFirst === true).length, 1);
    same((await store.get(id))?.isTaken, true);
  },
  "delete() removes one request": async (store) => {
    if (store.delete === undefined) return;
    const gone = (await parkedIn(store, "a")).id;
    const kept = (await parkedIn(store, "b")).id;
    for (const id of [gone, kept]) await store.answer(id, ALLOW);
    await store.delete(gone);
    await store.delete(gone);
    await store.delete(`../${kept}`);
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
    const seen: Approval[] = [];
    const changes = store.watch(ended.signal)[Symbol.asyncIterator]();
    const first = changes.next();
    const { id } = await parkedIn(store, "a");
    seen.push((await first).value);
    await store.answer(id, ALLOW);
    while (seen.at(-1)?.decision === undefined) {
      const { value, done } = await changes.next();
      if (done === true) throw new Error("It ended before its signal");
      seen.push(value);
    }
    const last = changes.next();
    ended.abort();
    same((await last).done, true);
    same(seen.at(-1)?.request.id, id);
  },
  "watch() starts with the open requests": async (store) => {
    if (store.watch === undefined) return;
    const answered = await parkedIn(store, "a");
    const open = await parkedIn(store, "b");
    await store.answer(answered.id, ALLOW);
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

function race<T>(call: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: RACERS }, (_, index) => call(index)));
}

async function rejects(
  call: () => Promise<unknown>,
  name: string,
): Promise<void> {
  try {
    await call();
  } catch (error) {
    const found = (Object(error) as { readonly name?: unknown }).name;
    if (found === name) return;
    throw new Error(`Must reject with ${name}, did with ${String(error)}`, {
      cause: error,
    });
  }
  throw new Error(`Must reject with ${name}, resolved`);
}
