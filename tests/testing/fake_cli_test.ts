import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cwd } from "node:process";
import { promisify } from "node:util";
import { ConfigError } from "@sluice/agent";
import {
  type FakeCli,
  fakeCli,
  type FakeCliScript,
} from "@sluice/agent/testing";
import { host } from "../_children.ts";
import { faultyCli } from "../_faulty_cli.ts";
import { test } from "../_harness.ts";
import { TESTED_VERSION } from "../_real_cli.ts";
import { CliDriver, type DriveOptions } from "./_cli_driver.ts";

const STATE = { CLAUDE_CODE_SDK_READS_SESSION_STATE: "1" };

/** Runs a fake CLI for one test; whatever is left of it ends with the test. */
function withFake(
  script: FakeCliScript,
  options: DriveOptions,
  use: (cli: CliDriver, fake: FakeCli) => Promise<void>,
): Promise<void> {
  return withCli(fakeCli(script), options, use);
}

async function withCli(
  fake: FakeCli,
  options: DriveOptions,
  use: (cli: CliDriver, fake: FakeCli) => Promise<void>,
): Promise<void> {
  const cli = new CliDriver(fake.cliPath, options);
  try {
    await use(cli, fake);
  } finally {
    try {
      cli.kill("SIGKILL");
    } catch {
      // Gone, as it should be.
    }
    await cli.exited;
    await fake.close();
  }
}

const kinds = (cli: CliDriver) =>
  cli.lines.map(({ type, subtype, state }) =>
    [type, subtype, state].filter(Boolean).join("/")
  );

test("fakeCli() answers a prompt with the real CLI's sequence of lines", async () => {
  await withFake("Hello", { env: STATE }, async (cli) => {
    const reply = await cli.initialize();
    assert.equal(reply.response.claude_code_version, TESTED_VERSION);
    assert.deepEqual(reply.pending_permission_requests, []);
    cli.prompt("hi");
    await cli.next(({ state }) => state === "idle");
    assert.deepEqual(kinds(cli), [
      "control_response",
      "system/session_state_changed/running",
      "system/init",
      "assistant",
      "result/success",
      "system/session_state_changed/idle",
    ]);
    const [init] = cli.ofType("system", "init");
    const [result] = cli.ofType("result");
    assert.equal(result.result, "Hello");
    assert.equal(result.is_error, false);
    assert.equal(result.session_id, init.session_id);
    assert.equal(cli.ofType("assistant")[0].message.content[0].text, "Hello");
    cli.end();
    assert.deepEqual(await cli.exited, { code: 0, signal: null });
  });
});

test("fakeCli() gives each prompt its turn and says when there are no more", async () => {
  await withFake(["one", ["two", "three"]], {}, async (cli) => {
    for (const text of ["a", "b", "c"]) cli.prompt(text);
    await cli.until(() => cli.ofType("result").length === 3);
    const [first, second, third] = cli.ofType("result");
    assert.equal(first.result, "one");
    assert.equal(second.result, "three");
    assert.equal(third.is_error, true);
    assert.match(
      third.result,
      /no turn for prompt 3, ".*": its script has 2 in "turns"/,
    );
    assert.deepEqual([first, second].map((line) => line.result_index), [0, 1]);
    cli.end();
    assert.equal((await cli.exited).code, 1);
  });
});

test("fakeCli() records lines, arguments, signals and the end", async () => {
  await withFake("ok", { args: ["--model=m"] }, async (cli, fake) => {
    await cli.initialize({ title: "t" });
    const line = await fake.receivedLine(({ type }) =>
      type === "control_request"
    );
    assert.deepEqual(line, {
      type: "control_request",
      request_id: "init-1",
      request: { subtype: "initialize", title: "t" },
    });
    cli.kill("SIGTERM");
    assert.deepEqual((await cli.exited).code, 143);
    const [run] = fake.runs;
    assert.equal(run?.pid, cli.pid);
    assert.ok(run?.args.includes("--model=m"));
    assert.ok(run?.env.includes("PATH"));
    assert.deepEqual(run?.signals, ["SIGTERM"]);
    assert.equal(run?.exitCode, 143);
    assert.equal(run?.hasStdinEnded, false);
    assert.equal(fake.received.length, 1);
  });
});

