import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { kill } from "node:process";
import { promisify } from "node:util";
import { ConfigError, localTransport } from "@sluice/agent";
import {
  type FakeCli,
  fakeCli,
  type FakeCliScript,
} from "@sluice/agent/testing";
import { test } from "../_harness.ts";
import { TESTED_VERSION } from "../_real_cli.ts";
import {
  type CliDriver,
  type DriveOptions,
  withDriver,
} from "./_cli_driver.ts";

const STATE = { CLAUDE_CODE_SDK_READS_SESSION_STATE: "1" };
const ID = "00000000-0000-4000-8000-00000000abcd";
const ASKING = ["--permission-prompt-tool=stdio"];

type Use = (cli: CliDriver, fake: FakeCli) => Promise<void>;

/** Plays a script in this process; `FakeCli.transport` behaves as a process does. */
async function withFake(
  script: FakeCliScript,
  use: Use,
  options: DriveOptions = {},
): Promise<void> {
  const fake = fakeCli(script);
  await withDriver(fake.transport, options, (cli) => use(cli, fake));
  await fake.close();
}

test("fakeCli() answers a prompt with the real CLI's sequence of lines", async () => {
  await withFake("Hello", async (cli) => {
    const reply = await cli.initialize();
    assert.equal(reply.response.claude_code_version, TESTED_VERSION);
    assert.deepEqual(reply.pending_permission_requests, []);
    cli.prompt("hi");
    await cli.next(({ state }) => state === "idle");
    const kinds = cli.lines.map(({ type, subtype, state }) =>
      [type, subtype, state].filter(Boolean).join("/")
    );
    assert.deepEqual(kinds, [
      "control_response",
      "system/session_state_changed/running",
      "system/init",
      "assistant",
      "result/success",
      "system/session_state_changed/idle",
    ]);
    const [init] = cli.ofType("system", "init");
    const result = await cli.result();
    assert.equal(result.result, "Hello");
    assert.equal(result.is_error, false);
    assert.deepEqual([result.session_id, init.session_id], [ID, ID]);
    assert.equal(cli.ofType("assistant")[0].message.content[0].text, "Hello");
    await cli.end();
    assert.equal((await cli.exited).code, 0);
  }, { env: STATE, args: [`--session-id=${ID}`] });
});

test("fakeCli() gives each prompt its turn and reports when there are no more", async () => {
  await withFake(["one", ["two", "three"]], async (cli) => {
    for (const text of ["a", "b", "c"]) cli.prompt(text);
    await cli.until(() => cli.ofType("result").length === 3);
    const [first, second, third] = cli.ofType("result");
    assert.deepEqual([first.result, second.result], ["one", "three"]);
    assert.equal(third.is_error, true);
    assert.match(
      third.result,
      /no turn for prompt 3, ".*": its script has 2 in "turns"/,
    );
    assert.deepEqual([first, second].map((line) => line.result_index), [0, 1]);
    await cli.end();
    assert.equal((await cli.exited).code, 1);
  });
});

test("fakeCli() records lines, arguments, signals and the end of its process", async () => {
  const fake = fakeCli({ onStdinEnd: "ignore" });
  const transport = localTransport({ cliPath: fake.cliPath });
  await withDriver(transport, { args: ["--model=m"] }, async (cli) => {
    await cli.initialize({ title: "t" });
    const line = await fake.receivedLine(({ type }) =>
      type === "control_request"
    );
    assert.deepEqual(line.request, { subtype: "initialize", title: "t" });
    await cli.end();
    await fake.until(([run]) => run?.hasStdinEnded === true);
    kill(cli.channel.pid ?? 0, "SIGTERM");
    assert.equal((await cli.exited).code, 143);
    const [run] = fake.runs;
    assert.equal(run?.pid, cli.channel.pid);
    assert.ok(run?.args.includes("--model=m"));
    assert.ok(run?.env.includes("PATH"));
    assert.deepEqual(run?.signals, ["SIGTERM"]);
    assert.equal(run?.exitCode, 143);
    assert.equal(fake.received.length, 1);
  });
  await fake.close();
});

