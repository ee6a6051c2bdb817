import assert from "node:assert/strict";
import {
  type AgentOptions,
  HOOK_EVENTS,
  type HookCallback,
  type HookContext,
  type HookEvent,
  type HookMatcher,
  type JsonObject,
  memoryApprovals,
  ProtocolError,
} from "@sluice/agent";
import type { ToolPolicy } from "../../src/options/tool_policy.ts";
import { test } from "../_harness.ts";
import { nextTurn } from "../_turn.ts";
import { FakeRequest, never, rig } from "./_rig.ts";
import type { ControlFields } from "../../src/types/controls.ts";

type Returned = (input: never, context: HookContext) => unknown;

/** One callback for one event, whatever it returns. */
function hooksFor(
  event: HookEvent,
  callback: Returned,
  matcher: Omit<HookMatcher, "hooks"> = {},
): AgentOptions {
  return {
    hooks: { [event]: [{ ...matcher, hooks: [callback as HookCallback] }] },
  };
}

function call(event: HookEvent, id = "hook_0"): ControlFields {
  return {
    subtype: "hook_callback",
    callback_id: id,
    tool_use_id: "toolu_1",
    input: {
      session_id: "s1",
      transcript_path: "/home/user/t.jsonl",
      cwd: "/home/user/project",
      hook_event_name: event,
      tool_name: "Bash",
      tool_input: { command: "ls" },
      tool_use_id: "toolu_1",
    },
  };
}

/** What an event is answered with when it is to be stopped. */
function blocked(event: HookEvent, reason: string): JsonObject {
  const stopped = { continue: false, stopReason: reason };
  const denied = {
    permissionDecision: "deny",
    permissionDecisionReason: reason,
  };
  switch (event) {
    case "PreToolUse":
      return { hookSpecificOutput: { hookEventName: event, ...denied } };
    case "PermissionRequest":
      return {
        hookSpecificOutput: {
          hookEventName: event,
          decision: { behavior: "deny", message: reason },
        },
      };
    case "PreModelSwitch":
      return {
        ...stopped,
        hookSpecificOutput: { hookEventName: event, ...denied },
      };
    case "Elicitation":
    case "ElicitationResult":
      return {
        ...stopped,
        hookSpecificOutput: { hookEventName: event, action: "decline" },
      };
    case "PostToolUse":
    case "PostToolUseFailure":
    case "PostToolBatch":
    case "UserPromptSubmit":
    case "UserPromptExpansion":
    case "Stop":
    case "SubagentStop":
    case "PreCompact":
    case "ConfigChange":
      return { decision: "block", reason };
    default:
      return stopped;
  }
}

test("putHooks() gives each callback an id, and the CLI a longer limit than its own", () => {
  const callback = () => ({});
  const { hooks } = rig({
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
});

test("putHooks() registers nothing when there is nothing", () => {
  assert.equal(rig({}).hooks, undefined);
  assert.equal(rig({ hooks: { Stop: [] } }).hooks, undefined);
});

test("hook_callback runs the callback of the id with input, tool call and signal", () => {
  const seen: unknown[] = [];
  const { ask } = rig({
    hooks: {
      PostToolUse: [{
        hooks: [
          () => assert.fail("another id"),
          (input, context) => {
            seen.push(input, context.toolUseId, context.signal.aborted);
            return {
              hookSpecificOutput: {
                hookEventName: "PostToolUse",
                additionalContext: "Well done",
              },
            };
          },
        ],
      }],
    },
  });
  const request = call("PostToolUse", "hook_1");
  assert.deepEqual(ask(request), {
    hookSpecificOutput: {
      hookEventName: "PostToolUse",
      additionalContext: "Well done",
    },
  });
  assert.deepEqual(seen, [request.input, "toolu_1", false]);
});

test("hook_callback needs no promise, timer or signal for an answer that is there at once", () => {
  const context = new FakeRequest();
  const { ask, clock } = rig(hooksFor("PreToolUse", () => ({})));
  assert.deepEqual(ask(call("PreToolUse"), context), {});
  assert.equal(clock.pending, 0);
  assert.equal(context.looks, 0);
});

test("hook_callback takes every well formed output, as a copy", async () => {
  const cases: readonly [HookEvent, JsonObject][] = [
    ["PreToolUse", {}],
    ["PreToolUse", {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "defer",
        updatedInput: {},
      },
    }],
    ["PreToolUse", { async: true, asyncTimeout: 5_000 }],
    ["PostToolUse", {
      hookSpecificOutput: {
        hookEventName: "PostToolUse",
        updatedToolOutput: null,
      },
    }],
    ["PermissionRequest", {
      hookSpecificOutput: {
        hookEventName: "PermissionRequest",
        decision: { behavior: "allow" },
      },
    }],
    ["SessionStart", {
      hookSpecificOutput: { hookEventName: "SessionStart", watchPaths: ["/a"] },
    }],
    ["WorktreeCreate", {
      hookSpecificOutput: {
        hookEventName: "WorktreeCreate",
        worktreePath: "/a",
      },
    }],
    ["Stop", {
      decision: "block",
      reason: "Not yet",
      continue: true,
      suppressOutput: true,
      systemMessage: "Hm",
    }],
  ];
  for (const [event, output] of cases) {
    const now = rig(hooksFor(event, () => output));
    assert.deepEqual(now.ask(call(event)), output);
    const later = rig(hooksFor(event, () => Promise.resolve(output)));
    assert.deepEqual(await later.ask(call(event)), output);
    assert.deepEqual([...now.errors, ...later.errors], []);
    later.deadlines.close();
  }
});

test("hook_callback takes nothing for an empty output", async () => {
  const { ask, errors } = rig(hooksFor("PreToolUse", () => {}));
  assert.deepEqual(ask(call("PreToolUse")), {});
  const later = rig(hooksFor("PreToolUse", () => Promise.resolve()));
  assert.deepEqual(await later.ask(call("PreToolUse")), {});
  assert.deepEqual([...errors, ...later.errors], []);
  later.deadlines.close();
});

test("hook_callback fills in the event of the specific output", () => {
  const output = {
    reason: "r",
    hookSpecificOutput: { permissionDecision: "ask" },
  };
  const { ask, errors } = rig(hooksFor("PreToolUse", () => output));
  assert.deepEqual(ask(call("PreToolUse")), {
    reason: "r",
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "ask",
    },
  });
  assert.deepEqual(output.hookSpecificOutput, { permissionDecision: "ask" });
  assert.deepEqual(errors, []);
});

