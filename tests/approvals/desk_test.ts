import { Deferred } from "@sluice/agent/extend";
import assert from "node:assert/strict";
import {
  type AgentOptions,
  type Approval,
  type ApprovalDecision,
  type ApprovalOptions,
  type ApprovalStore,
  type HookCallback,
  type JsonObject,
  memoryApprovals,
  query,
} from "@sluice/agent";
import { type Asking, asking, never } from "../callbacks/_asking.ts";
import { test } from "../_harness.ts";
import { isSettled } from "../_turn.ts";
import { configErrorOf } from "../options/_config_error.ts";

const ALLOW: ApprovalDecision = { behavior: "allow" };

/** Request of the CLI before a tool call, to the first or the second of the two hooks. */
function hook(id: string, more: JsonObject = {}): JsonObject {
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
  const { watch: _watch, ...store } = memoryApprovals();
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
  more: AgentOptions = {},
): Promise<Asking> {
  return asking({ ...more, permissions: { approvals } });
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
function rests(clock: Asking["clock"]): () => Promise<void> {
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
    readonly clock: Asking["clock"];
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

/** Asks for a call, answers it in the store once it is deferred, and returns the reply to the CLI. */
async function decided(
  decision: ApprovalDecision,
  more: Partial<ApprovalStore> = {},
  options: AgentOptions = {},
) {
  const { store, looked } = seen(more);
  const { ask, clock, errors, close } = await made({ store }, options);
  const parked = looked();
  const answered = ask(hook("approval_0"));
  await parked;
  const [approval] = await store.list();
  await store.answer(String(approval?.request.id), decision);
  // In small steps: the limit of the store is not to pass before it was called.
  while (!await isSettled(answered)) await clock.advance(10);
  await close();
  return { answer: await answered, errors, store };
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
    {},
    { deniedTools: ["Bash(rm *)"] },
  );
  assert.equal(verdict(answer), "deny");
  assert.match(
    reason(answer),
    /changed the input to one that may not run/,
  );
  assert.equal(errors.length, 1);
});

test("calls that the tool lists refuse are not deferred", async () => {
  const { store } = seen();
  const { ask, close } = await made({ store }, { deniedTools: ["Bash"] });
  assert.equal(verdict(await ask(hook("approval_0"))), "deny");
  await close();
  assert.deepEqual(await store.list(), []);
});

test("a call that park() does not want is left to everybody else", async () => {
  const asked: unknown[] = [];
  const { store } = seen();
  const { ask } = await made({
    store,
    park(tool, input) {
      asked.push([tool, { ...input }]);
      // Changes to its copy have no effect.
      (input as { command?: unknown }).command = "rm";
      return Promise.resolve(false);
    },
  });
  const [one, other] = [ask(hook("approval_0")), ask(hook("deferral_1"))];
  assert.deepEqual([await one, await other], [{}, {}]);
  assert.deepEqual(asked, [["Bash", { command: "ls" }]]);
  assert.deepEqual(await store.list(), []);
});

test("the first call of a conversation waits if the store knows it, whatever park() wants, and is denied if the store fails", async () => {
  const { store } = seen();
  const first = await made({ store, waitMs: 0 });
  assert.equal(verdict(await first.ask(hook("approval_0"))), "defer");
  const park = () => false;
  const known = await made({ store, park, waitMs: 0 });
  assert.equal(verdict(await known.ask(hook("approval_0"))), "defer");
  const none = () => Promise.resolve(null as unknown as undefined);
  const empty = await made({ store: { ...store, get: none }, park, waitMs: 0 });
  assert.deepEqual(await empty.ask(hook("approval_0")), {});
  // Without the store from the second call on.
  const get = () => Promise.reject(new Error("disk full"));
  const broken = await made({ store: { ...store, get }, park, waitMs: 0 });
  assert.equal(verdict(await broken.ask(hook("approval_0"))), "deny");
  assert.match(String(broken.errors[0]?.message), /disk full/);
  const next = hook("approval_0", { tool_use_id: "toolu_2" });
  assert.deepEqual(await broken.ask(next), {});
});

