import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
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
import { PID_FILE, processesBelow, stayingPid, stayingTool } from "./_query.ts";
import { realTest } from "./_real.ts";

const current = await host();

for (
  const [end, ignoresSignals] of [
    ["ends by itself", false],
    // It has no time to wait for the CLI, which has not killed the tool yet.
    ["ends by itself", true],
    ["is ended by SIGTERM", false],
  ] as const
) {
  const tool = ignoresSignals ? "a tool that ignores signals" : "a tool";
  realTest(
    `a host that ${end} while ${tool} runs leaves neither CLI nor tool`,
    [stayingTool({ ignoresSignals })],
    async ({ options, cwd }) => {
      const leave = join(cwd, "leave");
      const driver = await current.spawn(fixture(
        new URL("../fixtures/query_driver.ts", import.meta.url),
        JSON.stringify(options),
        join(cwd, PID_FILE),
        leave,
      ));
      const lines = new Lines(driver.stdout);
      try {
        const line = await lines.next();
        if (!line?.startsWith("cli ")) {
          assert.fail(`Driver said ${line}: ${await textOf(driver.stderr)}`);
        }
        const cli = Number(line.slice("cli ".length));
        const below = processesBelow(cli);
        assert.ok(below.includes(await stayingPid(cwd)));
        if (end === "ends by itself") await writeFile(leave, "");
        else driver.kill("SIGTERM");
        const { code, signal } = await driver.exited;
        assert.deepEqual(
          [code, signal],
          end === "ends by itself" ? [3, null] : [null, "SIGTERM"],
        );
        for (const pid of [cli, ...below]) {
          assert.ok(await isGoneWithin(10_000, pid), `process ${pid} is gone`);
        }
      } finally {
        await lines.cancel();
        await release(driver);
      }
    },
    { ids: ["P-04", "P-06"], skip: reasonWithoutCli ?? needsProc },
  );
}
