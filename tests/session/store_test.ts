import assert from "node:assert/strict";
import {
  appendFile,
  readdir,
  readFile,
  stat,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ConfigError, SessionFormatError } from "@sluice/agent";
import { loadSession, type Session, SessionStore } from "@sluice/agent/session";
import { needsShell } from "../_children.ts";
import { test } from "../_harness.ts";
import { clockAt, withFolder } from "./_chats.ts";

function contents({ messages }: Session): readonly unknown[] {
  return messages.map(({ content }) => content);
}

test(
  "SessionStore keeps a session as it grows, and continues it",
  () =>
    withFolder(async (folder) => {
      const clock = clockAt(Date.UTC(2026, 0, 1));
      const directory = join(folder, "deep", "chats");
      const store = new SessionStore(directory, { clock });
      const session = await store.create({
        id: "a.B_c-1",
        system: "Be brief.",
      });
      clock.nowMs += 1_000;
      session.append({ role: "user", content: "one" });
      await store.close();

      const path = join(directory, "a.B_c-1.jsonl");
      const text = await readFile(path, "utf8");
      assert.deepEqual(
        text.split("\n").map((line) => line && JSON.parse(line).type),
        [
          "session.header",
          "session.message",
          "session.message",
          "",
        ],
      );
      assert.ok(!text.includes("updated"), "a growing file derives it");
      assert.deepEqual(await readdir(directory), ["a.B_c-1.jsonl"]);

      const later = new SessionStore(pathToFileURL(directory), { clock });
      const again = await later.open("a.B_c-1");
      assert.deepEqual(again.created, new Date(Date.UTC(2026, 0, 1)));
      assert.deepEqual(again.updated, new Date(clock.nowMs));
      clock.nowMs += 1_000;
      again.append({ role: "assistant", content: "two" });
      await later.flush();
      assert.ok((await readFile(path, "utf8")).startsWith(text), "only grown");
      await later.close();
      assert.deepEqual(contents(await loadSession(path)), [
        "Be brief.",
        "one",
        "two",
      ]);
    }),
  { ids: ["S-01", "S-09"] },
);

test(
  "SessionStore makes folder and files for this user alone",
  () =>
    withFolder(async (folder) => {
      const directory = join(folder, "a", "b");
      const store = new SessionStore(directory);
      await store.create({ id: "s1" });
      for (const path of [join(folder, "a"), directory]) {
        assert.equal((await stat(path)).mode & 0o777, 0o700);
      }
      for (const name of ["s1.jsonl", "s1.lock"]) {
        assert.equal((await stat(join(directory, name))).mode & 0o777, 0o600);
      }
      await store.close();
    }),
  { skip: needsShell },
);

test("SessionStore refuses ids that are no safe file names, a folder and a policy that are none", () =>
  withFolder(async (folder) => {
    const store = new SessionStore(folder);
    const long = "x".repeat(129);
    const wrong = { name: "ConfigError", key: "id" };
    for (const id of [".hidden", "..", "a/b", "a\\b", "é", long, "a\0"]) {
      await assert.rejects(store.create({ id }), wrong);
      await assert.rejects(store.open(id), wrong);
      await assert.rejects(store.delete(id), wrong);
    }
    await store.close();
    assert.deepEqual(await readdir(folder), []);
    for (const directory of ["", 7, undefined]) {
      assert.throws(
        () => new SessionStore(directory as string),
        { name: "ConfigError", key: "directory" },
      );
    }
    assert.throws(
      () => new SessionStore(folder, { sync: "always" as "none" }),
      { name: "ConfigError", key: "sync" },
    );
  }));

test("SessionStore.create() never replaces a session", () =>
  withFolder(async (folder) => {
    const store = new SessionStore(folder);
    const session = await store.create({ id: "s1", system: "mine" });
    const refusal = (error: unknown) =>
      error instanceof ConfigError && /open\(\) it: "s1"/.test(error.message);
    await assert.rejects(store.create({ id: "s1" }), refusal);
    await store.release("s1");
    await assert.rejects(store.create({ id: "s1" }), refusal);
    assert.equal((await store.open("s1")).messages.length, 1);
    assert.throws(
      () => session.append({ role: "user", content: "late" }),
      { name: "ClosedError" },
    );
    assert.equal(session.messages.length, 1);
    await store.close();
    assert.deepEqual(await readdir(folder), ["s1.jsonl"]);
  }));

test("SessionStore.open() rejects where no session is, and leaves nothing behind", () =>
  withFolder(async (folder) => {
    const store = new SessionStore(folder);
    for (let round = 0; round < 2; round++) {
      await assert.rejects(store.open("no"), { code: "ENOENT" });
    }
    await writeFile(join(folder, "other.jsonl"), await golden());
    await assert.rejects(store.open("other"), (error) => {
      assert.ok(error instanceof SessionFormatError);
      assert.match(error.message, /"other.jsonl" holds "golden"/);
      return true;
    });
    await store.close();
    assert.deepEqual(await readdir(folder), ["other.jsonl"]);
  }));

async function golden(): Promise<string> {
  const header = {
    type: "session.header",
    version: 1,
    id: "golden",
    created: "2026-01-02T03:04:05.000Z",
  };
  return await Promise.resolve(`${JSON.stringify(header)}\n`);
}

