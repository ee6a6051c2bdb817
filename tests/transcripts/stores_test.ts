import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InMemorySessionStore } from "@sluice/agent/compat";
import { transcriptStoreCases } from "@sluice/agent/testing";
import {
  directoryTranscripts,
  memoryTranscripts,
  storageTranscripts,
  type TextStorage,
  type TranscriptEntry,
  type TranscriptStore,
} from "@sluice/agent/transcripts";
import { test } from "../_harness.ts";
import { withFolder } from "../session/_chats.ts";
import { createStorage } from "unstorage";

const KEY = {
  projectKey: "-home-ada",
  sessionId: "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11",
};

async function holdsAll(make: () => TranscriptStore): Promise<void> {
  for (const { name, run } of transcriptStoreCases(make)) {
    await assert.doesNotReject(run, name);
  }
}

function textStorage(items: Map<string, string>): TextStorage {
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, text) => void items.set(key, text),
    getKeys: (base) => [...items.keys()].filter((key) => key.startsWith(base)),
    removeItem: (key) => void items.delete(key),
  };
}

test("memoryTranscripts() does all that a store has to", async () => {
  await holdsAll(memoryTranscripts);
});

test("memoryTranscripts() keeps what it was given, whatever becomes of that, or of what it gave", async () => {
  const store = memoryTranscripts();
  const message = { role: "user", content: [{ type: "text", text: "one" }] };
  const entry = { type: "user", uuid: "u1", message };
  await store.append(KEY, [entry]);
  const before = structuredClone(entry);
  const spoil = (one: unknown) => {
    (one as typeof entry).message.content.pop();
  };
  spoil(entry);
  assert.deepEqual(await store.load(KEY), [before]);
  spoil((await store.load(KEY))?.[0]);
  spoil(store.entries(KEY)[0]);
  assert.deepEqual(await store.load(KEY), [before]);
  assert.deepEqual(store.entries(KEY), [before]);
});

test("directoryTranscripts() does all that a store has to", async () => {
  await withFolder((folder) => holdsAll(() => directoryTranscripts(folder)));
});

test("storageTranscripts() does all that a store has to, on a map and on a storage of unstorage", async () => {
  await holdsAll(() => storageTranscripts(textStorage(new Map())));
  const storage = createStorage();
  await holdsAll(() => storageTranscripts(storage));
  await holdsAll(() => storageTranscripts(storage, { prefix: "" }));
});

test("InMemorySessionStore of the compat entry does all that a store has to", async () => {
  const store = new InMemorySessionStore();
  await holdsAll(() => store as TranscriptStore);
});

test("the cases find what a store does wrong", async () => {
  const wrong: Readonly<Record<string, (store: TranscriptStore) => object>> = {
    "loses order": (store) => ({
      load: async (key: typeof KEY) =>
        (await store.load(key))?.toReversed() ?? null,
    }),
    "gives an empty list for nothing": (store) => ({
      load: async (key: typeof KEY) => await store.load(key) ?? [],
    }),
    "keeps the last call alone": (store) => ({
      append: async (key: typeof KEY, entries: TranscriptEntry[]) => {
        await store.delete?.(key);
        await store.append(key, entries);
      },
    }),
    "mixes parts": (store) => ({
      append: ({ projectKey, sessionId }: typeof KEY, all: TranscriptEntry[]) =>
        store.append({ projectKey, sessionId }, all),
      load: ({ projectKey, sessionId }: typeof KEY) =>
        store.load({ projectKey, sessionId }),
    }),
    "deletes nothing": () => ({ delete: () => Promise.resolve() }),
    "lists sessions of all": (store) => ({
      listSessions: async (key: string) => [
        ...await store.listSessions?.(key) ?? [],
        { sessionId: "other", mtime: Date.now() },
      ],
    }),
    "takes text for text": (store) => ({
      load: async (key: typeof KEY) =>
        (await store.load(key))?.map((one) =>
          JSON.parse(JSON.stringify(one).replaceAll("true", "1"))
        ) ?? null,
    }),
  };
  for (const [name, change] of Object.entries(wrong)) {
    const cases = transcriptStoreCases(() => {
      const store = memoryTranscripts();
      return { ...store, ...change(store) };
    });
    const failures = await Promise.allSettled(cases.map(({ run }) => run()));
    const found = failures.filter(({ status }) => status === "rejected");
    assert.ok(found.length > 0, name);
  }
});

test("malformed data from a storage is an error, not an empty session", async () => {
  for (const garbage of ["", "{}", 7, ["x"], "transcript 2\n"]) {
    const items = new Map<string, string>();
    const storage = textStorage(items);
    const store = storageTranscripts({ ...storage, getItem: () => garbage });
    await store.append(KEY, [{ type: "user" }]);
    await assert.rejects(store.load(KEY), { name: "TranscriptError" });
  }
  const store = storageTranscripts({
    ...textStorage(new Map()),
    getKeys: () => "none",
  });
  await assert.rejects(store.listSessions("p"), /getKeys\(\) gave/);
});

