import type {
  Approval,
  ApprovalDecision,
  ApprovalRequest,
  ApprovalStore,
} from "../approvals/store.ts";
import type { JsonValue } from "../types/json.ts";
import { same, type StoreCase } from "./store_cases.ts";

/** So many try the same at the same time. */
const RACERS = 8;

const ALLOW: ApprovalDecision = { behavior: "allow" };

/**
 * Says what a store of approvals has to keep to, one case for each thing; they run under any test runner.
 *
 * Methods that a store may lack are tried where it has them.
 *
 * @param make Makes a store with nothing in it, anew for each case
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
  const on = (
    name: string,
    body: (store: ApprovalStore) => Promise<void>,
  ): StoreCase => ({ name, run: async () => await body(await make()) });
  return [
    on("A parked question is there as it was asked", async (store) => {
      const request = requestOf("a", {
        input: { text: 'ä "\u0000\n\ud83c\udf0a', list: [1, null, { a: {} }] },
        agentId: "agent",
      });
      await store.park(request);
      same(await store.get("a"), { request });
      same(await store.get("b"), undefined);
    }),
    on("A long input is kept whole", async (store) => {
      const request = requestOf("a", { input: { text: "x".repeat(500_000) } });
      await store.park(request);
      same((await store.get("a"))?.request, request);
    }),
    on(
      "Parked once more, nothing changes, and the answer stays",
      async (store) => {
        const request = requestOf("a");
        await store.park(request);
        await store.answer("a", ALLOW);
        await store.park(
          requestOf("a", { askedAt: "2030-01-01T00:00:00.000Z" }),
        );
        const found = await store.get("a");
        same(found?.request, request);
        same(found?.decision, ALLOW);
      },
    ),
    on("Parked by several at once, it is there once", async (store) => {
      await race(() => store.park(requestOf("a")));
      same((await store.list()).length, 1);
    }),
    on(
      "A question is answered once, also by several at once",
      async (store) => {
        await store.park(requestOf("a"));
        const won = await race((index) =>
          store.answer("a", { behavior: "deny", message: String(index) })
        );
        same(won.filter((isFirst) => isFirst === true).length, 1);
        same(await store.answer("a", ALLOW), false);
        const message = String(won.indexOf(true));
        const found = await store.get("a");
        same(found?.decision, { behavior: "deny", message });
        if (Number.isNaN(Date.parse(found?.answeredAt ?? ""))) {
          throw new Error("Field answeredAt must be a time");
        }
      },
    ),
    on("What was never asked is not answered", async (store) => {
      await store.park(requestOf("a"));
      for (const id of ["b", "", "../a", "a/../a", "__proto__", "A"]) {
        await rejects(() => store.answer(id, ALLOW), "NotPendingError");
        same(await store.get(id), undefined);
      }
      same((await store.get("a"))?.decision, undefined);
    }),
    on("What is no decision leaves the question open", async (store) => {
      await store.park(requestOf("a"));
      const wrong: readonly unknown[] = [
        undefined,
        "allow",
        {},
        { behavior: "defer" },
        { behavior: "deny" },
        { behavior: "allow", updatedInput: "x" },
        { behavior: "allow", updatedPermissions: [] },
        {
          behavior: "allow",
          get updatedInput() {
            return {};
          },
        },
      ];
      for (const one of wrong) {
        await rejects(
          () => store.answer("a", one as ApprovalDecision),
          "TypeError",
        );
      }
      same((await store.get("a"))?.decision, undefined);
      same(await store.answer("a", ALLOW), true);
    }),
    on("A decision is kept with all it says", async (store) => {
      const decisions: readonly ApprovalDecision[] = [
        {
          behavior: "allow",
          updatedInput: { command: "ls", deep: { a: [1] } },
        },
        { behavior: "deny", message: "Nö", interrupt: true },
      ];
      for (const [index, decision] of decisions.entries()) {
        const id = `q${index}`;
        await store.park(requestOf(id));
        await store.answer(id, decision);
        same((await store.get(id))?.decision, decision);
      }
    }),
    on("What is given away cannot change what is stored", async (store) => {
      const input = { list: ["a"] };
      await store.park(requestOf("a", { input }));
      input.list.push("b");
      const found = await store.get("a");
      (found?.request.input.list as JsonValue[]).push("c");
      same((await store.get("a"))?.request.input, { list: ["a"] });
    }),
    on("The list has all, the oldest first, answered or not", async (store) => {
      same(await store.list(), []);
      for (const [id, day] of [["new", "03"], ["old", "01"], ["mid", "02"]]) {
        const askedAt = `2026-01-${day}T00:00:00.000Z`;
        await store.park(requestOf(id as string, { askedAt }));
      }
      await store.answer("mid", ALLOW);
      const listed = await store.list();
      same(listed.map(({ request }) => request.id), ["old", "mid", "new"]);
      same(listed.map(({ decision }) => decision ?? null), [null, ALLOW, null]);
    }),
    on("An answer is taken once, also by several at once", async (store) => {
      if (store.take === undefined) return;
      same(await store.take("a"), false);
      await store.park(requestOf("a"));
      same(await store.take("a"), false);
      await store.answer("a", ALLOW);
      const won = await race(() => store.take?.("a") ?? Promise.resolve(false));
      same(won.filter((isFirst) => isFirst === true).length, 1);
      same((await store.get("a"))?.isTaken, true);
    }),
    on("What is deleted is gone, and nothing else", async (store) => {
      if (store.delete === undefined) return;
      for (const id of ["a", "b"]) {
        await store.park(requestOf(id));
        await store.answer(id, ALLOW);
      }
      await store.delete("a");
      await store.delete("a");
      await store.delete("../b");
      same(await store.get("a"), undefined);
      same((await store.get("b"))?.decision, ALLOW);
      // Asked anew, it has no answer of before.
      await store.park(requestOf("a"));
      same((await store.get("a"))?.decision, undefined);
    }),
    on(
      "A watcher is told of questions and answers, until its signal",
      async (store) => {
        if (store.watch === undefined) return;
        const ended = new AbortController();
        const seen: Approval[] = [];
        const changes = store.watch(ended.signal)[Symbol.asyncIterator]();
        const first = changes.next();
        await store.park(requestOf("a"));
        seen.push((await first).value);
        await store.answer("a", ALLOW);
        while (seen.at(-1)?.decision === undefined) {
          const { value, done } = await changes.next();
          if (done === true) throw new Error("It ended before its signal");
          seen.push(value);
        }
        const last = changes.next();
        ended.abort();
        same((await last).done, true);
        same(seen.at(-1)?.request.id, "a");
      },
    ),
    on(
      "A watcher is told what is open already, and not what was answered before",
      async (store) => {
        if (store.watch === undefined) return;
        for (const id of ["a", "b"]) await store.park(requestOf(id));
        await store.answer("a", ALLOW);
        // A store may tell before and after by its clock, to the millisecond.
        await new Promise((resolve) => setTimeout(resolve, 5));
        const ended = new AbortController();
        for await (const { request } of store.watch(ended.signal)) {
          same(request.id, "b");
          ended.abort();
        }
      },
    ),
  ];
}

function requestOf(
  id: string,
  more: Partial<ApprovalRequest> = {},
): ApprovalRequest {
  return {
    id,
    sessionId: "0b7c7a0e-9d0c-4f5b-8f39-5f3f9c1f2f11",
    toolUseId: `toolu_${id}`,
    tool: "Bash",
    input: { command: "ls" },
    askedAt: "2026-01-01T00:00:00.000Z",
    ...more,
  };
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