test(
  "hook_callback stays shut for PreToolUse and goes on for every other event when a hook throws",
  async () => {
    const boom = new Error("boom");
    for (const event of HOOK_EVENTS) {
      for (
        const callback of [() => {
          throw boom;
        }, () => Promise.reject(boom)]
      ) {
        const { ask, errors, counted, deadlines } = rig(
          hooksFor(event, callback),
        );
        const message = `Hook for ${event} failed: boom`;
        const answer = await ask(call(event));
        assert.deepEqual(
          answer,
          event === "PreToolUse" ? blocked(event, message) : {},
          event,
        );
        const [error] = errors;
        assert.ok(error instanceof ProtocolError);
        assert.equal(errors.length, 1);
        assert.equal(error.category, "handler");
        assert.equal(error.subtype, "hook_callback");
        assert.equal(error.cause, boom);
        assert.deepEqual(error.details, {
          event,
          hookId: "hook_0",
          tool: "Bash",
        });
        assert.equal(
          error.message,
          `${message} (category: handler, subtype: hook_callback, request: r7)`,
        );
        assert.deepEqual(counted, [["handlerFailure", "hook_callback", error]]);
        deadlines.close();
      }
    }
  },
  { ids: ["R-12", "R-11"] },
);

test(
  "hook_callback does what onFailure says, in the words of each event",
  async () => {
    for (const event of HOOK_EVENTS) {
      for (const onFailure of ["block", "continue"] as const) {
        const { ask, errors, deadlines } = rig(
          hooksFor(event, () => Promise.reject("no"), { onFailure }),
        );
        const answer = await ask(call(event));
        const wanted = onFailure === "block"
          ? blocked(event, `Hook for ${event} failed: no`)
          : {};
        assert.deepEqual(answer, wanted, `${event} ${onFailure}`);
        assert.equal(errors.length, 1);
        deadlines.close();
      }
    }
  },
  { ids: ["R-12"] },
);

