import assert from "node:assert/strict";
import {
  type CanUseTool,
  type JsonObject,
  type JsonValue,
  type PermissionContext,
  type PermissionDecision,
  ProtocolError,
} from "@sluice/agent";
import { test } from "../_harness.ts";
import { FakeRequest, never, rig } from "./_rig.ts";
import type { ControlFields } from "../../src/types/controls.ts";

const REQUEST = {
  subtype: "can_use_tool",
  tool_name: "Bash",
  input: { command: "touch a.txt" },
  tool_use_id: "toolu_1",
} satisfies ControlFields;

/** The answer without the id of the tool call, which the protocol leaves open; another call's id would be wrong. */
async function decisionOf(
  answer: JsonObject | undefined | Promise<JsonObject | undefined>,
): Promise<JsonObject> {
  const { toolUseID = REQUEST.tool_use_id, ...decision } = await answer ?? {};
  assert.equal(toolUseID, REQUEST.tool_use_id);
  return decision;
}

function permissions(canUseTool: CanUseTool, timeoutMs?: number) {
  return rig({
    permissions: { canUseTool, ...timeoutMs !== undefined && { timeoutMs } },
  });
}

test("can_use_tool hands over tool, input and what is known of the question", async () => {
  const seen: unknown[] = [];
  const suggestions: JsonValue = [{
    type: "setMode",
    mode: "acceptEdits",
    destination: "session",
  }];
  const request: ControlFields = {
    ...REQUEST,
    permission_suggestions: suggestions,
    blocked_path: "/etc",
    decision_reason: "Path outside of the project",
    title: "Run a command",
    display_name: "Shell",
    description: "Makes a file",
    agent_id: "a1",
    mcp_server: { name: "docs", source: "project" },
    requires_user_interaction: true,
    news: 7,
  };
  const { ask, errors } = permissions((tool, input, context) => {
    seen.push(tool, input, context.toolUseId, { ...context });
    return { behavior: "allow" };
  });
  assert.deepEqual(await decisionOf(ask(request)), { behavior: "allow" });
  assert.deepEqual(seen, ["Bash", REQUEST.input, "toolu_1", {
    requestId: "r7",
    toolUseId: "toolu_1",
    suggestions,
    blockedPath: "/etc",
    decisionReason: "Path outside of the project",
    title: "Run a command",
    displayName: "Shell",
    description: "Makes a file",
    agentId: "a1",
    mcpServer: { name: "docs", source: "project" },
    requiresUserInteraction: true,
    raw: request,
  }]);
  assert.deepEqual(errors, []);
});

test("can_use_tool leaves absent what the question does not say", () => {
  let keys: readonly string[] = [];
  const { ask } = permissions((_tool, _input, context) => {
    keys = Object.keys(context);
    return { behavior: "deny", message: "No" };
  });
  ask({ ...REQUEST, tool_use_id: 7, title: null, mcp_server: {} });
  assert.deepEqual(keys.toSorted(), ["raw", "requestId"]);
});

test("can_use_tool answers what the callback decides, now or later", async () => {
  const decisions: readonly PermissionDecision[] = [
    { behavior: "allow" },
    { behavior: "allow", updatedInput: { command: "ls" } },
    {
      behavior: "allow",
      updatedPermissions: [{
        type: "addRules",
        rules: [{ toolName: "Bash" }],
        behavior: "allow",
        destination: "session",
      }],
    },
    { behavior: "deny", message: "Not today" },
    { behavior: "deny", message: "Stop", interrupt: true },
  ];
  for (const decision of decisions) {
    const now = permissions(() => decision);
    assert.deepEqual(await decisionOf(now.ask(REQUEST)), decision);
    const later = permissions(() => Promise.resolve(decision));
    assert.deepEqual(await decisionOf(later.ask(REQUEST)), decision);
    assert.deepEqual([...now.errors, ...later.errors], []);
    later.deadlines.close();
  }
});

test("can_use_tool needs no promise, timer or signal for an answer that is there at once", () => {
  const context = new FakeRequest();
  const { ask, clock } = permissions(() => ({ behavior: "allow" }));
  const answer = ask(REQUEST, context);
  assert.equal(answer instanceof Promise, false);
  assert.equal(clock.pending, 0);
  assert.equal(context.looks, 0);
});

