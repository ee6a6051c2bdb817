import assert from "node:assert/strict";
import {
  type CanUseTool,
  type JsonObject,
  type Message,
  type PermissionContext,
  query,
} from "@sluice/agent";
import { fakeCli, FakeClock, type FakeStep } from "@sluice/agent/testing";
import { collect } from "../_collect.ts";
import { test } from "../_harness.ts";
import {
  assistantLine,
  isAnswerTo,
  logSpy,
  memoryCli,
  metricsSpy,
  requestLine,
  responseOf,
  resultLine,
  turns,
} from "./_rig.ts";

const BASH: FakeStep = {
  tool: "Bash",
  input: { command: "ls" },
  toolUseId: "toolu_1",
};

/** The request for a permission. */
function permission(tool_name: string, input: JsonObject = {}) {
  const tool_use_id = `toolu_${tool_name}`;
  return { subtype: "can_use_tool", tool_name, input, tool_use_id };
}

/** The texts of all tool results. */
function toolResults(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) => {
    if (message.type !== "user") return [];
    const { content } = message.message;
    if (typeof content === "string") return [];
    return content.flatMap((block) =>
      block.type === "tool_result" ? [String(block.content)] : []
    );
  });
}

/** One tool call that the callback decides. */
async function decide(
  canUseTool: CanUseTool,
  limits: { timeoutMs?: number } = {},
) {
  const fake = fakeCli([[BASH, "after"]]);
  const conversation = query("x", {
    cliPath: fake.cliPath,
    permissions: { canUseTool, ...limits },
  });
  const [messages, errors] = await Promise.all([
    collect(conversation),
    collect(conversation.errors),
  ]);
  assert.equal(messages.error, undefined);
  assert.equal(messages.items.at(-1)?.type, "result", "it continues");
  const answer = fake.received.map(responseOf)
    .find(({ response }) => response !== undefined)
    ?.response as JsonObject;
  await fake.close();
  return {
    answer,
    results: toolResults(messages.items),
    errors: errors.items,
  };
}

test("an allowed tool runs, with the input that was decided", async () => {
  const plain = await decide(() => ({ behavior: "allow" }));
  assert.deepEqual(plain.results, ["ok"]);
  assert.deepEqual(plain.answer, { behavior: "allow" });
  const updatedInput = { command: "ls -l" };
  const updated = await decide(() =>
    Promise.resolve({
      behavior: "allow",
      updatedInput,
      updatedPermissions: [{
        type: "setMode",
        mode: "acceptEdits",
        destination: "session",
      }],
    })
  );
  assert.deepEqual(updated.answer.updatedInput, updatedInput);
  assert.equal((updated.answer.updatedPermissions as []).length, 1);
  assert.deepEqual([...plain.errors, ...updated.errors], []);
});

test("a denied tool does not run, and interrupt ends the turn", async () => {
  const { results, errors } = await decide(() => ({
    behavior: "deny",
    message: "Not in here",
  }));
  assert.deepEqual(results, ["Not in here"]);
  assert.deepEqual(errors, []);
  const interrupting = await decide(() => ({
    behavior: "deny",
    message: "Stop it",
    interrupt: true,
  }));
  assert.equal(interrupting.answer.interrupt, true);
});

test("the callback gets tool, input and context", async () => {
  const fields = {
    permission_suggestions: [{ type: "setMode", mode: "plan" }],
    blocked_path: "/etc",
    decision_reason: "outside",
    title: "Run ls",
    description: "Lists files",
    agent_id: "agent",
    mcp_server: { name: "m", source: "sdk" },
    requires_user_interaction: true,
    brand_new: 1,
  };
  const fake = fakeCli([[{ ...BASH, fields, id: "p1" }]]);
  const seen: {
    tool: string;
    input: JsonObject;
    context: PermissionContext;
  }[] = [];
  await query("x", {
    cliPath: fake.cliPath,
    permissions: {
      canUseTool: (tool, input, context) => {
        seen.push({ tool, input, context });
        return { behavior: "allow" };
      },
    },
  }).text();
  const [one] = seen;
  assert.equal(seen.length, 1);
  assert.equal(one?.tool, "Bash");
  assert.deepEqual(one.input, { command: "ls" });
  const { context } = one;
  assert.equal(context.requestId, "p1");
  assert.equal(context.toolUseId, "toolu_1");
  assert.equal(context.suggestions?.length, 1);
  assert.equal(context.blockedPath, "/etc");
  assert.equal(context.decisionReason, "outside");
  assert.equal(context.title, "Run ls");
  assert.equal(context.displayName, "Bash");
  assert.equal(context.description, "Lists files");
  assert.equal(context.agentId, "agent");
  assert.deepEqual(context.mcpServer, { name: "m", source: "sdk" });
  assert.equal(context.requiresUserInteraction, true);
  assert.equal(context.raw.brand_new, 1);
  assert.equal(context.signal.aborted, false);
  await fake.close();
});

