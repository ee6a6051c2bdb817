import assert from "node:assert/strict";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { SessionLockedError } from "@sluice/agent";
import { loadSession, SessionStore } from "@sluice/agent/session";
import {
  type ChildHandle,
  fixture,
  host,
  Lines,
  needsProc,
  needsShell,
  release,
} from "../_children.ts";
import { rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import { withFolder } from "./_chats.ts";

const DRIVER = new URL("../fixtures/session_driver.ts", import.meta.url);

/** A process that works with sessions. */
interface Worker {
  readonly child: ChildHandle;
  readonly lines: Lines;
}

async function work(...args: readonly string[]): Promise<Worker> {
  const { spawn } = await host();
  const child = await spawn(fixture(DRIVER, ...args));
  return { child, lines: new Lines(child.stdout) };
}

async function workers(
  count: number,
  args: (index: number) => readonly string[],
): Promise<readonly Worker[]> {
  const all = await Promise.all(
    Array.from({ length: count }, (_, index) => work(...args(index))),
  );
  for (const { lines } of all) assert.equal(await lines.next(), "ready");
  return all;
}

async function dismiss({ child, lines }: Worker): Promise<void> {
  await lines.cancel();
  await release(child);
}

test(
  "one of several processes takes the lock of a dead one over",
  () =>
    withFolder(async (folder) => {
      const store = new SessionStore(folder);
      await store.create({ id: "a" });
      await store.close();
      for (let round = 0; round < 3; round++) {
        const [dead] = await workers(1, () => ["hold", folder, "a"]);
        assert.ok(dead);
        await dead.child.stdin.write("go\n");
        assert.equal(await dead.lines.next(), "held");
        dead.child.kill("SIGKILL");
        await dead.child.exited;
        await dismiss(dead);
        assert.ok((await readdir(folder)).includes("a.lock"));
        await assertOneHolds(folder, `round ${round}`);
      }
      const { messages } = await loadSession(join(folder, "a.jsonl"));
      assert.equal(messages.length, 6);
    }),
  { skip: needsShell ?? needsProc },
);

/** Starts processes that open the session at once; all but one are refused, then that one lets go. */
async function assertOneHolds(folder: string, title: string): Promise<void> {
  const all = await workers(4, () => ["hold", folder, "a"]);
  await Promise.all(all.map(({ child }) => child.stdin.write("go\n")));
  const said = await Promise.all(all.map(({ lines }) => lines.next()));
  const holder = all.find((_, index) => said[index] === "held");
  assert.ok(holder, `${title}: ${said}`);
  const refused = said.filter((one) => one !== "held");
  const text = `SessionLockedError ${holder.child.pid}`;
  assert.deepEqual(refused, [text, text, text], title);
  const store = new SessionStore(folder);
  const error = await rejectionOf(store.open("a"));
  assert.ok(error instanceof SessionLockedError);
  assert.equal(error.holder?.pid, holder.child.pid);
  for (const worker of all) {
    await worker.child.stdin.write("end\n");
    assert.deepEqual(await worker.child.exited, { code: 0, signal: null });
    await dismiss(worker);
  }
  await store.open("a");
  await store.close();
  assert.deepEqual(await readdir(folder), ["a.jsonl"]);
}

test(
  "a session survives processes that are killed while they write",
  () =>
    withFolder(async (folder) => {
      const path = join(folder, "a.jsonl");
      const first = new SessionStore(folder);
      await first.create({ id: "a", system: "Be brief." });
      await first.close();
      for (let round = 1; round <= 6; round++) {
        const before = await readFile(path, "utf8");
        const worker = await work("append-killed", folder, "a", `${round % 3}`);
        const status = await worker.child.exited;
        assert.deepEqual(status, { code: null, signal: "SIGKILL" });
        await dismiss(worker);
        const { size } = await stat(path);
        assert.ok(size > before.length);
        const store = new SessionStore(folder);
        const session = await store.open("a");
        session.append({ role: "assistant", content: `round ${round}` });
        await store.close();
        assert.ok((await readFile(path, "utf8")).startsWith(before));
        const { messages } = await loadSession(path);
        const small = messages.filter(({ content }) => content === "small");
        const ours = messages.filter(({ role }) => role === "assistant");
        assert.equal(small.length, round);
        assert.equal(ours.length, round);
      }
    }),
  { skip: needsShell ?? needsProc },
);