test(
  "can_use_tool is a deny with the reason when the callback throws",
  async () => {
    const boom = new Error("boom");
    for (
      const canUseTool of [
        () => {
          throw boom;
        },
        () => Promise.reject(boom),
      ]
    ) {
      const { ask, errors, counted, deadlines } = permissions(canUseTool);
      const message = 'Permission callback for "Bash" failed: boom';
      assert.deepEqual(await decisionOf(ask(REQUEST)), {
        behavior: "deny",
        message,
      });
      const [error] = errors;
      assert.ok(error instanceof ProtocolError);
      assert.equal(errors.length, 1);
      assert.equal(error.category, "handler");
      assert.equal(error.subtype, "can_use_tool");
      assert.equal(error.requestId, "r7");
      assert.equal(error.requestData, REQUEST);
      assert.equal(error.cause, boom);
      assert.equal(error.fatal, false);
      assert.deepEqual(error.details, { tool: "Bash", toolUseId: "toolu_1" });
      assert.equal(
        error.message,
        `${message} (category: handler, subtype: can_use_tool, request: r7)`,
      );
      assert.deepEqual(counted, [["handlerFailure", "can_use_tool", error]]);
      deadlines.close();
    }
  },
  { ids: ["R-12", "R-11"] },
);

test(
  "can_use_tool is a deny with the reason for anything else than a decision",
  async () => {
    const cases: readonly [value: unknown, fact: string][] = [
      [
        undefined,
        'must be a decision, as in { behavior: "allow" } or { behavior: "deny", message }, is undefined',
      ],
      [
        null,
        'must be a decision, as in { behavior: "allow" } or { behavior: "deny", message }, is null',
      ],
      [
        true,
        'must be a decision, as in { behavior: "allow" } or { behavior: "deny", message }, is boolean',
      ],
      [
        "allow",
        'must be a decision, as in { behavior: "allow" } or { behavior: "deny", message }, is string',
      ],
      [[], "must be an object, is array"],
      [{}, 'field "behavior" is missing'],
      [
        { behavior: "maybe" },
        'field "behavior" must be "allow" or "deny", is "maybe"',
      ],
      [
        { behavior: true },
        'field "behavior" must be "allow" or "deny", is boolean',
      ],
      [{ behavior: "deny" }, 'field "message" is missing'],
      [
        { behavior: "deny", message: 7 },
        'field "message" must be a string, is number',
      ],
      [
        { behavior: "deny", message: "x", interrupt: 1 },
        'field "interrupt" must be a boolean, is number',
      ],
      [
        { behavior: "allow", updatedInput: "ls" },
        'field "updatedInput" must be an object, is "ls"',
      ],
      [
        { behavior: "allow", updatedInput: null },
        'field "updatedInput" must be an object, is null',
      ],
      [
        { behavior: "allow", updatedPermissions: {} },
        'field "updatedPermissions" must be a list of objects, is object',
      ],
      [
        { behavior: "allow", updatedPermissions: ["Bash"] },
        'field "updatedPermissions.0" must be an object, is "Bash"',
      ],
      [
        { behavior: "allow", updatedPermissions: [{ type: "addRule" }] },
        'field "updatedPermissions.0.type" must be "addRules" or "replaceRules" or "removeRules" or "setMode" or "addDirectories" or "removeDirectories", is "addRule"',
      ],
      [
        { behavior: "allow", message: "Go on" },
        'field "message" is unknown, the known ones are "behavior", "updatedInput", "updatedPermissions", "toolUseID", "decisionClassification"',
      ],
      [
        { behavior: "allow", toolUseID: "toolu_2" },
        'field "toolUseID" must be the id of the call that was asked about',
      ],
      [
        Object.create({ behavior: "allow" }),
        "must be a plain object, is an object with another prototype",
      ],
      [
        { behavior: "allow", updatedInput: new Map([["command", "ls"]]) },
        'field "updatedInput" must be a plain object, is an instance of Map',
      ],
    ];
    for (const [value, fact] of cases) {
      const message =
        `Permission callback for "Bash" returned a wrong shape: ${fact}`;
      for (const returned of [value, Promise.resolve(value)]) {
        const { ask, errors, deadlines } = permissions(() => returned as never);
        assert.deepEqual(await decisionOf(ask(REQUEST)), {
          behavior: "deny",
          message,
        });
        assert.equal(errors.length, 1, message);
        assert.equal(errors[0]?.category, "handler");
        deadlines.close();
      }
    }
  },
  { ids: ["R-12"] },
);

