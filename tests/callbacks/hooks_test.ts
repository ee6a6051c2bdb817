import assert from "node:assert/strict";
import {
  type AgentOptions,
  HOOK_EVENTS,
  type HookCallback,
  type HookEvent,
  type HookMatcher,
  type JsonObject,
  memoryApprovals,
  ProtocolError,
} from "@sluice/agent";
import { test } from "../_harness.ts";
import { asking } from "./_asking.ts";

/** One callback for one event, whatever it returns. */
function hooksFor(
  event: HookEvent,
  callback: (...args: Parameters<HookCallback>) => unknown,
  matcher: Omit<HookMatcher, "hooks"> = {},
): AgentOptions {
  return {
    hooks: { [event]: [{ ...matcher, hooks: [callback as HookCallback] }] },
  };
}

function call(
  event: string,
  more: Readonly<Record<string, unknown>> = {},
  callback_id = "hook_0",
): JsonObject {
  return {
    subtype: "hook_callback",
    callback_id,
    tool_use_id: "toolu_1",
    input: {
      session_id: "s1",
      cwd: "/home/user/project",
      hook_event_name: event,
      tool_name: "Bash",
      tool_input: { command: "ls" },
      tool_use_id: "toolu_1",
      ...more as JsonObject,
    },
  };
}

/** Answer that stops an event. */
function blocked(event: string, reason: string): JsonObject {
  const stopped = { continue: false, stopReason: reason };
  const denied = {
    permissionDecision: "deny",
    permissionDecisionReason: reason,
  };
  const specific = (fields: JsonObject) => ({
    hookSpecificOutput: { hookEventName: event, ...fields },
  });
  switch (event) {
    case "PreToolUse":
    case "PreSkillShellCommand":
      return specific(denied);
    case "PermissionRequest":
      return specific({ decision: { behavior: "deny", message: reason } });
    case "PreModelSwitch":
      return { ...stopped, ...specific(denied) };
    case "Elicitation":
    case "ElicitationResult":
      return { ...stopped, ...specific({ action: "decline" }) };
    case "PostToolUse":
    case "PostToolUseFailure":
    case "PostToolBatch":
    case "UserPromptSubmit":
    case "UserPromptExpansion":
    case "Stop":
    case "SubagentStop":
    case "PreCompact":
    case "ConfigChange":
    case "TaskCreated":
    case "TaskCompleted":
      return { decision: "block", reason };
    default:
      return stopped;
  }
}

test("each callback has an id, and the CLI a longer limit than its own", async () => {
  const callback = () => ({});
  const { hooks, close } = await asking({
    timeouts: { hookMs: 10_000 },
    hooks: {
      PreToolUse: [
        { matcher: "Bash|Edit", hooks: [callback, callback] },
        { hooks: [callback], onFailure: "continue", timeoutMs: 50 },
      ],
      Stop: [{ hooks: [callback], onFailure: "block" }, { hooks: [] }],
      Notification: [],
    },
  });
  assert.deepEqual(hooks, {
    PreToolUse: [
      {
        matcher: "Bash|Edit",
        hookCallbackIds: ["hook_0", "hook_1"],
        timeout: 15,
        onFailure: "block",
      },
      { hookCallbackIds: ["hook_2"], timeout: 6 },
    ],
    Stop: [{ hookCallbackIds: ["hook_3"], timeout: 15, onFailure: "block" }],
  });
  await close();
});