test("FakeCli.receivedLine() rejects with what came instead when the time is up", async () => {
  const fake = fakeCli("ok");
  await assert.rejects(
    fake.receivedLine(() => true, { timeoutMs: 10 }),
    /within 10 ms: it was not started/,
  );
  await fake.close();
});

test("FakeCli.until() rejects with a few short lines of what came", async () => {
  await withFake("ok", {}, async (cli, fake) => {
    await cli.initialize();
    cli.prompt("long ".repeat(1_000));
    await cli.next(({ type }) => type === "result");
    const failure = await fake.until(() => false, { timeoutMs: 10 })
      .catch(({ message }: Error) => message);
    assert.match(
      String(failure),
      /it recorded 3 events, the newest:\n {2}\d+ start\n/,
    );
    assert.match(String(failure), /line \{"type":"user".*…$/);
    assert.ok(failure.length < 500, String(failure));
  });
});

test("fakeCli() asks for a permission and follows the answer", async () => {
  const call = { tool: "Bash", input: { command: "ls" }, result: "a.txt" };
  await withFake([[{ ask: call }, { ask: call }, "done"]], {}, async (cli) => {
    cli.prompt("go");
    const asks = () => cli.ofType("control_request");
    await cli.until(() => asks().length === 1);
    const first = asks()[0];
    assert.equal(first.request.subtype, "can_use_tool");
    assert.equal(first.request.tool_name, "Bash");
    assert.deepEqual(first.request.input, { command: "ls" });
    cli.answer(first.request_id, { behavior: "allow" });
    await cli.until(() => asks().length === 2);
    cli.answer(asks()[1].request_id, { behavior: "deny", message: "Never" });
    const result = await cli.next(({ type }) => type === "result");
    const blocks = cli.ofType("user").map(({ message }) => message.content[0]);
    assert.deepEqual(blocks.map(({ content }) => content), ["a.txt", "Never"]);
    assert.deepEqual(blocks.map(({ is_error }) => is_error), [false, true]);
    assert.equal(blocks[0].tool_use_id, first.request.tool_use_id);
    assert.equal(result.permission_denials.length, 1);
  });
});

test("fakeCli() asks for several permissions at once", async () => {
  const calls = [1, 2, 3].map((n) => ({
    tool: "T",
    input: { n },
    id: `r${n}`,
  }));
  await withFake([{ ask: calls }], {}, async (cli) => {
    cli.prompt("go");
    await cli.until(() => cli.ofType("control_request").length === 3);
    assert.equal(cli.ofType("result").length, 0);
    for (const id of ["r3", "r1", "r2"]) cli.answer(id, { behavior: "allow" });
    await cli.next(({ type }) => type === "result");
    assert.equal(cli.ofType("user").length, 3);
  });
});

test("fakeCli() runs hooks and permission round a tool as the real CLI does", async () => {
  const hooks = {
    PreToolUse: [
      { matcher: "Bash|Edit", hookCallbackIds: ["pre"] },
      { matcher: "Read", hookCallbackIds: ["other"] },
    ],
    PostToolUse: [{ hookCallbackIds: ["post"] }],
  };
  const script = [[{ tool: "Bash", input: { command: "x" } }, "ok"]];
  const args = ["--permission-prompt-tool=stdio"];
  await withFake(script, { args }, async (cli) => {
    await cli.initialize({ hooks });
    cli.prompt("go");
    const asked = (subtype: string, id?: string) =>
      cli.next(({ request }) =>
        request?.subtype === subtype &&
        (id === undefined || request.callback_id === id)
      );
    const pre = await asked("hook_callback", "pre");
    assert.equal(pre.request.input.hook_event_name, "PreToolUse");
    assert.deepEqual(pre.request.input.tool_input, { command: "x" });
    cli.answer(pre.request_id, {});
    const permission = await asked("can_use_tool");
    cli.answer(permission.request_id, {
      behavior: "allow",
      updatedInput: { command: "y" },
    });
    const post = await asked("hook_callback", "post");
    assert.deepEqual(post.request.input.tool_input, { command: "y" });
    cli.answer(post.request_id, {});
    await cli.next(({ type }) => type === "result");
    assert.equal(cli.ofType("control_request").length, 3);
  });
});

test("fakeCli() answers in the form of a scripted model's turns", async () => {
  const turns = [
    {
      thinking: "Hm",
      text: "Both.",
      tools: [{ name: "A", id: "t1" }, { name: "B", input: { b: 1 } }],
    },
    { text: "Done." },
  ];
  await withFake(turns, {}, async (cli) => {
    cli.prompt("go");
    cli.prompt("on");
    await cli.next(({ result }) => result === "Done.");
    const blocks = cli.ofType("assistant").map(({ message }) =>
      message.content[0]
    );
    assert.deepEqual(
      blocks.map(({ type }) => type),
      ["thinking", "text", "tool_use", "tool_use", "text"],
    );
    assert.equal(blocks[2].id, "t1");
    assert.deepEqual(blocks[3].input, { b: 1 });
    const results = cli.ofType("user").map(({ message }) => message.content[0]);
    assert.deepEqual(results.map(({ content }) => content), ["ok", "ok"]);
  });
});

test("fakeCli() denies a tool that a hook denies, without asking", async () => {
  const hooks = { PreToolUse: [{ hookCallbackIds: ["guard"] }] };
  await withFake([[{ tool: "Bash" }, "ok"]], {
    args: ["--permission-prompt-tool=stdio"],
  }, async (cli) => {
    await cli.initialize({ hooks });
    cli.prompt("go");
    const { request_id } = await cli.next(({ request }) =>
      request?.subtype === "hook_callback"
    );
    cli.answer(request_id, {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "Not here",
      },
    });
    await cli.next(({ type }) => type === "result");
    assert.equal(cli.ofType("control_request").length, 1);
    assert.equal(cli.ofType("user")[0].message.content[0].content, "Not here");
  });
});