test("hook_callback treats a wrong shape as a failure", async () => {
  const specific = "hookSpecificOutput.";
  const cases: readonly [HookEvent, unknown, string][] = [
    ["PreToolUse", null, "must be an object, is null"],
    ["PreToolUse", "deny", "must be an object, is string"],
    ["PreToolUse", [], "must be an object, is array"],
    [
      "PreToolUse",
      { continue: "no" },
      'field "continue" must be a boolean, is "no"',
    ],
    [
      "PreToolUse",
      { decision: "deny" },
      'field "decision" must be "approve" or "block", is "deny"',
    ],
    [
      "PreToolUse",
      { stopReason: 7 },
      'field "stopReason" must be a string, is number',
    ],
    [
      "PreToolUse",
      { async: true, asyncTimeout: "1" },
      'field "asyncTimeout" must be a number, is "1"',
    ],
    [
      "PreToolUse",
      { asyncTimeout: 1 },
      'field "asyncTimeout" needs "async" beside it',
    ],
    [
      "PreToolUse",
      { async: true, hookSpecificOutput: { permissionDecision: "deny" } },
      'field "hookSpecificOutput" must be left out beside "async"',
    ],
    [
      "PreToolUse",
      { async: false },
      'field "async" must be true or left out',
    ],
    [
      "PreToolUse",
      { behavior: "deny", message: "no" },
      'field "behavior" is unknown, use "hookSpecificOutput.permissionDecision"',
    ],
    [
      "PreToolUse",
      { permissionDecision: "deny" },
      'field "permissionDecision" is unknown, it belongs into "hookSpecificOutput"',
    ],
    [
      "PreToolUse",
      { hookSpecificOutput: { permissionDecison: "deny" } },
      `field "${specific}permissionDecison" is unknown, the nearest one is "permissionDecision"`,
    ],
    [
      "PreToolUse",
      new Error("denied"),
      "must be a plain object, is an instance of Error",
    ],
    [
      "PreToolUse",
      { hookSpecificOutput: [] },
      'field "hookSpecificOutput" must be an object, is array',
    ],
    [
      "PreToolUse",
      { hookSpecificOutput: { hookEventName: "Stop" } },
      `field "${specific}hookEventName" must be "PreToolUse", is "Stop"`,
    ],
    [
      "PreToolUse",
      { hookSpecificOutput: { permissionDecision: "denied" } },
      `field "${specific}permissionDecision" must be "allow" or "deny" or "ask" or "defer", is "denied"`,
    ],
    [
      "PreToolUse",
      { hookSpecificOutput: { updatedInput: "ls" } },
      `field "${specific}updatedInput" must be an object, is "ls"`,
    ],
    [
      "SessionStart",
      { hookSpecificOutput: { watchPaths: "/a" } },
      `field "${specific}watchPaths" must be a list of strings, is "/a"`,
    ],
    [
      "PermissionRequest",
      { hookSpecificOutput: {} },
      `field "${specific}decision" is missing`,
    ],
    [
      "PermissionRequest",
      { hookSpecificOutput: { decision: {} } },
      `field "${specific}decision.behavior" is missing`,
    ],
    [
      "PermissionRequest",
      { hookSpecificOutput: { decision: { behavior: "ask" } } },
      `field "${specific}decision.behavior" must be "allow" or "deny", is "ask"`,
    ],
    [
      "WorktreeCreate",
      { hookSpecificOutput: {} },
      `field "${specific}worktreePath" is missing`,
    ],
  ];
  for (const [event, output, fact] of cases) {
    const message = `Hook for ${event} returned a wrong shape: ${fact}`;
    for (const returned of [output, Promise.resolve(output)]) {
      const { ask, errors, deadlines } = rig(hooksFor(event, () => returned));
      const answer = await ask(call(event));
      assert.deepEqual(
        answer,
        event === "PreToolUse" ? blocked(event, message) : {},
        message,
      );
      assert.deepEqual(
        errors.map(({ category, details }) => [category, details.event]),
        [["handler", event]],
      );
      assert.ok(
        errors[0]?.message.startsWith(`${message} (`),
        errors[0]?.message,
      );
      deadlines.close();
    }
  }
}, { ids: ["R-12"] });

test(
  "hook_callback gives a hook 30 s, and tells it when they are over",
  async () => {
    let signal: AbortSignal | undefined;
    const { ask, clock, errors, counted, logged } = rig(
      hooksFor("PreToolUse", (_input, context) => {
        signal = context.signal;
        return never();
      }),
    );
    const request = call("PreToolUse");
    const answer = ask(request);
    await clock.advance(29_999);
    assert.equal(errors.length, 0);
    assert.equal(signal?.aborted, false);
    await clock.advance(1);
    const message = "Hook for PreToolUse did not answer within 30000 ms";
    assert.deepEqual(await answer, blocked("PreToolUse", message));
    assert.equal(signal?.aborted, true);
    const [error] = errors;
    assert.equal(error?.category, "timeout");
    assert.equal(
      error?.message,
      `${message} (category: timeout, subtype: hook_callback, request: r7)`,
    );
    assert.deepEqual(error?.details, {
      event: "PreToolUse",
      hookId: "hook_0",
      tool: "Bash",
      limitMs: 30_000,
    });
    assert.deepEqual(counted, [
      ["timeout", "hook_callback"],
      ["handlerFailure", "hook_callback", error],
    ]);
    assert.deepEqual(logged.map(([, fields]) => fields), [{
      subtype: "hook_callback",
      requestId: "r7",
      input: request.input,
      durationMs: 30_000,
    }]);
  },
  { ids: ["T-02", "T-05", "T-07", "T-08", "R-12", "DEC-02"] },
);

