import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import {
  AbortError,
  type Options,
  prewarm,
  startup,
} from "@sluice/agent/compat";
import type { JsonObject } from "@sluice/agent";
import { test } from "../_harness.ts";
import { ended, withFake } from "./_compat.ts";
import { playedCli } from "./_process.ts";

test("the timeout of startup() pauses for a startup hook, and that of prewarm() does not", async () => {
  const own = globalThis.setTimeout;
  const waits: unknown[] = [];
  globalThis.setTimeout = ((run: () => void, ms: number, ...rest: []) => {
    waits.push(ms);
    return own(run, ms, ...rest);
  }) as typeof setTimeout;
  try {
    for (const [start, pauses] of [[startup, 1], [prewarm, 0]] as const) {
      waits.length = 0;
      const cli = playedCli({ initialize: () => undefined });
      const starting = start({ options: { ...cli.options, cwd: tmpdir() } });
      const { request_id } = await cli.until(({ type }) =>
        type === "control_request"
      );
      const type = "system";
      const hook = { hook_id: "a", hook_event: "SessionStart" };
      cli.say({ type, subtype: "hook_started", ...hook });
      cli.say({ type, subtype: "hook_response", ...hook });
      const response = { subtype: "success", request_id, response: {} };
      cli.say({ type: "control_response", response });
      const warm = await starting;
      assert.equal(waits.filter((ms) => ms === 600_000).length, pauses);
      await warm[Symbol.asyncDispose]();
    }
  } finally {
    globalThis.setTimeout = own;
  }
});

test("the CLI of startup() reports its phases, and a timeout names the last", async () => {
  let env: Record<string, string | undefined> = {};
  const cli = playedCli({ initialize: () => undefined });
  const { spawnClaudeCodeProcess: spawn, ...options } = cli.options;
  const starting = startup({
    initializeTimeoutMs: 1_000,
    options: {
      ...options,
      spawnClaudeCodeProcess(launch) {
        env = launch.env;
        return spawn!(launch);
      },
    },
  });
  await cli.until(({ type }) => type === "control_request");
  cli.say({ type: "keep_alive", startup_mark: "before_connectMcp" });
  await assert.rejects(starting, (error: Error & JsonObject) => {
    assert.match(error.message, /within 1000ms\. The last phase .*Mcp\. /);
    assert.equal(error.errorClass, "initialize_timeout");
    assert.equal(error.startupMark, "before_connectMcp");
    return true;
  });
  assert.equal(env.CLAUDE_CODE_SDK_READS_STARTUP_MARKS, "1");
});

test("a variable of the program decides whether the CLI reports its phases", async () => {
  const name = "CLAUDE_CODE_SDK_READS_STARTUP_MARKS";
  for (const start of [startup, prewarm]) {
    let env: Record<string, string | undefined> = {};
    const options: Options = {
      pathToClaudeCodeExecutable: "claude",
      cwd: tmpdir(),
      env: { [name]: "0", OWN: "1" },
      spawnClaudeCodeProcess(launch) {
        ({ env } = launch);
        throw new Error("Seen enough");
      },
    };
    await assert.rejects(start({ options }), /Seen enough/);
    assert.deepEqual([env[name], env.OWN], ["0", "1"]);
  }
});

test("a query that was started ahead and aborted takes no prompt", async () => {
  await withFake([], async (options) => {
    const abortController = new AbortController();
    const warm = await startup({ options: { ...options, abortController } });
    abortController.abort();
    assert.throws(
      () => warm.query("Late"),
      (error) =>
        error instanceof AbortError && error.message === "Operation aborted",
    );
    await warm[Symbol.asyncDispose]();
  });
});

test("a query that was started ahead and is not used is ended with its scope", async () => {
  await withFake([], async (options, fake) => {
    const warm = await startup({ options });
    await warm[Symbol.asyncDispose]();
    assert.equal((await ended(fake))[0]?.exitCode, 0);
    assert.throws(() => warm.query("Late"), /can only be called once/);
  });
});
