import { Deferred } from "@sluice/agent/extend";
import assert from "node:assert/strict";
import type {
  Approval,
  ApprovalDecision,
  ApprovalOptions,
  ApprovalStore,
  JsonObject,
} from "@sluice/agent";
import { memoryStore } from "../../src/approvals/memory.ts";
import type { ControlFields } from "../../src/types/controls.ts";
import { FakeRequest, never, type Rig, rig } from "./_rig.ts";
import { resolveOptions } from "../../src/options/resolve.ts";
import { test } from "../_harness.ts";
import { isSettled } from "../_turn.ts";
import { configErrorOf } from "../options/_config_error.ts";

const ALLOW: ApprovalDecision = { behavior: "allow" };

/** What the CLI sends before a tool call, to the first or the second of the two hooks. */
function hook(id: string, more: JsonObject = {}): ControlFields {
  return {
    subtype: "hook_callback",
    callback_id: id,
    tool_use_id: more.tool_use_id ?? "toolu_1",
    input: {
      session_id: "s1",
      cwd: "/home/user/project",
      hook_event_name: "PreToolUse",
      prompt_id: "p1",
      tool_name: "Bash",
      tool_input: { command: "ls" },
      tool_use_id: "toolu_1",
      ...more,
    },
  };
}

/** A store of which a test sees each call. */
function seen(more: Partial<ApprovalStore> = {}) {
  const { watch: _watch, ...store } = memoryStore();
  const waiters: (() => void)[] = [];
  const looked = () => new Promise<void>((resolve) => waiters.push(resolve));
  return {
    looked,
    store: {
      ...store,
      get(id: string) {
        for (const waiter of waiters.splice(0)) waiter();
        return store.get(id);
      },
      ...more,
    } as ApprovalStore,
  };
}

function made(
  approvals: ApprovalOptions,
  more: Parameters<typeof rig>[1] = {},
): Rig {
  return rig({ permissions: { approvals } }, more);
}

function verdict(answer: JsonObject | undefined): unknown {
  const specific = answer?.hookSpecificOutput as JsonObject | undefined;
  return specific?.permissionDecision;
}

function reason(answer: JsonObject | undefined): string {
  const specific = answer?.hookSpecificOutput as JsonObject | undefined;
  return String(specific?.permissionDecisionReason);
}

/** Tells when the desk rests between two looks at a question: only then may time pass, for a store has its limits. */
function rests(clock: Rig["clock"]): () => Promise<void> {
  let rested = new Deferred<void>();
  const sleep = clock.sleep.bind(clock);
  clock.sleep = (ms, signal) => {
    if (ms <= 250) {
      rested.resolve();
      rested = new Deferred();
    }
    return sleep(ms, signal);
  };
  return () => rested.promise;
}

/** Lets so much time pass for a desk that rests, as long as it has not answered. */
async function pass(
  { clock, next, answer }: {
    readonly clock: Rig["clock"];
    readonly next: () => Promise<void>;
    readonly answer: Promise<unknown>;
  },
  ms: number,
): Promise<void> {
  for (let left = ms; left > 0; left -= 250) {
    const rested = next();
    await clock.advance(250);
    await Promise.race([rested, answer]);
  }
}

/** Asks for a call, answers it in the store once it is parked, and gives what the CLI is told. */
async function decided(
  decision: ApprovalDecision,
  { policy, ...more }: Partial<ApprovalOptions> & Parameters<typeof rig>[1] =
    {},
) {
  const { store, looked } = seen(more.store);
  const made_ = made({ ...more, store }, policy ? { policy } : {});
  const parked = looked();
  const answer = made_.ask(hook("hook_0"));
  await parked;
  const [approval] = await store.list();
  await store.answer(String(approval?.request.id), decision);
  const answered = Promise.resolve(answer);
  // In small steps: the limit of the store is not to pass before it was called.
  while (!await isSettled(answered)) await made_.clock.advance(10);
  return { ...made_, answer: await answered, store };
}

test("a call is parked before it is answered, and runs as it was approved", async () => {
  const { answer, store } = await decided({
    behavior: "allow",
    updatedInput: { command: "ls -l" },
  });
  assert.deepEqual(answer, {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "allow",
      updatedInput: { command: "ls -l" },
    },
  });
  const [approval] = await store.list() as readonly [Approval];
  const { id: _id, ...request } = approval.request;
  assert.deepEqual(request, {
    sessionId: "s1",
    toolUseId: "toolu_1",
    tool: "Bash",
    input: { command: "ls" },
    cwd: "/home/user/project",
    askedAt: "2026-01-01T00:00:00.000Z",
  });
  assert.equal(approval.isTaken, true);
});

