import assert from "node:assert/strict";
import { systemClock } from "../../src/async/system_clock.ts";
import { askVersion } from "../../src/cli/ask_version.ts";
import { host } from "../../src/runtime/host.ts";
import { needsShell, script } from "../_children.ts";
import { test } from "../_harness.ts";

test(
  "askVersion() gives as the reason what was last written to stderr, also after the exit",
  async () => {
    const { command, args, cwd, env } = script(
      `(sleep 0.05; echo "no model today" >&2) >&- & exit 3`,
    );
    const program = { command, args, cliPath: command };
    const ask = { clock: systemClock, cwd, env };
    assert.deepEqual(await askVersion(await host(), program, ask), {
      outcome: "failed",
      reason: '--version failed: exit code 3, stderr "no model today"',
    });
  },
  { skip: needsShell, ids: ["D-14"] },
);
