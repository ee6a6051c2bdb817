import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SessionLockedError } from "@sluice/agent";
import { SessionStore } from "@sluice/agent/session";
import type { Files } from "../../src/ports/files.ts";
import type { Host } from "../../src/ports/host.ts";
import { host, needsShell } from "../_children.ts";
import { takeLock } from "../../src/session/lock.ts";
import { rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import { withFolder } from "./_chats.ts";

/** A dead process's lock. */
const DEAD = '{"pid":4711,"began":"1","machine":"here","nonce":"n1"}';

/** This machine, on which process 4711 is gone, with some file operations changed. */
async function hostWith(
  change: (real: Files) => Partial<Files> = () => ({}),
): Promise<Host> {
  const real = await host();
  return {
    ...real,
    machine: () => "here",
    isRunning: (pid) => pid !== 4711,
    files: { ...real.files, ...change(real.files) },
  };
}

test("a lock of a dead process is taken over, also from one that died while it took over", () =>
  withFolder(async (folder) => {
    const path = join(folder, "a.lock");
    await writeFile(path, DEAD);
    await writeFile(`${path}.n1`, DEAD.replace("n1", "n2"));
    const current = await hostWith();
    const lock = await takeLock(current, path);
    assert.equal(JSON.parse(await readFile(path, "utf8")).pid, current.pid);
    const error = await rejectionOf(takeLock(current, path));
    assert.ok(error instanceof SessionLockedError);
    assert.equal(error.holder?.pid, current.pid);
    await lock.release();
    assert.deepEqual(await readdir(folder), []);
  }));

test("takeLock() does not replace a lock that was taken over meanwhile", () =>
  withFolder(async (folder) => {
    const path = join(folder, "a.lock");
    await writeFile(path, DEAD);
    const fresh = '{"pid":1,"nonce":"n2"}';
    let looks = 0;
    const current = await hostWith((real) => ({
      async readText(file) {
        // Another one is faster, after the first look and before the second.
        if (file === path && ++looks === 2) await writeFile(path, fresh);
        return await real.readText(file);
      },
    }));
    const error = await rejectionOf(takeLock(current, path));
    assert.ok(error instanceof SessionLockedError);
    assert.equal(error.holder?.pid, 1);
    assert.equal(await readFile(path, "utf8"), fresh);
    assert.deepEqual(await readdir(folder), ["a.lock"]);
  }));

test("takeLock() waits for another one that takes over, but not for ever", () =>
  withFolder(async (folder) => {
    const path = join(folder, "a.lock");
    const claim = `${path}.n1`;
    await writeFile(path, DEAD);
    await writeFile(claim, '{"pid":1,"nonce":"n2"}');
    const error = await rejectionOf(takeLock(await hostWith(), path));
    assert.ok(error instanceof SessionLockedError);
    assert.equal(error.holder?.pid, 1);
    let looks = 0;
    const current = await hostWith((real) => ({
      async readText(file) {
        const text = await real.readText(file);
        if (file === claim && ++looks === 3) await rm(claim);
        return text;
      },
    }));
    const lock = await takeLock(current, path);
    assert.ok(looks >= 3);
    await lock.release();
    assert.deepEqual(await readdir(folder), []);
  }));

test("release() leaves a lock alone that is another one's by now", () =>
  withFolder(async (folder) => {
    const path = join(folder, "a.lock");
    const lock = await takeLock(await hostWith(), path);
    await writeFile(path, DEAD);
    await lock.release();
    assert.equal(await readFile(path, "utf8"), DEAD);
    await rm(path);
    await lock.release();
  }));

test("a holder is gone only where the system says so, by when a process of its id began", async () => {
  const ps = "Mon Jan  5 10:00:00 2026";
  const rows: readonly (readonly [
    lock: object,
    now: { machine?: string; began?: string; isRunning?: boolean },
    isGone: boolean,
  ])[] = [
    [{ began: "1234" }, { began: "1234" }, false],
    // Ticks of /proc are exact; ps rounds either way.
    [{ began: "1234" }, { began: "1235" }, true],
    [{ began: ps }, { began: ps }, false],
    [{ began: ps }, { began: "Mon-Jan-5-10:00:01-2026" }, false],
    [{ began: ps }, { began: "Mon Jan  5 10:00:03 2026" }, true],
    // Not comparable.
    [{ began: ps }, { began: "Mo  5 Jan 10:00:00 2026" }, false],
    [{ began: ps }, { began: "1234" }, false],
    [{ began: "1234" }, { began: ps }, false],
    [{}, { began: "1234" }, false],
    [{ began: "1234" }, {}, false],
    // The processes of another machine, or of one without a name, are unknown.
    [{ machine: "there" }, { isRunning: false }, false],
    [{ machine: undefined }, { isRunning: false }, false],
    [{}, { machine: "there", isRunning: false }, false],
    [{}, { isRunning: false }, true],
    // A lock that says nothing stays.
    [{ nonce: "../../x" }, { isRunning: false }, false],
    [{ pid: "x" }, { isRunning: false }, false],
  ];
  for (const [lock, now, isGone] of rows) {
    await withFolder(async (folder) => {
      const { machine = "here", began, isRunning = true } = now;
      const current: Host = {
        ...await host(),
        machine: () => machine,
        isRunning: () => isRunning,
        beginningOf: () => began,
      };
      const path = join(folder, "a.lock");
      const all = { pid: 4711, machine: "here", nonce: "n1", ...lock };
      const text = JSON.stringify(all);
      await writeFile(path, text);
      const taking = takeLock(current, path);
      if (isGone) return await (await taking).release();
      const error = await rejectionOf(taking);
      assert.ok(error instanceof SessionLockedError, `${text}: ${error}`);
      assert.ok(error.message.includes(JSON.stringify(path)), error.message);
      assert.equal(await readFile(path, "utf8"), text);
    });
  }
});

test(
  "SessionStore.close() releases all, and tells of each one that failed",
  () =>
    withFolder(async (folder) => {
      const store = new SessionStore(folder);
      const sessions = await Promise.all(
        ["a", "b", "c"].map((id) => store.create({ id })),
      );
      for (const id of ["a", "b"]) {
        await rm(join(folder, `${id}.lock`));
        await mkdir(join(folder, `${id}.lock`));
      }
      const error = await rejectionOf(store.close());
      assert.ok(error instanceof AggregateError);
      assert.deepEqual(error.errors.map(({ code }) => code), [
        "session_locked",
        "session_locked",
      ]);
      for (const session of sessions) {
        assert.throws(() => session.append({ role: "user", content: "" }), {
          name: "ClosedError",
        });
      }
      await store.close();
      assert.ok(!(await readdir(folder)).includes("c.lock"));
    }),
  { skip: needsShell },
);