test("a denial reaches the model, and ends the turn where it says so", async () => {
  const { answer } = await decided({
    behavior: "deny",
    message: "Not on a Friday",
    interrupt: true,
  });
  assert.equal(verdict(answer), "deny");
  assert.equal(reason(answer), "Not on a Friday");
  assert.equal(answer?.continue, false);
});

test("an approved input that the lists of tools refuse does not run", async () => {
  const { answer, errors } = await decided(
    { behavior: "allow", updatedInput: { command: "rm -rf /" } },
    {
      policy: (_tool, input) =>
        String(input.command).startsWith("rm") ? "no rm" : undefined,
    },
  );
  assert.equal(verdict(answer), "deny");
  assert.match(
    reason(answer),
    /changed the input to one that may not run: no rm/,
  );
  assert.equal(errors.length, 1);
});

test("what the lists of tools refuse is not parked", async () => {
  const { store } = seen();
  const { ask } = made({ store }, { policy: () => "not this" });
  assert.equal(verdict(await ask(hook("hook_0"))), "deny");
  assert.deepEqual(await store.list(), []);
});

test("a call that park() does not want is left to everybody else", async () => {
  const asked: unknown[] = [];
  const { store } = seen();
  const { ask } = made({
    store,
    park(tool, input) {
      asked.push([tool, { ...input }]);
      // What it does to its copy changes nothing.
      (input as { command?: unknown }).command = "rm";
      return Promise.resolve(false);
    },
  });
  const [one, other] = [ask(hook("hook_0")), ask(hook("hook_1"))];
  assert.deepEqual([await one, await other], [{}, {}]);
  assert.deepEqual(asked, [["Bash", { command: "ls" }]]);
  assert.deepEqual(await store.list(), []);
});

for (
  const [what, park] of [
    ["throws", () => {
      throw new Error("boom");
    }],
    ["returns no truth value", () => "no" as unknown as boolean],
    ["returns nothing", () => undefined as unknown as boolean],
  ] as const
) {
  test(`a park() that ${what} lets nothing run unasked`, async () => {
    const { store } = seen();
    const { ask, clock, errors } = made({ store, park, waitMs: 0 });
    const answer = await ask(hook("hook_0"));
    await clock.advance(0);
    assert.notEqual(verdict(answer), "allow");
    assert.notEqual(verdict(answer), undefined);
    assert.equal(errors.length, what === "returns nothing" ? 0 : 1);
  });
}

test("without an answer in time the call is put off; a CLI that does not do that asks, and is told no", async () => {
  const { store, looked } = seen();
  const { ask, clock } = rig({
    permissions: {
      approvals: { store, waitMs: 100 },
      canUseTool: () => ({ behavior: "allow" }),
    },
  });
  const parked = looked();
  const [first, second] = [ask(hook("hook_0")), ask(hook("hook_1"))];
  await parked;
  const answered = Promise.all([first, second]);
  while (!await isSettled(answered)) await clock.advance(10);
  assert.equal(verdict(await first), "defer");
  assert.equal(verdict(await second), "ask");
  assert.deepEqual(
    await ask({
      subtype: "can_use_tool",
      tool_name: "Bash",
      tool_use_id: "toolu_1",
      input: { command: "ls" },
    }),
    { behavior: "deny", message: "This call waits for an approval" },
  );
  assert.equal((await store.list())[0]?.decision, undefined);
});

test("of several calls of one turn one is put off; so is one of the next turn", async () => {
  const { store } = seen();
  const { ask } = made({ store, waitMs: 0 });
  const put = (tool_use_id: string, prompt_id: string) =>
    ask(hook("hook_0", { tool_use_id, prompt_id }));
  assert.equal(verdict(await put("a", "p1")), "defer");
  const other = await put("b", "p1");
  assert.equal(verdict(other), "deny");
  assert.match(reason(other), /within 0 ms, and another call of this turn/);
  assert.equal(verdict(await put("a", "p1")), "defer");
  assert.equal(verdict(await put("c", "p2")), "defer");
  const open = (await store.list()).filter(({ decision }) => !decision);
  assert.deepEqual(open.map(({ request }) => request.toolUseId), ["a", "c"]);
});

