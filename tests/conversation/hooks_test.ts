import assert from "node:assert/strict";
import {
  type AgentOptions,
  type HookCallback,
  type HookMatcher,
  type JsonObject,
  ProtocolError,
  query,
} from "@sluice/agent";
import { fakeCli, FakeClock } from "@sluice/agent/testing";
import { collect } from "../_collect.ts";
import { test } from "../_harness.ts";
import {
  isAnswerTo,
  isRequest,
  memoryCli,
  requestLine,
  requestOf,
  responseOf,
  turns,
  unhandledIn,
} from "./_rig.ts";

/** One hook call of a CLI in this process, and what becomes of it. */
async function call(
  event: string,
  hook: HookCallback,
  options: Partial<HookMatcher> = {},
): Promise<
  { readonly answer: JsonObject; readonly errors: readonly unknown[] }
> {
  const { transport, peer } = memoryCli();
  const conversation = query("x", {
    transport,
    hooks: { [event]: [{ ...options, hooks: [hook] }] },
  });
  await conversation.ready;
  await peer.send(
    requestLine("h1", {
      subtype: "hook_callback",
      callback_id: callbackIds(peer.lines, event)[0] ?? "",
      input: {
        hook_event_name: event,
        tool_name: "Bash",
        tool_input: {},
        session_id: "s",
      },
      tool_use_id: "t",
    }),
  );
  const { response } = responseOf(await peer.line(isAnswerTo("h1")));
  await conversation.close();
  const { items } = await collect(conversation.errors);
  return { answer: response as JsonObject, errors: items };
}

/** The ids under which hooks of an event were registered. */
function callbackIds(
  lines: readonly JsonObject[],
  event: string,
): readonly string[] {
  const initialize = lines.find(isRequest("initialize")) ?? {};
  const { hooks } = requestOf(initialize) as {
    hooks: Record<string, readonly { hookCallbackIds: readonly string[] }[]>;
  };
  return (hooks[event] ?? []).flatMap(({ hookCallbackIds }) => hookCallbackIds);
}

const boom = new Error("Guard is broken");
const NONSENSE: readonly unknown[] = [
  7,
  "no",
  [],
  null,
  { continue: "yes" },
  { hookSpecificOutput: 5 },
];
const BROKEN: readonly [HookCallback, string][] = [
  [() => {
    throw boom;
  }, "handler"],
  [() => Promise.reject(boom), "handler"],
  [() => new Promise(() => {}), "timeout"],
  ...NONSENSE.map((value): [HookCallback, string] => [
    () => value as never,
    "handler",
  ]),
];

test(
  "a PreToolUse hook that throws, hangs or returns nonsense denies, and is reported",
  async () => {
    const rejections = await unhandledIn(async () => {
      for (const [hook, category] of BROKEN) {
        const { answer, errors } = await call("PreToolUse", hook, {
          timeoutMs: 30,
        });
        const output = answer.hookSpecificOutput as JsonObject;
        assert.equal(output.permissionDecision, "deny");
        assert.match(
          String(output.permissionDecisionReason),
          /Hook for PreToolUse/,
        );
        const [error] = errors;
        assert.equal(errors.length, 1);
        assert.ok(error instanceof ProtocolError);
        assert.equal(error.category, category);
        assert.equal(error.subtype, "hook_callback");
        assert.equal(error.fatal, false);
      }
    });
    assert.deepEqual(rejections, []);
  },
  { ids: ["R-12", "T-02", "T-05"] },
);

