import assert from "node:assert/strict";
import { constants } from "node:fs";
import {
  chmod,
  mkdir,
  open,
  readdir,
  realpath,
  rm,
  symlink,
} from "node:fs/promises";
import { join } from "node:path";
import { ConfigError, SessionLockedError } from "@sluice/agent";
import {
  loadSession,
  saveSession,
  Session,
  SessionStore,
} from "@sluice/agent/session";
import { host, needsShell, program, release } from "../_children.ts";
import { test, type TestContext } from "../_harness.ts";
import { withFolder } from "./_chats.ts";

const skip = needsShell;
const timeoutMs = 10_000;

/** Runs with a named pipe; a reader waits until the test is over, or its time is up. */
async function withPipe(
  path: string,
  { signal }: TestContext,
  use: () => Promise<void>,
): Promise<void> {
  const child = await (await host()).spawn(program("mkfifo", path));
  assert.deepEqual(await child.exited, { code: 0, signal: null });
  await release(child);
  const end = await open(path, constants.O_RDWR | constants.O_NONBLOCK);
  const letGo = () => void end.close();
  signal.addEventListener("abort", letGo);
  try {
    await use();
  } finally {
    signal.removeEventListener("abort", letGo);
    await end.close();
  }
}

async function closedStore(folder: string, id: string): Promise<void> {
  const store = new SessionStore(folder);
  await store.create({ id });
  await store.close();
}

function refusesLock(path: string): (error: unknown) => boolean {
  return (error) =>
    error instanceof SessionLockedError && error.holder === undefined &&
    error.message.includes("is no file") && error.message.includes(path);
}

test(
  "SessionStore refuses a lock that is a pipe, and does not wait",
  (context) =>
    withFolder(async (folder) => {
      await closedStore(folder, "a");
      const lock = join(folder, "a.lock");
      await withPipe(lock, context, async () => {
        const store = new SessionStore(folder);
        const file = join(folder, "a.jsonl");
        for (
          const call of [
            () => store.open("a"),
            () => store.create({ id: "a" }),
            () => store.delete("a"),
            () => saveSession(Session.create(), file),
          ]
        ) {
          await assert.rejects(call, refusesLock(lock));
        }
        await mkdir(join(folder, "b.jsonl"));
        await assert.rejects(store.open("b"), { code: "session_format" });
        await store.close();
        assert.deepEqual((await readdir(folder)).sort(), [
          "a.jsonl",
          "a.lock",
          "b.jsonl",
        ]);
      });
    }),
  { skip, timeoutMs },
);

test(
  "of two stores that reach one session file, through a link too, one writes",
  () =>
    withFolder(async (folder) => {
      const real = join(folder, "real");
      const linked = join(folder, "linked");
      await mkdir(linked, { mode: 0o700 });
      await closedStore(real, "a");
      await symlink("../real/a.jsonl", join(linked, "a.jsonl"));
      const folders = [real, linked];
      for (const [first, second] of [folders, folders.toReversed()]) {
        const holder = new SessionStore(first ?? "");
        const session = await holder.open("a");
        const other = new SessionStore(second ?? "");
        const locked = { name: "SessionLockedError" };
        await assert.rejects(other.open("a"), locked);
        await assert.rejects(other.delete("a"), locked);
        const path = join(second ?? "", "a.jsonl");
        await assert.rejects(saveSession(Session.create(), path), locked);
        session.append({ role: "user", content: first ?? "" });
        await holder.close();
        await other.open("a");
        await other.close();
      }
      const { messages } = await loadSession(join(real, "a.jsonl"));
      assert.deepEqual(messages.map(({ content }) => content), folders);
      const store = new SessionStore(linked);
      assert.equal(await store.delete("a"), true);
      await store.close();
      assert.deepEqual(await readdir(linked), []);
      assert.deepEqual(await readdir(real), ["a.jsonl"]);
    }),
  { skip },
);

test(
  "flush() rejects once the session's file was removed, and so does what follows",
  async () => {
    for (const sync of ["none", "turn", "record"] as const) {
      for (const what of ["folder", "file"] as const) {
        await withFolder(async (folder) => {
          const directory = join(folder, "chats");
          const store = new SessionStore(directory, { sync });
          const session = await store.create({ id: "a" });
          session.append({ role: "user", content: "one" });
          await store.flush();
          const gone = what === "file" ? join(directory, "a.jsonl") : directory;
          await rm(gone, { recursive: true });
          session.append({ role: "user", content: "two" });
          const title = `${sync} ${what}`;
          const told = { code: "ENOENT", message: /"a" was removed/ };
          await assert.rejects(store.flush(), told, title);
          assert.throws(
            () => session.append({ role: "user", content: "three" }),
            told,
            title,
          );
          assert.equal(session.messages.length, 2);
          await assert.rejects(store.close(), told, title);
        });
      }
    }
  },
  { skip },
);

test(
  "SessionStore refuses a folder that every user may write, unless it is allowed",
  () =>
    withFolder(async (folder) => {
      await closedStore(folder, "a");
      // 775 belongs to the own group of the user on most systems; 1777 is sticky: others cannot touch our files.
      for (const mode of [0o700, 0o755, 0o775, 0o1777]) {
        await chmod(folder, mode);
        const store = new SessionStore(folder);
        await store.open("a");
        await store.close();
      }
      for (const mode of [0o777, 0o703]) {
        await chmod(folder, mode);
        const store = new SessionStore(folder);
        const refusal = { name: "ConfigError", message: /chmod o-w.*anyone/ };
        await assert.rejects(store.open("a"), refusal);
        await assert.rejects(store.create({ id: "b" }), refusal);
        await store.close();
        assert.deepEqual(await readdir(folder), ["a.jsonl"]);
        const trusting = new SessionStore(folder, { anyoneMayWrite: true });
        assert.equal((await trusting.open("a")).id, "a");
        await trusting.close();
      }
    }),
  { skip },
);

test(
  "SessionStore refuses a folder below one in which every user may replace it",
  () =>
    withFolder(async (folder) => {
      const open = join(folder, "open");
      const chats = join(open, "below", "chats");
      await mkdir(chats, { recursive: true });
      await closedStore(chats, "a");
      const real = await realpath(open);
      await chmod(open, 0o777);
      const store = new SessionStore(chats);
      await assert.rejects(store.open("a"), (error) => {
        assert.ok(error instanceof ConfigError);
        assert.equal(error.key, "directory");
        assert.equal(error.value, real);
        return true;
      });
      await assert.rejects(store.create({ id: "b" }), { key: "directory" });
      await store.close();
      await chmod(open, 0o1777);
      const sticky = new SessionStore(chats);
      assert.equal((await sticky.open("a")).id, "a");
      await sticky.close();
    }),
  { skip },
);

test(
  "SessionStore refuses a session file that every user may write",
  () =>
    withFolder(async (folder) => {
      await closedStore(folder, "a");
      await chmod(join(folder, "a.jsonl"), 0o666);
      const store = new SessionStore(folder);
      await assert.rejects(store.open("a"), (error) => {
        assert.ok(error instanceof ConfigError);
        assert.equal(error.key, "id");
        assert.match(error.message, /chmod o-w.*a\.jsonl/);
        return true;
      });
      await store.close();
      assert.deepEqual(await readdir(folder), ["a.jsonl"]);
      const trusting = new SessionStore(folder, { anyoneMayWrite: true });
      await trusting.open("a");
      await trusting.close();
    }),
  { skip },
);