test("a subagent's call is waited for where others are put off at once, is denied in time, and an answer that was faster holds", async () => {
  const { store } = seen();
  const { ask, clock } = made({ store, waitMs: 0 });
  const next = rests(clock);
  const rested = next();
  const answer = Promise.resolve(ask(hook("hook_0", { agent_id: "agent" })));
  await rested;
  await pass({ clock, next, answer }, 59_000);
  assert.equal(await isSettled(answer), false);
  await pass({ clock, next, answer }, 1_000);
  assert.equal(verdict(await answer), "deny");
  assert.match(
    reason(await answer),
    /within 60000 ms, and a subagent's call cannot be deferred/,
  );
  const [parked] = await store.list();
  assert.equal(parked?.decision?.behavior, "deny");
  // Between the last look and our own answer somebody else was there.
  const late: ApprovalStore = {
    ...store,
    async answer(id) {
      await store.answer(id, ALLOW);
      return false;
    },
  };
  const { ask: again, desk } = made({ store: late, waitMs: 0 });
  const call = hook("hook_0", { agent_id: "agent", tool_use_id: "t2" });
  const faster = again(call);
  assert.equal(await desk?.leave(), false);
  assert.equal(verdict(await faster), "allow");
});

test("a subagent's call that waits longer is waited for as long as it may, and is denied when the conversation ends", async () => {
  const { store } = seen();
  const { ask, clock, desk } = made({ store, waitMs: 90_000 });
  const next = rests(clock);
  const rested = next();
  const answer = Promise.resolve(ask(hook("hook_0", { agent_id: "agent" })));
  await rested;
  await pass({ clock, next, answer }, 89_000);
  assert.equal(await isSettled(answer), false);
  await desk?.leave();
  assert.equal(verdict(await answer), "deny");
  const [parked] = await store.list();
  assert.equal(parked?.decision?.behavior, "deny");
});

for (const renames of [false, true]) {
  const who = renames ? " and names another call" : "";
  test(`a hook that changes the input of a call${who} is a denial, and nobody is asked`, async () => {
    const { store } = seen();
    const slow = new Deferred<void>();
    const { ask } = rig({
      permissions: { approvals: { store } },
      hooks: {
        PreToolUse: [{
          hooks: [async (input) => {
            if (renames) {
              Object.assign(input, { tool_use_id: "another", prompt_id: "p2" });
            }
            await slow.promise;
            return {
              hookSpecificOutput: {
                hookEventName: "PreToolUse",
                updatedInput: { command: "rm -rf /" },
              },
            };
          }],
        }],
      },
    });
    // The order of the CLI.
    const [changing, answer] = [ask(hook("hook_0")), ask(hook("hook_1"))];
    slow.resolve();
    const denied = await changing;
    assert.equal(verdict(denied), "deny");
    assert.match(reason(denied), /permissions\.approvals does not allow/);
    assert.deepEqual(await answer, {});
    assert.deepEqual(await store.list(), []);
  });
}

test("what a hook of the user refuses is not parked", async () => {
  const { store } = seen();
  const { ask } = rig({
    permissions: { approvals: { store } },
    hooks: {
      PreToolUse: [{
        hooks: [() => ({
          hookSpecificOutput: {
            hookEventName: "PreToolUse",
            permissionDecision: "deny",
          },
        })],
      }],
    },
  });
  assert.equal(verdict(await ask(hook("hook_0"))), "deny");
  assert.deepEqual(await ask(hook("hook_1")), {});
  assert.deepEqual(await store.list(), []);
});

test("a hook of the user that hangs keeps nobody from leaving", async () => {
  const { store } = seen();
  const { ask, desk } = rig({
    permissions: { approvals: { store } },
    hooks: { PreToolUse: [{ hooks: [never] }] },
  });
  void ask(hook("hook_0"));
  const answer = ask(hook("hook_1"));
  assert.equal(await desk?.leave(), true);
  assert.equal(verdict(await answer), "defer");
});