test("SessionStore.open() refuses damage, or tells of it with lenient", () =>
  withFolder(async (folder) => {
    const path = join(folder, "golden.jsonl");
    const text = `${await golden()}damage\n{"type":"session.future"}\n`;
    await writeFile(path, text);
    const strict = new SessionStore(folder);
    await assert.rejects(strict.open("golden"), { line: 2 });
    await strict.close();
    const skipped: unknown[] = [];
    const store = new SessionStore(folder, {
      lenient: true,
      onSkip: (...one) => skipped.push(one),
    });
    await store.open("golden");
    await store.close();
    assert.deepEqual(skipped, [
      ["golden", 2, "not JSON"],
      ["golden", 3, 'unknown type "session.future"'],
    ]);
    assert.equal(await readFile(path, "utf8"), text);
  }));

test("SessionStore.open() removes a torn line, ends a whole one, and loses no record after it", () =>
  withFolder(async (folder) => {
    const path = join(folder, "golden.jsonl");
    const whole = (content: string) =>
      JSON.stringify({
        type: "session.message",
        message: { role: "user", content },
      });
    const stubs: readonly (readonly [end: string, content?: string])[] = [
      ['{"type":"session.mess'],
      [whole("whole"), "whole"],
      ['{"type":"session.message","messa'],
      ["{"],
    ];
    await writeFile(path, await golden());
    const said: string[] = [];
    for (const [end, content] of stubs) {
      const before = await readFile(path, "utf8");
      await appendFile(path, end);
      if (content !== undefined) said.push(content);
      const store = new SessionStore(folder);
      const session = await store.open("golden");
      assert.deepEqual(contents(session), said);
      said.push(`after ${end}`);
      session.append({ role: "user", content: `after ${end}` });
      await store.close();
      const after = await readFile(path, "utf8");
      assert.ok(after.startsWith(before), "no whole line was deleted");
    }
    const skipped: unknown[] = [];
    const session = await loadSession(path, {
      onSkip: (...one) => skipped.push(one),
    });
    assert.deepEqual(contents(session), said);
    assert.deepEqual(skipped, []);
    assert.deepEqual(await readdir(folder), ["golden.jsonl"]);
  }));

test("SessionStore.list() tells what is there, the newest first", () =>
  withFolder(async (folder) => {
    const store = new SessionStore(join(folder, "chats"));
    assert.deepEqual(await store.list(), []);
    await store.create({ id: "a" });
    await store.create({ id: "b" });
    await writeFile(join(folder, "chats", "note.txt"), "");
    await writeFile(join(folder, "chats", ".x.jsonl"), "");
    await writeFile(join(folder, "chats", "a b.jsonl"), "");
    const listed = await store.list();
    assert.deepEqual(listed.map(({ id }) => id).sort(), ["a", "b"]);
    const times = listed.map(({ updated }) => updated.getTime());
    assert.deepEqual(times, times.toSorted((one, other) => other - one));
    for (const { id, bytes } of listed) {
      const { size } = await stat(join(folder, "chats", `${id}.jsonl`));
      assert.equal(bytes, size);
    }
    await store.close();
  }));

test("SessionStore.delete() removes a session, also one that is open", () =>
  withFolder(async (folder) => {
    const store = new SessionStore(folder);
    const session = await store.create({ id: "a" });
    assert.equal(await store.delete("a"), true);
    assert.equal(await store.delete("a"), false);
    assert.throws(() => session.append({ role: "user", content: "" }), {
      name: "ClosedError",
    });
    await assert.rejects(store.open("a"), { code: "ENOENT" });
    assert.equal((await store.create({ id: "a" })).id, "a");
    const other = new SessionStore(folder);
    await assert.rejects(other.delete("a"), { name: "SessionLockedError" });
    await Promise.all([store.close(), other.close()]);
    assert.deepEqual(await readdir(folder), ["a.jsonl"]);
  }));

test("SessionStore takes no more calls after close(), which may be repeated", () =>
  withFolder(async (folder) => {
    const store = new SessionStore(folder);
    const opening = store.create({ id: "a" });
    await opening;
    await store.close();
    await store.close();
    await store.flush();
    await store.release("a");
    const closed = { name: "ClosedError" };
    await assert.rejects(store.create(), closed);
    await assert.rejects(store.open("a"), closed);
    await assert.rejects(store.list(), closed);
    await assert.rejects(store.delete("a"), closed);
    const other = new SessionStore(folder);
    await other.open("a");
    await other[Symbol.asyncDispose]();
    assert.deepEqual(await readdir(folder), ["a.jsonl"]);
  }));

test("Session.append() of a store takes nothing that cannot be written", () =>
  withFolder(async (folder) => {
    const store = new SessionStore(folder);
    const session = await store.create({ id: "a" });
    const input = { big: 1n } as never;
    assert.throws(
      () =>
        session.append({ role: "user", content: "fine" }, {
          role: "assistant",
          content: [{ type: "tool_use", id: "t", name: "R", input }],
        }),
      { name: "ConfigError", key: "messages[1]" },
    );
    assert.deepEqual(session.messages, []);
    await store.close();
    const again = await loadSession(join(folder, "a.jsonl"));
    assert.deepEqual(again.messages, []);
  }));
