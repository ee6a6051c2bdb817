import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { AbortError, prewarm, startup } from "@sluice/agent/compat";
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
