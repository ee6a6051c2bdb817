import assert from "node:assert/strict";
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  deleteTranscript,
  directoryTranscripts,
  forkTranscript,
  importTranscript,
  listSubagents,
  listTranscripts,
  type MemoryTranscripts,
  memoryTranscripts,
  readTranscript,
  renameTranscript,
  restoreTranscript,
  tagTranscript,
  TranscriptError,
  type TranscriptPlace,
  type TranscriptStore,
} from "@sluice/agent/transcripts";
import { test } from "../_harness.ts";
import { withFolder } from "../session/_chats.ts";

const ID = "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11";
const OTHER = "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b22";

/** A spoken line, behind another one. */
function said(at: number, text: string, sessionId = ID) {
  return {
    type: at % 2 === 0 ? "user" : "assistant",
    uuid: `line-${at}`,
    parentUuid: at === 0 ? null : `line-${at - 1}`,
    timestamp: new Date(1_790_000_000_000 + at * 1_000).toISOString(),
    sessionId,
    message: { role: at % 2 === 0 ? "user" : "assistant", content: text },
  };
}

const CHAT = [said(0, "one"), said(1, "two"), said(2, "three")];

/** The same session in the CLI's own files, in a folder and in memory. */
async function everywhere(
  use: (place: TranscriptPlace, name: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const cwd = join(folder, "Project");
    await mkdir(cwd);
    const memory = memoryTranscripts();
    const directory = directoryTranscripts(join(folder, "store"));
    const local = { configDirectory: join(folder, "config"), cwd };
    const places: Readonly<Record<string, TranscriptPlace>> = {
      memory: { store: memory, projectKey: "p", cwd },
      directory: { store: directory, cwd },
      local,
    };
    const key = { projectKey: "p", sessionId: ID };
    await memory.append(key, CHAT);
    await memory.append({ ...key, subpath: "subagents/agent-a1" }, [
      { ...said(0, "sub"), isSidechain: true },
      { type: "agent_metadata", toolUseId: "tool-1" },
    ]);
    const from = { store: memory, projectKey: "p" };
    await restoreTranscript(ID, { ...from, ...local });
    await importTranscript(ID, { ...local, store: directory });
    for (const [name, place] of Object.entries(places)) {
      await use(place, name);
    }
  });
}

test("sessions are listed, read, renamed, tagged, copied and removed alike, in files and in stores", () =>
  everywhere(async (place, name) => {
    const textsOf = async (id: string) =>
      (await readTranscript(id, place)).map(({ message }) =>
        (message as { content: unknown }).content
      );
    const [first, ...more] = await listTranscripts(place);
    assert.deepEqual(more, [], name);
    assert.equal(first?.sessionId, ID, name);
    assert.equal(first.firstPrompt, "one");
    assert.equal(first.created?.getTime(), 1_790_000_000_000);
    assert.ok(first.updated instanceof Date);
    assert.deepEqual(await textsOf(ID), ["one", "two", "three"], name);
    await renameTranscript(ID, "  Letters ", place);
    await tagTranscript(ID, "later", place);
    const [named] = await listTranscripts(place);
    assert.deepEqual([named?.title, named?.tag], ["Letters", "later"], name);
    await tagTranscript(ID, null, place);
    assert.equal((await listTranscripts(place))[0]?.tag, undefined, name);
    const copy = await forkTranscript(ID, { ...place, upTo: "line-1" });
    assert.deepEqual(await textsOf(copy), ["one", "two"], name);
    assert.equal((await listTranscripts({ ...place, limit: 1 })).length, 1);
    assert.equal((await listTranscripts({ ...place, offset: 1 })).length, 1);
    const titles = (await listTranscripts(place)).map(({ title }) => title);
    assert.deepEqual(titles.sort(), ["Letters", "Letters (fork)"], name);
    assert.deepEqual(await listSubagents(ID, place), ["a1"], name);
    const [sub] = await readTranscript(ID, { ...place, subagent: "a1" });
    assert.equal(sub?.parentToolUseId, "tool-1", name);
    assert.equal(await deleteTranscript(ID, place), true, name);
    assert.equal(await deleteTranscript(ID, place), false, name);
    assert.deepEqual(await listSubagents(ID, place), [], name);
    assert.deepEqual(
      (await listTranscripts(place)).map(({ sessionId }) => sessionId),
      [copy],
      name,
    );
  }));