test("a hook may answer all that its event knows, at once or later, and nothing", async () => {
  const specific = (hookEventName: HookEvent, fields: JsonObject) => ({
    hookSpecificOutput: { hookEventName, ...fields },
  });
  const cases: readonly [HookEvent, JsonObject | undefined][] = [
    ["PreToolUse", {}],
    ["PreToolUse", undefined],
    [
      "PreToolUse",
      specific("PreToolUse", { permissionDecision: "defer", updatedInput: {} }),
    ],
    ["PreToolUse", { async: true, asyncTimeout: 5_000 }],
    ["PostToolUse", specific("PostToolUse", { updatedToolOutput: null })],
    [
      "PermissionRequest",
      specific("PermissionRequest", { decision: { behavior: "allow" } }),
    ],
    ["SessionStart", specific("SessionStart", { watchPaths: ["/a"] })],
    ["WorktreeCreate", specific("WorktreeCreate", { worktreePath: "/a" })],
    ["Stop", {
      decision: "block",
      reason: "Not yet",
      continue: true,
      suppressOutput: true,
      systemMessage: "Hm",
    }],
  ];
  for (const [event, output] of cases) {
    for (const returned of [output, Promise.resolve(output)]) {
      const { ask, errors, close } = await asking(
        hooksFor(event, () => returned),
      );
      assert.deepEqual(await ask(call(event)), output ?? {});
      await close();
      assert.deepEqual(errors, []);
    }
  }
  const unnamed = { hookSpecificOutput: { permissionDecision: "ask" } };
  const { ask, close } = await asking(hooksFor("PreToolUse", () => unnamed));
  assert.deepEqual(
    await ask(call("PreToolUse")),
    specific("PreToolUse", { permissionDecision: "ask" }),
  );
  await close();
});

test(
  "a hook that throws does what onFailure says, in the words of each event: only those before a tool or command block unless told",
  async () => {
    const boom = new Error("boom");
    for (const event of HOOK_EVENTS) {
      for (const onFailure of ["block", "continue", undefined] as const) {
        const fail = () => {
          throw boom;
        };
        const { ask, errors, close } = await asking(
          hooksFor(event, fail, onFailure && { onFailure }),
        );
        const message = `Hook for ${event} failed: boom`;
        const isGuard = ["PreToolUse", "PreSkillShellCommand"].includes(event);
        const isShut = (onFailure ?? (isGuard && "block")) === "block";
        assert.deepEqual(
          await ask(call(event)),
          isShut ? blocked(event, message) : {},
          `${event} ${onFailure}`,
        );
        await close();
        const [error, ...more] = errors;
        assert.deepEqual(more, []);
        assert.ok(error instanceof ProtocolError);
        assert.equal(error.category, "handler");
        assert.equal(error.cause, boom);
        assert.deepEqual(error.details, {
          event,
          hookId: "hook_0",
          tool: "Bash",
        });
        assert.equal(
          error.message,
          `${message} (category: handler, subtype: hook_callback, request: r1)`,
        );
      }
    }
  },
  { ids: ["R-12", "R-11"] },
);

test(
  "an answer of a wrong shape is a failure that names the field",
  async () => {
    const specific = (fields: object) => ({ hookSpecificOutput: fields });
    const cases: readonly [HookEvent, unknown, string][] = [
      ["PreToolUse", null, "must be an object"],
      ["PreToolUse", new Error("denied"), "an instance of Error"],
      ["PreToolUse", { continue: "no" }, '"continue" must be a boolean'],
      ["PreToolUse", { decision: "deny" }, 'must be "approve" or "block"'],
      ["PreToolUse", { asyncTimeout: 1 }, '"asyncTimeout" needs "async"'],
      [
        "PreToolUse",
        { async: true, ...specific({ permissionDecision: "deny" }) },
        'must be left out beside "async"',
      ],
      ["PreToolUse", { behavior: "deny" }, '"behavior" is unknown'],
      ["PreToolUse", { permissionDecision: "deny" }, "it belongs into"],
      [
        "PreToolUse",
        specific({ permissionDecison: "deny" }),
        'the nearest one is "permissionDecision"',
      ],
      ["PreToolUse", specific({ hookEventName: "Stop" }), 'is "Stop"'],
      ["PreToolUse", specific({ updatedInput: "ls" }), "must be an object"],
      [
        "PreToolUse",
        specific({ permissionDecisionReason: "denied" }),
        "permissionDecision",
      ],
      [
        "PreToolUse",
        specific({
          permissionDecision: "allow",
          updatedInput: { command: undefined },
        }),
        "updatedInput",
      ],
      ["SessionStart", specific({ watchPaths: "/a" }), "a list of strings"],
      ["PermissionRequest", specific({}), ".decision"],
      ["PermissionRequest", specific({ decision: {} }), ".decision.behavior"],
      [
        "PermissionRequest",
        specific({
          decision: { behavior: "allow", updatedInput: { command: undefined } },
        }),
        ".decision.updatedInput",
      ],
      ["WorktreeCreate", specific({}), ".worktreePath"],
    ];
    for (const [event, output, fact] of cases) {
      const { ask, errors, close } = await asking(
        hooksFor(event, () => output),
      );
      const answer = JSON.stringify(await ask(call(event)));
      if (event !== "PreToolUse") assert.equal(answer, "{}");
      else assert.match(answer, /"permissionDecision":"deny"/);
      await close();
      assert.equal(errors.length, 1, fact);
      const message = String(errors[0]?.message);
      assert.ok(message.includes(fact), message);
    }
  },
  { ids: ["R-12"] },
);