test(
  "the limit of a permission is 120 s unless given, timeouts.permissionMs or permissions.timeoutMs",
  async () => {
    const variants: readonly [object, object, number][] = [
      [{}, {}, 120_000],
      [{ timeouts: { permissionMs: 7_000 } }, {}, 7_000],
      [{ timeouts: { permissionMs: 7_000 } }, { timeoutMs: 3_000 }, 3_000],
    ];
    for (const [options, permissions, ms] of variants) {
      const clock = new FakeClock();
      const log = logSpy();
      const metrics = metricsSpy();
      const { transport, peer } = memoryCli();
      const conversation = query("x", {
        ...options,
        transport,
        clock,
        logger: log.logger,
        metrics: metrics.metrics,
        // The watch of silences would look meanwhile.
        health: { checkMs: 1_000_000 },
        permissions: {
          ...permissions,
          canUseTool: () => new Promise(() => {}),
        },
      });
      await conversation.ready;
      await peer.send(
        requestLine("p1", {
          subtype: "can_use_tool",
          tool_name: "Bash",
          input: { command: "ls" },
          tool_use_id: "t",
        }),
      );
      await turns(2);
      await clock.advance(ms - 1);
      assert.equal(peer.lines.some(isAnswerTo("p1")), false);
      await clock.advance(1);
      const { response } = responseOf(await peer.line(isAnswerTo("p1")));
      assert.equal((response as JsonObject).behavior, "deny");
      assert.deepEqual(metrics.of("protocol.timeout"), [["can_use_tool"]]);
      const warning = log.lines.find(({ level }) => level === "warn");
      assert.equal(warning?.fields.subtype, "can_use_tool");
      assert.deepEqual(warning.fields.input, { command: "ls" });
      assert.equal(warning.fields.durationMs, ms);
      const closing = conversation.close();
      await clock.advance(60_000);
      await closing;
    }
  },
  { ids: ["T-03", "T-07", "T-08", "DEC-09"] },
);

test(
  "a pending permission blocks its own call and nothing else",
  async () => {
    const fake = fakeCli({
      turns: [[
        { request: permission("Bash"), id: "slow", wait: false },
        { request: permission("Read"), id: "fast" },
        "meanwhile",
        { hook: "Stop" },
        { wait: "answers" },
      ]],
    });
    const order: string[] = [];
    let decideSlow = () => {};
    const conversation = query("x", {
      cliPath: fake.cliPath,
      permissions: {
        canUseTool: (tool) => {
          order.push(tool);
          return tool === "Read"
            ? { behavior: "allow" }
            : new Promise((resolve) => {
              decideSlow = () => resolve({ behavior: "allow" });
            });
        },
      },
      hooks: {
        Stop: [{
          hooks: [() => {
            order.push("Stop");
            decideSlow();
            return {};
          }],
        }],
      },
    });
    for await (const message of conversation) {
      if (message.type === "assistant") {
        const [block] = message.message.content;
        if (block?.type === "text") order.push(block.text);
      }
    }
    assert.deepEqual(
      order.filter((one) => one !== "meanwhile"),
      ["Bash", "Read", "Stop"],
    );
    assert.ok(order.includes("meanwhile"));
    assert.equal(fake.received.filter(isAnswerTo("slow")).length, 1);
    await fake.close();
  },
  { ids: ["T-09", "DEC-03"] },
);

test("64 permissions at once are asked at once and each gets its own answer", async () => {
  const calls = Array.from({ length: 64 }, (_, n) => ({
    request: permission("Bash", { n }),
    id: `p${n}`,
    wait: false,
  }));
  const fake = fakeCli([[...calls, { wait: "answers" }]]);
  let open = 0;
  let release = () => {};
  const allAreAsked = new Promise<void>((resolve) => release = resolve);
  await query("x", {
    cliPath: fake.cliPath,
    permissions: {
      canUseTool: async (_tool, input) => {
        if (++open === 64) release();
        await allAreAsked;
        return { behavior: "allow", updatedInput: input };
      },
    },
  }).text();
  for (const { id, request: { input } } of calls) {
    const [answer, ...more] = fake.received.filter(isAnswerTo(id));
    assert.deepEqual(more, []);
    const { response } = responseOf(answer ?? {});
    assert.deepEqual((response as JsonObject).updatedInput, input);
  }
  await fake.close();
});