test(
  "hook_callback takes the limit of the matcher before that of the options",
  async () => {
    const { ask, clock, errors } = rig({
      timeouts: { hookMs: 70 },
      hooks: {
        Stop: [{ hooks: [never], timeoutMs: 50 }, { hooks: [never] }],
      },
    });
    const own = ask(call("Stop"));
    const general = ask(call("Stop", "hook_1"));
    await clock.advance(50);
    assert.deepEqual(await own, {});
    assert.equal(errors.length, 1);
    await clock.advance(20);
    assert.deepEqual(await general, {});
    assert.deepEqual(errors.map(({ details }) => details.limitMs), [50, 70]);
  },
  { ids: ["T-09", "T-02", "DEC-02", "DEC-09"] },
);

test("hook_callback reports nothing when the CLI took the call back", async () => {
  const context = new FakeRequest();
  const { ask, errors, deadlines } = rig(
    hooksFor("Stop", async (_input, { signal }) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      signal.throwIfAborted();
    }),
  );
  const answer = ask(call("Stop"), context);
  context.cancel();
  await answer;
  assert.deepEqual(errors, []);
  deadlines.close();
});

test("hook_callback runs callbacks beside each other", async () => {
  const order: string[] = [];
  const open: (() => void)[] = [];
  const { ask, deadlines } = rig({
    hooks: {
      PreToolUse: [{
        hooks: [
          async () => {
            order.push("first begins");
            await new Promise<void>((resolve) => open.push(resolve));
            order.push("first ends");
            return {};
          },
          () => {
            order.push("second");
            return {};
          },
        ],
      }],
    },
  });
  const first = ask(call("PreToolUse"));
  await ask(call("PreToolUse", "hook_1"));
  open[0]?.();
  await first;
  assert.deepEqual(order, ["first begins", "second", "first ends"]);
  deadlines.close();
});

test("hook_callback throws for an id that nobody gave", () => {
  const { ask } = rig(hooksFor("PreToolUse", () => ({})));
  for (const id of ["hook_1", "constructor", 7 as never, null as never]) {
    assert.throws(() => ask(call("PreToolUse", id)), (error) => {
      assert.ok(error instanceof ProtocolError);
      assert.equal(error.category, "protocol");
      assert.equal(error.subtype, "hook_callback");
      assert.equal(error.requestId, "r7");
      assert.match(error.message, /^Hook is unknown: /);
      return true;
    });
  }
});

test("hook_callback stays shut when the input is no object", () => {
  const { ask, errors } = rig(
    hooksFor("PreToolUse", () => assert.fail("called")),
  );
  const message =
    "Hook for PreToolUse was not called: its input must be an object, is string";
  const { input: _, ...request } = call("PreToolUse");
  assert.deepEqual(
    ask({ ...request, input: "ls" }),
    blocked("PreToolUse", message),
  );
  assert.equal(errors.length, 1);
});

test("putHooks() puts the policy in front of the user's hooks", () => {
  const calls: unknown[] = [];
  const policy: ToolPolicy = (tool, input) => {
    calls.push([tool, input]);
    return tool === "Bash" ? undefined : `Tool "${tool}" is not allowed`;
  };
  const { hooks, ask } = rig(hooksFor("PreToolUse", () => ({})), { policy });
  const [ours, theirs] = hooks?.PreToolUse as readonly JsonObject[];
  assert.deepEqual(ours, {
    hookCallbackIds: ["hook_1"],
    timeout: 35,
    onFailure: "block",
  });
  assert.deepEqual(theirs?.hookCallbackIds, ["hook_0"]);
  assert.deepEqual(ask(call("PreToolUse", "hook_1")), {});
  const request = call("PreToolUse", "hook_1");
  const input = { ...request.input as JsonObject, tool_name: "Edit" };
  assert.deepEqual(
    ask({ ...request, input }),
    blocked("PreToolUse", 'Tool "Edit" is not allowed'),
  );
  assert.deepEqual(calls, [["Bash", { command: "ls" }], ["Edit", {
    command: "ls",
  }]]);
  // a hook of the options decides no more than the policy lets it.
  assert.deepEqual(
    ask({ ...call("PreToolUse", "hook_0"), input }),
    blocked("PreToolUse", 'Tool "Edit" is not allowed'),
  );
});