test("a hook is given its event, its tool call and a signal, and its answer travels", async () => {
  const fake = fakeCli([[{
    tool: "Bash",
    input: { command: "rm" },
    toolUseId: "toolu_9",
  }]]);
  const seen: unknown[] = [];
  const messages = await collect(query("x", {
    cliPath: fake.cliPath,
    hooks: {
      PreToolUse: [{
        matcher: "Bash",
        hooks: [(input, { toolUseId, signal }) => {
          seen.push(
            input.hook_event_name,
            input.tool_name,
            input.tool_input,
            toolUseId,
            signal.aborted,
          );
          return {
            hookSpecificOutput: {
              hookEventName: "PreToolUse",
              permissionDecision: "deny",
              permissionDecisionReason: "Not rm",
            },
          };
        }],
      }],
    },
  }));
  assert.deepEqual(seen, [
    "PreToolUse",
    "Bash",
    { command: "rm" },
    "toolu_9",
    false,
  ]);
  assert.ok(JSON.stringify(messages.items).includes("Not rm"));
  await fake.close();
});

test("hooks run concurrently with each other and with the stream", async () => {
  const fake = fakeCli([[
    { hook: "PreToolUse", tool: "Bash", wait: false },
    "meanwhile",
    { wait: "answers" },
  ]]);
  let open = 0;
  let most = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => release = resolve);
  const hook = async () => {
    most = Math.max(most, ++open);
    await released;
    open--;
    return {};
  };
  const conversation = query("x", {
    cliPath: fake.cliPath,
    hooks: { PreToolUse: [{ hooks: [hook, hook] }, { hooks: [hook] }] },
  });
  let text = "";
  for await (const message of conversation) {
    if (message.type !== "assistant") continue;
    const [block] = message.message.content;
    text += block?.type === "text" ? block.text : "";
    release();
  }
  assert.equal(text, "meanwhile");
  assert.equal(most, 3);
  await fake.close();
});

test(
  "the limit of a hook is 30 s unless given, timeouts.hookMs or the matcher's own; the CLI is given a little more",
  async () => {
    const variants: readonly [AgentOptions, Partial<HookMatcher>, number][] = [
      [{}, {}, 30_000],
      [{ timeouts: { hookMs: 8_000 } }, {}, 8_000],
      [{ timeouts: { hookMs: 8_000 } }, { timeoutMs: 2_000 }, 2_000],
    ];
    for (const [options, matcher, ms] of variants) {
      const clock = new FakeClock();
      const { transport, peer } = memoryCli();
      const conversation = query("x", {
        ...options,
        transport,
        clock,
        health: { checkMs: 1_000_000 },
        hooks: {
          Stop: [{ ...matcher, hooks: [() => new Promise(() => {})] }],
        },
      });
      await conversation.ready;
      const { hooks } = requestOf(peer.lines[0] ?? {}) as {
        hooks: { Stop: readonly { timeout: number }[] };
      };
      assert.ok((hooks.Stop[0]?.timeout ?? 0) * 1_000 > ms);
      await peer.send(
        requestLine("h1", {
          subtype: "hook_callback",
          callback_id: callbackIds(peer.lines, "Stop")[0] ?? "",
          input: { hook_event_name: "Stop" },
        }),
      );
      await turns(2);
      await clock.advance(ms - 1);
      assert.equal(peer.lines.some(isAnswerTo("h1")), false);
      await clock.advance(1);
      await peer.line(isAnswerTo("h1"));
      const closing = conversation.close();
      await clock.advance(60_000);
      await closing;
    }
  },
  { ids: ["T-02", "T-09", "DEC-02", "DEC-09"] },
);

test(
  "allowedTools keeps a tool outside the list from running, through a hook of our own",
  async () => {
    const fake = fakeCli([[
      { tool: "Bash", input: { command: "git status" } },
      { tool: "Bash", input: { command: "rm -rf /" } },
      { tool: "mcp__m__t", input: {} },
    ]]);
    const { items } = await collect(query("x", {
      cliPath: fake.cliPath,
      allowedTools: ["Bash(git:*)"],
    }));
    const results = items.flatMap((message) =>
      message.type === "user" && typeof message.message.content !== "string"
        ? message.message.content.flatMap((block) =>
          block.type === "tool_result" ? [block.is_error] : []
        )
        : []
    );
    assert.deepEqual(results, [false, true, true]);
    await fake.close();
  },
  { ids: ["O-17"] },
);
