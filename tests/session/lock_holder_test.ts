import assert from "node:assert/strict";
import process from "node:process";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SessionLockedError } from "@sluice/agent";
import type { Host } from "../../src/ports/host.ts";
import { host, needsShell, release, script } from "../_children.ts";
import { takeLock } from "../../src/session/lock.ts";
import { rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import { withFolder } from "./_chats.ts";
import {
  type ProcessTable,
  processTable,
} from "../../src/runtime/process_table.ts";

/** A system without /proc, as macOS is one, in the given time zone. */
function withoutProc(zone: string): ProcessTable {
  const hidden = () => {
    throw new Error("No such file");
  };
  const probe = (pid: number) => void process.kill(pid, 0);
  const source = {
    platform: "darwin",
    systemRoot: undefined,
    list: hidden,
    read: hidden,
    run: (command: string, args: readonly string[], env?: object) =>
      spawnSync(command, args, {
        encoding: "utf8",
        env: { ...process.env, TZ: zone, ...env },
      }).stdout,
    probe,
    takesSignals(pid: number) {
      try {
        probe(pid);
        return true;
      } catch {
        return false;
      }
    },
  };
  return processTable(source);
}

/** This machine as a program with that id and that view of the processes sees it. */
async function seenBy(pid: number, table: ProcessTable): Promise<Host> {
  return {
    ...await host(),
    pid,
    machine: () => "here",
    isRunning: (one) => table.isRunning(one),
    beginningOf: (one) => table.beginningOf(one),
  };
}

/** This machine, on which every process runs and began as given. */
async function whereBegan(began: string | undefined): Promise<Host> {
  return {
    ...await host(),
    machine: () => "here",
    isRunning: () => true,
    beginningOf: () => began,
  };
}

/** Whether a lock of that text is taken over. */
async function isTakenOver(current: Host, lock: object): Promise<boolean> {
  let isTaken = false;
  await withFolder(async (folder) => {
    const path = join(folder, "a.lock");
    const text = JSON.stringify(lock);
    await writeFile(path, text);
    try {
      await (await takeLock(current, path)).release();
      isTaken = true;
    } catch (error) {
      if (!(error instanceof SessionLockedError)) throw error;
      assert.equal(await readFile(path, "utf8"), text);
    }
  });
  return isTaken;
}

const noPs = existsSync("/bin/ps") ? undefined : "needs ps";

test(
  "without /proc a living holder keeps its lock in every time zone, and a dead one's is taken over",
  async () => {
    await withFolder(async (folder) => {
      const path = join(folder, "a.lock");
      const child = await (await host()).spawn(script("read line"));
      try {
        for (
          const [zone, other] of [
            ["UTC", "UTC"],
            ["UTC", "Asia/Kathmandu"],
            ["America/New_York", "Pacific/Kiritimati"],
            ["Asia/Tokyo", "Pacific/Pago_Pago"],
          ] as const
        ) {
          const lock = await takeLock(
            await seenBy(child.pid, withoutProc(zone)),
            path,
          );
          const { began } = JSON.parse(await readFile(path, "utf8"));
          assert.equal(typeof began, "string");
          const observer = await seenBy(process.pid, withoutProc(other));
          const error = await rejectionOf(takeLock(observer, path));
          assert.ok(error instanceof SessionLockedError, `${zone} ${other}`);
          assert.equal(error.holder?.pid, child.pid);
          await lock.release();
        }
        await takeLock(await seenBy(child.pid, withoutProc("UTC")), path);
        await release(child);
        const later = await seenBy(process.pid, withoutProc("Asia/Tokyo"));
        await (await takeLock(later, path)).release();
      } finally {
        await release(child);
      }
    });
  },
  { skip: needsShell ?? noPs },
);

test("takeLock() tells a later process with the holder's id by when it began, where that can be compared", async () => {
  const ps = "Mon Jan  5 10:00:00 2026";
  for (
    const [began, now, isGone, why] of [
      ["1234", "1234", false, "the same"],
      ["1234", "1235", true, "ticks of /proc are exact"],
      [ps, ps, false, "the same"],
      [ps, "Mon-Jan-5-10:00:00-2026", false, "the same, joined"],
      [ps, "Mon-Jan-5-10:07:00-2026", true, "another, joined"],
      [ps, "Mon Jan  5 10:00:01 2026", false, "rounded the other way"],
      [ps, "Mon Jan  5 10:00:03 2026", true, "more than rounding"],
      [ps, "Mon Jan  5 19:00:00 2026", true, "both are UTC"],
      [ps, "Mo  5 Jan 10:00:00 2026", false, "German: not comparable"],
      [ps, "lun.  5 janv. 10:00:00 2026", false, "French: not comparable"],
      [ps, "1234", false, "/proc was seen later: not comparable"],
      ["1234", ps, false, "/proc was hidden later: not comparable"],
      ["long ago", "1234", false, "words of nobody"],
      [undefined, "1234", false, "nobody told then"],
      ["1234", undefined, false, "nobody tells now"],
    ] as const
  ) {
    const lock = { pid: 4711, began, machine: "here", nonce: "n1" };
    assert.equal(
      await isTakenOver(await whereBegan(now), lock),
      isGone,
      `${began} / ${now}: ${why}`,
    );
  }
});

test("takeLock() leaves a lock alone whose machine nobody told, or nobody tells now", async () => {
  for (
    const [then, now] of [
      [undefined, undefined],
      [undefined, "here"],
      ["here", undefined],
      ["there", "here"],
    ]
  ) {
    const current: Host = {
      ...await host(),
      machine: () => now,
      isRunning: () => false,
      beginningOf: () => undefined,
    };
    const lock = { pid: 4711, machine: then, nonce: "n1" };
    assert.equal(await isTakenOver(current, lock), false, `${then} ${now}`);
  }
});
