import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import {
  AbortError,
  type Options,
  prewarm,
  startup,
} from "@sluice/agent/compat";
import type { FakeCli, FakeCliScript } from "@sluice/agent/testing";
import { test } from "../_harness.ts";
import type { JsonObject } from "@sluice/agent";
import { ended, withFake } from "./_compat.ts";
import { playedCli } from "./_process.ts";

/** Runs a test body with a configuration folder of its own; the folders of spares that are left in it are given back. */
async function withSpares(
  script: FakeCliScript,
  use: (
    options: Options,
    fake: FakeCli,
    folders: () => Promise<readonly string[]>,
  ) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "spares-"));
  try {
    await withFake(script, async (options, fake) => {
      const env = { ...process.env, CLAUDE_CONFIG_DIR: folder };
      await use(
        { ...options, env },
        fake,
        () => readdir(join(folder, "spares")),
      );
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("a start that takes too long says so, and nothing of it stays behind", async () => {
  await withSpares(
    { initialize: "silent", turns: [] },
    async (options, _, folders) => {
      const late = { options, initializeTimeoutMs: 1 };
      const message =
        /^Subprocess initialization did not complete within 1ms\./;
      await assert.rejects(startup(late), { message });
      await assert.rejects(prewarm(late), { message });
      assert.deepEqual(await folders(), []);
    },
  );
});

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

test("close() ends an unclaimed spare, and its folder is removed", async () => {
  await withSpares([], async (options, fake, folders) => {
    const spare = await prewarm({ options });
    const [name = ""] = await folders();
    assert.match(name, /^spare-/);
    const [run] = await fake.until((runs) => runs.length === 1);
    assert.ok(run?.cwd.endsWith(name), run?.cwd);
    assert.ok(run?.args.includes("--await-claim"));
    spare.close();
    await assert.rejects(spare.claimed, { message: /^spare_closed:/ });
    await spare.exited;
    assert.deepEqual(await folders(), []);
    assert.equal((await ended(fake))[0]?.exitCode, 0);
  });
});

test("a spare that ends on its own rejects its claim", async () => {
  await withSpares(
    { ready: [{ exit: 3 }], turns: [] },
    async (options, _, folders) => {
      const spare = await prewarm({ options });
      await spare.exited;
      await assert.rejects(spare.claimed, { message: /^spare_exited:/ });
      assert.throws(
        () => spare.claim({ prompt: "Hi", options: { cwd: "." } }),
        /the spare was closed or has exited/,
      );
      assert.deepEqual(await folders(), []);
      await spare[Symbol.asyncDispose]();
    },
  );
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

test("a relative directory of a claim is one of the program", async () => {
  const cli = playedCli();
  const spare = await prewarm({ options: { ...cli.options, cwd: tmpdir() } });
  const run = spare.claim({ prompt: "Hi", options: { cwd: "sub/folder" } });
  const { request } = await cli.until(({ request }) =>
    (request as JsonObject | undefined)?.["subtype"] === "claim_session"
  );
  const { cwd } = request as JsonObject;
  assert.equal(cwd, join(process.cwd(), "sub", "folder"));
  await run.return();
});

test("settings of a claim are sent ahead of it, and one that is refused stops it", async () => {
  const subtypeOf = ({ request }: JsonObject) =>
    (request as JsonObject | undefined)?.["subtype"];
  for (const isRefused of [false, true]) {
    const cli = playedCli();
    const spare = await prewarm({ options: { ...cli.options, cwd: tmpdir() } });
    const settings = { deniedMcpServers: [{ serverName: "x" }] };
    const run = spare.claim({ prompt: "Hi", options: { cwd: ".", settings } });
    const asked = await cli.until((line) =>
      subtypeOf(line) === "apply_flag_settings"
    );
    assert.equal(
      cli.received.some((one) => subtypeOf(one) === "claim_session"),
      false,
    );
    cli.say({
      type: "control_response",
      response: {
        subtype: isRefused ? "error" : "success",
        request_id: asked["request_id"],
        ...isRefused ? { error: "no" } : { response: {} },
      },
    });
    if (isRefused) {
      await assert.rejects(spare.claimed, {
        message: /^settings_not_applied: no — the prompt was not sent/,
      });
    } else {
      await cli.until((line) => subtypeOf(line) === "claim_session");
      await run.return();
    }
    const sent = cli.received.filter(({ type }) => type === "user");
    assert.deepEqual(sent, []);
  }
});