test("fakeCli() shakes hands with in-process MCP servers and calls their tools", async () => {
  await withFake(
    [[{ tool: "mcp__calc__add", input: { a: 1 } }]],
    {},
    async (cli) => {
      const ready = cli.initialize({ sdkMcpServers: ["calc"] });
      const reply = async (method: string, response: object) => {
        const { request_id, request } = await cli.next(({ request }) =>
          request?.message?.method === method
        );
        cli.answer(request_id, response);
        return request.message;
      };
      assert.equal((await reply("initialize", { mcp_response: {} })).id, 0);
      await reply("notifications/initialized", {});
      assert.equal((await reply("tools/list", { mcp_response: {} })).id, 1);
      await ready;
      cli.prompt("go");
      const call = await reply("tools/call", {
        mcp_response: { result: { content: [{ type: "text", text: "3" }] } },
      });
      assert.deepEqual(call.params.arguments, { a: 1 });
      await cli.next(({ type }) => type === "result");
      assert.equal(cli.ofType("user")[0].message.content[0].content, "3");
    },
  );
});

test("fakeCli() ends the turn when it is interrupted, and stays usable", async () => {
  // Slower than any machine hears of its first word.
  const slow = { say: "one two three four", delayMs: 2_000 };
  await withFake([[slow, { wait: "forever" }], "again"], {
    env: STATE,
    args: ["--include-partial-messages"],
  }, async (cli) => {
    await cli.initialize();
    cli.prompt("go");
    await cli.next(({ event }) => event?.delta?.text === "one ");
    const reply = await cli.control({ subtype: "interrupt" }, "stop");
    assert.deepEqual(reply.response, { still_queued: [] });
    const result = await cli.next(({ type }) => type === "result");
    assert.equal(result.subtype, "error_during_execution");
    assert.equal(result.terminal_reason, "aborted_streaming");
    assert.equal(cli.ofType("assistant")[0].aborted, true);
    await cli.next(({ state }) => state === "idle");
    cli.prompt("again");
    await cli.next(({ result }) => result === "again");
    cli.end();
    assert.equal((await cli.exited).code, 0);
  });
});