test("a request that the CLI takes back aborts the signal, and is not answered", async () => {
  const { transport, peer } = memoryCli();
  const seen: unknown[] = [];
  let answer = () => {};
  const conversation = query("x", {
    transport,
    permissions: {
      canUseTool: (_tool, _input, { signal }) => {
        signal.addEventListener("abort", () => seen.push(signal.reason));
        return new Promise((resolve) => {
          answer = () => resolve({ behavior: "allow" });
        });
      },
    },
  });
  await conversation.ready;
  const ask = requestLine("p1", {
    subtype: "can_use_tool",
    tool_name: "Bash",
    input: {},
    tool_use_id: "t",
  });
  await peer.send(ask, { type: "control_cancel_request", request_id: "p1" });
  await turns(2);
  assert.equal((seen[0] as Error).name, "AbortError");
  answer();
  await peer.send(assistantLine("a"), { type: "control_cancel_request" });
  await turns(3);
  assert.equal(peer.lines.some(isAnswerTo("p1")), false);
  await peer.send(resultLine());
  const { items } = await collect(conversation);
  assert.equal(items.at(-1)?.type, "result");
  const errors = (await collect(conversation.errors)).items;
  assert.deepEqual(errors.map(({ details }) => details.field), ["request_id"]);
  await conversation.close();
});

test(
  "a request that comes twice is run once, and its id is refused after its answer",
  async () => {
    const { transport, peer } = memoryCli();
    let calls = 0;
    const conversation = query("x", {
      transport,
      permissions: {
        canUseTool: async () => {
          calls++;
          await turns(2);
          return { behavior: "allow" };
        },
      },
    });
    await conversation.ready;
    const ask = requestLine("p1", {
      subtype: "can_use_tool",
      tool_name: "Bash",
      input: {},
      tool_use_id: "t",
    });
    await peer.send(ask, ask);
    await peer.line(isAnswerTo("p1"));
    await peer.send(ask);
    await turns(5);
    assert.equal(calls, 1);
    assert.deepEqual(
      peer.lines.filter(isAnswerTo("p1")).map((line) =>
        (responseOf(line).response as JsonObject).behavior
      ),
      ["allow", "deny"],
    );
    await conversation.close();
  },
  { ids: ["R-02"] },
);

test(
  "requests without a handler are refused, and nonsense is answered and reported",
  async () => {
    const metrics = metricsSpy();
    const { transport, peer } = memoryCli();
    const conversation = query("x", { transport, metrics: metrics.metrics });
    await conversation.ready;
    await peer.send(
      requestLine("a", { subtype: "invented" }),
      requestLine("b", {
        subtype: "can_use_tool",
        tool_name: "Bash",
        input: {},
        tool_use_id: "t",
      }),
      requestLine("c", { subtype: "elicitation", mcp_server_name: "m" }),
      requestLine("d", { subtype: "request_user_dialog", dialog_kind: "x" }),
      requestLine("e", { subtype: "hook_callback", callback_id: "none" }),
      requestLine("f", { subtype: "mcp_message", server_name: "none" }),
      { type: "control_request", request_id: "g" },
      { type: "control_request", request: { subtype: "can_use_tool" } },
      requestLine("h", { no: "subtype" }),
      { ...requestLine("", { subtype: "can_use_tool" }), request_id: 7 },
      { ...requestLine("", { no: "subtype" }), request_id: 8 },
      assistantLine("after"),
      resultLine(),
    );
    const { items } = await collect(conversation);
    assert.deepEqual(items.map(({ type }) => type), ["assistant", "result"]);
    const answers = Object.fromEntries(
      peer.lines.map(responseOf).filter(({ request_id }) => request_id)
        .map((one) => [one.request_id, one]),
    ) as Record<string, JsonObject>;
    assert.equal(answers.a?.error_code, "unsupported_request");
    assert.equal((answers.b?.response as JsonObject).behavior, "deny");
    assert.equal((answers.c?.response as JsonObject).action, "decline");
    assert.equal((answers.d?.response as JsonObject).behavior, "cancelled");
    assert.equal(answers.e?.subtype, "error");
    assert.equal(answers.f?.error_code, "unsupported_request");
    assert.equal(answers.g?.error_code, "invalid_request");
    assert.equal(answers.h?.error_code, "invalid_request");
    assert.equal(answers[7]?.request_id, 7);
    assert.equal((answers[7]?.response as JsonObject).behavior, "deny");
    assert.equal(answers[8]?.request_id, 8);
    assert.equal(answers[8]?.error_code, "invalid_request");
    const { items: errors } = await collect(conversation.errors);
    assert.equal(errors.length, 8);
    assert.deepEqual(
      metrics.of("protocol.malformedMessage"),
      Array(5).fill(["control_request"]),
    );
    await conversation.close();
  },
  { ids: ["R-03", "R-06", "O-06"] },
);
