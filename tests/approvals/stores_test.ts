import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { watch } from "node:fs";
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import {
  type ApprovalRequest,
  directoryApprovals,
  type JsonObject,
  memoryApprovals,
} from "@sluice/agent";
import { approvalStoreCases } from "@sluice/agent/testing";
import { approvalId } from "@sluice/agent/extend";
import { onDisk } from "../_disk.ts";
import { test } from "../_harness.ts";

/** A user who is neither this one nor root. */
const NOBODY = 65_534;

async function withFolder(use: (folder: string) => Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), "approvals-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function request(
  more: Partial<ApprovalRequest> = {},
): Promise<ApprovalRequest> {
  const call = {
    sessionId: "s",
    toolUseId: "t",
    tool: "Bash",
    input: { command: "ls" },
    ...more,
  };
  const askedAt = "2026-01-01T00:00:00.000Z";
  return { id: await approvalId(call), ...call, askedAt };
}

for (const { name, run } of approvalStoreCases(memoryApprovals)) {
  test(`memoryApprovals(): ${name}`, run);
}

for (
  const [index, { name }] of approvalStoreCases(memoryApprovals).entries()
) {
  test(`directoryApprovals(): ${name}`, () =>
    withFolder(async (folder) => {
      const cases = approvalStoreCases(() =>
        directoryApprovals(join(folder, "made"))
      );
      await cases[index]?.run();
    }));
}

test("approvalId() is the same for the same call, and another for any other", async () => {
  const one = { sessionId: "s", toolUseId: "t", tool: "T" };
  const id = (input: object) => approvalId({ ...one, input: { ...input } });
  assert.equal(
    await id({ a: 1, b: { c: 2, d: 3 } }),
    await id({ b: { d: 3, c: 2 }, a: 1 }),
  );
  const different = await Promise.all([
    id({}),
    id({ a: 1 }),
    id({ a: "1" }),
    id({ a: [1] }),
    id({ a: { b: 1 } }),
    id({ a: ["b", 1] }),
    id({ a: { "": ["b", 1] } }),
    id({ a: null }),
    id(JSON.parse('{"__proto__":1}')),
    approvalId({ ...one, input: {}, tool: "U" }),
    approvalId({ ...one, input: {}, sessionId: "t", toolUseId: "s" }),
    approvalId({ ...one, input: {}, sessionId: "st", toolUseId: "" }),
    approvalId({ ...one, input: {}, cwd: "/a" }),
    approvalId({ ...one, input: {}, cwd: "/b" }),
  ]);
  assert.equal(new Set(different).size, different.length);
});

test(
  "directoryApprovals(): one store answers questions of another, and other users cannot read them",
  () =>
    withFolder(async (folder) => {
      const path = join(folder, "deep", "er");
      const asked = await request();
      await directoryApprovals(path).park(asked);
      const other = directoryApprovals(pathToFileURL(path));
      assert.equal(await other.answer(asked.id, { behavior: "allow" }), true);
      assert.equal(
        (await directoryApprovals(path).get(asked.id))?.decision?.behavior,
        "allow",
      );
      assert.equal((await stat(path)).mode & 0o777, 0o700);
      for (const name of await readdir(path)) {
        assert.equal((await stat(join(path, name))).mode & 0o777, 0o600, name);
      }
    }),
  { skip: platform() },
);

test("a decision whose input holds nothing but undefined is refused, and the request stays open", async () => {
  const store = memoryApprovals();
  const asked = await request();
  await store.park(asked);
  const updatedInput = { command: undefined } as unknown as JsonObject;
  await assert.rejects(
    store.answer(asked.id, { behavior: "allow", updatedInput }),
    {
      name: "TypeError",
      message: /field "updatedInput" holds nothing but undefined/,
    },
  );
  assert.equal((await store.get(asked.id))?.decision, undefined);
});

test(
  "directoryApprovals() refuses a folder that every user may write",
  () =>
    withFolder(async (folder) => {
      await chmod(folder, 0o777);
      const store = directoryApprovals(folder);
      await assert.rejects(
        store.park(await request()),
        /every user of this machine/,
      );
      await assert.rejects(store.list(), /chmod o-w/);
      // A user who can add a file can answer.
      await chmod(folder, 0o1777);
      await assert.rejects(store.list(), /every user of this machine/);
      await chmod(folder, 0o700);
      await store.park(await request());
    }),
  { skip: platform() },
);

