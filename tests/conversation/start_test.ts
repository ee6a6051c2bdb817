import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AgentError,
  type AgentOptions,
  CliError,
  CliExitError,
  CliNotFoundError,
  ClosedError,
  ControlError,
  McpInitError,
  ProtocolError,
  query,
} from "@sluice/agent";
import { fakeCli, FakeClock } from "@sluice/agent/testing";
import { host } from "../_children.ts";
import { collect, rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import { TESTED_VERSION } from "../_real_cli.ts";
import { assistantLine, memoryCli, unhandledIn } from "./_rig.ts";

/** Starts what cannot start; what it gives is the same error everywhere, and no message. */
async function failedStart(options: AgentOptions): Promise<unknown> {
  const conversation = query("x", options);
  let ready: unknown;
  const rejections = await unhandledIn(async () => {
    const [messages, errors] = await Promise.all([
      collect(conversation),
      collect(conversation.errors),
    ]);
    ready = await rejectionOf(conversation.ready);
    assert.deepEqual(messages.items, []);
    assert.equal(messages.error, ready);
    assert.equal(errors.error, undefined);
    assert.equal(errors.items.length, 1);
    assert.equal(errors.items[0], ready);
    await conversation.close();
  });
  assert.deepEqual(rejections, []);
  assert.equal(conversation.health().state, "gone");
  return ready;
}

test(
  "query() is one CliExitError when the CLI exits before it answered initialize",
  async () => {
    const fake = fakeCli({
      start: [
        { message: assistantLine("too early") },
        { line: "Some noise" },
        { stderr: "Something is wrong\nConfig is broken\n" },
        { exit: 3 },
      ],
    });
    const error = await failedStart({ cliPath: fake.cliPath });
    assert.ok(error instanceof CliExitError);
    assert.equal(error.exitCode, 3);
    assert.equal(error.fatal, true);
    assert.equal(error.stage, "exit");
    assert.match(error.message, /before initialize was answered: exit code 3/);
    assert.match(error.message, /Config is broken/);
    assert.equal(error.stderrTail, "Something is wrong\nConfig is broken\n");
    assert.equal(error.processInfo.pid, fake.runs[0]?.pid);
    await fake.close();
  },
  { ids: ["P-01", "Q-01", "Q-04", "Q-09", "QA-01"] },
);

test(
  "query() is one CliNotFoundError when there is no CLI at the path",
  async () => {
    const error = await failedStart({ cliPath: "/nowhere/claude" });
    assert.ok(error instanceof CliNotFoundError);
    assert.equal(error.discovery.attempts[0]?.path, "/nowhere/claude");
    assert.match(error.message, /"\/nowhere\/claude"/);
  },
  { ids: ["Q-01", "QA-01"] },
);

test(
  "query() is one CliError that names the directory when the working directory is missing",
  async () => {
    const { cliPath } = fakeCli("never");
    const error = await failedStart({ cliPath, cwd: "/nowhere/at/all" });
    assert.ok(error instanceof CliError);
    assert.equal(error.stage, "connect");
    assert.match(
      error.message,
      /^Working directory does not exist: "\/nowhere\/at\/all"/,
    );
  },
  { ids: ["E-17"] },
);

test("query() is one CliError when the program cannot be executed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "start-"));
  try {
    const path = join(folder, "claude");
    await writeFile(path, "#!/nowhere/interpreter\n", { mode: 0o755 });
    const error = await failedStart({ cliPath: path });
    assert.ok(error instanceof CliError);
    assert.equal(error.stage, "connect");
    assert.equal(error.cliPath, path);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test(
  "query() is one ControlError when the CLI refuses initialize",
  async () => {
    const { cliPath } = fakeCli({
      initialize: { error: "Not today", error_code: "busy" },
    });
    const error = await failedStart({ cliPath });
    assert.ok(error instanceof ControlError);
    assert.equal(error.errorCode, "busy");
    assert.equal(error.subtype, "initialize");
    assert.match(error.message, /Not today/);
  },
  { ids: ["Q-01"] },
);

test(
  "query() is one CliError with the timeout as its cause when initialize is not answered in time",
  async () => {
    const fake = fakeCli({
      start: [{ message: assistantLine("too early") }],
      initialize: "silent",
    });
    const began = performance.now();
    const error = await failedStart({
      cliPath: fake.cliPath,
      timeouts: { connectMs: 400 },
    });
    const tookMs = performance.now() - began;
    assert.ok(error instanceof CliError);
    assert.equal(error.code, "cli_connect");
    assert.match(error.message, /400 ms/);
    assert.ok(error.cause instanceof ProtocolError);
    assert.equal(error.cause.category, "timeout");
    assert.ok(tookMs >= 395, `took ${tookMs} ms`);
    const { pid = 0 } = error.processInfo;
    assert.equal((await host()).isRunning(pid), false, "it is gone");
    await fake.close();
  },
  { ids: ["E-01"] },
);

test("query() counts the spawn against timeouts.connectMs", async () => {
  const transport = { open: () => new Promise<never>(() => {}) };
  const error = await failedStart({
    transport,
    timeouts: { connectMs: 30 },
    shutdown: { graceMs: 10, killMs: 20 },
  });
  assert.ok(error instanceof CliError);
  assert.equal(error.stage, "connect");
  assert.ok(error.cause instanceof ProtocolError);
}, { ids: ["E-01"] });

test("query() fails with one error, whatever a custom transport does at the start", async () => {
  const boom = new Error("No container");
  const transports = [
    { open: () => Promise.reject(boom) },
    {
      open: () => {
        throw boom;
      },
    },
    { open: () => Promise.resolve(undefined as never) },
    { open: () => Promise.resolve({} as never) },
  ];
  for (const transport of transports) {
    const error = await failedStart({ transport });
    assert.ok(error instanceof CliError, `is ${error}`);
    assert.equal(error.stage, "connect");
  }
  const first = await failedStart({ transport: transports[0] as never });
  assert.equal((first as AgentError).cause, boom);
});

test(
  "query() is one McpInitError when a server fails, and the CLI is gone",
  async () => {
    const fake = fakeCli("never");
    const cause = new Error("Refused");
    // It stands still: nothing of this waits for a limit.
    const clock = new FakeClock();
    const error = await failedStart({
      cliPath: fake.cliPath,
      clock,
      mcpServers: {
        broken: {
          type: "sdk",
          instance: {
            connect: () => Promise.reject(cause),
            close: () => Promise.resolve(),
          },
        },
      },
    });
    assert.ok(error instanceof McpInitError);
    assert.equal(
      error.message,
      'Failed to initialize MCP server "broken": Refused',
    );
    assert.deepEqual(fake.received, [], "nothing was said to the CLI");
    await fake.close();
  },
  { ids: ["Q-01", "Q-04", "Q-09"] },
);

test(
  "close() before the start is over rejects ready with ClosedError, and nothing is left",
  async () => {
    for (const initialize of ["silent", {}] as const) {
      const fake = fakeCli({ initialize });
      const conversation = query("x", { cliPath: fake.cliPath });
      const closed = conversation.close();
      assert.ok(await rejectionOf(conversation.ready) instanceof ClosedError);
      await closed;
      const { items, error } = await collect(conversation.errors);
      assert.deepEqual([items, error], [[], undefined]);
      assert.equal(conversation.health().state, "gone");
      await fake.close();
    }
  },
  { ids: ["Q-17"] },
);

test("ready gives the fields of the answer to initialize, unknown ones kept", async () => {
  const { cliPath } = fakeCli({ initialize: { brand_new: { deep: [1] } } });
  const conversation = query("x", { cliPath });
  const info = await conversation.ready;
  assert.equal(info.claude_code_version, TESTED_VERSION);
  assert.deepEqual(
    (info as { brand_new?: unknown }).brand_new,
    { deep: [1] },
  );
  assert.equal(info.pid, conversation.pid);
  await conversation.close();
});

test("query() fails when the CLI did not take a field of initialize", async () => {
  for (const hooks_applied of [false, 0, "false", "true"]) {
    const { cliPath } = fakeCli({ initialize: { hooks_applied } });
    const error = await failedStart({
      cliPath,
      hooks: { Stop: [{ hooks: [() => ({})] }] },
    });
    assert.ok(error instanceof ProtocolError);
    assert.match(error.message, /hooks/);
  }
});

test(
  "query() takes its hooks from the options, and two parameters",
  async () => {
    assert.equal(query.length, 2);
    const fake = fakeCli("ok");
    await query("x", {
      cliPath: fake.cliPath,
      hooks: { PreToolUse: [{ matcher: "Bash", hooks: [() => ({})] }] },
    }).text();
    const { hooks } = fake.received[0]?.request as {
      hooks: { PreToolUse: readonly { matcher: string }[] };
    };
    assert.equal(hooks.PreToolUse[0]?.matcher, "Bash");
    await fake.close();
  },
  { ids: ["Q-20"] },
);

test("messages that come before the answer to initialize are delivered after it", async () => {
  const { transport, peer } = memoryCli({ initialize: () => undefined });
  const conversation = query("x", { transport });
  const request = await peer.line((line) => line.type === "control_request");
  await peer.send(assistantLine("early"));
  const first = conversation[Symbol.asyncIterator]().next();
  await peer.reply(request, { commands: [] });
  assert.equal((await first).value?.type, "assistant");
  await conversation.close();
});
