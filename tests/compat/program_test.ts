import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { fixture, needsShell } from "../_children.ts";
import { test } from "../_harness.ts";
import { withFake } from "./_compat.ts";

for (
  const [name, program] of [
    [
      "that gave no callbacks",
      new URL("../fixtures/compat_loop.ts", import.meta.url),
    ],
    [
      "with a fake setImmediate",
      new URL("../fixtures/compat_fake_timers.ts", import.meta.url),
    ],
  ] as const
) {
  test(`a program ${name} continues after its loop`, async () => {
    await withFake("ok", async (options) => {
      const { command, args, env, cwd } = fixture(
        program,
        JSON.stringify(options),
      );
      // Rejects for an exit code other than 0.
      const { stdout } = await promisify(execFile)(command, [...args], {
        env,
        cwd,
        timeout: 60_000,
      });
      assert.equal(stdout, "result\nafter the loop\n");
    });
  }, { skip: needsShell });
}