test(
  "directoryApprovals() refuses a folder that every user may write since its last use",
  () =>
    withFolder(async (folder) => {
      const store = directoryApprovals(folder);
      const asked = await request();
      await store.park(asked);
      const ended = new AbortController();
      const watched = store.watch(ended.signal)[Symbol.asyncIterator]();
      await watched.next();
      const later = watched.next();
      later.catch(() => {});
      await chmod(folder, 0o777);
      await writeFile(
        join(folder, `${asked.id}.answered.json`),
        JSON.stringify({ decision: { behavior: "allow" } }),
      );
      for (
        const used of [
          () => store.get(asked.id),
          () => store.list(),
          () => store.take(asked.id),
          () => store.park(asked),
          () => store.answer(asked.id, { behavior: "allow" }),
          () => store.delete(asked.id),
          () => later,
        ]
      ) {
        await assert.rejects(used, /every user of this machine.*chmod o-w/);
      }
      await chmod(folder, 0o700);
      assert.equal((await store.list()).length, 1);
    }),
  { skip: platform() },
);

test(
  "directoryApprovals() refuses a folder below one in which every user may replace it",
  () =>
    withFolder(async (folder) => {
      const open = join(folder, "open");
      const store = directoryApprovals(join(open, "below", "approvals"));
      const asked = await request();
      await store.park(asked);
      await chmod(open, 0o777);
      await assert.rejects(
        store.get(asked.id),
        /every user of this machine.*chmod o-w ".*\/open"/,
      );
      // In a sticky folder users cannot touch each other's files.
      await chmod(open, 0o1777);
      assert.deepEqual((await store.get(asked.id))?.request, asked);
    }),
  { skip: platform() },
);

test(
  "directoryApprovals() refuses a folder and decisions of another user",
  () =>
    withFolder(async (folder) => {
      const store = directoryApprovals(folder);
      const asked = await request();
      await store.park(asked);
      await store.answer(asked.id, { behavior: "allow" });
      const answer = join(folder, `${asked.id}.answered.json`);
      await chown(answer, NOBODY, NOBODY);
      await assert.rejects(
        store.get(asked.id),
        /answered\.json" belongs to another user: remove it/,
      );
      await chown(answer, 0, 0);
      assert.equal((await store.get(asked.id))?.decision?.behavior, "allow");
      await chown(folder, NOBODY, NOBODY);
      await assert.rejects(store.get(asked.id), /another user.*owns it/);
      await assert.rejects(store.park(asked), /another user.*owns it/);
    }),
  { skip: platform() ?? (process.getuid?.() === 0 ? undefined : "needs root") },
);

test(
  "directoryApprovals() creates its folder again when it is removed, in the same place",
  () =>
    withFolder(async (folder) => {
      const before = process.cwd();
      process.chdir(folder);
      try {
        const store = directoryApprovals("approvals");
        const asked = await request();
        await store.park(asked);
        await rm("approvals", { recursive: true });
        await mkdir("elsewhere");
        process.chdir("elsewhere");
        assert.equal(await store.get(asked.id), undefined);
        await store.park(asked);
        assert.deepEqual(await readdir(join(folder, "approvals")), [
          `${asked.id}.asked.json`,
        ]);
      } finally {
        process.chdir(before);
      }
    }),
);

test("directoryApprovals(): malformed files are reported, not trusted", () =>
  withFolder(async (folder) => {
    const store = directoryApprovals(folder);
    const asked = await request();
    await store.park(asked);
    const answer = join(folder, `${asked.id}.answered.json`);
    for (
      const text of [
        "",
        "{",
        "[]",
        "null",
        '{"decision":"allow"}',
        '{"decision":{"behavior":"allow","updatedInput":3}}',
        '{"decision":{"behavior":"allow","updatedPermissions":[]}}',
        '{"answeredAt":"2026-01-01T00:00:00.000Z"}',
      ]
    ) {
      await writeFile(answer, text);
      await assert.rejects(
        store.get(asked.id),
        /Approval in ".*\.answered\.json".*remove it/,
        text,
      );
      await assert.rejects(
        async () => await store.take?.(asked.id),
        Error,
        text,
      );
    }
    // One question under the name of another.
    const other = await request({ input: { command: "rm -rf /" } });
    await writeFile(
      join(folder, `${other.id}.asked.json`),
      JSON.stringify(asked),
    );
    await assert.rejects(
      store.get(other.id),
      /\.asked\.json".*another request/,
    );
  }));

