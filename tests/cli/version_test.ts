import assert from "node:assert/strict";
import { discover } from "../../src/cli/discover.ts";
import { host, needsShell, script } from "../_children.ts";
import { test } from "../_harness.ts";

test(
  "askVersion() gives as the reason what was last written to stderr, also after the exit",
  async () => {
    const { command, args, cwd } = script(
      `(sleep 0.05; echo "no model today" >&2) >&- & exit 3`,
    );
    const cliPath = [command, ...args];
    const { attempts } = await discover(await host(), { cliPath, cwd });
    const [{ outcome, reason } = {}] = attempts;
    assert.deepEqual([attempts.length, outcome, reason], [
      1,
      "failed",
      '--version failed: exit code 3, stderr "no model today"',
    ]);
  },
  { skip: needsShell, ids: ["D-14"] },
);