test("a missing session and a malformed id are errors that name it, everywhere", () =>
  everywhere(async (place, name) => {
    const calls: Readonly<Record<string, () => Promise<unknown>>> = {
      read: () => readTranscript(OTHER, place),
      subagent: () => readTranscript(ID, { ...place, subagent: "none" }),
      fork: () => forkTranscript(OTHER, place),
      message: () => forkTranscript(ID, { ...place, upTo: "none" }),
      rename: () => renameTranscript(OTHER, "x", place),
      tag: () => tagTranscript(OTHER, "x", place),
    };
    for (const [what, call] of Object.entries(calls)) {
      await assert.rejects(call, { name: "TranscriptError" }, what);
    }
    const wrong: Readonly<Record<string, () => Promise<unknown>>> = {
      sessionId: () => readTranscript("../../etc/passwd", place),
      title: () => renameTranscript(ID, " ", place),
      tag: () => tagTranscript(ID, "", place),
      limit: () => listTranscripts({ ...place, limit: -1 }),
      offset: () => listTranscripts({ ...place, offset: NaN }),
    };
    for (const [key, call] of Object.entries(wrong)) {
      await assert.rejects(call, { name: "ConfigError", key }, key);
    }
    assert.deepEqual(
      (await listTranscripts(place)).map(({ sessionId }) => sessionId),
      [ID],
      name,
    );
  }));

test("a refused write is an error that names session, file and fix", () =>
  withFolder(async (folder) => {
    // No folder can be made where a file is.
    const configDirectory = join(folder, "config");
    await writeFile(configDirectory, "");
    const store = memoryTranscripts();
    const place = { store, projectKey: "p", configDirectory };
    await store.append({ projectKey: "p", sessionId: ID }, CHAT);
    await assert.rejects(restoreTranscript(ID, place), (error) => {
      assert.ok(error instanceof TranscriptError, String(error));
      assert.equal(error.sessionId, ID);
      assert.ok(error.cause);
      for (const part of [ID, `${ID}.jsonl"`, "may write", "configDirectory"]) {
        assert.ok(error.message.includes(part), error.message);
      }
      return true;
    });
  }));

test("a store that hangs, fails or gives nonsense is a TranscriptError that names the call", async () => {
  const memory = memoryTranscripts();
  await memory.append({ projectKey: "p", sessionId: ID }, CHAT);
  const gives = (value: unknown) => () => Promise.resolve(value as never);
  const read = (place: TranscriptPlace) => readTranscript(ID, place);
  const remove = (place: TranscriptPlace) => deleteTranscript(ID, place);
  const cases: readonly (readonly [
    text: RegExp,
    change: Record<string, unknown>,
    call: (place: TranscriptPlace) => Promise<unknown>,
  ])[] = [
    [
      /load\(\): no answer within 20 ms/,
      { load: () => new Promise(() => {}) },
      read,
    ],
    [
      /load\(\): out of order/,
      { load: () => Promise.reject("out of order") },
      read,
    ],
    [/gave number in load\(\)/, { load: gives(7) }, read],
    [
      /object as item 1 in load\(\)/,
      { load: gives([{ type: "user" }, {}]) },
      read,
    ],
    [
      /listSessionSummaries\(\)/,
      { listSessionSummaries: gives([{}]) },
      listTranscripts,
    ],
    [/listSessions\(\)/, { listSessions: gives("x") }, listTranscripts],
    ...["yesterday", "", null, true, new Date(NaN)].map((mtime) =>
      [
        /as mtime of item 0 in listSessions\(\)/,
        { listSessions: gives([{ sessionId: ID, mtime }]) },
        listTranscripts,
      ] as const
    ),
    [/no listSessions\(\)/, {
      listSessions: undefined,
      listSessionSummaries: undefined,
    }, listTranscripts],
    [/no delete\(\)/, { delete: undefined }, remove],
  ];
  for (const [message, change, call] of cases) {
    const store = { ...memory, ...change };
    await assert.rejects(
      call({ store, projectKey: "p", loadTimeoutMs: 20 }),
      { name: "TranscriptError", message },
    );
  }
});