test("directoryApprovals() shows no other call under an id than the one that would run", () =>
  withFolder(async (folder) => {
    const store = directoryApprovals(folder);
    const asked = await request({ input: { command: "rm -rf /" } });
    const whole = await request({ toolUseId: "whole" });
    for (const one of [asked, whole]) await store.park(one);
    const file = join(folder, `${asked.id}.asked.json`);
    const written = await readFile(file, "utf8");
    for (
      const change of [
        { input: { command: "ls" } },
        { tool: "Read" },
        { sessionId: "another" },
        { toolUseId: "another" },
      ]
    ) {
      await writeFile(file, JSON.stringify({ ...asked, ...change }));
      const idsIn = async () =>
        (await store.list()).map(({ request }) => request.id);
      assert.deepEqual(await idsIn(), [whole.id]);
      await assert.rejects(store.get(asked.id), /shows another call/);
      await assert.rejects(
        store.answer(asked.id, { behavior: "allow" }),
        /shows another call/,
      );
      const ended = new AbortController();
      for await (const { request } of store.watch(ended.signal)) {
        assert.equal(request.id, whole.id);
        ended.abort();
      }
    }
    await writeFile(file, written);
    assert.deepEqual(await store.get(asked.id), { request: asked });
  }));

test("directoryApprovals() refuses to park a request whose id was not made of it", () =>
  withFolder(async (folder) => {
    const store = directoryApprovals(folder);
    const asked = await request();
    for (const id of ["../a", "a", (await request({ tool: "T" })).id]) {
      await assert.rejects(store.park({ ...asked, id }), {
        name: "TypeError",
        message: /^Field "id" of a request must be made of/,
      });
    }
    assert.deepEqual(await store.list(), []);
  }));