test("putHooks() keeps the policy shut when it breaks or is told nonsense", () => {
  const broken = rig({}, {
    policy: () => {
      throw new Error("boom");
    },
  });
  assert.deepEqual(Object.keys(broken.hooks ?? {}), ["PreToolUse"]);
  assert.deepEqual(
    broken.ask(call("PreToolUse")),
    blocked("PreToolUse", "Hook for PreToolUse failed: the policy broke"),
  );
  assert.equal(broken.errors.length, 1);
  const open = rig({}, { policy: () => undefined });
  const request = call("PreToolUse");
  for (const patch of [{ tool_name: undefined }, { tool_input: "ls" }]) {
    const input = { ...request.input as JsonObject, ...patch };
    assert.deepEqual(
      open.ask({ ...request, input }),
      blocked(
        "PreToolUse",
        "Hook for PreToolUse was not called: its input names no tool call",
      ),
    );
  }
  assert.equal(open.errors.length, 2);
});

test("putHooks() passes on an event that came later", () => {
  const options = {
    hooks: {
      MoonRise: [{ hooks: [() => ({ hookSpecificOutput: { phase: 1 } })] }],
    },
  };
  const { hooks, ask, errors } = rig(options as AgentOptions);
  assert.deepEqual(Object.keys(hooks ?? {}), ["MoonRise"]);
  assert.deepEqual(ask(call("MoonRise" as never)), {
    hookSpecificOutput: { phase: 1, hookEventName: "MoonRise" },
  });
  assert.deepEqual(errors, []);
});

test("a hook that decides calls is a denial when the question names no tool call, with no list of tools too", async () => {
  for (const event of ["PreToolUse", "PermissionRequest"] as const) {
    let calls = 0;
    const { ask, errors } = rig(hooksFor(event, () => void calls++));
    const request = call(event);
    for (const patch of [{ tool_name: undefined }, { tool_input: "ls" }]) {
      const input = { ...request.input as JsonObject, ...patch };
      const answer = await ask({ ...request, input });
      assert.match(JSON.stringify(answer), /"deny"/, event);
    }
    assert.equal(calls, 0);
    assert.equal(errors.length, 2);
  }
});

test("a reason without its verdict and an input of which nothing is left are a denial", async () => {
  const lost = [
    { permissionDecision: undefined, permissionDecisionReason: "denied" },
    { permissionDecision: "allow", updatedInput: { command: undefined } },
  ];
  for (const hookSpecificOutput of lost) {
    const { ask, errors } = rig(
      hooksFor("PreToolUse", (() => ({ hookSpecificOutput })) as never),
    );
    const answer = await ask(call("PreToolUse"));
    assert.match(JSON.stringify(answer), /"permissionDecision":"deny"/);
    assert.equal(errors.length, 1);
  }
});

test("a hook may defer a call", async () => {
  const deferring = hooksFor("PreToolUse", () => ({
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "defer",
    },
  }));
  const answer = await rig(deferring).ask(call("PreToolUse"));
  assert.match(JSON.stringify(answer), /"permissionDecision":"defer"/);
});

test("an answer of a hook that cannot be written keeps the call from running, unless the hook may be passed over", () => {
  const denialFor = (event: HookEvent, onFailure?: "continue" | "block") => {
    const matcher = { hooks: [() => ({})], ...onFailure && { onFailure } };
    const { denials } = rig({ hooks: { [event]: [matcher] } });
    return denials.get("hook_callback")?.(call(event, "hook_0"), "no JSON");
  };
  assert.deepEqual(denialFor("PreToolUse"), blocked("PreToolUse", "no JSON"));
  assert.deepEqual(denialFor("PreToolUse", "continue"), {});
  assert.deepEqual(denialFor("PostToolUse"), {});
  assert.deepEqual(denialFor("PostToolUse", "block"), {
    decision: "block",
    reason: "no JSON",
  });
});

test("a call that the policy refuses is denied at once, and no question of it is stored", async () => {
  const store = memoryApprovals();
  const policy: ToolPolicy = () => "not in allowedTools";
  const { hooks, ask, deadlines } = rig(
    { permissions: { approvals: { store } } },
    { policy },
  );
  const ids = (hooks?.PreToolUse as readonly JsonObject[])
    .flatMap(({ hookCallbackIds }) => hookCallbackIds as readonly string[]);
  assert.ok(ids.length > 1);
  const answers = ids.map((id) => ask(call("PreToolUse", id)));
  await nextTurn();
  assert.deepEqual(await store.list(), []);
  for (const answer of await Promise.all(answers)) {
    assert.deepEqual(answer, blocked("PreToolUse", "not in allowedTools"));
  }
  deadlines.close();
});