test("times of a store may be what databases return for numbers and dates", async () => {
  const memory = memoryTranscripts();
  for (const sessionId of [ID, OTHER]) {
    await memory.append({ projectKey: "p", sessionId }, CHAT);
  }
  const kinds: Readonly<Record<string, (ms: number) => unknown>> = {
    text: String,
    bigint: BigInt,
    date: (ms) => new Date(ms),
  };
  for (const [kind, made] of Object.entries(kinds)) {
    // As texts they would be in another order.
    const times = [[ID, 900], [OTHER, 1_000]] as const;
    const listSessions = () =>
      Promise.resolve(times.map(([sessionId, ms]) => ({
        sessionId,
        mtime: made(ms) as number,
      })));
    const data = { customTitle: "x" };
    const listSessionSummaries = async () =>
      (await listSessions()).map((session) => ({ ...session, data }));
    const stores = [
      { ...memory, listSessionSummaries: undefined, listSessions },
      { ...memory, listSessionSummaries, listSessions: undefined },
      { ...memory, listSessionSummaries, listSessions },
    ];
    for (const store of stores) {
      const infos = await listTranscripts({
        store: store as TranscriptStore,
        projectKey: "p",
      });
      assert.deepEqual(
        infos.map(({ sessionId, updated }) => [sessionId, updated.getTime()]),
        [[OTHER, 1_000], [ID, 900]],
        kind,
      );
    }
  }
});

test("methods of a store are called as its members alone", async () => {
  const memory = memoryTranscripts();
  await memory.append({ projectKey: "p", sessionId: ID }, CHAT);
  // A stand-in for a store in another thread sends every member of its functions over there.
  const far = new Proxy(memory, {
    get: (store, name) =>
      typeof Reflect.get(store, name) === "function"
        ? new Proxy(Reflect.get(store, name), { get: () => undefined })
        : undefined,
  });
  const all = await readTranscript(ID, { store: far, projectKey: "p" });
  assert.equal(all.length, CHAT.length);
});

/** A session in a store and the same one in a folder of the CLI. */
async function bothSides(
  use: (
    place: TranscriptPlace & { readonly store: MemoryTranscripts },
    local: { readonly cwd: string; readonly configDirectory: string },
  ) => Promise<void>,
): Promise<void> {
  await withFolder(async (cwd) => {
    const local = { cwd, configDirectory: join(cwd, "config") };
    const store = memoryTranscripts();
    const place = { store, projectKey: "p", ...local };
    await store.append({ projectKey: "p", sessionId: ID }, CHAT);
    await use(place, local);
  });
}

/** The file of the session in a folder of the CLI. */
function fileOf(
  { configDirectory, cwd }: { configDirectory: string; cwd: string },
): string {
  const project = cwd.replaceAll(/[^a-zA-Z0-9]/g, "-");
  return join(configDirectory, "projects", project, `${ID}.jsonl`);
}

test("a session that a crash tore, here and not in the store, gets what it lacks on lines of their own", () =>
  bothSides(async (place, local) => {
    const key = { projectKey: "p", sessionId: ID };
    await restoreTranscript(ID, place);
    await appendFile(fileOf(local), '{"type":"user","uuid":"torn","mess');
    const last = { ...said(3, "four"), uuid: "line-3" };
    await place.store.append(key, [last]);
    await restoreTranscript(ID, place);
    const read = await readTranscript(ID, local);
    assert.deepEqual(read.map(({ uuid }) => uuid), [
      ...["line-0", "line-1", "line-2", "line-3"],
    ]);
    const text = await readFile(fileOf(local), "utf8");
    assert.ok(text.includes('"torn","mess\n'), "it stays as it is");
    await importTranscript(ID, place);
    assert.deepEqual(place.store.entries(key), [...CHAT, last]);
  }));

