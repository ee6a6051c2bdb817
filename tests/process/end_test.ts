import assert from "node:assert/strict";
import process from "node:process";
import { fixture, host, Lines, release } from "../_children.ts";
import { test } from "../_harness.ts";

const WAITING = new URL("../fixtures/waiting.ts", import.meta.url);

const isWindows = process.platform === "win32";

/** How a child ends by a signal; Windows has none, and ends it with a code. */
function endedBy(signal: string): (status: object) => void {
  return isWindows
    ? (status) => assert.notDeepEqual(status, { code: 0, signal: null })
    : (status) => assert.deepEqual(status, { code: null, signal });
}

// No shell, so that this runs on Windows as well.
for (const signal of ["SIGTERM", "SIGKILL"] as const) {
  for (const way of ["its handle", "its process id"]) {
    test(
      `${signal} by ${way} ends a program that waits, on every system`,
      async () => {
        const { spawn, killPid, isRunning } = await host();
        const child = await spawn(fixture(WAITING));
        const lines = new Lines(child.stdout);
        try {
          assert.equal(await lines.next(), "waiting");
          if (way === "its handle") child.kill(signal);
          else assert.equal(killPid(child.pid, signal), true);
          endedBy(signal)(await child.exited);
          assert.equal(isRunning(child.pid), false);
          assert.equal(killPid(child.pid, signal), false);
        } finally {
          await lines.cancel();
          await release(child);
        }
      },
      { ids: isWindows ? ["W-04"] : [] },
    );
  }
}