test("a hook that decides calls is a denial when the question names no tool call, with and without lists of tools", async () => {
  for (const event of ["PreToolUse", "PermissionRequest"] as const) {
    let calls = 0;
    const { ask, errors, close } = await asking(
      hooksFor(event, () => void calls++),
    );
    for (const patch of [{ tool_name: undefined }, { tool_input: "ls" }]) {
      const answer = await ask(call(event, patch));
      assert.match(JSON.stringify(answer), /"deny"/, event);
    }
    if (event === "PreToolUse") {
      const answer = await ask({ ...call(event), input: "ls" });
      assert.match(JSON.stringify(answer), /"deny"/);
    }
    await close();
    assert.equal(calls, 0);
    assert.equal(errors.length, event === "PreToolUse" ? 3 : 2);
  }
  const { ask, close } = await asking({ deniedTools: ["Bash"] });
  for (const patch of [{ tool_name: undefined }, { tool_input: "ls" }]) {
    const answer = await ask(call("PreToolUse", patch, "policy_0"));
    assert.match(JSON.stringify(answer), /"permissionDecision":"deny"/);
  }
  await close();
});

test("a search is judged from the directory that the hook names, and one without a directory from each that was named", async () => {
  const { ask, close } = await asking({
    deniedTools: ["Grep(//w/private/**)"],
    permissions: { canUseTool: () => ({ behavior: "allow" }) },
  });
  const search = { tool_name: "Grep", tool_input: { path: "src" } };
  const request = {
    subtype: "can_use_tool",
    tool_name: "Grep",
    input: search.tool_input,
    tool_use_id: "toolu_1",
  };
  const hook = async (cwd: string) =>
    JSON.stringify(
      await ask(call("PreToolUse", { ...search, cwd }, "policy_0")),
    );
  assert.equal(await hook("/w"), "{}");
  assert.match(JSON.stringify(await ask(request)), /"allow"/);
  assert.match(await hook("/w/private"), /"permissionDecision":"deny"/);
  assert.equal(await hook("/w"), "{}");
  assert.match(JSON.stringify(await ask(request)), /"deny"/);
  await close();
});

test("a hook that is asked again under one id keeps the call from running, unless it may be passed over", async () => {
  const again = async (event: HookEvent, onFailure?: "continue" | "block") => {
    const { ask, close } = await asking(
      hooksFor(event, () => ({}), onFailure && { onFailure }),
    );
    assert.deepEqual(await ask(call(event), "r9"), {});
    const answer = await ask(call(event), "r9");
    await close();
    return JSON.stringify(answer);
  };
  assert.match(await again("PreToolUse"), /"permissionDecision":"deny"/);
  assert.equal(await again("PreToolUse", "continue"), "{}");
  assert.match(await again("PostToolUse", "block"), /"decision":"block"/);
});

test("a call that the lists of tools refuse is denied by each hook at once, and no question of it is stored", async () => {
  const store = memoryApprovals();
  const { hooks, ask, close } = await asking({
    deniedTools: ["Bash"],
    permissions: { approvals: { store } },
    hooks: { PreToolUse: [{ hooks: [() => ({})] }] },
  });
  const ids = (hooks?.PreToolUse ?? []).flatMap(({ hookCallbackIds }) =>
    hookCallbackIds as readonly string[]
  );
  assert.ok(ids.length > 2);
  for (const id of ids) {
    const answer = await ask(call("PreToolUse", {}, id));
    assert.match(JSON.stringify(answer), /"permissionDecision":"deny"/, id);
  }
  assert.deepEqual(await store.list(), []);
  await close();
});