test(
  "directoryApprovals(): what is no file of its own is not opened, and is named",
  () =>
    withFolder(async (folder) => {
      const store = directoryApprovals(folder);
      const asked = await request();
      await store.park(asked);
      const answer = join(folder, `${asked.id}.answered.json`);
      const elsewhere = join(folder, "elsewhere.json");
      const allow = { decision: { behavior: "allow" } };
      await writeFile(elsewhere, JSON.stringify(allow));
      for (
        const place of [
          () => mkdir(answer),
          () => symlink(elsewhere, answer),
          () => symlink(join(folder, "nowhere"), answer),
          () => promisify(execFile)("mkfifo", [answer]),
        ]
      ) {
        await place();
        for (
          const used of [
            () => store.get(asked.id),
            () => store.answer(asked.id, { behavior: "allow" }),
            async () => await store.take?.(asked.id),
          ]
        ) {
          await assert.rejects(used(), /answered\.json" is no file: remove it/);
        }
        await rm(answer, { recursive: true });
      }
      assert.equal((await store.list()).length, 1);
    }),
  { skip: platform() },
);

test("directoryApprovals() lists all other questions where one cannot be read, and warns of that one once", () =>
  withFolder(async (folder) => {
    const warned = new Map<string, number>();
    const onWarning = (warning: Error & { readonly code?: unknown }) => {
      const { message, code } = warning;
      if (code !== "SLUICE_APPROVAL") return;
      warned.set(message, (warned.get(message) ?? 0) + 1);
    };
    process.on("warning", onWarning);
    try {
      const store = directoryApprovals(folder);
      const [torn, garbled, whole] = await Promise.all(
        ["a", "b", "c"].map((toolUseId) => request({ toolUseId })),
      ) as [ApprovalRequest, ApprovalRequest, ApprovalRequest];
      for (const one of [torn, garbled, whole]) await store.park(one);
      await store.answer(garbled.id, { behavior: "allow" });
      await writeFile(join(folder, `${torn.id}.asked.json`), '{"id":"');
      await writeFile(join(folder, `${garbled.id}.answered.json`), "[]");
      for (let round = 0; round < 2; round++) {
        const ids = (await store.list()).map(({ request }) => request.id);
        assert.deepEqual(ids, [whole.id]);
      }
      // A direct read still reports each of them.
      await assert.rejects(store.get(torn.id), /remove it/);
      await assert.rejects(store.get(garbled.id), /remove it/);
      // Warnings come with the next tick.
      await new Promise((resolve) => setTimeout(resolve));
      const told = [...warned.keys()].sort();
      assert.equal(told.length, 2, told.join());
      for (const [text, count] of warned) {
        assert.match(text, /^Approval in ".*" is no JSON object: remove it$/);
        assert.equal(count, 1);
      }
    } finally {
      process.off("warning", onWarning);
    }
  }));

test(
  "directoryApprovals().delete() takes the answer away first: what a crash leaves allows nothing",
  () =>
    withFolder(async (folder) => {
      const store = directoryApprovals(folder);
      const asked = await request();
      await store.park(asked);
      await store.answer(asked.id, { behavior: "allow" });
      assert.equal(await store.take?.(asked.id), true);
      const gone: string[] = [];
      const all = new Promise<void>((resolve) => {
        const watcher = watch(folder, (_event, name) => {
          const kind = String(name).split(".").at(1) ?? "";
          if (!gone.includes(kind)) gone.push(kind);
          if (gone.length < 3) return;
          watcher.close();
          resolve();
        });
      });
      await store.delete?.(asked.id);
      await all;
      assert.deepEqual(gone, ["answered", "asked", "taken"]);
    }),
  { skip: process.platform === "linux" ? undefined : "needs inotify" },
);

test("directoryApprovals(): a question, its answer and that it is taken are on the disk, in one step each", () =>
  withFolder(async (folder) => {
    const store = directoryApprovals(folder);
    const asked = await request();
    const kept = ["sync", "link", "sync directory"];
    assert.deepEqual(await onDisk(() => store.park(asked)), kept);
    assert.deepEqual(
      await onDisk(() => store.answer(asked.id, { behavior: "allow" })),
      kept,
    );
    assert.deepEqual(
      await onDisk(() => Promise.resolve(store.take?.(asked.id))),
      kept,
    );
  }));

test("directoryApprovals(): a watcher gets questions and answers of other programs", () =>
  withFolder(async (folder) => {
    const store = directoryApprovals(folder);
    const other = directoryApprovals(folder);
    const [early, late] = [
      await request(),
      await request({ toolUseId: "late" }),
    ];
    await other.park(early);
    await writeFile(join(folder, "broken.asked.json"), "{");
    const ended = new AbortController();
    const seen: string[] = [];
    for await (const { request, decision } of store.watch(ended.signal)) {
      seen.push(`${request.toolUseId} ${decision?.behavior ?? "open"}`);
      if (seen.length === 1) {
        await other.answer(early.id, { behavior: "allow" });
      } else if (seen.length === 2) await other.park(late);
      else ended.abort();
    }
    assert.deepEqual(seen, ["t open", "t allow", "late open"]);
  }));

test("directoryApprovals(): a watcher of one question gets that question only", () =>
  withFolder(async (folder) => {
    const store = directoryApprovals(folder);
    const one = await request({ toolUseId: "one" });
    await store.park(await request());
    const ended = new AbortController();
    const seen: string[] = [];
    const watching = (async () => {
      for await (const change of store.watch(ended.signal, one.id)) {
        seen.push(change.decision?.behavior ?? "open");
        if (change.decision !== undefined) ended.abort();
        else await store.answer(one.id, { behavior: "deny", message: "no" });
      }
    })();
    await store.park(one);
    await watching;
    assert.deepEqual(seen, ["open", "deny"]);
  }));

test("directoryApprovals() says at once that nothing is no path", () => {
  for (const path of ["", undefined, 3, {}]) {
    assert.throws(() => directoryApprovals(path as string), {
      name: "ConfigError",
      message: /^Option "directory" must be a path or a URL/,
    });
  }
});

function platform(): string | undefined {
  return import.meta.url.includes(":///C:") ? "modes of files" : undefined;
}