test("the hooks that wait are waited for longer than those of the user, for which they wait as well", () => {
  const { hooks } = rig({
    permissions: { approvals: { store: memoryStore(), waitMs: 0 } },
    hooks: { PreToolUse: [{ hooks: [never], timeoutMs: 3_600_000 }] },
  });
  const matcher = (hooks?.PreToolUse as readonly JsonObject[]).at(-1);
  assert.ok(Number(matcher?.timeout) > 3_600 + 150);
});

test("another input, call or session is another question", async () => {
  const { store } = seen();
  const { ask } = made({ store, waitMs: 0 });
  await ask(hook("hook_0"));
  const [approval] = await store.list();
  await store.answer(String(approval?.request.id), ALLOW);
  for (
    const other of [
      { tool_input: { command: "ls " } },
      { tool_input: { command: ["ls"] } },
      { tool_use_id: "toolu_2" },
      { session_id: "s2" },
      { tool_name: "bash" },
    ]
  ) {
    assert.notEqual(verdict(await ask(hook("hook_0", other))), "allow");
  }
  // Whoever resumes the session finds the answer, once.
  const resumed = made({ store, waitMs: 0 });
  assert.equal(verdict(await resumed.ask(hook("hook_0"))), "allow");
  const twice = await made({ store, waitMs: 0 }).ask(hook("hook_0"));
  assert.equal(verdict(twice), "deny");
  assert.match(reason(twice), /it may have run already/);
});

/** What a store may do wrong, and what the error says of it. */
const BROKEN: readonly (readonly [string, Partial<ApprovalStore>, RegExp])[] = [
  ["cannot park", {
    park: () => Promise.reject(new Error("disk full")),
  }, /did not park a question: disk full/],
  ["throws at once", {
    park: () => {
      throw new Error("disk full");
    },
  }, /did not park a question: disk full/],
  ["lost the question", {
    get: () => Promise.resolve(undefined),
  }, /did not give a question: it is gone/],
  ["gives garbage", {
    get: () => Promise.resolve("yes" as unknown as Approval),
  }, /did not give a question: it is no approval/],
  ["cannot take the answer", {
    take: () => Promise.reject(new Error("disk full")),
  }, /did not note that an answer is taken: disk full/],
];

for (const [what, more, expected] of BROKEN) {
  test(`a store that ${what} is a denial and an error`, async () => {
    const { store } = seen();
    const { ask, errors, clock } = made({
      store: { ...store, ...more },
      waitMs: 0,
    });
    if (more.take !== undefined) {
      const first = made({ store, waitMs: 0 });
      await first.ask(hook("hook_0"));
      const [approval] = await store.list();
      await store.answer(String(approval?.request.id), ALLOW);
    }
    const answer = await ask(hook("hook_0"));
    await clock.advance(0);
    assert.equal(verdict(answer), "deny");
    assert.match(reason(answer), expected);
    assert.match(String(errors[0]?.message), expected);
    assert.equal(errors.length, 1);
  });
}

/** What a store may give instead of the question, given the real one. */
const FORGED: readonly (readonly [string, (real: Approval) => unknown])[] = [
  ["the approval of another call", (real) => ({
    ...real,
    request: { ...real.request, id: "another" },
    decision: ALLOW,
  })],
  ["a harmless call to look at", (real) => ({
    ...real,
    request: { ...real.request, input: { command: "true" } },
    decision: ALLOW,
  })],
  ["a word for a decision", (real) => ({ ...real, decision: "allow" })],
  ["rules for ever", (real) => ({
    ...real,
    decision: {
      behavior: "allow",
      updatedPermissions: [{
        type: "setMode",
        mode: "bypassPermissions",
        destination: "session",
      }],
    },
  })],
];

for (const [what, forge] of FORGED) {
  test(`a store that shows ${what} is not believed`, async () => {
    const { store } = seen();
    const { ask, errors } = made({
      waitMs: 0,
      store: {
        ...store,
        get: async (id) => forge(await store.get(id) as Approval) as Approval,
      },
    });
    assert.equal(verdict(await ask(hook("hook_0"))), "deny");
    assert.match(String(errors[0]?.message), /did not give a question/);
  });
}

for (const method of ["park", "get", "take"] as const) {
  test(`a store that hangs in ${method}() is a denial after its limit`, async () => {
    const { store } = seen();
    let called = () => {};
    const hanging = new Promise<void>((resolve) => called = resolve);
    const { ask, clock, errors } = made({
      waitMs: 0,
      store: {
        ...store,
        get: async (id: string) => ({
          ...await store.get(id) as Approval,
          decision: ALLOW,
        }),
        [method]: () => {
          called();
          return never();
        },
      },
    });
    const answer = ask(hook("hook_0"));
    await hanging;
    await clock.advance(30_000);
    assert.equal(verdict(await answer), "deny");
    assert.match(String(errors[0]?.message), /no answer within 30000 ms/);
  });
}

