import assert from "node:assert/strict";
import {
  fixture,
  host,
  isGoneWithin,
  Lines,
  needsProc,
  release,
  textOf,
} from "../_children.ts";
import { reasonWithoutCli } from "../_real_cli.ts";
import { processesBelow, stayingPid, stayingTool } from "./_query.ts";
import { realTest } from "./_real.ts";

const current = await host();
const skip = reasonWithoutCli ?? needsProc;
const DRIVER = new URL("../fixtures/tool_driver.ts", import.meta.url);

/** SIGKILL comes 5 s after the end of the host; the machine of a test is busy. */
const BOUND_MS = 15_000;

for (
  const [how, ignoresSignals, end] of [
    ["exit", false, [3, null]],
    // The host has no time to wait for the CLI, which has not killed the tool yet.
    ["exit", true, [3, null]],
    ["throw", false, [1, null]],
    ["SIGTERM", false, [null, "SIGTERM"]],
    ["SIGHUP", false, [null, "SIGHUP"]],
    ["SIGINT", true, [null, "SIGINT"]],
    ["SIGKILL", true, [null, "SIGKILL"]],
  ] as const
) {
  const tool = ignoresSignals ? "a tool that ignores signals" : "a tool";
  realTest(
    `a program that ends by ${how} in the middle of ${tool} leaves nothing of the CLI behind`,
    [stayingTool({ ignoresSignals })],
    async ({ options, cwd }) => {
      const driver = await current.spawn(
        fixture(DRIVER, JSON.stringify(options), how),
      );
      const problems = textOf(driver.stderr);
      const lines = new Lines(driver.stdout);
      const cli = Number(await lines.next());
      if (Number.isNaN(cli)) assert.fail(await problems);
      const pid = await stayingPid(cwd);
      const below = processesBelow(driver.pid);
      assert.ok(below.includes(cli) && below.includes(pid));
      if (how === "exit" || how === "throw") await driver.stdin.write("now\n");
      else driver.kill(how);
      const { code, signal } = await driver.exited;
      assert.deepEqual([code, signal], end);
      for (const one of below) {
        assert.ok(await isGoneWithin(BOUND_MS, one), `process ${one} is gone`);
      }
      await lines.cancel();
      await problems;
      await release(driver);
    },
    { skip, ids: ["P-04", "P-06"] },
  );
}
