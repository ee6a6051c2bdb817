import assert from "node:assert/strict";
import {
  type CanUseTool,
  type HookCallback,
  type Options,
  query,
} from "@sluice/agent/compat";
import { Deferred } from "@sluice/agent/extend";
import type { FakeStep } from "@sluice/agent/testing";
import type { JsonObject } from "@sluice/agent";
import { test } from "../_harness.ts";
import { drained, messagesOf, openPrompts, withFake } from "./_compat.ts";

/** Asks the host something, and gives its answer: the response, or the error. */
async function answerTo(
  request: JsonObject,
  options: Options,
): Promise<JsonObject | undefined> {
  let answer: JsonObject | undefined;
  await withFake([[{ request, id: "q1" }, "ok"]], async (standIn, fake) => {
    await drained("Hi", { ...standIn, ...options });
    const line = fake.received.find(({ type, response }) =>
      type === "control_response" &&
      (response as JsonObject)["request_id"] === "q1"
    );
    answer = line?.["response"] as JsonObject | undefined;
  });
  return answer;
}

const ASK: JsonObject = {
  subtype: "can_use_tool",
  tool_name: "Bash",
  input: { command: "ls" },
  tool_use_id: "t1",
  permission_suggestions: [],
  mcp_server: { name: "srv", source: "user", more: 1 },
  matched_ask_rule: { source: "user", tool_name: "Bash", rule_content: "ls" },
  agent_id: "a1",
};

test("canUseTool gets the call by the official names, and its answer gets the id of the call", async () => {
  let told: readonly unknown[] = [];
  const canUseTool: CanUseTool = (...all) => {
    told = all;
    return Promise.resolve({
      behavior: "allow",
      updatedInput: { command: "pwd" },
    });
  };
  const answer = await answerTo(ASK, { canUseTool });
  assert.deepEqual(answer?.["response"], {
    behavior: "allow",
    updatedInput: { command: "pwd" },
    toolUseID: "t1",
  });
  const [name, input, { signal, ...rest }] = told as [
    string,
    object,
    { signal: AbortSignal },
  ];
  assert.deepEqual([name, input, signal.aborted], [
    "Bash",
    { command: "ls" },
    false,
  ]);
  // Fields that the CLI omits exist as undefined: programs test for keys.
  assert.deepEqual(rest, {
    requestId: "q1",
    toolUseID: "t1",
    suggestions: [],
    blockedPath: undefined,
    decisionReason: undefined,
    title: undefined,
    displayName: undefined,
    description: undefined,
    defaultToNo: undefined,
    suppressAlwaysAllowRule: undefined,
    mcpServer: { name: "srv", source: "user" },
    matchedAskRule: { source: "user", toolName: "Bash", ruleContent: "ls" },
    agentID: "a1",
  });
});

test("canUseTool may pass on a copy of its options, its signal and rare fields included", async () => {
  const ask = {
    ...ASK,
    decision_reason_type: "rule",
    decision_reason_code: "r1",
    server_policy_ask_only: false,
    plugin: "p",
    requires_user_interaction: true,
    server_prompt: "Sure?",
    computer_folder: "/tmp",
  };
  let copy: Record<string, unknown> = {};
  const canUseTool: CanUseTool = (_name, _input, options) => {
    copy = { ...options };
    assert.equal(copy["signal"], options.signal);
    return Promise.resolve({ behavior: "allow" });
  };
  await answerTo(ask, { canUseTool });
  assert.ok(copy["signal"] instanceof AbortSignal);
  const names = [
    "decisionReasonType",
    "decisionReasonCode",
    "serverPolicyAskOnly",
    "plugin",
    "requiresUserInteraction",
    "serverPrompt",
    "computerFolder",
  ];
  assert.deepEqual(names.map((name) => copy[name]), [
    "rule",
    "r1",
    false,
    "p",
    true,
    "Sure?",
    "/tmp",
  ]);
});