test("two programs with one storage lose nothing of each other", async () => {
  const items = new Map<string, string>();
  const stores = [1, 2].map(() => storageTranscripts(textStorage(items)));
  for (let at = 0; at < 50; at++) {
    await Promise.all(
      stores.map((store, which) =>
        store.append(KEY, [{ type: "user", at, which }])
      ),
    );
  }
  const all = await stores[0]?.load(KEY) ?? [];
  assert.equal(all.length, 100);
  for (const which of [0, 1]) {
    const own = all.filter((one) => one.which === which).map(({ at }) => at);
    assert.deepEqual(own, Array.from({ length: 50 }, (_, at) => at));
  }
});

test("a key without content names what it lacks", async () => {
  const folder = join(tmpdir(), "never-made");
  const stores = [
    directoryTranscripts(folder),
    storageTranscripts(textStorage(new Map())),
  ];
  const wrong: readonly (readonly [change: object, key: string])[] = [
    [{ projectKey: "" }, "projectKey"],
    [{ sessionId: "" }, "sessionId"],
    [{ sessionId: "\ud800" }, "sessionId"],
    [{ subpath: "a//b" }, "subpath"],
  ];
  for (const store of stores) {
    for (const [change, key] of wrong) {
      const adding = store.append({ ...KEY, ...change }, [{ type: "user" }]);
      await assert.rejects(adding, { name: "ConfigError", key });
      await assert.rejects(store.load({ ...KEY, ...change }), { key });
    }
  }
  assert.equal(existsSync(folder), false);
});

test("a wrong storage or folder is a ConfigError when the store is made", () => {
  const items = textStorage(new Map());
  const name = "ConfigError";
  for (const storage of [null, undefined, {}, { ...items, getKeys: 1 }]) {
    assert.throws(() => storageTranscripts(storage as never), { name });
  }
  for (const prefix of [5, null, "\ud800"]) {
    assert.throws(
      () => storageTranscripts(items, { prefix: prefix as never }),
      { name, key: "prefix" },
    );
  }
  for (const path of [null, undefined, 5, "", new URL("https://a.org/")]) {
    const wrong = { name, key: "path" };
    assert.throws(() => directoryTranscripts(path as never), wrong);
  }
});

const ODD = [
  ...["..", ".", ".hidden", "a.", "a..", "/", "\\", "a/b", "a\\b", "C:", "~"],
  ...["con", "CON", "nul.txt", "com1", "lpt9.x", "aux", "console", "com"],
  ...["a b", "a%20b", "%41", "+a", "+", "A+a", "Aa", "aA", "aa", "AA"],
  ...["\0", "\n", "é", "e\u0301", "É", "\u{1f600}", "ı", "ſ", "K", "a:b*c?"],
  ...["-home-Ada-Projects-X", "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11"],
];

test("names are names of files on any system, each of one text alone, where case does not count either", async () => {
  const items = new Map<string, string>();
  const store = storageTranscripts(textStorage(items), { prefix: "" });
  const entry = { type: "user" };
  const seen = new Set<string>();
  for (const text of ODD) {
    items.clear();
    await store.append({ projectKey: "p", sessionId: text }, [entry]);
    const [key = ""] = items.keys();
    const [, name = ""] = key.split(":");
    assert.match(name, /^(?!\.)[a-z0-9._+%-]+(?<!\.)$/, text);
    assert.doesNotMatch(name, /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/);
    assert.ok(!seen.has(name.toLowerCase()), text);
    seen.add(name.toLowerCase());
    const [one] = await store.listSessions("p");
    assert.equal(one?.sessionId, text);
  }
});

test("a foreign name is ignored", async () => {
  const items = new Map<string, string>();
  const store = storageTranscripts(textStorage(items), { prefix: "" });
  await store.append({ projectKey: "p", sessionId: "made" }, [{
    type: "user",
  }]);
  const [[key, text] = ["", ""]] = items;
  for (
    const name of ["A", "a b", "%4", "%zz", "%ff", "+", "%41", "", ".a", "a:"]
  ) {
    items.set(key.replace("made", name), text);
  }
  const sessions = await store.listSessions("p");
  assert.deepEqual(sessions.map(({ sessionId }) => sessionId), ["", "made"]);
});

test("memoryTranscripts() gives each change a time of its own, so that a list has an order", async () => {
  const store = memoryTranscripts();
  for (let at = 0; at < 50; at++) {
    const sessionId = `s${at}`;
    await store.append({ projectKey: "p", sessionId }, [{ type: "user" }]);
  }
  const times = (await store.listSessions("p")).map(({ mtime }) => mtime);
  assert.equal(new Set(times).size, 50);
  assert.deepEqual(times.toSorted((a, b) => a - b), times);
});