test("fakeCli() takes back what it asked when it is interrupted", async () => {
  await withFake([[{ ask: { tool: "Bash", id: "r1" } }]], {}, async (cli) => {
    cli.prompt("go");
    await cli.next(({ request_id }) => request_id === "r1");
    await cli.control({ subtype: "interrupt" }, "stop");
    const result = await cli.next(({ type }) => type === "result");
    assert.equal(result.terminal_reason, "aborted_tools");
    assert.deepEqual(cli.ofType("control_cancel_request"), [
      { type: "control_cancel_request", request_id: "r1" },
    ]);
  });
});

test("fakeCli() fails open requests and finishes the turn when stdin ends", async () => {
  await withFake([[{ ask: { tool: "Bash" } }, "done"]], {}, async (cli) => {
    cli.prompt("go");
    await cli.next(({ request }) => request !== undefined);
    cli.end();
    assert.equal((await cli.exited).code, 0);
    assert.equal(cli.ofType("result")[0].result, "done");
    assert.match(
      cli.ofType("user")[0].message.content[0].content,
      /Stream closed/,
    );
  });
});

test("faultyCli() sends odd lines and bytes exactly as given", async () => {
  await withCli(
    faultyCli([[
      { line: "not json" },
      { line: [1, 2] },
      { line: { type: "new_kind" }, pieces: 4 },
      { bytes: '{"type":' },
      { bytes: '"late"}\n' },
      { message: { type: "tool_progress" } },
      { result: false },
    ]]),
    {},
    async (cli) => {
      cli.prompt("go");
      await cli.next(({ type }) => type === "tool_progress");
      const [raw, list, kind, late, progress] = cli.lines.slice(1);
      assert.deepEqual(raw, { raw: "not json" });
      assert.deepEqual(list, [1, 2]);
      assert.deepEqual(kind, { type: "new_kind" });
      assert.deepEqual(late, { type: "late" });
      assert.equal(progress.session_id, cli.lines[0].session_id);
      assert.equal(progress.uuid.length, 36);
      assert.equal(cli.ofType("result").length, 0);
    },
  );
});

test("faultyCli() floods with as much as the reader takes, in order", async () => {
  await withCli(
    faultyCli([{ flood: { messages: 20_000, bytes: 250 } }]),
    {},
    async (cli) => {
      cli.prompt("go");
      await cli.next(({ type }) => type === "result");
      const texts = cli.ofType("stream_event").map(({ event }) =>
        event.delta.text
      );
      assert.equal(texts.length, 20_000);
      assert.ok(texts.every((text, n) => text.startsWith(`${n} `)));
      const length = JSON.stringify(cli.ofType("stream_event")[9_999]).length;
      assert.ok(Math.abs(length - 250) < 10, `${length} bytes`);
    },
  );
});

test("faultyCli() still ends by SIGTERM while nobody reads its flood", async () => {
  const flood = faultyCli([{ flood: { messages: 100_000 } }]);
  await withCli(flood, {}, async (cli, fake) => {
    await cli.initialize();
    cli.pauseOutput();
    cli.prompt("go");
    await fake.receivedLine(({ type }) => type === "user");
    cli.kill("SIGTERM");
    await fake.until(([run]) => run?.exitCode === 143);
    cli.resumeOutput();
    assert.equal((await cli.exited).code, 143);
  });
});

