import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { EventEmitter } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import {
  AbortError,
  type Options,
  prewarm,
  query,
  startup,
} from "@sluice/agent/compat";
import { test } from "../_harness.ts";
import { messagesOf, userMessage, withFake } from "./_compat.ts";
import { playedCli } from "./_process.ts";

/** More than a pipe holds: its write is still going on when the CLI exits. */
const LONG = "x".repeat(300_000);

/** A CLI that exits at once without reading anything. */
function failing(code: number): Options {
  return {
    pathToClaudeCodeExecutable: fileURLToPath(
      new URL("./failing_cli.mjs", import.meta.url),
    ),
    executable: "node",
    env: { ...process.env, EXIT_WITH: String(code) },
  };
}

/** The error of a run, with a look at the controller that the user owns. */
async function failureOf(
  prompt: unknown,
  options: Options,
): Promise<Error & { exitCode?: number; code?: string }> {
  const abortController = new AbortController();
  const run = query({
    prompt: prompt as string,
    options: { ...options, abortController },
  });
  try {
    await messagesOf(run);
  } catch (error) {
    assert.equal(abortController.signal.aborted, false);
    assert.ok(error instanceof Error && !(error instanceof AbortError));
    return error;
  }
  throw new Error("the run did not fail");
}

async function* stream(text: string) {
  yield userMessage(text);
}

for (
  const [name, prompt] of [
    ["short prompt", () => "Hi"],
    ["long prompt", () => LONG],
    ["stream of prompts", () => stream(LONG)],
  ] as const
) {
  test(`a CLI that exits while a ${name} is written is reported by its exit, and the user's controller stays as it was`, async () => {
    const error = await failureOf(prompt(), failing(3));
    assert.equal(
      error.message,
      "Claude Code process exited with code 3. stderr: out of luck",
    );
    assert.equal(error.exitCode, 3);
  });
}

test("a CLI that exits with code 0 before it reads the prompt is an error", async () => {
  const error = await failureOf(LONG, failing(0));
  assert.match(error.message, /^Failed to write to process stdin: /);
});

test("requests that are open when the CLI exits fail with its exit; later ones are refused", async () => {
  const run = query({ prompt: LONG, options: failing(3) });
  const message = "Claude Code process exited with code 3. stderr: out of luck";
  const open = [run.setModel("x"), run.initializationResult()].map((one) =>
    assert.rejects(one, { message, exitCode: 3 })
  );
  await assert.rejects(messagesOf(run), { message });
  await Promise.all(open);
  const closed = { message: "Query closed before response received" };
  await assert.rejects(run.setModel("x"), closed);
  await assert.rejects(run.reinitialize(), { message, exitCode: 3 });
  await assert.rejects(run.streamInput(stream("late")), {
    message: "ProcessTransport is not ready for writing",
  });
});

for (
  const [name, start] of [["startup", startup], ["prewarm", prewarm]] as const
) {
  test(`${name}() rejects with the exit of a CLI that fails`, async () => {
    const abortController = new AbortController();
    const options = { ...failing(3), abortController, cwd: "." };
    await assert.rejects(start({ options }), {
      message: "Claude Code process exited with code 3. stderr: out of luck",
      exitCode: 3,
    });
    assert.equal(abortController.signal.aborted, false);
  });
}

test("a process of spawnClaudeCodeProcess that cannot be started is reported with the system's code", async () => {
  const error = await failureOf(LONG, {
    pathToClaudeCodeExecutable: "claude",
    spawnClaudeCodeProcess: ({ args }) =>
      spawn("/nowhere/claude", args, { stdio: ["pipe", "pipe", "ignore"] }),
  });
  assert.match(
    error.message,
    /^Failed to spawn Claude Code process: .*\/nowhere\/claude/,
  );
  assert.equal(error.code, "ENOENT");
});

test("a process of spawnClaudeCodeProcess that fails is reported by its exit", async () => {
  const { env } = failing(3);
  const error = await failureOf(LONG, {
    ...failing(3),
    spawnClaudeCodeProcess: ({ command, args }) =>
      spawn(command, args, {
        env: env ?? {},
        stdio: ["pipe", "pipe", "ignore"],
      }),
  });
  assert.equal(error.message, "Claude Code process exited with code 3");
  assert.equal(error.exitCode, 3);
});

for (const returned of [undefined, Promise.resolve({})]) {
  test(`a spawnClaudeCodeProcess that returns ${returned ? "a promise" : "undefined"} fails the run once`, async () => {
    const error = await failureOf("Hi", {
      spawnClaudeCodeProcess: () => returned as never,
    });
    assert.ok(error instanceof TypeError);
    assert.match(error.message, /spawnClaudeCodeProcess has to return/);
  });
}

test("an error event of a running process of spawnClaudeCodeProcess fails the run, and nothing else", async () => {
  const cli = playedCli();
  const child = cli.options.spawnClaudeCodeProcess!({} as never);
  const failed = failureOf("Hi", {
    ...cli.options,
    spawnClaudeCodeProcess: () => child,
  });
  await cli.until(({ type }) => type === "user");
  (child as unknown as EventEmitter).emit("error", new Error("docker gone"));
  assert.match((await failed).message, /docker gone/);
});

