import assert from "node:assert/strict";
import { type Logger, query } from "@sluice/agent";
import { fakeCli, FakeClock } from "@sluice/agent/testing";
import { collect, rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import { TESTED_VERSION } from "../_real_cli.ts";
import {
  assistantLine,
  begin,
  type LogLine,
  logSpy,
  memoryCli,
  requestLine,
  resultLine,
  turns,
} from "./_rig.ts";

function find(
  lines: readonly LogLine[],
  level: keyof Logger,
  message: string | RegExp,
): LogLine {
  const line = lines.find((one) =>
    one.level === level &&
    (typeof message === "string"
      ? one.message === message
      : message.test(one.message))
  );
  assert.ok(
    line !== undefined,
    `No line "${message}" in: ${lines.map((one) => one.message).join("; ")}`,
  );
  return line;
}

test(
  "the log tells the start with path, command line and process, then the version, and the end with code, runtime and messages",
  async () => {
    const fake = fakeCli("Hello");
    const { logger, lines } = logSpy();
    const conversation = query("x", {
      cliPath: fake.cliPath,
      model: "opus 5",
      logger,
    });
    const { items } = await collect(conversation);
    await conversation.close();
    const [run] = fake.runs;
    const start = find(lines, "info", "CLI started").fields;
    assert.equal(start.path, fake.cliPath[0]);
    assert.equal(start.pid, run?.pid);
    for (const argument of run?.args ?? []) {
      assert.ok(String(start.command).includes(argument), argument);
    }
    assert.match(String(start.command), /opus 5"/, "escaped for reading");
    const ready = find(lines, "info", "CLI ready").fields;
    assert.equal(ready.version, TESTED_VERSION);
    assert.equal(ready.pid, run?.pid);
    const exit = find(lines, "info", "CLI ended").fields;
    assert.equal(exit.exitCode, 0);
    assert.equal(exit.pid, run?.pid);
    assert.ok(Number(exit.runtimeMs) > 0);
    const end = find(lines, "info", "Conversation ended").fields;
    assert.equal(end.exitCode, 0);
    assert.ok(Number(end.runtimeMs) > 0);
    assert.equal(end.messages, conversation.health().messagesReceived);
    assert.ok(Number(end.messages) > items.length, "control lines included");
    await fake.close();
  },
  { ids: ["E-09", "E-13", "E-16", "OB-12"] },
);

test(
  "every error is logged once with its facts, a fatal one too",
  async () => {
    const fake = fakeCli([[
      "a",
      { line: "noise" },
      { line: { type: "assistant", message: {} } },
      { stderr: "Broken\n" },
      { exit: 7 },
    ]]);
    const { logger, lines } = logSpy();
    const conversation = query("x", { cliPath: fake.cliPath, logger });
    const [, { items: errors }] = await Promise.all([
      collect(conversation),
      collect(conversation.errors),
    ]);
    await conversation.close();
    const logged = lines.filter(({ level }) => level === "error");
    assert.deepEqual(
      logged.map(({ message }) => message),
      errors.map(({ message }) => message),
    );
    const [line, field, exit] = logged.map(({ fields }) => fields);
    assert.deepEqual(line, {
      name: "ParseError",
      code: "parse",
      fatal: false,
      messageType: "line",
    });
    assert.deepEqual(field, {
      name: "ParseError",
      code: "parse",
      fatal: false,
      messageType: "assistant",
      field: "parent_tool_use_id",
    });
    const { command, runtimeMs, host, ...rest } = exit ?? {};
    assert.match(String(command), /--output-format stream-json/);
    assert.equal(typeof runtimeMs, "number");
    assert.match(String(host), /^\w+ \d/);
    assert.deepEqual(rest, {
      name: "CliExitError",
      code: "cli_exit",
      fatal: true,
      stage: "exit",
      pid: fake.runs[0]?.pid,
      state: "gone",
      cliPath: fake.cliPath[0],
      exitCode: 7,
      signal: null,
      reason: "exited without a result",
    });
    await fake.close();
  },
  { ids: ["E-12", "OB-12"] },
);

test("a start that fails is logged once", async () => {
  const { logger, lines } = logSpy();
  const conversation = query("x", { cliPath: "/nowhere/claude", logger });
  await rejectionOf(conversation.ready);
  await conversation.close();
  const logged = lines.filter(({ level }) => level === "error");
  assert.equal(logged.length, 1);
  assert.equal(logged[0]?.fields.code, "cli_not_found");
}, { ids: ["E-12"] });

test("too much stderr is a warning", async () => {
  const fake = fakeCli([[{ stderr: `${"x".repeat(999)}\n`.repeat(20) }, "a"]]);
  const { logger, lines } = logSpy();
  await query("x", {
    cliPath: fake.cliPath,
    logger,
    limits: { stderrWarnBytes: 10_000 },
  }).text();
  const warnings = lines.filter(({ level }) => level === "warn");
  assert.deepEqual(warnings.map(({ message }) => message), [
    "Process wrote over 10000 bytes to stderr",
  ]);
  await fake.close();
}, { ids: ["OB-12", "IO-15"] });

test("a silent turn is a warning with the length of the silence", async () => {
  const { logger, lines } = logSpy();
  const { clock, conversation, peer, reading } = await begin({ logger });
  const warnings = () =>
    lines.filter(({ level }) => level === "warn")
      .map(({ message, fields }) => [message, fields]);
  await clock.advance(119_999);
  assert.deepEqual(warnings(), []);
  await clock.advance(1);
  assert.deepEqual(warnings(), [[
    "CLI has been silent while it owes an answer",
    { silenceMs: 120_000 },
  ]]);
  await peer.send(resultLine());
  await reading;
  await conversation.close();
}, { ids: ["OB-12"] });

test(
  "trace points: control requests begin and end, lines are routed, messages are parsed",
  async () => {
    const { logger, lines } = logSpy();
    const { transport, peer } = memoryCli({ mcp_status: {} });
    const conversation = query("x", { transport, logger });
    await conversation.mcpStatus();
    // A consumer waits, so that each is parsed on arrival.
    const reading = collect(conversation);
    await peer.send(
      requestLine("r1", { subtype: "invented" }),
      assistantLine("a"),
      { type: "invented" },
      resultLine(),
    );
    await reading;
    await conversation.close();
    const traces = lines.filter(({ level }) => level === "debug")
      .map(({ message, fields }): Record<string, unknown> => ({
        message,
        ...fields,
      }));
    for (const subtype of ["initialize", "mcp_status"]) {
      const begin = traces.find((one) =>
        one.message === "Control request started" && one.subtype === subtype
      );
      assert.match(String(begin?.requestId), /^req_\d+_\d+_[0-9a-f]{8}$/);
      const end = traces.find((one) =>
        one.message === "Control request ended" && one.subtype === subtype
      );
      assert.equal(typeof end?.durationMs, "number");
    }
    const routed = traces.filter(({ message }) => message === "Line routed");
    assert.deepEqual(
      routed.map(({ type, to }) => [type, to]).slice(-4),
      [
        ["control_request", "handler"],
        ["assistant", "parser"],
        ["invented", "parser"],
        ["result", "parser"],
      ],
    );
    assert.ok(
      routed.some(({ type, to }) =>
        type === "control_response" && to === "caller"
      ),
    );
    for (const type of ["assistant", "result", "invented"]) {
      const at = (message: string) =>
        traces.findIndex((one) => one.message === message && one.type === type);
      assert.ok(at("Parse started") !== -1);
      assert.ok(at("Parse started") < at("Parse ended"));
    }
    const failed = traces.find(({ message }) => message === "Parse ended");
    assert.equal(failed?.success, true);
  },
  { ids: ["OB-13"] },
);

test("a logger that throws, or lacks members, changes nothing", async () => {
  const broken: Logger = {
    debug: fail,
    info: fail,
    warn: fail,
    error: fail,
  };
  for (const logger of [broken]) {
    const fake = fakeCli([["a", { line: "noise" }, "b"]]);
    const conversation = query("x", { cliPath: fake.cliPath, logger });
    const [messages, errors] = await Promise.all([
      collect(conversation),
      collect(conversation.errors),
    ]);
    assert.equal(messages.error, undefined);
    assert.equal(messages.items.length, 4);
    assert.equal(errors.items.length, 1);
    await conversation.close();
    await fake.close();
  }
}, { ids: ["OB-14"] });

function fail(): void {
  throw new Error("No disk");
}

test("nothing is logged on the side: without a logger all is silent, console fits", async () => {
  const clock = new FakeClock();
  const { transport } = memoryCli();
  // Only that it is taken: what it prints is the console's business.
  const logger: Logger = { ...console, debug: () => {}, info: () => {} };
  const conversation = query("x", { transport, clock, logger });
  await conversation.ready;
  await turns(1);
  await conversation.close();
});

test(
  "a logger and metrics that use the conversation are not called from inside themselves",
  async () => {
    const { transport, peer } = memoryCli({ set_model: {} });
    let inside = 0;
    let deepest = 0;
    let most = 40;
    const again = () => {
      inside++;
      deepest = Math.max(deepest, inside);
      if (most-- > 0) void conversation.setModel("m").catch(() => {});
      inside--;
    };
    const logger = { debug: again, info: again, warn: again, error: again };
    const metrics = { protocol: { request: again, pendingRequests: again } };
    const conversation = query(new ReadableStream<string>(), {
      transport,
      logger,
      metrics,
    });
    await conversation.ready;
    await conversation.setModel("n");
    await peer.line(() => most <= 0);
    assert.equal(deepest, 3, "each once: the logger and two of the metrics");
    await conversation.close();
  },
  { timeoutMs: 20_000 },
);