/** A conversation that resumes a session, in whose store another session has deferred a call and got a denial. */
async function forked(more: Partial<ApprovalStore> = {}) {
  const { store } = seen();
  await (await made({ store, waitMs: 0 })).ask(hook("approval_0"));
  const [original] = await store.list();
  await store.answer(String(original?.request.id), DENY);
  const fork = { resume: "s1", forkSession: true };
  const park = () => false;
  return {
    ...await made({ store: { ...store, ...more }, park, waitMs: 0 }, fork),
    store,
  };
}

const DENY: ApprovalDecision = { behavior: "deny", message: "No" };

test("the first call of a resumed conversation waits under its own id if the store knows it from another session", async () => {
  const { store, ask } = await forked();
  const call = { session_id: "s2" };
  assert.equal(verdict(await ask(hook("approval_0", call))), "defer");
  const decisions = (await store.list())
    .map(({ request, decision }) => [request.sessionId, decision]);
  assert.deepEqual(decisions, [["s1", DENY], ["s2", undefined]]);
});

test("the first call of a resumed conversation waits once more if it comes from another working directory", async () => {
  const { store } = seen();
  const sub = hook("approval_0", { cwd: "/home/user/project/sub" });
  await (await made({ store, waitMs: 0 })).ask(sub);
  const [original] = await store.list();
  await store.answer(String(original?.request.id), ALLOW);
  const options = { store, park: () => false, waitMs: 0 };
  const moved = await made(options, { resume: "s1" });
  assert.equal(verdict(await moved.ask(hook("approval_0"))), "defer");
  const [, next] = await store.list();
  assert.equal(next?.request.cwd, "/home/user/project");
  await store.answer(String(next?.request.id), ALLOW);
  const again = await made(options, { resume: "s1" });
  assert.equal(verdict(await again.ask(hook("approval_0"))), "allow");
});

for (
  const other of [
    { tool_use_id: "toolu_2" },
    { tool_name: "Write" },
    { tool_input: { command: "ls -l" } },
  ]
) {
  test(`another call is left to everybody else in a fork: ${JSON.stringify(other)}`, async () => {
    const { ask } = await forked();
    const session_id = "s2";
    const next = hook("approval_0", { session_id, ...other });
    assert.deepEqual(await ask(next), {});
    // Only the first call can be the deferred one.
    assert.deepEqual(await ask(hook("approval_0", { session_id })), {});
  });
}

test("a fork denies its first call if the store does not list its requests; other conversations need no list", async () => {
  const list = () => Promise.reject(new Error("disk full"));
  const { ask, errors } = await forked({ list });
  const call = hook("approval_0", { session_id: "s2" });
  const answer = await ask(call);
  assert.equal(verdict(answer), "deny");
  assert.match(reason(answer), /did not list its requests: disk full/);
  assert.equal(errors.length, 1);
  const { store } = seen({ list });
  const fresh = await made({ store, park: () => false, waitMs: 0 });
  assert.deepEqual(await fresh.ask(call), {});
});

for (
  const [what, park] of [
    ["throws", () => {
      throw new Error("boom");
    }],
    ["returns no truth value", () => "no" as unknown as boolean],
    ["returns nothing", () => undefined as unknown as boolean],
    ["returns null", () => null as unknown as boolean],
  ] as const
) {
  test(`a park() that ${what} lets nothing run unasked`, async () => {
    const { store } = seen();
    const { ask, clock, errors } = await made({ store, park, waitMs: 0 });
    const answer = await ask(hook("approval_0"));
    await clock.advance(0);
    assert.equal(verdict(answer), "deny");
    assert.equal(errors.length, 1);
  });
}

test("a park() that hangs is a denial after the timeout of a store", async () => {
  const { store } = seen();
  const called = new Deferred<void>();
  const park = () => {
    called.resolve();
    return never();
  };
  const { ask, clock, errors } = await made({ store, park });
  const answer = ask(hook("approval_0"));
  await called.promise;
  await clock.advance(30_000);
  assert.equal(verdict(await answer), "deny");
  assert.match(
    String(errors[0]?.message),
    /permissions\.approvals\.park did not answer within 30000 ms/,
  );
});

