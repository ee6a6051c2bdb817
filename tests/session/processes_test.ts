import assert from "node:assert/strict";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
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
  "records of several processes at once are whole, and each one's in order",
  async () => {
    await withFolder(async (folder) => {
      for (
        const [count, size] of [[150, 100], [60, 20_000], [
          15,
          300_000,
        ]] as const
      ) {
        const path = join(folder, `${size}.jsonl`);
        await writeFile(path, "");
        const all = await workers(
          4,
          (index) => ["write", path, `w${index}`, `${count}`, `${size}`],
        );
        await Promise.all(all.map(({ child }) => child.stdin.write("go\n")));
        for (const worker of all) {
          assert.deepEqual(await worker.child.exited, {
            code: 0,
            signal: null,
          });
          await dismiss(worker);
        }
        const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
        assert.equal(lines.length, 4 * count);
        const next = new Map<string, number>();
        for (const line of lines) {
          const { name, index, text } = JSON.parse(line);
          assert.equal(index, next.get(name) ?? 0, name);
          assert.equal(text.length, size);
          next.set(name, index + 1);
        }
      }
    });
  },
  { skip: needsShell },
);

test(
  "one of several processes gets a session, the others hear which one",
  async () => {
    await withFolder(async (folder) => {
      const store = new SessionStore(folder);
      await store.create({ id: "a" });
      await store.close();
      await assertOneHolds(folder, "by nobody before");
    });
  },
  { skip: needsShell },
);

test("one of several processes takes the lock of a dead one over", async () => {
  await withFolder(async (folder) => {
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
  });
}, { skip: needsShell ?? needsProc });

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
  async () => {
    await withFolder(async (folder) => {
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
    });
  },
  { skip: needsShell ?? needsProc },
);

test(
  "SessionStore takes over a lock whose process id belongs to another process now",
  async () => {
    await withFolder(async (folder) => {
      const machine = (await host()).machine();
      const store = new SessionStore(folder);
      await store.create({ id: "a" });
      await store.release("a");
      const lock = {
        pid: process.pid,
        began: "1",
        machine,
        nonce: "n1",
      };
      await writeFile(join(folder, "a.lock"), JSON.stringify(lock));
      await store.open("a");
      const text = await readFile(join(folder, "a.lock"), "utf8");
      assert.equal(JSON.parse(text).pid, process.pid);
      assert.notEqual(JSON.parse(text).nonce, "n1");
      await store.close();
      assert.deepEqual(await readdir(folder), ["a.jsonl"]);
    });
  },
  { skip: needsProc },
);

test("SessionStore leaves locks of other machines, and locks that say nothing, alone", async () => {
  await withFolder(async (folder) => {
    const store = new SessionStore(folder);
    await store.create({ id: "a" });
    await store.release("a");
    const path = join(folder, "a.lock");
    const rows: readonly (readonly [text: string, who: RegExp])[] = [
      [
        JSON.stringify({ pid: 1, machine: "elsewhere.example", nonce: "n" }),
        /process 1 on "elsewhere.example"/,
      ],
      ["", /another process/],
      ["{}", /another process/],
      ['{"pid":1,"nonce":"../../x"}', /another process/],
    ];
    for (const [text, who] of rows) {
      await writeFile(path, text);
      const error = await rejectionOf(store.open("a"));
      assert.ok(error instanceof SessionLockedError);
      assert.match(error.message, who);
      assert.ok(error.message.includes(JSON.stringify(path)), error.message);
      assert.equal(await readFile(path, "utf8"), text);
    }
    await store.close();
  });
});

test(
  "SessionStore takes over from one that died while it took over",
  async () => {
    await withFolder(async (folder) => {
      const current = await host();
      const machine = current.machine();
      const child = await current.spawn(fixture(DRIVER, "nothing"));
      await child.exited;
      await release(child);
      const store = new SessionStore(folder);
      await store.create({ id: "a" });
      await store.release("a");
      const lock = (nonce: string) =>
        JSON.stringify({ pid: child.pid, began: "x", machine, nonce });
      await writeFile(join(folder, "a.lock"), lock("n1"));
      await writeFile(join(folder, "a.lock.n1"), lock("n2"));
      await store.open("a");
      await store.close();
      assert.deepEqual(await readdir(folder), ["a.jsonl"]);
    });
  },
  { skip: needsShell ?? needsProc },
);