test("an error of canUseTool is the answer", async () => {
  const canUseTool = () => Promise.reject(new Error("broken"));
  const answer = await answerTo(ASK, { canUseTool });
  assert.deepEqual(answer, {
    subtype: "error",
    request_id: "q1",
    error: "broken",
  });
});

test("without canUseTool the question is answered with an error", async () => {
  const answer = await answerTo(ASK, {});
  assert.equal(answer?.["error"], "canUseTool callback is not provided.");
});

test("null leaves a question open", async () => {
  const ask: FakeStep = { request: ASK, id: "q1", wait: false };
  await withFake([[ask, "ok"]], async (options, fake) => {
    const canUseTool = () => Promise.resolve(null);
    await drained("Hi", { ...options, canUseTool });
    assert.ok(!fake.received.some(({ type }) => type === "control_response"));
  });
});

test("callbacks that forget to return answer all the same, so that the CLI does not wait", async () => {
  const forget = () => Promise.resolve(undefined as never);
  const options: Options = {
    canUseTool: forget,
    onElicitation: forget,
    onUserDialog: forget,
    supportedDialogKinds: ["x"],
  };
  for (
    const request of [
      ASK,
      { subtype: "elicitation", mcp_server_name: "srv", message: "Name?" },
      { subtype: "request_user_dialog", dialog_kind: "x", payload: {} },
    ]
  ) {
    const answer = await answerTo(request, options);
    assert.equal(answer?.["subtype"], "success", String(request.subtype));
  }
});

test("a question that is taken back aborts its signal, and is answered all the same", async () => {
  const steps: readonly FakeStep[] = [
    { request: ASK, id: "q1", wait: false },
    { cancel: "q1" },
    "ok",
  ];
  await withFake([steps], async (options, fake) => {
    const canUseTool: CanUseTool = async (_name, _input, { signal }) => {
      if (!signal.aborted) {
        await new Promise((resolve) =>
          signal.addEventListener("abort", resolve, { once: true })
        );
      }
      return { behavior: "deny", message: "late" };
    };
    const prompts = openPrompts();
    const run = query({
      prompt: prompts.stream,
      options: { ...options, canUseTool },
    });
    prompts.say("Hi");
    const answer = await fake.receivedLine(({ type }) =>
      type === "control_response"
    );
    assert.deepEqual((answer["response"] as JsonObject)["response"], {
      behavior: "deny",
      message: "late",
      toolUseID: "t1",
    });
    prompts.end();
    await messagesOf(run);
  });
});

test("hooks are registered with ids in order, and called by them", async () => {
  const seen: unknown[] = [];
  const hook =
    (name: string): HookCallback => (input, toolUseId, { signal }) => {
      seen.push([name, input.hook_event_name, toolUseId, signal.aborted]);
      return Promise.resolve({ systemMessage: name });
    };
  const hooks: Options["hooks"] = {
    PreToolUse: [
      { matcher: "Bash", hooks: [hook("a"), hook("b")], timeout: 5 },
      { hooks: [hook("c")] },
    ],
    Stop: [],
  };
  const call = (id: string): FakeStep => ({
    request: {
      subtype: "hook_callback",
      callback_id: id,
      input: { hook_event_name: "PreToolUse" },
      tool_use_id: "t1",
    },
  });
  await withFake(
    [[call("hook_1"), call("hook_2"), call("hook_9"), "ok"]],
    async (options, fake) => {
      await drained("Hi", { ...options, hooks });
      const [first] = fake.received;
      assert.deepEqual((first?.["request"] as JsonObject)["hooks"], {
        PreToolUse: [
          {
            matcher: "Bash",
            hookCallbackIds: ["hook_0", "hook_1"],
            timeout: 5,
          },
          { hookCallbackIds: ["hook_2"] },
        ],
      });
      const answers = fake.received
        .filter(({ type }) => type === "control_response")
        .map(({ response }) => response as JsonObject);
      assert.deepEqual(
        answers.map(({ response, error }) => response ?? error),
        [
          { systemMessage: "b" },
          { systemMessage: "c" },
          "No hook callback found for ID: hook_9",
        ],
      );
      assert.deepEqual(seen, [
        ["b", "PreToolUse", "t1", false],
        ["c", "PreToolUse", "t1", false],
      ]);
    },
  );
});