for (const told of [undefined, null, "no", 1, {}]) {
  test(`a take() that gives ${JSON.stringify(told)} instead of true is a denial`, async () => {
    const { store } = seen();
    const { ask } = made({
      waitMs: 0,
      store: {
        ...store,
        get: async (id: string) => ({
          ...await store.get(id) as Approval,
          decision: ALLOW,
        }),
        take: () => told,
      } as unknown as ApprovalStore,
    });
    assert.equal(verdict(await ask(hook("hook_0"))), "deny");
  });
}

test("a store that breaks its watch is asked again and again instead", async () => {
  for (
    const watch of [
      () => {
        throw new Error("boom");
      },
      async function* () {
        yield await Promise.reject(new Error("boom"));
      },
      async function* () {},
    ] as unknown as readonly ApprovalStore["watch"][]
  ) {
    const { answer } = await decided(ALLOW, {
      store: { watch } as Partial<ApprovalStore> as ApprovalStore,
    });
    assert.equal(verdict(answer), "allow");
  }
});

test("a call that the CLI takes back is nobody's question any more", async () => {
  const { store } = seen();
  let given: unknown;
  const closed = new Promise<void>((resolve) => {
    const { answer } = store;
    store.answer = (id, decision) => {
      given = decision;
      resolve();
      return answer(id, decision);
    };
  });
  const { ask, errors, clock } = made({ store });
  const context = new FakeRequest();
  // Not in the middle of a look, whose digest would outlive the test.
  const rested = rests(clock)();
  const answer = ask(hook("hook_0"), context);
  await rested;
  context.cancel();
  await clock.advance(250);
  assert.equal(verdict(await answer), "deny");
  await closed;
  assert.deepEqual(errors, []);
  assert.deepEqual(given, {
    behavior: "deny",
    message: "This call is no longer pending",
  });
});

test("a conversation that ends puts off what waits", async () => {
  const { store, looked } = seen();
  const { ask, desk } = made({ store });
  assert.equal(await made({ store }).desk?.leave(), false);
  const parked = looked();
  const [first, second] = [ask(hook("hook_0")), ask(hook("hook_1"))];
  await parked;
  assert.equal(await desk?.leave(), true);
  assert.equal(verdict(await first), "defer");
  assert.equal(verdict(await second), "ask");
});

test("the CLI is told to wait for the hooks for longer than they take", () => {
  const { hooks } = made({ store: memoryStore(), waitMs: 86_400_000 });
  const [matcher] = hooks?.PreToolUse as unknown as readonly [
    { readonly timeout: number; readonly onFailure: string },
  ];
  assert.ok(matcher.timeout > 86_400 && matcher.timeout < 90_000);
  assert.equal(matcher.onFailure, "block");
});

test("what is wrong with the options is said at once, by its name", () => {
  const store = memoryStore();
  const wrong: readonly (readonly [unknown, string])[] = [
    [{}, "permissions.approvals.store"],
    [{ store: "redis://" }, "permissions.approvals.store"],
    [
      { store: { ...store, get: undefined } },
      "permissions.approvals.store.get",
    ],
    [{ store, park: ["Bash"] }, "permissions.approvals.park"],
    [{ store, waitMs: -1 }, "permissions.approvals.waitMs"],
    [{ store, waitMs: Infinity }, "permissions.approvals.waitMs"],
    [{ store, waitMs: 2 ** 31 }, "permissions.approvals.waitMs"],
    [{ store, wait: 1 }, "permissions.approvals.wait"],
  ];
  for (const [approvals, key] of wrong) {
    const options = {
      permissions: { approvals: approvals as ApprovalOptions },
    };
    assert.equal(configErrorOf(() => resolveOptions(options)).key, key);
  }
  // What switches hooks off goes with none of them.
  const bare = {
    permissions: { approvals: { store } },
    extraArgs: { bare: null },
  };
  assert.match(
    configErrorOf(() => resolveOptions(bare)).message,
    /beside "permissions.approvals"/,
  );
});
