import assert from "node:assert/strict";
import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ClosedError, ConfigError, SessionLockedError } from "@sluice/agent";
import {
  loadSession,
  type Session,
  SessionStore,
  shrinkResults,
} from "@sluice/agent/session";
import { rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import { assistant, result, use, user, withFolder } from "./_chats.ts";

const contents = ({ messages }: Session) =>
  messages.map(({ content }) => content);

test("SessionStore.rewrite() shrinks what is stored, in memory and on disk, and the session grows on", () =>
  withFolder(async (folder) => {
    const store = new SessionStore(folder);
    const session = await store.create({ id: "s1", system: "Be brief." });
    session.append(
      assistant(use("t1")),
      user(result("t1", "A line.\n".repeat(10_000))),
      { role: "assistant", content: "Long." },
      { role: "user", content: "So it is." },
    );
    const before = session.messages;
    const given = await store.rewrite("s1", (all) => {
      assert.equal(all, before);
      return shrinkResults(all, { maxTokens: 100 });
    });
    assert.equal(given, session);
    assert.match(JSON.stringify(session.messages[2]), /characters left out/);
    assert.equal(before[2]?.content.length, 1, "lists that were given stay");
    assert.equal(session.messages[4], before[4]);
    session.append({ role: "assistant", content: "More." });
    await store.close();
    const path = join(folder, "s1.jsonl");
    assert.ok((await readFile(path)).length < 4_000);
    const again = await loadSession(path);
    assert.deepEqual(again.messages, session.messages);
    assert.deepEqual(again.created, session.created);
    assert.deepEqual(await readdir(folder), ["s1.jsonl"]);
  }));

test("SessionStore.rewrite() opens what is not open, and keeps what later versions wrote", () =>
  withFolder(async (folder) => {
    const path = join(folder, "s1.jsonl");
    const message = (content: string, more: object = {}) => ({
      type: "session.message",
      created: "2026-01-02T03:04:05.000Z",
      message: { role: "user", content, mood: "calm" },
      ...more,
    });
    const header = {
      type: "session.header",
      version: 1,
      id: "s1",
      created: "2026-01-02T03:04:05.000Z",
      color: "blue",
    };
    const lines = [
      header,
      { type: "note", at: 1 },
      message("one"),
      message("two", { stars: 2 }),
      { type: "note", at: 2 },
      message("three"),
      { type: "note", at: 3 },
    ];
    await writeFile(
      path,
      lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
    );
    const store = new SessionStore(folder);
    await store.rewrite("s1", ([_one, two]) => [
      { role: "system", content: "Before: one." },
      ...two === undefined ? [] : [two],
    ]);
    await store.close();
    const left = (await readFile(path, "utf8")).trimEnd().split("\n")
      .map((line) => JSON.parse(line));
    assert.equal(left[1].message.content, "Before: one.");
    assert.equal(typeof left[1].created, "string");
    left.splice(1, 1);
    assert.deepEqual(left, [
      header,
      { type: "note", at: 1 },
      message("two", { stars: 2 }),
      { type: "note", at: 2 },
      { type: "note", at: 3 },
    ]);
  }));

test("what is appended while a session is rewritten comes after it, once, whatever the policy", async () => {
  for (const sync of ["none", "turn", "record"] as const) {
    await withFolder(async (folder) => {
      const store = new SessionStore(folder, { sync });
      const session = await store.create({ id: "s1" });
      let count = 0;
      const say = () =>
        session.append({ role: "assistant", content: `${count++}` });
      for (let round = 0; round < 20; round++) {
        say();
        const rewriting = store.rewrite("s1", (all) => {
          // Even from within.
          if (round === 3) say();
          return all.slice(-5);
        });
        for (let more = 0; more < round % 4; more++) {
          say();
          await Promise.resolve();
        }
        await rewriting;
      }
      await store.close();
      const kept = contents(session).map(Number);
      const first = count - kept.length;
      assert.deepEqual(kept, kept.map((_, at) => first + at), "each once");
      const again = await loadSession(join(folder, "s1.jsonl"));
      assert.deepEqual(again.messages, session.messages);
    });
  }
});

test("SessionStore.rewrite() that fails changes nothing, and the session goes on", () =>
  withFolder(async (folder) => {
    const store = new SessionStore(folder);
    const session = await store.create({ id: "s1" });
    session.append({ role: "user", content: "one" });
    await store.flush();
    const path = join(folder, "s1.jsonl");
    const text = await readFile(path, "utf8");
    const failure = new Error("Not so");
    const bad: readonly (() => unknown)[] = [
      () => undefined,
      () => Promise.resolve([]),
      () => [{ role: "nobody", content: "" }],
      () => [user({ ...use("t1"), input: { at: 1n } } as never)],
    ];
    for (const change of bad) {
      const error = await rejectionOf(store.rewrite("s1", change as never));
      assert.ok(error instanceof ConfigError, String(error));
    }
    const thrown = store.rewrite("s1", () => {
      throw failure;
    });
    assert.equal(await rejectionOf(thrown), failure);
    await assert.rejects(store.rewrite("s1", undefined as never), ConfigError);
    assert.equal(await readFile(path, "utf8"), text);
    assert.deepEqual((await readdir(folder)).sort(), ["s1.jsonl", "s1.lock"]);
    session.append({ role: "user", content: "two" });
    await store.close();
    assert.deepEqual(contents(await loadSession(path)), ["one", "two"]);
  }));

test("SessionStore.rewrite() never puts a file where one was removed or replaced, nor beside a lock", () =>
  withFolder(async (folder) => {
    const store = new SessionStore(folder);
    await store.create({ id: "s1", system: "One." });
    const path = join(folder, "s1.jsonl");
    const other = new SessionStore(folder);
    await assert.rejects(
      other.rewrite("s1", (all) => all),
      SessionLockedError,
    );
    await assert.rejects(
      store.rewrite("s2", (all) => all),
      { code: "ENOENT" },
    );
    await writeFile(`${path}.new`, "Of somebody else\n");
    await rename(`${path}.new`, path);
    await assert.rejects(
      store.rewrite("s1", (all) => all),
      { code: "ENOENT" },
    );
    assert.equal(await readFile(path, "utf8"), "Of somebody else\n");
    await assert.rejects(store.close(), { code: "ENOENT" });
    await assert.rejects(store.rewrite("s1", (all) => all), ClosedError);
    await other.close();
  }));
