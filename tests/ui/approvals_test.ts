import assert from "node:assert/strict";
import {
  type Approval,
  type ApprovalStore,
  memoryApprovals,
  query,
} from "@sluice/agent";
import { approvalId, Deferred } from "@sluice/agent/extend";
import { fakeCli } from "@sluice/agent/testing";
import { approvalResponse, sseResponse } from "@sluice/agent/ui";
import { test } from "../_harness.ts";
import { EventReader, eventsOf } from "./_events.ts";
import { several, sourceOf, textMessage } from "./_source.ts";

const TYPE = { "content-type": "application/json" };
const ALLOW = { behavior: "allow" } as const;

function post(body: unknown, init: RequestInit = {}): Request {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return new Request("http://localhost/answer", {
    method: "POST",
    headers: TYPE,
    body: text,
    ...init,
  });
}

async function ask(
  store: ApprovalStore,
  sessionId: string,
  toolUseId = "t1",
): Promise<string> {
  const call = { sessionId, toolUseId, tool: "Bash", input: { command: "ls" } };
  const id = await approvalId(call);
  await store.park({ id, ...call, askedAt: "2026-01-31T12:00:00.000Z" });
  return id;
}

/** The same store, which cannot be watched. */
function unwatched(store: Required<ApprovalStore>): ApprovalStore {
  const { park, answer, get, list } = store;
  return { park, answer, get, list };
}

const STORES: readonly (readonly [
  string,
  (store: Required<ApprovalStore>) => ApprovalStore,
])[] = [
  ["that is watched", (store) => store],
  ["that cannot be watched", unwatched],
  ["whose watch fails", (store) => ({
    ...store,
    watch() {
      throw new Error("no watch");
    },
  })],
  ["whose watch rejects", (store) => ({
    ...store,
    watch: (() =>
      Promise.reject(new Error("no watch"))) as unknown as typeof store.watch,
  })],
];

for (const [kind, of] of STORES) {
  test(`a question of the session comes as an event, answered by the route, in a store ${kind}`, async () => {
    const store = of(memoryApprovals());
    const { cliPath } = fakeCli({
      turns: [[{ tool: "Bash", input: { command: "ls" } }, "Done."]],
    });
    const conversation = query("x", {
      cliPath,
      permissions: { approvals: { store } },
    });
    await ask(store, "another session");
    const reader = new EventReader(
      sseResponse(conversation, { approvals: store }).body,
    );
    const asked = await reader.find(({ name }) => name === "approval");
    const { request, decision } = asked.data as Approval;
    assert.equal(request.tool, "Bash");
    assert.equal(request.sessionId, conversation.sessionId);
    assert.equal(decision, undefined);
    const { sessionId } = conversation;
    const body = { id: request.id, decision: ALLOW };
    const answer = await approvalResponse(store, post(body), { sessionId });
    assert.equal(answer.status, 204);
    const rest = await reader.rest();
    const approvals = rest.filter(({ name }) => name === "approval")
      .map(({ data }) => data as Approval);
    assert.deepEqual(
      approvals.map(({ request: { id }, decision }) => [id, decision]),
      [[request.id, ALLOW]],
    );
    assert.deepEqual(rest.at(-1)?.name, "end");
  });
}

test("a page that comes back gets open questions, and answers given meanwhile", async () => {
  const store = memoryApprovals();
  const id = await ask(store, "s1");
  const gate = new Deferred<void>();
  const source = async function* () {
    yield* several(1);
    await gate.promise;
    yield* several(1);
  }();
  const options = { approvals: store, onLeave: "park" } as const;
  const first = new EventReader(sseResponse(source, options).body);
  const asked = await first.find(({ name }) => name === "approval");
  await first.cancel();
  await store.answer(id, ALLOW);
  const again = new EventReader(
    sseResponse(source, { ...options, lastEventId: asked.id }).body,
  );
  const answered = await again.find(({ name }) => name === "approval");
  assert.deepEqual((answered.data as Approval).decision, ALLOW);
  gate.resolve();
  assert.equal((await again.rest()).at(-1)?.name, "end");
});