test("a call without an answer in time is deferred; a CLI without deferral asks and gets a denial", async () => {
  const { store, looked } = seen();
  const { ask, clock } = await asking({
    permissions: {
      approvals: { store, waitMs: 100 },
      canUseTool: () => ({ behavior: "allow" }),
    },
  });
  const parked = looked();
  const [first, second] = [ask(hook("approval_0")), ask(hook("deferral_1"))];
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
  const { ask } = await made({ store, waitMs: 0 });
  const put = (tool_use_id: string, prompt_id: string) =>
    ask(hook("approval_0", { tool_use_id, prompt_id }));
  assert.equal(verdict(await put("a", "p1")), "defer");
  const other = await put("b", "p1");
  assert.equal(verdict(other), "deny");
  assert.match(reason(other), /within 0 ms, and another call of this turn/);
  assert.equal(verdict(await put("a", "p1")), "defer");
  assert.equal(verdict(await put("c", "p2")), "defer");
  const open = (await store.list()).filter(({ decision }) => !decision);
  assert.deepEqual(open.map(({ request }) => request.toolUseId), ["a", "c"]);
});

test("a subagent's call is waited for where others are put off at once, and is denied in time", async () => {
  const { store } = seen();
  const { ask, clock } = await made({ store, waitMs: 0 });
  const next = rests(clock);
  const rested = next();
  const answer = Promise.resolve(
    ask(hook("approval_0", { agent_id: "agent" })),
  );
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
});

test("a subagent's call that waits longer is waited for as long as it may, and is denied when the conversation ends", async () => {
  const { store } = seen();
  const denied = new Promise<void>((resolve) => {
    const { answer } = store;
    store.answer = async (...args) => {
      const isFirst = await answer(...args);
      resolve();
      return isFirst;
    };
  });
  const { tell, clock, conversation } = await made({ store, waitMs: 90_000 });
  const next = rests(clock);
  const rested = next();
  const answer = never();
  await tell(hook("approval_0", { agent_id: "agent" }), "waits");
  await rested;
  await pass({ clock, next, answer }, 89_000);
  assert.equal((await store.list())[0]?.decision, undefined);
  const closing = conversation.close();
  // Time passes once it is denied: the end has its timeouts.
  await denied;
  await clock.advance(60_000);
  await closing;
  const [parked] = await store.list();
  assert.deepEqual(parked?.decision, {
    behavior: "deny",
    message: "No decision before the end of the conversation, and a " +
      "subagent's call cannot be deferred",
  });
});

/** The options of a program whose hook changes the input of each call, when it is released. */
function changing(
  park: ApprovalOptions["park"],
  renames: boolean = false,
  updatedInput: JsonObject = CHANGE.updatedInput,
) {
  const { store } = seen();
  const slow = new Deferred<void>();
  const hook: HookCallback<"PreToolUse"> = async (input) => {
    if (renames) {
      Object.assign(input, { tool_use_id: "another", prompt_id: "p2" });
      Object.assign(input.tool_input, { command: "echo" });
    }
    await slow.promise;
    return { hookSpecificOutput: { ...CHANGE, updatedInput } };
  };
  const options: AgentOptions = {
    permissions: { approvals: { store, park, waitMs: 0 } },
    hooks: { PreToolUse: [{ hooks: [hook] }] },
  };
  return { store, slow, options };
}

const CHANGE = {
  hookEventName: "PreToolUse" as const,
  permissionDecision: "allow" as const,
  updatedInput: { command: "rm -rf /" },
};

for (
  const { calls, park, renames, updatedInput } of [
    { calls: "any call", park: undefined },
    { calls: "any call, to an empty one,", park: undefined, updatedInput: {} },
    { calls: "any call, and renames it", park: undefined, renames: true },
    {
      calls: "a call that waits",
      park: (_tool: string, { command }: JsonObject) => command === "ls",
      renames: true,
    },
    {
      calls: "a call to one that waits",
      park: (_tool: string, { command }: JsonObject) => command !== "ls",
    },
  ]
) {
  test(`a hook that changes the input of ${calls} is a denial, and no person is asked`, async () => {
    const { store, slow, options } = changing(park, renames, updatedInput);
    const { ask } = await asking(options);
    // The order of the CLI.
    const [changed, answer] = [ask(hook("hook_0")), ask(hook("approval_1"))];
    slow.resolve();
    assert.deepEqual((await changed).hookSpecificOutput, {
      ...CHANGE,
      ...updatedInput && { updatedInput },
    });
    const denied = await answer;
    assert.equal(verdict(denied), "deny");
    assert.match(reason(denied), /permissions\.approvals does not allow/);
    assert.deepEqual(await store.list(), []);
  });
}