test("a title that is given, changed and given again is the title on the other side too", () =>
  bothSides(async (place, local) => {
    const titleIn = async (where: TranscriptPlace) =>
      (await listTranscripts(where))[0]?.title;
    const key = { projectKey: "p", sessionId: ID };
    const title = (customTitle: string) => ({
      type: "custom-title",
      customTitle,
      sessionId: ID,
    });
    await place.store.append(key, [title("A"), title("B")]);
    await restoreTranscript(ID, place);
    await renameTranscript(ID, "A", local);
    await importTranscript(ID, place);
    assert.equal(await titleIn(place), "A");
    await place.store.append(key, [title("B")]);
    await restoreTranscript(ID, place);
    assert.equal(await titleIn(local), "B");
    // Both sides are equal now, also for a repeated import.
    const { length } = place.store.entries(key);
    await importTranscript(ID, place);
    await restoreTranscript(ID, place);
    await importTranscript(ID, place);
    assert.equal(place.store.entries(key).length, length);
  }));

test("a store that changes the order of keys gets no line twice, nor does the file", () =>
  bothSides(async (place, local) => {
    const { store } = place;
    const turned: TranscriptStore = {
      append: (key, entries) => store.append(key, entries),
      load: async (key) =>
        (await store.load(key))?.map((entry) =>
          JSON.parse(JSON.stringify(
            entry,
            (_, part) =>
              typeof part === "object" && part !== null && !Array.isArray(part)
                ? Object.fromEntries(Object.entries(part).reverse())
                : part,
          ))
        ) ?? null,
    };
    const key = { projectKey: "p", sessionId: ID };
    const mode = {
      type: "mode",
      mode: "plan",
      more: { a: 1, b: [{ c: 2, d: 3 }] },
    };
    await restoreTranscript(ID, place);
    await renameTranscript(ID, "A", local);
    await store.append(key, [mode]);
    for (const _ of [1, 2, 3]) {
      await restoreTranscript(ID, { ...place, store: turned });
      await importTranscript(ID, { ...place, store: turned });
    }
    assert.equal(store.entries(key).length, CHAT.length + 2);
    const text = await readFile(fileOf(local), "utf8");
    assert.equal(text.trim().split("\n").length, CHAT.length + 2);
  }));

test("a place that cannot be one is a ConfigError with its key, before anything is asked", async () => {
  let asked = 0;
  const ask = () => {
    asked++;
    return Promise.resolve(null);
  };
  const store = { append: ask, load: ask } as never;
  const wrong: readonly [string, Record<string, unknown>][] = [
    ["loadTimeoutMs", { store, loadTimeoutMs: 0 }],
    ["loadTimeoutMs", { store, loadTimeoutMs: 2 ** 31 }],
    ["loadTimeoutMs", { store, loadTimeoutMs: "1000" }],
    ["store", { store: null }],
    ["store.append", { store: { load: ask } }],
    ["store.load", { store: { append: ask } }],
    ["projectKey", { store, projectKey: "" }],
    ["projectKey", { store, projectKey: null }],
    ["cwd", { store, cwd: 5 }],
    ["configDirectory", { store, configDirectory: "" }],
  ];
  const calls: readonly ((place: never) => Promise<unknown>)[] = [
    listTranscripts,
    ...[readTranscript, listSubagents, forkTranscript, deleteTranscript]
      .map((call) => (place: never) => call(ID, place)),
    ...[importTranscript, restoreTranscript]
      .map((call) => (place: never) => call(ID, place)),
    (place) => renameTranscript(ID, "x", place),
    (place) => tagTranscript(ID, null, place),
  ];
  for (const call of calls) {
    for (const [key, place] of wrong) {
      await assert.rejects(call(place as never), { name: "ConfigError", key });
    }
  }
  for (const call of [importTranscript, restoreTranscript]) {
    const nowhere = { projectKey: "p" } as never;
    const wrong = { name: "ConfigError", key: "store" };
    await assert.rejects(call(ID, nowhere), wrong);
  }
  assert.equal(asked, 0);
});

test("parts whose session never came are removed as well", async () => {
  const place = { store: memoryTranscripts(), projectKey: "p" };
  const part = {
    projectKey: "p",
    sessionId: ID,
    subpath: "subagents/agent-a1",
  };
  await place.store.append(part, CHAT);
  assert.equal(await deleteTranscript(ID, place), true);
  assert.deepEqual(place.store.entries(part), []);
  assert.equal(await deleteTranscript(ID, place), false);
});