test("fakeCli() exits before it answers initialize when the script says so", async () => {
  await withFake(
    {
      start: [{ wait: "initialize" }, { stderr: "Boom\n" }, { exit: 3 }],
    },
    {},
    async (cli) => {
      await assert.rejects(cli.initialize());
      assert.deepEqual(await cli.exited, { code: 3, signal: null });
      assert.equal(cli.stderr, "Boom\n");
      assert.deepEqual(cli.lines, []);
    },
  );
});

test("fakeCli() answers initialize before a turn that exits at once", async () => {
  await withFake([[{ exit: 3 }]], {}, async (cli) => {
    const reply = cli.initialize();
    cli.prompt("hi");
    assert.equal((await reply).subtype, "success");
    assert.deepEqual(await cli.exited, { code: 3, signal: null });
  });
});

test("fakeCli() refuses initialize, or never answers it", async () => {
  await withFake(
    { initialize: { error: "No", error_code: "no" } },
    {},
    async (cli) => {
      assert.deepEqual(await cli.initialize(), {
        subtype: "error",
        request_id: "init-1",
        error: "No",
        error_code: "no",
      });
    },
  );
  await withFake({ initialize: "silent" }, {}, async (cli) => {
    cli.send({
      type: "control_request",
      request_id: "1",
      request: { subtype: "initialize" },
    });
    cli.prompt("still there?");
    await cli.next(({ type }) => type === "result");
    assert.equal(cli.ofType("control_response").length, 0);
  });
});

test("fakeCli() answers control requests as scripted, else plausibly", async () => {
  await withFake(
    {
      controls: {
        set_model: { error: "Not offered", error_code: "not_offered" },
        mcp_status: { mcpServers: [{ name: "a", status: "connected" }] },
        rename_session: "silent",
      },
    },
    {},
    async (cli) => {
      const refused = await cli.control({ subtype: "set_model" }, "1");
      assert.equal(refused.error_code, "not_offered");
      const status = await cli.control({ subtype: "mcp_status" }, "2");
      assert.equal(status.response.mcpServers[0].name, "a");
      cli.send({
        type: "control_request",
        request_id: "3",
        request: { subtype: "rename_session", title: "x" },
      });
      const mode = await cli.control(
        { subtype: "set_permission_mode", mode: "plan" },
        "4",
      );
      assert.deepEqual(mode.response, { mode: "plan" });
      const unknown = await cli.control({ subtype: "no_such_thing" }, "5");
      assert.equal(unknown.error_code, "unsupported_request");
      const voided = await cli.control({ subtype: "mcp_reconnect" }, "6");
      assert.deepEqual(voided, { subtype: "success", request_id: "6" });
      assert.ok(
        !cli.lines.some(({ response }) => response?.request_id === "3"),
      );
    },
  );
});

test("fakeCli() outlives stdin and SIGTERM when the script says so", async () => {
  await withFake(
    { onStdinEnd: "ignore", onSigterm: "ignore" },
    {},
    async (cli, fake) => {
      await cli.initialize();
      cli.end();
      await fake.until(([run]) => run?.hasStdinEnded === true);
      cli.kill("SIGTERM");
      await fake.until(([run]) => run?.signals.length === 1);
      cli.kill("SIGKILL");
      assert.deepEqual(await cli.exited, { code: null, signal: "SIGKILL" });
    },
  );
});

test("faultyCli() closes stdin and lives on when the script says so", async () => {
  const fake = faultyCli({ ready: [{ close: "stdin" }, "closed"] });
  const [command = "", ...args] = fake.cliPath;
  const { spawn } = await host();
  const child = await spawn({ command, args, cwd: cwd(), env: {} });
  await child.stdin.write(
    '{"type":"control_request","request_id":"1","request":{"subtype":"initialize"}}\n',
  );
  let output = "";
  for await (const chunk of child.stdout) {
    output += new TextDecoder().decode(chunk);
    if (output.includes("closed")) break;
  }
  await assert.rejects(async () => {
    // Reads that were under way still take some.
    for (let n = 0; n < 2_000; n++) {
      await child.stdin.write('{"type":"keep_alive"}\n');
    }
  });
  child.kill("SIGKILL");
  await child.stdin.end();
  await child.stderr.cancel();
  assert.equal((await child.exited).signal, "SIGKILL");
  await fake.close();
});