test("a hook that has to block holds the prompt back until the CLI has said that it knows such hooks", async () => {
  const hook: HookCallback = () => Promise.resolve({});
  const hooks: Options["hooks"] = {
    PreToolUse: [{ hooks: [hook], onFailure: "block" }],
  };
  await withFake(
    { initialize: { hook_on_failure_supported: false } },
    async (options, fake) => {
      await assert.rejects(
        drained("Hi", { ...options, hooks }),
        /does not know onFailure/,
      );
      assert.ok(!fake.received.some(({ type }) => type === "user"));
    },
  );
});

test("elicitations without a callback are declined, dialogs are left to others", async () => {
  const elicitation = {
    subtype: "elicitation",
    mcp_server_name: "srv",
    message: "Name?",
    requested_schema: { type: "object" },
  };
  assert.deepEqual((await answerTo(elicitation, {}))?.["response"], {
    action: "decline",
  });
  let asked: unknown;
  const answer = await answerTo(elicitation, {
    onElicitation(request) {
      asked = request;
      return Promise.resolve({ action: "accept", content: { name: "Ada" } });
    },
  });
  assert.deepEqual(asked, {
    serverName: "srv",
    message: "Name?",
    mode: undefined,
    url: undefined,
    elicitationId: undefined,
    requestedSchema: { type: "object" },
    title: undefined,
    displayName: undefined,
    description: undefined,
  });
  assert.deepEqual(answer?.["response"], {
    action: "accept",
    content: { name: "Ada" },
  });
  const dialog = {
    subtype: "request_user_dialog",
    dialog_kind: "x",
    payload: { a: 1 },
  };
  const shown = await answerTo(dialog, {
    onUserDialog: ({ dialogKind, payload }) =>
      Promise.resolve({ behavior: "completed", result: [dialogKind, payload] }),
  });
  assert.deepEqual(shown?.["response"], {
    behavior: "completed",
    result: ["x", { a: 1 }],
  });
});

test("an unknown request is refused with its code", async () => {
  for (const subtype of ["juggle", "constructor"]) {
    const answer = await answerTo({ subtype }, {});
    assert.deepEqual(answer, {
      subtype: "error",
      request_id: "q1",
      error: `Unsupported control request subtype: ${subtype}`,
      error_code: "unsupported_request",
    });
  }
});

test("a question is answered however many messages are unread", async () => {
  const canUseTool: CanUseTool = (_name, updatedInput) =>
    Promise.resolve({ behavior: "allow", updatedInput });
  const steps: readonly FakeStep[] = [
    { say: "x".repeat(2_000_000), chunks: 2_000 },
    { request: ASK, id: "q1" },
  ];
  await withFake([steps], async (options, fake) => {
    const run = query({
      prompt: "Hi",
      options: { ...options, canUseTool, includePartialMessages: true },
    });
    await fake.receivedLine(({ type }) => type === "control_response");
    let count = 0;
    for await (const message of run) {
      if (message.type !== "stream_event") continue;
      if (message.event.type === "content_block_delta") count++;
    }
    assert.equal(count, 2_000);
  });
});

test("a callback that closes the query before it returns has its signal aborted", async () => {
  const steps: readonly FakeStep[] = [{ request: ASK, id: "q1" }, "ok"];
  await withFake([steps], async (options) => {
    const aborted = new Deferred<void>();
    const canUseTool: CanUseTool = async (_name, _input, { signal }) => {
      signal.addEventListener("abort", () => aborted.resolve());
      run.close();
      await aborted.promise;
      return { behavior: "deny", message: "closed" };
    };
    const run = query({ prompt: "Hi", options: { ...options, canUseTool } });
    await Promise.all([aborted.promise, messagesOf(run).catch(() => {})]);
  });
});
