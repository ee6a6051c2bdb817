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

test("takeLock() takes a lock over, and release() leaves nothing behind", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "a.lock");
    await writeFile(path, DEAD);
    const current = await hostWith();
    const lock = await takeLock(current, path);
    assert.equal(JSON.parse(await readFile(path, "utf8")).pid, current.pid);
    const error = await rejectionOf(takeLock(current, path));
    assert.ok(error instanceof SessionLockedError);
    assert.equal(error.holder?.pid, current.pid);
    await lock.release();
    assert.deepEqual(await readdir(folder), []);
  });
});

test("takeLock() does not replace a lock that was taken over meanwhile", async () => {
  await withFolder(async (folder) => {
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
  });
});

test("takeLock() waits for another one that takes over, but not for ever", async () => {
  await withFolder(async (folder) => {
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
    assert.equal(JSON.parse(await readFile(path, "utf8")).pid, current.pid);
    await lock.release();
    assert.deepEqual(await readdir(folder), []);
  });
});

test("takeLock() tries again when the lock was given back meanwhile, but not for ever", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "a.lock");
    let links = 0;
    const taken = Object.assign(new Error("Taken"), { code: "EEXIST" });
    const soon = await hostWith((real) => ({
      link: (from, to) =>
        ++links < 3 ? Promise.reject(taken) : real.link(from, to),
    }));
    await (await takeLock(soon, path)).release();
    assert.equal(links, 3);
    const never = await hostWith(() => ({ link: () => Promise.reject(taken) }));
    const error = await rejectionOf(takeLock(never, path));
    assert.ok(error instanceof SessionLockedError);
    assert.equal(error.holder, undefined);
    assert.deepEqual(await readdir(folder), []);
  });
});

test("takeLock() rejects with what the system says, and leaves nothing behind", async () => {
  await withFolder(async (folder) => {
    const denied = Object.assign(new Error("Denied"), { code: "EPERM" });
    const current = await hostWith(() => ({
      link: () => Promise.reject(denied),
    }));
    assert.equal(
      await rejectionOf(takeLock(current, join(folder, "a.lock"))),
      denied,
    );
    assert.deepEqual(await readdir(folder), []);
    const nowhere = join(folder, "no", "a.lock");
    await assert.rejects(takeLock(await hostWith(), nowhere), {
      code: "ENOENT",
    });
  });
});

test("release() leaves a lock alone that is another one's by now", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "a.lock");
    const lock = await takeLock(await hostWith(), path);
    await writeFile(path, DEAD);
    await lock.release();
    assert.equal(await readFile(path, "utf8"), DEAD);
    await rm(path);
    await lock.release();
  });
});

test(
  "SessionStore.close() releases all, and tells of each one that failed",
  async () => {
    await withFolder(async (folder) => {
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
      const other = new SessionStore(folder);
      await other.open("c");
      await rm(join(folder, "c.lock"));
      await mkdir(join(folder, "c.lock"));
      await assert.rejects(other.close(), { code: "session_locked" });
    });
  },
  { skip: needsShell },
);