test("fakeCli() ends by a signal, or with a code in mid-turn", async () => {
  await withCli(
    faultyCli([["begun", { kill: "SIGKILL" }]]),
    {},
    async (cli) => {
      cli.prompt("go");
      assert.deepEqual(await cli.exited, { code: null, signal: "SIGKILL" });
      assert.equal(cli.ofType("assistant").length, 1);
      assert.equal(cli.ofType("result").length, 0);
    },
  );
  await withFake([["begun", { exit: 7 }]], {}, async (cli) => {
    cli.prompt("go");
    assert.deepEqual(await cli.exited, { code: 7, signal: null });
    assert.equal(cli.ofType("assistant").length, 1);
  });
});

test("fakeCli() treats bad stdin lines as the real CLI does", async () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ["nonsense\n", /Error parsing streaming input line/],
    ['{"type":"control_request","request_id":"1"}\n', /Missing request/],
    [
      '{"type":"user","message":{"role":"assistant"}}\n',
      /Expected message role/,
    ],
  ];
  for (const [text, expected] of cases) {
    await withFake("ok", {}, async (cli) => {
      cli.send(text);
      assert.equal((await cli.exited).code, 1);
      assert.match(cli.stderr, expected);
    });
  }
});

test("fakeCli() merges prompts that came during a turn when the script says so", async () => {
  await withFake(
    {
      turns: [["first", { wait: "prompt" }], "both"],
      mergePrompts: true,
    },
    {},
    async (cli) => {
      const uuids = [1, 2, 3].map((n) =>
        `00000000-0000-4000-8000-00000000000${n}`
      );
      for (const [index, uuid] of uuids.entries()) {
        cli.prompt(`p${index}`, uuid);
      }
      await cli.until(() => cli.ofType("result").length === 2);
      const [first, both] = cli.ofType("result");
      assert.deepEqual(first.user_message_uuids, uuids.slice(0, 1));
      assert.deepEqual(both.user_message_uuids, uuids.slice(1));
      const completed = () =>
        cli.ofType("command_lifecycle")
          .filter(({ state }) => state === "completed");
      await cli.until(() => completed().length === 3);
    },
  );
});

test("fakeCli() sends requests of any kind, waits for them or not, and takes them back", async () => {
  await withFake(
    [[
      {
        request: { subtype: "elicitation", message: "Name?" },
        id: "e1",
        wait: false,
      },
      { mcp: { server: "calc", method: "ping" }, id: "m1", wait: false },
      {
        mcp: { server: "calc", method: "note", isNotification: true },
        wait: false,
      },
      {
        ask: { tool: "Bash", id: "a1", fields: { title: "Now?" } },
        wait: false,
      },
      { cancel: "m1" },
      { wait: "answer" },
      "one was answered",
      { wait: "answers" },
      "all were answered",
    ]],
    {},
    async (cli) => {
      cli.prompt("go");
      await cli.next(({ type }) => type === "control_cancel_request");
      const requests = cli.ofType("control_request");
      assert.deepEqual(
        requests.map(({ request }) => request.subtype),
        ["elicitation", "mcp_message", "mcp_message", "can_use_tool"],
      );
      assert.equal(requests[1].request.message.id, 0);
      assert.ok(!("id" in requests[2].request.message));
      assert.equal(requests[3].request.title, "Now?");
      cli.answer("e1", { action: "decline" });
      await cli.next(({ message }) =>
        message?.content[0].text === "one was answered"
      );
      cli.answer(requests[2].request_id, {});
      assert.equal(cli.ofType("result").length, 0);
      cli.answer("a1", { behavior: "allow" });
      await cli.next(({ type }) => type === "result");
    },
  );
});