test("can_use_tool takes keys without a value for absent", async () => {
  const decision = { behavior: "allow", updatedInput: undefined } as never;
  const { ask, errors } = permissions(() => decision);
  assert.equal(
    JSON.stringify(await decisionOf(ask(REQUEST))),
    '{"behavior":"allow"}',
  );
  assert.deepEqual(errors, []);
});

test(
  "can_use_tool is a deny after 120 s, and the callback hears of it",
  async () => {
    let context: PermissionContext | undefined;
    const { ask, clock, errors, counted, logged, deadlines } = permissions(
      (_tool, _input, given) => {
        context = given;
        return never();
      },
    );
    const answer = ask(REQUEST);
    assert.equal(context?.signal.aborted, false);
    await clock.advance(119_999);
    assert.equal(errors.length, 0);
    await clock.advance(1);
    const message =
      'Permission callback for "Bash" did not answer within 120000 ms';
    assert.deepEqual(await decisionOf(answer), {
      behavior: "deny",
      message,
    });
    assert.equal(context?.signal.aborted, true);
    assert.match(
      String(context?.signal.reason.message),
      /did not answer within 120000 ms/,
    );
    const [error] = errors;
    assert.equal(error?.category, "timeout");
    assert.equal(error?.code, "protocol_timeout");
    assert.equal(
      error?.message,
      `${message} (category: timeout, subtype: can_use_tool, request: r7)`,
    );
    assert.equal(error?.details.limitMs, 120_000);
    assert.deepEqual(counted, [
      ["timeout", "can_use_tool"],
      ["handlerFailure", "can_use_tool", error],
    ]);
    assert.deepEqual(logged, [["Callback timed out", {
      subtype: "can_use_tool",
      requestId: "r7",
      input: REQUEST.input,
      durationMs: 120_000,
    }]]);
    deadlines.close();
  },
  { ids: ["T-03", "T-05", "T-07", "T-08", "R-12", "DEC-03"] },
);

test(
  "can_use_tool has the limit of permissions.timeoutMs, then of timeouts.permissionMs",
  async () => {
    const own = permissions(never, 50);
    const ownAnswer = own.ask(REQUEST);
    await own.clock.advance(50);
    assert.match(String((await ownAnswer)?.message), /within 50 ms$/);
    const general = rig({
      permissions: { canUseTool: never },
      timeouts: { permissionMs: 70 },
    });
    const generalAnswer = general.ask(REQUEST);
    await general.clock.advance(70);
    assert.match(String((await generalAnswer)?.message), /within 70 ms$/);
  },
  { ids: ["T-03", "DEC-09"] },
);

test(
  "can_use_tool ignores what a callback says or throws after its limit",
  async () => {
    let settle: (reject: boolean) => void = () => {};
    for (const rejects of [true, false]) {
      const { ask, clock, errors } = permissions(
        () =>
          new Promise((resolve, reject) => {
            settle = (isBad) =>
              isBad ? reject(new Error("late")) : resolve({} as never);
          }),
        50,
      );
      const answer = ask(REQUEST);
      await clock.advance(50);
      await answer;
      settle(rejects);
      await clock.advance(0);
      assert.equal(errors.length, 1);
    }
  },
  { ids: ["T-03"] },
);