test("a hook may change the input of a call that does not wait, before and after", async () => {
  const { store, slow, options } = changing(() => false);
  const { ask } = await asking(options);
  const [changed, answer] = [ask(hook("hook_0")), ask(hook("approval_1"))];
  slow.resolve();
  assert.deepEqual((await changed).hookSpecificOutput, CHANGE);
  assert.deepEqual(await answer, {});
  assert.deepEqual(await store.list(), []);
});

test("a hook that changes an input after the call was judged is a denial, whatever waits", async () => {
  const { slow, options } = changing(() => false);
  const { ask } = await asking(options);
  // Not the order of the CLI.
  assert.deepEqual(await ask(hook("approval_1")), {});
  slow.resolve();
  assert.equal(verdict(await ask(hook("hook_0"))), "deny");
});

test("calls that a user's hook refuses are not deferred", async () => {
  const { store } = seen();
  const { ask } = await asking({
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
  assert.deepEqual(await ask(hook("approval_1")), {});
  assert.deepEqual(await store.list(), []);
});

test("the hooks that wait are waited for longer than those of the user, for which they wait as well", async () => {
  const { hooks } = await asking({
    permissions: { approvals: { store: memoryApprovals(), waitMs: 0 } },
    hooks: { PreToolUse: [{ hooks: [never], timeoutMs: 3_600_000 }] },
  });
  const matcher = (hooks?.PreToolUse as readonly JsonObject[]).at(-1);
  assert.ok(Number(matcher?.timeout) > 3_600 + 150);
});

test("another input, call, session or working directory is another request", async () => {
  const { store } = seen();
  const { ask } = await made({ store, waitMs: 0 });
  await ask(hook("approval_0"));
  const [approval] = await store.list();
  await store.answer(String(approval?.request.id), ALLOW);
  for (
    const other of [
      { tool_input: { command: "ls " } },
      { tool_input: { command: ["ls"] } },
      { tool_use_id: "toolu_2" },
      { session_id: "s2" },
      { tool_name: "bash" },
      { cwd: "/home/user/project/sub" },
      { cwd: undefined },
    ]
  ) {
    assert.notEqual(verdict(await ask(hook("approval_0", other))), "allow");
  }
  // A resumed session finds the answer, once.
  const resumed = await made({ store, waitMs: 0 });
  assert.equal(verdict(await resumed.ask(hook("approval_0"))), "allow");
  const twice = await (await made({ store, waitMs: 0 })).ask(
    hook("approval_0"),
  );
  assert.equal(verdict(twice), "deny");
  assert.match(reason(twice), /it may have run already/);
});

/** Faults of a store, each with the error. */
const BROKEN: readonly (readonly [string, Partial<ApprovalStore>, RegExp])[] = [
  ["cannot park", {
    park: () => Promise.reject(new Error("disk full")),
  }, /did not park a request: disk full/],
  ["throws at once", {
    park: () => {
      throw new Error("disk full");
    },
  }, /did not park a request: disk full/],
  ["lost the question", {
    get: () => Promise.resolve(undefined),
  }, /did not give a request: it is gone/],
  ["gives garbage", {
    get: () => Promise.resolve("yes" as unknown as Approval),
  }, /did not give a request: it is no approval/],
  ["cannot take the answer", {
    take: () => Promise.reject(new Error("disk full")),
  }, /did not note that a decision is taken: disk full/],
];

for (const [what, more, expected] of BROKEN) {
  test(`a store that ${what} is a denial and an error`, async () => {
    const { store } = seen();
    const { ask, errors, clock } = await made({
      store: { ...store, ...more },
      waitMs: 0,
    });
    if (more.take !== undefined) {
      const first = await made({ store, waitMs: 0 });
      await first.ask(hook("approval_0"));
      const [approval] = await store.list();
      await store.answer(String(approval?.request.id), ALLOW);
    }
    const answer = await ask(hook("approval_0"));
    await clock.advance(0);
    assert.equal(verdict(answer), "deny");
    assert.match(reason(answer), expected);
    assert.match(String(errors[0]?.message), expected);
    assert.equal(errors.length, 1);
  });
}

/** Values that a store may return instead of the real question. */
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
  ["another working directory", (real) => ({
    ...real,
    request: { ...real.request, cwd: "/tmp" },
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
    const { ask, errors } = await made({
      waitMs: 0,
      store: {
        ...store,
        get: async (id) => forge(await store.get(id) as Approval) as Approval,
      },
    });
    assert.equal(verdict(await ask(hook("approval_0"))), "deny");
    assert.match(String(errors[0]?.message), /did not give a request/);
  });
}

for (const method of ["park", "get", "take"] as const) {
  test(`a store that hangs in ${method}() is a denial after its limit`, async () => {
    const { store } = seen();
    let called = () => {};
    const hanging = new Promise<void>((resolve) => called = resolve);
    const { ask, clock, errors } = await made({
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
    const answer = ask(hook("approval_0"));
    await hanging;
    await clock.advance(30_000);
    assert.equal(verdict(await answer), "deny");
    assert.match(String(errors[0]?.message), /no answer within 30000 ms/);
  });
}

for (const told of [undefined, null, "no", 1, {}]) {
  test(`a take() that gives ${JSON.stringify(told)} instead of true is a denial and an error`, async () => {
    const { store } = seen();
    const { ask, errors } = await made({
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
    assert.equal(verdict(await ask(hook("approval_0"))), "deny");
    assert.match(
      String(errors[0]?.message),
      /note that a decision is taken: take\(\) must return true or false/,
    );
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
      () => Promise.reject(new Error("boom")),
    ] as unknown as readonly ApprovalStore["watch"][]
  ) {
    const { answer } = await decided(ALLOW, {
      watch,
    } as Partial<ApprovalStore>);
    assert.equal(verdict(answer), "allow");
  }
});

test("a call that the CLI cancels is no question any more", async () => {
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
  const { tell, cancel, errors, clock } = await made({ store });
  // Not in the middle of a look, whose digest would outlive the test.
  const rested = rests(clock)();
  await tell(hook("approval_0"), "back");
  await rested;
  await cancel("back");
  await clock.advance(250);
  await closed;
  assert.deepEqual(errors, []);
  assert.deepEqual(given, {
    behavior: "deny",
    message: "This call is no longer pending",
  });
});

test("an answer after an interrupt is not used; a call after it waits as any other", async () => {
  const { store, looked } = seen();
  const { ask, clock, conversation, close } = await made({ store });
  let parked = looked();
  const first = ask(hook("approval_0"));
  await parked;
  conversation.interrupt().catch(() => {});
  const [{ request } = assert.fail("No request")] = await store.list();
  await store.answer(request.id, ALLOW);
  while (!await isSettled(first)) await clock.advance(10);
  assert.equal(verdict(await first), "deny");
  assert.equal((await store.get(request.id))?.isTaken, undefined);
  parked = looked();
  const next = ask(hook("approval_0", { tool_use_id: "toolu_2" }));
  await parked;
  for (const { request } of await store.list()) {
    await store.answer(request.id, ALLOW);
  }
  while (!await isSettled(next)) await clock.advance(10);
  assert.equal(verdict(await next), "allow");
  await close();
});

test("a conversation that ends puts off what waits", async () => {
  const { store, looked } = seen();
  const { ask, clock, conversation } = await made({ store });
  const parked = looked();
  const [first, second] = [ask(hook("approval_0")), ask(hook("deferral_1"))];
  await parked;
  const closing = conversation.close();
  // Time passes once both are answered: the end has its timeouts.
  assert.equal(verdict(await first), "defer");
  assert.equal(verdict(await second), "ask");
  await clock.advance(60_000);
  await closing;
});

for (
  const { what, decision, more, expected } of [
    { what: "an approval", decision: ALLOW, more: {}, expected: "defer" },
    { what: "a denial", decision: DENY, more: {}, expected: "defer" },
    {
      what: "an approval of a subagent's call",
      decision: ALLOW,
      more: { agent_id: "agent" },
      expected: "deny",
    },
  ] as const
) {
  test(`${what} is not used by a conversation that ends`, async () => {
    const { store } = seen();
    const closing = new Deferred<Promise<void>>();
    const { ask, clock, conversation } = await made({
      store: {
        ...store,
        async get(id) {
          await store.answer(id, decision);
          closing.resolve(conversation.close());
          await new Promise((resolve) => setTimeout(resolve));
          return await store.get(id);
        },
      },
    });
    assert.equal(verdict(await ask(hook("approval_0", more))), expected);
    const [kept] = await store.list();
    assert.deepEqual([kept?.decision, kept?.isTaken], [decision, undefined]);
    await clock.advance(60_000);
    await closing.promise;
  });
}

test("the CLI waits longer for the hooks than their timeout", async () => {
  const { hooks } = await made({
    store: memoryApprovals(),
    waitMs: 86_400_000,
  });
  const [matcher] = hooks?.PreToolUse as unknown as readonly [
    { readonly timeout: number; readonly onFailure: string },
  ];
  assert.ok(matcher.timeout > 86_400 && matcher.timeout < 90_000);
  assert.equal(matcher.onFailure, "block");
});

test("faulty options are refused at once, by name", () => {
  const store = memoryApprovals();
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
    assert.equal(configErrorOf(() => query("x", options)).key, key);
  }
  // No option that switches hooks off is allowed with them.
  const bare = {
    permissions: { approvals: { store } },
    extraArgs: { bare: null },
  };
  assert.match(
    configErrorOf(() => query("x", bare)).message,
    /beside "permissions.approvals"/,
  );
});

test("an answer that comes while the question is read is used at once", async () => {
  const { watch, ...store } = memoryApprovals();
  let isFirst = true;
  const racing: ApprovalStore = {
    ...store,
    watch,
    async get(id) {
      const found = await store.get(id);
      if (isFirst) await store.answer(id, ALLOW);
      isFirst = false;
      return found;
    },
  };
  const { ask, close } = await made({ store: racing });
  // The clock stands still, so that no later look can find it.
  assert.equal(verdict(await ask(hook("approval_0"))), "allow");
  await close();
});

for (
  const { what, input, updatedInput, plan } of [
    { what: "its call", input: { plan: "A", other: 1 }, plan: "A\n" },
    { what: "a call without one", input: { other: 1 }, plan: "" },
    {
      what: "the decision",
      input: { plan: "A", other: 1 },
      updatedInput: { plan: "B", other: 1 },
      plan: "B",
    },
  ]
) {
  test(`an allowed plan is that of ${what}, in the answer to the question of the CLI`, async () => {
    const { store } = seen();
    const { ask } = await made({ store, waitMs: 0 });
    const tool_name = "ExitPlanMode";
    const call = hook("approval_0", { tool_name, tool_input: input });
    assert.equal(verdict(await ask(call)), "defer");
    const [approval] = await store.list();
    const decision = { ...ALLOW, ...updatedInput && { updatedInput } };
    await store.answer(String(approval?.request.id), decision);
    assert.deepEqual((await ask(call)).hookSpecificOutput, {
      hookEventName: "PreToolUse",
      permissionDecision: "allow",
    });
    assert.deepEqual(await ask(question({ tool_name, input })), {
      behavior: "allow",
      updatedInput: { other: 1, plan },
    });
  });
}

test("without a callback a call that the store does not decide is denied, and one that waits as that", async () => {
  const { store } = seen();
  const { ask } = await made({ store, waitMs: 0 });
  const asked = (tool_use_id: string) =>
    ask({
      subtype: "can_use_tool",
      tool_name: "Bash",
      tool_use_id,
      input: { command: "ls" },
    });
  await ask(hook("approval_0"));
  for (
    const [id, message] of [
      ["toolu_1", /^This call waits for an approval$/],
      ["toolu_2", /^permissions\.approvals does not decide this call, and no/],
    ] as const
  ) {
    const answer = await asked(id);
    assert.equal(answer.behavior, "deny");
    assert.match(String(answer.message), message);
  }
});

/** Question of the CLI about a call. */
function question(more: JsonObject = {}): JsonObject {
  return {
    subtype: "can_use_tool",
    tool_name: "Bash",
    tool_use_id: "toolu_1",
    input: { command: "ls" },
    ...more,
  };
}

for (
  const { what, more, updatedInput, allows } of [
    { what: "the call", more: {}, allows: true },
    {
      what: "the call, with the changed input",
      more: { input: { command: "ls -l" } },
      updatedInput: { command: "ls -l" },
      allows: true,
    },
    {
      what: "the call, with the input of the model",
      more: {},
      updatedInput: { command: "ls -l" },
      allows: true,
    },
    { what: "another input", more: { input: { command: "rm" } } },
    { what: "another tool", more: { tool_name: "Write" } },
  ]
) {
  test(
    `a question about ${what} after an approval is ${
      allows === true ? "allowed" : "a denial and an error"
    }, once`,
    async () => {
      const { store } = seen();
      const first = await made({ store, waitMs: 0 });
      await first.ask(hook("approval_0"));
      const [approval] = await store.list();
      await store.answer(String(approval?.request.id), {
        ...ALLOW,
        ...updatedInput && { updatedInput },
      } as ApprovalDecision);
      const { ask, errors } = await made({ store, waitMs: 0 });
      assert.equal(verdict(await ask(hook("approval_0"))), "allow");
      const answer = await ask(question(more));
      if (allows === true) {
        assert.deepEqual(answer, {
          ...ALLOW,
          updatedInput: updatedInput ?? { command: "ls" },
        });
        assert.deepEqual(errors, []);
      } else {
        assert.equal(answer.behavior, "deny");
        assert.match(String(answer.message), /asks about another call/);
        assert.equal(errors[0]?.code, "protocol_handler");
      }
      const again = await ask(question());
      assert.match(String(again.message), /does not decide this call/);
    },
  );
}

test("an approval answers no question about a later call with the same id", async () => {
  const { store } = seen();
  const first = await made({ store, waitMs: 0 });
  await first.ask(hook("approval_0"));
  const [approval] = await store.list();
  await store.answer(String(approval?.request.id), ALLOW);
  const park = (_tool: string, { command }: JsonObject) => command !== "pwd";
  const { ask } = await made({ store, park, waitMs: 0 });
  assert.equal(verdict(await ask(hook("approval_0"))), "allow");
  const later = { tool_input: { command: "pwd" }, prompt_id: "p2" };
  assert.deepEqual(await ask(hook("approval_0", later)), {});
  assert.equal((await ask(question())).behavior, "deny");
});

for (
  const { what, park, denies } of [
    { what: "a call that waits", park: undefined, denies: true },
    {
      what: "a call that waits, to one that does not,",
      park: (_tool: string, { command }: JsonObject) => command === "ls",
      denies: true,
    },
    {
      what: "a call to one that waits",
      park: (_tool: string, { command }: JsonObject) => command !== "ls",
      denies: true,
    },
    { what: "another call", park: () => false, denies: false },
  ]
) {
  test(
    `a PermissionRequest hook ${
      denies ? "cannot" : "can"
    } change the input of ${what}`,
    async () => {
      const { store } = seen();
      const { ask } = await asking({
        permissions: { approvals: { store, park } },
        hooks: {
          PermissionRequest: [{
            hooks: [(input) => {
              Object.assign(input.tool_input as JsonObject, {
                command: "echo",
              });
              return {
                hookSpecificOutput: {
                  hookEventName: "PermissionRequest",
                  decision: {
                    behavior: "allow",
                    updatedInput: { command: "rm" },
                  },
                },
              };
            }],
          }],
        },
      });
      const { hookSpecificOutput } = await ask({
        subtype: "hook_callback",
        callback_id: "hook_0",
        input: {
          hook_event_name: "PermissionRequest",
          tool_name: "Bash",
          tool_input: { command: "ls" },
        },
      });
      const { decision } = hookSpecificOutput as JsonObject;
      const { behavior } = decision as JsonObject;
      assert.equal(behavior, denies ? "deny" : "allow");
    },
  );
}