test("fakeCli() calls the hooks of an event that fit", async () => {
  const hooks = {
    Notification: [{ hookCallbackIds: ["n1", "n2"] }],
    PreToolUse: [{ matcher: "mcp__.*", hookCallbackIds: ["p1"] }],
  };
  await withFake(
    [[
      { hook: "Notification", input: { message: "hi" }, wait: false },
      { hook: "PreToolUse", tool: "Bash" },
      { hook: "PreToolUse", tool: "mcp__a__b", toolUseId: "t1", id: "h1" },
      { hook: "Stop" },
      "done",
    ]],
    {},
    async (cli) => {
      await cli.initialize({ hooks });
      cli.prompt("go");
      const { request } = await cli.next(({ request_id }) =>
        request_id === "h1"
      );
      assert.equal(request.callback_id, "p1");
      assert.equal(request.tool_use_id, "t1");
      assert.equal(request.input.tool_name, "mcp__a__b");
      const [first, second] = cli.ofType("control_request");
      assert.deepEqual(
        [first, second].map(({ request }) => request.callback_id),
        ["n1", "n2"],
      );
      assert.equal(first.request.input.message, "hi");
      cli.answer("h1", {});
      await cli.next(({ type }) => type === "result");
    },
  );
});

test("faultyCli() repeats steps and does several rows of them at once", async () => {
  await withCli(
    faultyCli([[
      { repeat: 3, steps: ["again"] },
      {
        parallel: [[{ ask: { tool: "A", id: "a" } }, "a done"], [{
          ask: { tool: "B", id: "b" },
        }, "b done"]],
      },
    ]]),
    {},
    async (cli) => {
      cli.prompt("go");
      await cli.until(() => cli.ofType("control_request").length === 2);
      cli.answer("b", { behavior: "allow" });
      cli.answer("a", { behavior: "allow" });
      await cli.next(({ type }) => type === "result");
      const texts = cli.ofType("assistant")
        .flatMap(({ message }) => message.content[0].text ?? []);
      assert.deepEqual(texts, ["again", "again", "again", "b done", "a done"]);
    },
  );
});

test("fakeCli() waits for control requests, and lets them change what it says of itself", async () => {
  await withFake(
    {
      ready: [{ wait: { control: "set_model" } }, {
        stderr: "changed\n".repeat(2),
      }],
      init: { tools: ["OnlyThis"] },
      result: { total_cost_usd: 7 },
      turns: { result: "from the script" },
    },
    {},
    async (cli) => {
      await cli.initialize();
      await cli.control({ subtype: "set_model", model: "other-model" }, "1");
      await cli.until(() => cli.stderr === "changed\nchanged\n");
      cli.prompt("go");
      const result = await cli.next(({ type }) => type === "result");
      const [init] = cli.ofType("system", "init");
      assert.equal(init.model, "other-model");
      assert.deepEqual(init.tools, ["OnlyThis"]);
      assert.equal(result.result, "from the script");
      assert.equal(result.total_cost_usd, 7);
      assert.equal(cli.ofType("system", "session_state_changed").length, 0);
    },
  );
});

test("fakeCli() keeps the session that its arguments name", async () => {
  const id = "00000000-0000-4000-8000-00000000abcd";
  for (const args of [[`--session-id=${id}`], ["--resume", id]]) {
    await withFake({ init: false }, { args }, async (cli) => {
      cli.prompt("go");
      const result = await cli.next(({ type }) => type === "result");
      assert.equal(result.session_id, id);
      assert.equal(cli.lines.length, 2);
    });
  }
});

test("fakeCli() tells its version like a CLI, and does not count that as a run", async () => {
  const fake = fakeCli({ version: "9.9.9" });
  const [command = "", ...args] = fake.cliPath;
  const { stdout } = await promisify(execFile)(command, [...args, "--version"]);
  assert.equal(stdout, "9.9.9 (Claude Code)\n");
  assert.deepEqual(fake.runs, []);
  await fake.close();
});