test("can_use_tool reports nothing when the question was taken back", async () => {
  const context = new FakeRequest();
  const { ask, clock, errors, counted, deadlines } = permissions(
    (_tool, _input, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
  );
  const answer = ask(REQUEST, context);
  context.cancel();
  assert.equal((await answer)?.behavior, "deny");
  const unheard = new FakeRequest();
  const silent = permissions(never, 50);
  const never_ = silent.ask(REQUEST, unheard);
  unheard.cancel();
  await silent.clock.advance(50);
  assert.equal((await never_)?.behavior, "deny");
  await clock.advance(200_000);
  assert.deepEqual([errors, counted, silent.errors], [[], [], []]);
  deadlines.close();
});

test("can_use_tool gives a signal that is aborted already when it is read late", async () => {
  const signals: AbortSignal[] = [];
  const context = new FakeRequest();
  const reason = new Error("gone");
  const { ask, clock } = permissions(async (_tool, _input, given) => {
    await clock.sleep(10);
    signals.push(given.signal);
    return { behavior: "allow" };
  }, 50);
  const answer = ask(REQUEST, context);
  context.cancel(reason);
  await clock.advance(10);
  await answer;
  const late = permissions((_tool, _input, given) => {
    void clock.sleep(10).then(() => signals.push(given.signal));
    return never();
  }, 5);
  const lateAnswer = late.ask(REQUEST);
  await late.clock.advance(5);
  await lateAnswer;
  await clock.advance(10);
  assert.deepEqual(signals.map(({ aborted }) => aborted), [true, true]);
  assert.equal(signals[0]?.reason, reason);
  await clock.advance(50);
});

test("can_use_tool blocks its own request only", async () => {
  const open: ((decision: PermissionDecision) => void)[] = [];
  const { ask, deadlines } = permissions((tool) =>
    tool === "Slow"
      ? new Promise((resolve) => open.push(resolve))
      : { behavior: "allow" }
  );
  const slow = ask({ ...REQUEST, tool_name: "Slow" });
  assert.equal((await ask(REQUEST))?.behavior, "allow");
  open[0]?.({ behavior: "deny", message: "No" });
  assert.equal((await slow)?.behavior, "deny");
  deadlines.close();
}, { ids: ["T-09", "DEC-03"] });

test("can_use_tool is a deny without a callback", async () => {
  const { ask, errors } = rig({});
  assert.deepEqual(await decisionOf(ask(REQUEST)), {
    behavior: "deny",
    message: "No permission callback is set",
  });
  assert.deepEqual(errors, []);
});

test("can_use_tool is a reported deny when the request names no tool or input", async () => {
  let calls = 0;
  const { ask, errors, counted } = permissions(() => {
    calls++;
    return { behavior: "allow" };
  });
  for (const patch of [{ tool_name: 7 }, { input: "ls" }, { input: null }]) {
    assert.deepEqual(await decisionOf(ask({ ...REQUEST, ...patch })), {
      behavior: "deny",
      message: "Permission request names no tool or no input",
    });
  }
  assert.equal(calls, 0);
  assert.deepEqual(errors.map(({ category }) => category), [
    "protocol",
    "protocol",
    "protocol",
  ]);
  assert.deepEqual(counted[0], ["malformedMessage", "can_use_tool"]);
});

test("can_use_tool is a deny when nothing is left of the changed input: the CLI would run the one it asked about", async () => {
  const updatedInput = { command: undefined } as never;
  const { ask, errors } = permissions(() => ({
    behavior: "allow",
    updatedInput,
  }));
  assert.equal((await decisionOf(ask(REQUEST))).behavior, "deny");
  assert.equal(errors.length, 1);
});

test("can_use_tool waits as long as the option says, whatever the callback's own timeout is", async () => {
  for (
    const [timeoutMs, own, expected] of [
      [2_000, 5_000, 2_000],
      [5_000, 2_000, 5_000],
      [undefined, 3_000, 3_000],
    ] as const
  ) {
    const canUseTool = Object.assign(() => never(), { timeoutMs: own });
    const { ask, clock, deadlines } = rig({
      permissions: { canUseTool, ...timeoutMs !== undefined && { timeoutMs } },
    });
    const decision = decisionOf(ask(REQUEST));
    await clock.advance(expected);
    assert.match(
      String((await decision).message),
      new RegExp(`did not answer within ${expected} ms`),
    );
    deadlines.close();
  }
});