test("FakeCli.receivedLine() and until() reject with the newest events at the timeout", async () => {
  await withFake("ok", async (cli, fake) => {
    await cli.initialize();
    cli.prompt("long ".repeat(1_000));
    await cli.result();
    const failure = await fake.until(() => false, { timeoutMs: 10 })
      .catch(({ message }: Error) => message);
    assert.match(
      String(failure),
      /within 10 ms: it recorded 3 events, the newest:\n {2}-1 start\n/,
    );
    assert.match(String(failure), /line \{"type":"user".*…$/);
    assert.ok(failure.length < 500, String(failure));
    const thrown = () => {
      throw new Error("by the condition");
    };
    await assert.rejects(fake.until(thrown), /by the condition/);
  });
  const idle = fakeCli("ok");
  await assert.rejects(
    idle.receivedLine(() => true, { timeoutMs: 10 }),
    /it was not started/,
  );
  await idle.close();
});

test("fakeCli() runs hooks and permission round a tool as the real CLI does", async () => {
  const hooks = {
    PreToolUse: [
      { matcher: "Bash|Edit", hookCallbackIds: ["pre"] },
      { matcher: "Read", hookCallbackIds: ["other"] },
    ],
    PostToolUse: [{ hookCallbackIds: ["post"] }],
  };
  const script: FakeCliScript = [[
    { tool: "Bash", input: { command: "x" }, result: "a.txt", id: "p1" },
    { tool: "Write", id: "p2" },
    "ok",
  ]];
  await withFake(script, async (cli) => {
    await cli.initialize({ hooks });
    cli.prompt("go");
    const called = (id: string) =>
      cli.next(({ request }) => request?.callback_id === id);
    const pre = await called("pre");
    assert.equal(pre.request.input.hook_event_name, "PreToolUse");
    assert.deepEqual(pre.request.input.tool_input, { command: "x" });
    cli.answer(pre.request_id, {});
    const { request } = await cli.asked("can_use_tool");
    assert.deepEqual(
      [request.tool_name, request.input],
      ["Bash", { command: "x" }],
    );
    const updatedInput = { command: "y" };
    cli.answer("p1", { behavior: "allow", updatedInput });
    const post = await called("post");
    assert.deepEqual(post.request.input.tool_input, updatedInput);
    cli.answer(post.request_id, {});
    await cli.next(({ request_id }) => request_id === "p2");
    cli.answer("p2", { behavior: "deny", message: "Never" });
    const { permission_denials } = await cli.result();
    assert.equal(permission_denials.length, 1);
    const blocks = cli.ofType("user").map(({ message }) => message.content[0]);
    assert.deepEqual(
      blocks.map(({ content, is_error }) => [content, is_error]),
      [["a.txt", false], ["Never", true]],
    );
    assert.equal(blocks[0].tool_use_id, request.tool_use_id);
  }, { args: ASKING });
});

test("fakeCli() does not run a tool that a hook denies or fails to judge, or whose denial ends the turn", async () => {
  const script = [[{ tool: "Bash" }, "ok"]];
  const hookSpecificOutput = {
    permissionDecision: "deny",
    permissionDecisionReason: "Not here",
  };
  const broken = { subtype: "error", error: "Broken" };
  for (
    const [onFailure, answer, expected] of [
      ["continue", { response: { hookSpecificOutput } }, "Not here"],
      ["block", broken, "A hook failed"],
      ["continue", broken, "ok"],
    ] as const
  ) {
    await withFake(script, async (cli) => {
      const hook = { hookCallbackIds: ["h"], onFailure };
      await cli.initialize({ hooks: { PreToolUse: [hook] } });
      cli.prompt("go");
      const { request_id } = await cli.asked("hook_callback");
      const response = { subtype: "success", request_id, ...answer };
      await cli.send({ type: "control_response", response });
      const { permission_denials } = await cli.result();
      assert.equal(permission_denials.length, expected === "ok" ? 0 : 1);
      const [{ content }] = cli.ofType("user")[0].message.content;
      assert.equal(content, expected);
    });
  }
  await withFake(script, async (cli) => {
    cli.prompt("go");
    const { request_id } = await cli.asked("can_use_tool");
    const no = { behavior: "deny", message: "No", interrupt: true };
    cli.answer(request_id, no);
    const { terminal_reason, permission_denials } = await cli.result();
    assert.equal(terminal_reason, "aborted_tools");
    assert.equal(permission_denials.length, 1);
  }, { args: ASKING });
});

test("fakeCli() ends the turn when it is interrupted, cancels its requests, and stays usable", async () => {
  const script = [
    [{ say: "one two three four", delayMs: 60_000 }],
    [{ tool: "Bash", id: "r1" }],
    "again",
  ];
  await withFake(script, async (cli) => {
    await cli.initialize();
    cli.prompt("go");
    await cli.next(({ event }) => event?.type === "content_block_start");
    const reply = await cli.control({ subtype: "interrupt" }, "stop");
    assert.deepEqual(reply.response, { still_queued: [] });
    const result = await cli.result();
    assert.equal(result.subtype, "error_during_execution");
    assert.equal(result.terminal_reason, "aborted_streaming");
    cli.prompt("ask");
    await cli.next(({ request_id }) => request_id === "r1");
    await cli.control({ subtype: "interrupt" }, "stop again");
    await cli.next((line) => line.terminal_reason === "aborted_tools");
    assert.deepEqual(cli.ofType("control_cancel_request"), [
      { type: "control_cancel_request", request_id: "r1" },
    ]);
    cli.prompt("again");
    await cli.next(({ result }) => result === "again");
    await cli.end();
    assert.equal((await cli.exited).code, 0);
  }, { args: ["--include-partial-messages", ...ASKING] });
});

test("fakeCli() fails open requests and finishes the turn when stdin ends", async () => {
  await withFake([[{ tool: "Bash" }, "done"]], async (cli) => {
    cli.prompt("go");
    await cli.asked();
    await cli.end();
    assert.equal((await cli.exited).code, 0);
    assert.equal(cli.ofType("result")[0].result, "done");
    const [{ content }] = cli.ofType("user")[0].message.content;
    assert.match(content, /Stream closed/);
  }, { args: ASKING });
});

test("fakeCli() answers control requests as scripted, else plausibly", async () => {
  const controls = {
    set_model: { error: "Not offered", error_code: "not_offered" },
    mcp_status: { mcpServers: [{ name: "a", status: "connected" }] },
    rename_session: "silent",
  } as const;
  await withFake({ controls }, async (cli) => {
    const refused = await cli.control({ subtype: "set_model" }, "1");
    assert.equal(refused.error_code, "not_offered");
    const status = await cli.control({ subtype: "mcp_status" }, "2");
    assert.equal(status.response.mcpServers[0].name, "a");
    const request = { subtype: "rename_session", title: "x" };
    await cli.send({ type: "control_request", request_id: "3", request });
    const mode = { subtype: "set_permission_mode", mode: "plan" };
    const { response } = await cli.control(mode, "4");
    assert.deepEqual(response, { mode: "plan" });
    for (const subtype of ["no_such_thing", "toString"]) {
      const unknown = await cli.control({ subtype }, subtype);
      assert.equal(unknown.error_code, "unsupported_request");
    }
    const empty = await cli.control({ subtype: "mcp_reconnect" }, "6");
    assert.deepEqual(empty, { subtype: "success", request_id: "6" });
    const usage = await cli.control({ subtype: "get_context_usage" }, "7");
    assert.equal(usage.response.totalTokens, 0);
    assert.ok(!cli.lines.some(({ response }) => response?.request_id === "3"));
  });
});

test("fakeCli() treats bad stdin lines as the real CLI does", async () => {
  for (
    const [text, expected] of [
      ["nonsense\n", /Error parsing streaming input line/],
      ['{"type":"control_request","request_id":"1"}\n', /Missing request/],
      ['{"type":"user","message":{"role":"me"}}\n', /Expected message role/],
    ] as const
  ) {
    await withFake("ok", async (cli) => {
      await cli.channel.write(text);
      const { code, stderrTail } = await cli.exited;
      assert.equal(code, 1);
      assert.match(stderrTail, expected);
    });
  }
});

test("fakeCli() sends requests of any kind and the hooks that fit, waits for them or not, and cancels them", async () => {
  const elicitation = { subtype: "elicitation", message: "Name?" };
  const hooks = {
    Notification: [{ hookCallbackIds: ["n1", "n2"] }],
    PreToolUse: [{ matcher: "mcp__.*", hookCallbackIds: ["p1"] }],
  };
  const script: FakeCliScript = [[
    { hook: "Notification", input: { message: "hi" }, wait: false },
    { hook: "PreToolUse", tool: "Bash" },
    { hook: "PreToolUse", tool: "mcp__a__b", toolUseId: "t1", id: "h1" },
    { hook: "Stop" },
    { request: elicitation, id: "e1", wait: false },
    { request: elicitation, id: "e2", wait: false },
    { cancel: "e1" },
    { cancel: true },
    { request: elicitation, id: "e3", wait: false },
    { wait: "answers" },
    "all were answered",
  ]];
  await withFake(script, async (cli) => {
    await cli.initialize({ hooks });
    cli.prompt("go");
    const { request } = await cli.next(({ request_id }) => request_id === "h1");
    const { callback_id, tool_use_id, input } = request;
    assert.deepEqual(
      [callback_id, tool_use_id, input.tool_name],
      ["p1", "t1", "mcp__a__b"],
    );
    const [first, second] = cli.ofType("control_request");
    assert.deepEqual(
      [first, second].map(({ request }) => request.callback_id),
      ["n1", "n2"],
    );
    assert.equal(first.request.input.message, "hi");
    cli.answer("h1", {});
    await cli.next(({ request_id }) => request_id === "e3");
    const cancelled = cli.ofType("control_cancel_request");
    assert.deepEqual(
      cancelled.map(({ request_id }) => request_id),
      ["e1", first.request_id, second.request_id, "e2"],
    );
    assert.equal(cli.ofType("result").length, 0);
    cli.answer("e3", { action: "decline" });
    await cli.result();
  });
});

test("fakeCli() waits for control requests, which change its later lines", async () => {
  const plan: FakeCliScript = {
    ready: [{ wait: { control: "set_model" } }, { line: "changed" }],
    init: { tools: ["OnlyThis"] },
    result: { total_cost_usd: 7 },
    turns: { result: "from the script" },
  };
  await withFake(plan, async (cli) => {
    await cli.initialize();
    await cli.control({ subtype: "set_model", model: "other-model" }, "1");
    await cli.next(({ raw }) => raw === "changed");
    cli.prompt("go");
    const result = await cli.result();
    const [init] = cli.ofType("system", "init");
    assert.equal(init.model, "other-model");
    assert.deepEqual(init.tools, ["OnlyThis"]);
    assert.equal(result.result, "from the script");
    assert.equal(result.total_cost_usd, 7);
    assert.equal(cli.ofType("system", "session_state_changed").length, 0);
  });
});

test("fakeCli() reports its version like a CLI, which does not count as a run", async () => {
  const fake = fakeCli({ version: "9.9.9" });
  const [command = "", ...args] = fake.cliPath;
  const { stdout } = await promisify(execFile)(command, [...args, "--version"]);
  assert.equal(stdout, "9.9.9 (Claude Code)\n");
  assert.deepEqual(fake.runs, []);
  await fake.close();
});

test("fakeCli() refuses a script with a mistake, and names the place and the right form", () => {
  const cases: readonly [script: unknown, key: string, form: RegExp][] = [
    [[[{ sai: "x" }]], "turns[0][0]", /must be one of say, /],
    [{ turn: "x" }, "turn", /nearest one is "turns"/],
    [{ match: {} }, "match", /a list/],
    [{ match: [{ prompt: 1, turn: "x" }] }, "match[0].prompt", /RegExp/],
    [{ match: [{ prompt: "x" }] }, "match[0].turn", /set/],
    [{ match: [{ prompt: "x", turn: "x", odd: 1 }] }, "match[0].odd", /known/],
    [{ runs: "x" }, "runs", /a list/],
    [{ runs: [{ runs: ["x"] }] }, "runs", /left out/],
    [{ runs: [{ turn: "x" }] }, "turn", /nearest one/],
    [{ onStdinEnd: "x" }, "onStdinEnd", /"exit", "ignore"/],
    [[[{ tool: "Bash", inputs: {} }]], "turns[0][0].inputs", /is "input"/],
    [[["x", { wait: "promt" }]], "turns[0][1].wait", /"prompt"/],
    [[["x", { line: undefined }]], "turns[0][1].line", /set/],
    [[{ message: { at: () => 1 } }], "turns[0].message.at", /serializable/],
  ];
  for (const [script, key, form] of cases) {
    assert.throws(
      () => fakeCli(script as FakeCliScript),
      (error) =>
        error instanceof ConfigError && error.key === key &&
        form.test(error.message) && error.message.includes(`"${key}"`),
      `${JSON.stringify(script)} has no error at ${key}`,
    );
  }
});