test("fakeCli() rejects a script with an unknown step or key", () => {
  assert.throws(
    // deno-lint-ignore no-explicit-any -- what a script in JavaScript may hold
    () => fakeCli([[{ sai: "x" } as any]]),
    (error) =>
      error instanceof ConfigError && error.key === "turns[0][0]" &&
      /must be one of say, /.test(error.message),
  );
  assert.throws(
    // deno-lint-ignore no-explicit-any -- what a script in JavaScript may hold
    () => fakeCli({ turn: "x" } as any),
    (error) => error instanceof ConfigError && error.key === "turn",
  );
});

test("fakeCli() refuses a step of a wrong form at the call, and names the step and the right form", () => {
  const wrong: readonly [step: unknown, key: string, form: RegExp][] = [
    [{ ask: "Bash" }, "ask", /an object/],
    [{ ask: [{ tool: "Bash" }, { input: {} }] }, "ask[1].tool", /set/],
    // A list with a hole.
    [{ ask: Array(1) }, "ask[0]", /an object/],
    [{ ask: { tool: "Bash", input: "ls" } }, "ask.input", /an object/],
    [{ tool: { name: "Bash" } }, "tool", /a string/],
    [{ tool: "Bash", input: "ls" }, "input", /an object/],
    [{ tool: "Bash", inputs: {} }, "inputs", /nearest one is "input"/],
    [{ say: 1 }, "say", /a string/],
    [{ hook: {} }, "hook", /a string/],
    [{ mcp: { server: "s" } }, "mcp.method", /set/],
    [{ request: "x" }, "request", /an object/],
    [{ wait: "promt" }, "wait", /"prompt"/],
    [{ wait: -1 }, "wait", /0 or more/],
    [{ message: "x" }, "message", /object/],
    [{ line: undefined }, "line", /set/],
    [{ stderr: {} }, "stderr", /a string/],
    [{ result: true }, "result", /an object/],
    [{ exit: "1" }, "exit", /number/],
    [{ cancel: 1 }, "cancel", /a string/],
    [{ think: null }, "think", /a string/],
    [{ text: 1 }, "text", /a string/],
  ];
  for (const [step, key, form] of wrong) {
    assert.throws(
      () => fakeCli([["x", step]] as unknown as FakeCliScript),
      (error) =>
        error instanceof ConfigError &&
        error.key === `turns[0][1].${key}` && form.test(error.message) &&
        error.message.includes(`"turns[0][1].${key}"`),
      `${JSON.stringify(step)} has no error at ${key}`,
    );
  }
});

test("fakeCli() denies a tool when a hook fails that must not", async () => {
  for (const onFailure of ["block", "continue"]) {
    const script = [[{ tool: "Bash", input: {} }, "done"]] as const;
    await withFake(script, {}, async (cli) => {
      const hook = { hookCallbackIds: ["h"], onFailure };
      await cli.initialize({ hooks: { PreToolUse: [hook] } });
      cli.prompt("go");
      const { request_id } = await cli.next(({ request }) =>
        request?.subtype === "hook_callback"
      );
      const response = { subtype: "error", request_id, error: "Broken" };
      await cli.send({ type: "control_response", response });
      const { permission_denials } = await cli.next(({ type }) =>
        type === "result"
      );
      assert.equal(permission_denials.length, onFailure === "block" ? 1 : 0);
    });
  }
});

test("fakeCli() ends the turn when a denial interrupts it", async () => {
  const script = [[{ tool: "Bash", input: {} }, "done"]] as const;
  const args = ["--permission-prompt-tool", "stdio"];
  await withFake(script, { args }, async (cli) => {
    cli.prompt("go");
    const { request_id } = await cli.next(({ request }) =>
      request?.subtype === "can_use_tool"
    );
    const denial = { behavior: "deny", message: "No", interrupt: true };
    cli.answer(request_id, denial);
    const result = await cli.next(({ type }) => type === "result");
    assert.equal(result.terminal_reason, "aborted_tools");
    assert.equal(result.permission_denials.length, 1);
  });
});
