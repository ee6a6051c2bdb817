import assert from "node:assert/strict";
import {
  chmod,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ConfigError } from "@sluice/agent";
import { loadSession, saveSession, Session } from "@sluice/agent/session";
import { fixture, host, needsShell, release } from "../_children.ts";
import { onDisk } from "../_disk.ts";
import { test } from "../_harness.ts";
import { assistant, use, withFolder } from "./_chats.ts";

const DRIVER = new URL("../fixtures/session_driver.ts", import.meta.url);

function chat(id: string, ...texts: readonly string[]): Session {
  const session = Session.create({ id });
  for (const content of texts) session.append({ role: "user", content });
  return session;
}

test(
  "saveSession() leaves the old file whole when it is killed in the middle",
  () =>
    withFolder(async (folder) => {
      const path = join(folder, "chat.jsonl");
      await saveSession(chat("old", "a", "b"), path);
      const old = await readFile(path, "utf8");
      const { spawn } = await host();
      const child = await spawn(fixture(DRIVER, "save-killed", path));
      const status = await child.exited;
      assert.deepEqual(status, { code: null, signal: "SIGKILL" });
      await release(child);
      assert.equal(await readFile(path, "utf8"), old);
      const left = (await readdir(folder)).filter((name) =>
        name !== "chat.jsonl"
      );
      assert.equal(left.length, 1, "it was in the middle");
      assert.match(left[0] ?? "", /^\..*\.tmp$/);
      await saveSession(chat("new", "c"), path);
      assert.equal((await loadSession(path)).id, "new");
    }),
  { ids: ["S-17"], skip: needsShell },
);

test(
  "saveSession() leaves the old file and nothing else when it fails",
  () =>
    withFolder(async (folder) => {
      const path = join(folder, "chat.jsonl");
      await saveSession(chat("old", "a"), path);
      const old = await readFile(path, "utf8");
      const circle: Record<string, unknown> = {};
      circle.self = circle;
      for (const bad of [circle, { big: 1n }]) {
        const session = chat("new", "b".repeat(200_000));
        session.append({
          role: "assistant",
          content: [{
            type: "tool_use",
            id: "t",
            name: "R",
            input: bad as never,
          }],
        });
        await assert.rejects(saveSession(session, path), (error) => {
          assert.ok(error instanceof ConfigError);
          assert.equal(error.key, "messages[1]");
          assert.ok(error.cause instanceof TypeError);
          return true;
        });
      }
      assert.equal(await readFile(path, "utf8"), old);
      assert.deepEqual(await readdir(folder), ["chat.jsonl"]);
      const nowhere = join(folder, "no", "chat.jsonl");
      await assert.rejects(saveSession(chat("x"), nowhere), { code: "ENOENT" });
      await mkdir(join(folder, "full", "inner"), { recursive: true });
      await assert.rejects(saveSession(chat("x"), join(folder, "full")));
      assert.deepEqual((await readdir(folder)).sort(), ["chat.jsonl", "full"]);
    }),
  { ids: ["S-17"] },
);

test("saveSession() refuses a message that could not be loaded again", () =>
  withFolder(async (folder) => {
    const session = chat("s", "a");
    const block = { ...use("t1"), input: { n: 1n } };
    session.append(assistant(block as never));
    await assert.rejects(
      saveSession(session, join(folder, "a.jsonl")),
      (error) =>
        error instanceof ConfigError && error.key === "messages[1]" &&
        /not JSON/.test(error.message),
    );
    assert.deepEqual(await readdir(folder), []);
  }));

test(
  "saveSession() makes files for this user alone, also in place of others",
  () =>
    withFolder(async (folder) => {
      const path = join(folder, "a.jsonl");
      await writeFile(path, "old", { mode: 0o644 });
      await chmod(path, 0o644);
      await saveSession(chat("s"), path);
      assert.equal((await stat(path)).mode & 0o777, 0o600);
    }),
  { skip: needsShell },
);

test(
  "saveSession() follows a link, and takes file URLs",
  () =>
    withFolder(async (folder) => {
      await mkdir(join(folder, "real"));
      const target = join(folder, "real", "a.jsonl");
      await saveSession(chat("first"), target);
      const link = join(folder, "link.jsonl");
      await symlink(target, link);
      await saveSession(chat("second"), pathToFileURL(link));
      assert.equal((await loadSession(target)).id, "second");
      assert.equal((await loadSession(link)).id, "second");
      assert.deepEqual(await readdir(join(folder, "real")), ["a.jsonl"]);
    }),
  { skip: needsShell },
);

test("saveSession() resolves when the session and its name are on the disk", () =>
  withFolder(async (folder) => {
    const path = join(folder, "chat.jsonl");
    const saved = ["sync", "rename", "sync directory"];
    assert.deepEqual(
      await onDisk(() => saveSession(chat("a", "b"), path)),
      saved,
    );
    assert.deepEqual(
      await onDisk(() => saveSession(chat("a", "c"), path)),
      saved,
    );
  }));