test("an error of spawnClaudeCodeProcess is the error of the run", async () => {
  const error = await failureOf("Hi", {
    pathToClaudeCodeExecutable: "claude",
    spawnClaudeCodeProcess() {
      throw new Error("no room");
    },
  });
  assert.equal(error.message, "no room");
});

test("a CLI without blocking hooks is reported as such, and no prompt leaves", async () => {
  const initialize = { hook_on_failure_supported: false };
  await withFake({ initialize }, async (options, fake) => {
    const hook = () => Promise.resolve({});
    const error = await failureOf("Hi", {
      ...options,
      hooks: { PreToolUse: [{ hooks: [hook], onFailure: "block" }] },
    });
    assert.match(error.message, /does not know onFailure of hooks/);
    assert.ok(fake.received.every(({ type }) => type !== "user"));
  });
});

test("a CLI with a clean exit that has not confirmed blocking hooks is an error", async () => {
  const cli = playedCli({ initialize: () => undefined });
  const failed = failureOf("Hi", {
    ...cli.options,
    hooks: {
      PreToolUse: [{
        hooks: [() => Promise.resolve({})],
        onFailure: "block",
      }],
    },
  });
  await cli.until(({ type }) => type === "control_request");
  cli.exit(0);
  assert.equal(
    (await failed).message,
    "Failed to write to process stdin: Cannot write to terminated process",
  );
});

test("a CLI that is missing has the system's code", async () => {
  const path = "/nowhere/claude";
  const error = await failureOf("Hi", { pathToClaudeCodeExecutable: path });
  assert.ok(error instanceof ReferenceError);
  assert.equal(error.code, "ENOENT");
  const folder = await failureOf("Hi", {
    ...failing(0),
    cwd: "/nowhere/folder",
  });
  assert.match(folder.message, /^Failed to spawn .*Working directory/);
  assert.equal(folder.code, "ENOENT");
});

test("a CLI that exists and cannot be started is not called missing", async () => {
  const folder = await mkdtemp(join(tmpdir(), "launch-"));
  try {
    const path = join(folder, "claude");
    await writeFile(path, "#!/bin/sh\n", { mode: 0o644 });
    const file = await failureOf("Hi", { pathToClaudeCodeExecutable: path });
    assert.ok(file instanceof ReferenceError);
    assert.equal(
      file.message,
      `Claude Code native binary at ${path} exists but failed to launch: it is not executable`,
    );
    assert.equal(file.code, "EACCES");
    const executable = "/nowhere/bun";
    const script = await failureOf(
      "Hi",
      { ...failing(0), executable } as never,
    );
    assert.match(
      script.message,
      /^Claude Code executable at .*failing_cli\.mjs exists but failed to launch: \/nowhere\/bun was not found/,
    );
    assert.equal(script.code, "ENOENT");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("options may be null, as in the official SDK", async () => {
  const run = query({ prompt: "Hi", options: null as never });
  await run.return();
});

test("a source of prompts that throws aborts the query with its error as the cause", async () => {
  await withFake("ok", async (options) => {
    const broken = new Error("no more");
    const abortController = new AbortController();
    async function* prompts() {
      yield userMessage("Hi");
      await Promise.resolve();
      throw broken;
    }
    await assert.rejects(
      messagesOf(
        query({ prompt: prompts(), options: { ...options, abortController } }),
      ),
      (error) => error instanceof AbortError && error.cause === broken,
    );
    assert.equal(abortController.signal.reason, broken);
  });
});

test("arrays and synchronous generators are prompts, as in the official SDK", async () => {
  function* generator() {
    yield userMessage("first");
    yield userMessage("second");
  }
  for (
    const prompt of [[userMessage("first"), userMessage("second")], generator()]
  ) {
    await withFake(["one", "two"], async (options, fake) => {
      const messages = await messagesOf(
        query({ prompt: prompt as never, options }),
      );
      const results = messages.filter(({ type }) => type === "result");
      assert.deepEqual(results.map(({ result }) => result), ["one", "two"]);
      const prompts = fake.received.filter(({ type }) => type === "user");
      assert.equal(prompts.length, 2);
    });
  }
});

test("a stream that gives something other than messages ends the query with what it should give", async () => {
  for (const item of ["Hi", null, undefined, 7, ["Hi"]]) {
    await withFake("ok", async (options, fake) => {
      const error = await failureOf([item], options);
      assert.ok(error instanceof TypeError);
      assert.match(error.message, /role: "user"/);
      assert.ok(fake.received.every(({ type }) => type !== "user"));
    });
  }
});

test(
  "a signal that the program handles itself does not reach the CLI",
  async () => {
    const own = new Promise((resolve) => process.once("SIGHUP", resolve));
    const path = new URL("./patient_cli.mjs", import.meta.url);
    const run = query({
      prompt: "Hi",
      options: {
        pathToClaudeCodeExecutable: fileURLToPath(path),
        executable: "node",
      },
    });
    const seen: unknown[] = [];
    for await (const message of run) {
      seen.push(message.type);
      if (message.type !== "system") continue;
      process.kill(process.pid, "SIGHUP");
      await own;
      await run.setModel("x");
    }
    assert.deepEqual(seen, ["system", "result"]);
  },
  {
    skip: process.platform === "win32" ? "no signals there" : undefined,
  },
);