test("rows that show another call than their id stands for, and garbage, are no events", async () => {
  const store = memoryApprovals();
  await ask(store, "s1");
  const [row] = await store.list();
  assert.ok(row);
  const forged = { request: { ...row.request, input: { command: "rm -rf" } } };
  const rows: unknown[] = [null, 7, {}, { request: null }, forged, row];
  const gate = new Deferred<void>();
  const source = async function* () {
    yield* several(1);
    await gate.promise;
  }();
  const given: ApprovalStore = {
    ...store,
    list: () => Promise.resolve([]),
    async *watch(signal) {
      yield* rows as Approval[];
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  };
  const reader = new EventReader(
    sseResponse(source, { approvals: given }).body,
  );
  const approval = await reader.find(({ name }) => name === "approval");
  assert.deepEqual(approval.data, row);
  gate.resolve();
  assert.deepEqual((await reader.rest()).map(({ name }) => name), ["end"]);
});

test("approvalResponse() names what is wrong with a request, and answers nothing by it", async () => {
  const store = memoryApprovals();
  const id = await ask(store, "s1");
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  const cases: readonly (readonly [string, Request, number, RegExp])[] = [
    ["GET", new Request("http://localhost/"), 405, /POST/],
    ["PUT", post({}, { method: "PUT" }), 405, /POST/],
    [
      "a form",
      post("id=1", { headers: { "content-type": "text/plain" } }),
      415,
      /application\/json/,
    ],
    [
      "no type",
      post(new Uint8Array().toString(), { headers: {} }),
      415,
      /application\/json/,
    ],
    [
      "a longer type",
      post({}, { headers: { "content-type": "application/jsonp" } }),
      415,
      /application\/json/,
    ],
    ["nothing", post(""), 400, /not JSON/],
    ["half", post('{"id":'), 400, /not JSON/],
    ["a list", post([]), 400, /object/],
    ["null", post(null), 400, /object/],
    ["no id", post({ decision: ALLOW }), 400, /"id"/],
    ["an empty id", post({ id: "", decision: ALLOW }), 400, /"id"/],
    ["a number as id", post({ id: 7, decision: ALLOW }), 400, /"id"/],
    [
      "a long id",
      post({ id: "x".repeat(2_000), decision: ALLOW }),
      400,
      /"id"/,
    ],
    ["no decision", post({ id }), 400, /"decision"/],
    ["a word", post({ id, decision: "allow" }), 400, /Decision/],
    [
      "an unknown behavior",
      post({ id, decision: { behavior: "yes" } }),
      400,
      /behavior/,
    ],
    [
      "a denial without a reason",
      post({ id, decision: { behavior: "deny" } }),
      400,
      /message/,
    ],
    [
      "rules",
      post({ id, decision: { ...ALLOW, updatedPermissions: [] } }),
      400,
      /updatedPermissions/,
    ],
    [
      "an input that is a list",
      post({ id, decision: { ...ALLOW, updatedInput: [] } }),
      400,
      /updatedInput/,
    ],
    ["deep", post(`{"id":"${id}","decision":${deep}}`), 400, /./],
    [
      "large",
      post({
        id,
        decision: { ...ALLOW, updatedInput: { x: "x".repeat(2 ** 20) } },
      }),
      400,
      /1048576 bytes/,
    ],
    [
      "no UTF-8",
      post("", { body: new Uint8Array([0x22, 0xff, 0x22]) }),
      400,
      /./,
    ],
    ["an unknown id", post({ id: "x", decision: ALLOW }), 404, /not known/],
    ["__proto__", post('{"__proto__":{"id":"x"}}'), 400, /"id"/],
  ];
  for (const [name, request, status, text] of cases) {
    const response = await approvalResponse(store, request);
    assert.equal(response.status, status, name);
    const { error } = await response.json();
    assert.match(error, text, name);
  }
  assert.equal((await store.get(id))?.decision, undefined);
  const used = post({ id, decision: ALLOW });
  await used.text();
  assert.equal((await approvalResponse(store, used)).status, 400);
});

test("approvalResponse() answers once, and only for its session", async () => {
  const store = memoryApprovals();
  const id = await ask(store, "s1");
  const body = { id, decision: ALLOW };
  for (const sessionId of ["s2", "", undefined]) {
    const response = await approvalResponse(store, post(body), { sessionId });
    assert.equal(response.status, 404, String(sessionId));
  }
  const both = await Promise.all(
    [1, 2].map(() => approvalResponse(store, post(body), { sessionId: "s1" })),
  );
  assert.deepEqual(both.map(({ status }) => status).sort(), [204, 409]);
  const third = await approvalResponse(store, post(body));
  assert.equal(third.status, 409);
  assert.deepEqual((await store.get(id))?.decision, ALLOW);
});

test("approvalResponse() hides errors of the store and reports them", async () => {
  const seen: unknown[] = [];
  const broken = new Error("disk /secret is full");
  const store: ApprovalStore = {
    ...memoryApprovals(),
    get: () => Promise.reject(broken),
  };
  const onErrors = [
    (error: unknown) => seen.push(error),
    () => {
      throw new Error("log is full");
    },
    () => Promise.reject(new Error("log is full")),
    undefined,
  ];
  for (const onError of onErrors) {
    const body = { id: "x", decision: ALLOW };
    const response = await approvalResponse(store, post(body), { onError });
    assert.equal(response.status, 500);
    assert.doesNotMatch(await response.text(), /secret/);
  }
  assert.deepEqual(seen, [broken]);
});

test("text that looks like markup or like events stays data", async () => {
  const nasty = "<script>alert(1)</script>\n\nevent: end\ndata: {}\n\n\u2028";
  const [event, end] = await eventsOf(
    sseResponse(sourceOf([textMessage(nasty)])),
  );
  assert.equal((event?.data as { content: string }).content, nasty);
  assert.equal(end?.name, "end");
});
