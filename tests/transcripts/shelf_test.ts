import assert from "node:assert/strict";
import {
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  deleteTranscript,
  forkTranscript,
  importTranscript,
  listSubagents,
  listTranscripts,
  memoryTranscripts,
  readTranscript,
  restoreTranscript,
  type TranscriptEntry,
  TranscriptError,
  type TranscriptKey,
  type TranscriptStore,
} from "@sluice/agent/transcripts";
import { host, needsShell } from "../_children.ts";
import type { Files } from "../../src/ports/files.ts";
import type { Host } from "../../src/ports/host.ts";
import { textOf } from "../../src/transcripts/lines.ts";
import { findFile } from "../../src/transcripts/cli_files.ts";
import { addTo, copySession } from "../../src/transcripts/copy.ts";
import { messagesOn } from "../../src/transcripts/messages.ts";
import { infosOf, partsOn, storedShelf } from "../../src/transcripts/shelf.ts";
import { localShelf, setArchived } from "../../src/transcripts/local_shelf.ts";
import { test } from "../_harness.ts";
import { withFolder } from "../session/_chats.ts";

const ID = "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11";
const OTHER = "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b22";
const KEY = { projectKey: "p", sessionId: ID };

function said(text: string, more: object = {}): TranscriptEntry {
  return {
    type: "user",
    uuid: text,
    parentUuid: null,
    timestamp: "2026-01-02T00:00:00.000Z",
    sessionId: ID,
    message: { role: "user", content: text },
    ...more,
  };
}

/** A configuration directory of the CLI, with what its `projects` hold. */
async function withFiles(
  files: Readonly<Record<string, readonly object[]>>,
  use: (configDirectory: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    for (const [name, lines] of Object.entries(files)) {
      const path = join(folder, "projects", name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, textOf(lines as TranscriptEntry[]));
    }
    await use(folder);
  });
}

test("deleteTranscript() removes the files of subagents with the session, and no other session", () =>
  withFiles({
    [`a/${ID}.jsonl`]: [said("one")],
    [`a/${ID}/subagents/agent-a1.jsonl`]: [said("sub")],
    [`a/${OTHER}.jsonl`]: [said("two", { sessionId: OTHER })],
  }, async (configDirectory) => {
    assert.equal(await deleteTranscript(ID, { configDirectory }), true);
    assert.deepEqual(
      await readdir(join(configDirectory, "projects/a")),
      [`${OTHER}.jsonl`],
    );
  }));

test("listTranscripts() takes a summary of a store only where it is as new as its session", async () => {
  const memory = memoryTranscripts();
  await memory.append(KEY, [said("one")]);
  const [session] = await memory.listSessions("p");
  assert.ok(session);
  const data = { firstPrompt: "kept", firstPromptLocked: true };
  for (
    const [lateMs, firstPrompt] of [[-1, "one"], [0, "kept"]] as const
  ) {
    const mtime = session.mtime + lateMs;
    const summaries = [{ sessionId: ID, mtime, data }];
    const store = {
      ...memory,
      listSessionSummaries: () => Promise.resolve(summaries),
    };
    const [info] = await listTranscripts({ store, projectKey: "p" });
    assert.equal(info?.firstPrompt, firstPrompt);
  }
});

test("what is no line among those of a store is left out", async () => {
  for (const odd of [null, undefined, "text", 1, []]) {
    const lines = [odd, said("one"), odd] as TranscriptEntry[];
    const store: TranscriptStore = {
      append: () => Promise.resolve(),
      load: () => Promise.resolve(lines),
      listSessions: () => Promise.resolve([{ sessionId: ID, mtime: 1 }]),
    };
    const shelf = storedShelf(store, "p");
    const [info] = await infosOf(shelf, {});
    assert.equal(info?.firstPrompt, "one");
    assert.equal((await messagesOn(shelf, ID, {}))?.length, 1);
    // A column of a database may be empty; anything else is an error.
    const place = { store, projectKey: "p" };
    if (odd === null || odd === undefined) {
      assert.equal((await readTranscript(ID, place)).length, 1);
    } else {
      await assert.rejects(readTranscript(ID, place), /as item 0 in load/);
    }
  }
});

test("a long first prompt is not cut inside of an emoji", async () => {
  const store = memoryTranscripts();
  await store.append(KEY, [said("a" + "\u{1f600}".repeat(150))]);
  const [info] = await listTranscripts({ store, projectKey: "p" });
  assert.equal(info?.firstPrompt, `a${"\u{1f600}".repeat(99)}…`);
});

test("listTranscripts() lists a session without text by what was shown first, however long that is", async () => {
  const shown = (type: string, length = 10) =>
    said(type, {
      message: {
        role: "user",
        content: [{
          type,
          source: { type: "base64", data: "x".repeat(length) },
        }],
      },
    });
  const cases: readonly (readonly [string, readonly TranscriptEntry[]])[] = [
    ["Image", [shown("image")]],
    ["Image", [{ type: "mode" }, shown("image", 400_000)]],
    ["Document", [shown("tool_result"), shown("document"), shown("image")]],
    ["and this?", [shown("image"), said("and this?")]],
  ];
  for (const [summary, entries] of cases) {
    const store = memoryTranscripts();
    await store.append(KEY, entries);
    const kept = {
      load: store.load,
      append: store.append,
      listSessions: store.listSessions,
    };
    const infos = [await listTranscripts({ store: kept, projectKey: "p" })];
    await withFiles({ [`a/${ID}.jsonl`]: entries }, async (configDirectory) => {
      infos.push(await listTranscripts({ configDirectory }));
    });
    for (const [info] of infos) assert.equal(info?.summary, summary);
  }
  await withFiles(
    { [`a/${ID}.jsonl`]: [shown("tool_result")] },
    async (configDirectory) =>
      assert.deepEqual(await listTranscripts({ configDirectory }), []),
  );
});

test("forkTranscript() leaves lines about progress and subagents out, and hands on the line before", async () => {
  const store = memoryTranscripts();
  const place = { store, projectKey: "p" };
  await store.append(KEY, [
    said("one"),
    said("step", { type: "progress", parentUuid: "one" }),
    said("sub", { isSidechain: true, parentUuid: "one" }),
    said("two", { parentUuid: "step" }),
    said("alone", { parentUuid: "gone" }),
  ]);
  const copy = await forkTranscript(ID, place);
  const lines = store.entries({ ...KEY, sessionId: copy });
  const origins = new Map(
    lines.map(({ uuid, forkedFrom }) => [
      uuid,
      Object(forkedFrom).messageUuid,
    ]),
  );
  const messages = lines.filter(({ type }) => type !== "custom-title");
  assert.deepEqual(
    messages.map(({ uuid, parentUuid, isSidechain, sessionId }) => [
      origins.get(uuid),
      parentUuid === null ? null : origins.get(parentUuid as string),
      isSidechain,
      sessionId === copy,
    ]),
    [
      ["one", null, false, true],
      ["two", "one", false, true],
      ["alone", null, false, true],
    ],
  );
  assert.ok(messages.every(({ uuid }) => uuid !== origins.get(uuid)));
});

test("a copied session has its subagents, unless they are not wanted", async () => {
  const from = memoryTranscripts();
  const part = { ...KEY, subpath: "subagents/agent-a1" };
  await from.append(KEY, [said("one")]);
  await from.append(part, [said("sub")]);
  for (const includeSubagents of [true, false]) {
    const to = memoryTranscripts();
    const shelf = storedShelf(from, "p");
    const add = (...part: Parameters<typeof to.append>) => addTo(to, ...part);
    assert.equal(await copySession(shelf, KEY, add, includeSubagents), true);
    assert.equal(to.entries(KEY).length, 1);
    assert.equal(to.entries(part).length, includeSubagents ? 1 : 0);
  }
});

test("a session is archived until its next prompt", () =>
  withFiles({
    [`a/${ID}.jsonl`]: [said("one")],
    [`a/${ID}/archived.json`]: [],
  }, async (configDirectory) => {
    const file = join(configDirectory, `projects/a/${ID}/archived.json`);
    const isArchived = async (archived: boolean, at: string) => {
      await writeFile(file, JSON.stringify({ archived, at }));
      const [info] = await listTranscripts({ configDirectory });
      return info?.isArchived;
    };
    assert.equal(await isArchived(true, "2026-01-03T00:00:00.000Z"), true);
    assert.equal(await isArchived(true, "2026-01-01T00:00:00.000Z"), false);
    assert.equal(await isArchived(false, "2026-01-03T00:00:00.000Z"), false);
  }));

test("a file that cannot be read hides no other session", () =>
  withFiles({
    [`a/${ID}.jsonl`]: [said("one")],
    // Only parts of a large file are read.
    [`a/${OTHER}.jsonl`]: [said("two"), said("x".repeat(300_000))],
  }, async (configDirectory) => {
    const real = await host();
    const projects = join(configDirectory, "projects");
    for (const [closed, open] of [[ID, OTHER], [OTHER, ID]] as const) {
      const refuse = (path: string) =>
        path.endsWith(`${closed}.jsonl`)
          ? Promise.reject(
            Object.assign(new Error("EACCES: denied"), { code: "EACCES" }),
          )
          : Promise.resolve();
      const files: Files = {
        ...real.files,
        open: async (path, mode) => {
          await refuse(path);
          return await real.files.open(path, mode);
        },
        readText: async (path) => {
          await refuse(path);
          return await real.files.readText(path);
        },
      };
      const shelf = await localShelf({ ...real, files }, { projects });
      const infos = await infosOf(shelf, {});
      assert.deepEqual(infos.map(({ sessionId }) => sessionId), [open]);
      assert.equal(await shelf.info(closed), undefined);
    }
  }));

/** This runtime with a session that is removed before, or behind, one call of an operation on files. */
async function hostThatRemoves(
  configDirectory: string,
  when: "before" | "behind",
  operation: "open" | "writeText",
): Promise<Host> {
  const real = await host();
  const remove = () => deleteTranscript(ID, { configDirectory });
  const files = {
    ...real.files,
    async [operation](...given: readonly never[]) {
      if (when === "before") await remove();
      const work = real.files[operation] as (...given: never[]) => unknown;
      const result = await work(...given);
      if (when === "behind") await remove();
      return result;
    },
  };
  return { ...real, files };
}

for (const when of ["before", "behind"] as const) {
  test(
    `a title and an archive note do not bring back a session that is removed ${when} the file is opened`,
    () =>
      withFiles({
        [`a/${ID}.jsonl`]: [said("one")],
        [`b/${OTHER}.jsonl`]: [said("two")],
      }, async (configDirectory) => {
        const projects = join(configDirectory, "projects");
        const path = join(projects, "a", `${ID}.jsonl`);
        const opening = await hostThatRemoves(configDirectory, when, "open");
        const shelf = await localShelf(opening, { projects });
        const title = { type: "custom-title", customTitle: "x" };
        assert.equal(await shelf.add(ID, title), false);
        assert.deepEqual(await readdir(join(projects, "a")), []);

        await writeFile(path, textOf([said("one")]));
        const writing = await hostThatRemoves(
          configDirectory,
          when,
          "writeText",
        );
        const file = await findFile(writing, { projects }, ID);
        assert.ok(file);
        assert.equal(await setArchived(writing, file, true), false);
        assert.deepEqual(await readdir(join(projects, "a")), []);
      }),
    { skip: needsShell },
  );
}

test("a list leaves out what is not wanted, and sessions of subagents", () =>
  withFiles({
    [`a/${ID}.jsonl`]: [said("one", { entrypoint: "sdk-ts" })],
    [`a/${OTHER}.jsonl`]: [said("two", { isSidechain: true })],
  }, async (configDirectory) => {
    const shelf = await localShelf(await host(), {
      projects: join(configDirectory, "projects"),
    });
    const infos = await infosOf(shelf, {});
    assert.deepEqual(
      infos.map(({ sessionId, isProgrammatic }) => [sessionId, isProgrammatic]),
      [[ID, true]],
    );
    const isWanted = () => false;
    assert.deepEqual(await infosOf(shelf, { isWanted }), []);
  }));

test("of two files of one session the newer one is listed", () =>
  withFiles({
    [`a/${ID}.jsonl`]: [said("in a")],
    [`b/${ID}.jsonl`]: [said("in b")],
  }, async (configDirectory) => {
    for (const [newer, older] of [["a", "b"], ["b", "a"]] as const) {
      const file = (name: string) =>
        join(configDirectory, `projects/${name}/${ID}.jsonl`);
      await utimes(file(older), 1_000, 1_000);
      await utimes(file(newer), 2_000, 2_000);
      const infos = await listTranscripts({ configDirectory });
      assert.deepEqual(
        infos.map(({ firstPrompt }) => firstPrompt),
        [`in ${newer}`],
      );
    }
  }));

const LINKS = {
  "to itself": (path: string) => path,
  "with a name that is too long": () => "a".repeat(300),
  "below a file": (path: string) => join(dirname(path), `${ID}.jsonl`, "x"),
};

for (const [kind, targetOf] of Object.entries(LINKS)) {
  test(
    `a link ${kind} hides no other session, and no other part`,
    () =>
      withFiles({
        [`a/${ID}.jsonl`]: [said("in a")],
        [`b/${ID}.jsonl`]: [said("in b")],
        [`b/${ID}/subagents/agent-a1.jsonl`]: [said("sub")],
      }, async (configDirectory) => {
        const projects = join(configDirectory, "projects");
        const link = async (name: string) => {
          const path = join(projects, name);
          await rm(path, { force: true });
          await symlink(targetOf(path), path);
        };
        await link(`a/${OTHER}.jsonl`);
        await link(`b/${ID}/subagents/agent-a2.jsonl`);
        const place = { configDirectory };
        const [info, ...others] = await listTranscripts(place);
        assert.deepEqual([info?.sessionId, others], [ID, []]);
        // The only file of the session is in the other project now.
        await link(`a/${ID}.jsonl`);
        const [message] = await readTranscript(ID, place);
        assert.deepEqual(message?.message, { role: "user", content: "in b" });
        assert.deepEqual(await listSubagents(ID, place), ["a1"]);
        const store = memoryTranscripts();
        await importTranscript(ID, { ...place, store, projectKey: "p" });
        assert.deepEqual(await store.listSubkeys(KEY), ["subagents/agent-a1"]);
      }),
    { skip: needsShell },
  );
}

test("parts behind a link that leads back are not looked for", () =>
  withFiles({
    [`a/${ID}.jsonl`]: [said("one")],
    [`a/${ID}/subagents/agent-a1.jsonl`]: [said("sub")],
  }, async (configDirectory) => {
    const folder = join(configDirectory, "projects/a", ID, "subagents");
    // Each further link doubles the number of paths, level by level.
    for (const name of ["b", "c"]) await symlink(folder, join(folder, name));
    const shelf = await localShelf(await host(), {
      projects: join(configDirectory, "projects"),
    });
    assert.deepEqual(await partsOn(shelf, ID), ["subagents/agent-a1"]);
  }), { skip: needsShell });

test("restoreTranscript() writes a session and its parts where the CLI has them", () =>
  withFiles({}, async (configDirectory) => {
    const store = memoryTranscripts();
    await store.append(KEY, [said("one")]);
    await store.append({ ...KEY, subpath: "subagents/agent-a1" }, [
      said("sub"),
    ]);
    const place = { store, projectKey: "p", configDirectory };
    await restoreTranscript(ID, { ...place, cwd: configDirectory });
    const projects = join(configDirectory, "projects");
    const [project = ""] = await readdir(projects);
    const own = join(projects, project, ID);
    assert.deepEqual(await readdir(own), ["subagents"]);
    assert.equal(
      await readFile(join(own, "subagents/agent-a1.jsonl"), "utf8"),
      textOf([said("sub")]),
    );
    assert.equal((await stat(`${own}.jsonl`)).isFile(), true);
  }));

test("restoreTranscript() writes no part whose name leads elsewhere, and names it", () =>
  withFiles({}, async (configDirectory) => {
    const memory = memoryTranscripts();
    await memory.append(KEY, [said("one")]);
    const cwd = configDirectory;
    const whole = "subagents/agent-a1";
    for (
      const name of [
        "../agent-a2",
        "subagents/../../agent-a2",
        "subagents\\..\\..\\agent-a2",
        "/agent-a2",
        "c:agent-a2",
        "subagents//agent-a2",
        "subagents/agent-a2.",
        "subagents/agent-\0a2",
        "subagents/AGENT-A1",
        "",
      ]
    ) {
      const store = {
        ...memory,
        listSubkeys: () => Promise.resolve([whole, name]),
        load: (key: TranscriptKey) =>
          key.subpath === undefined
            ? memory.load(key)
            : Promise.resolve([said("sub")]),
      };
      await assert.rejects(
        restoreTranscript(ID, { store, projectKey: "p", configDirectory, cwd }),
        (error) =>
          error instanceof TranscriptError &&
          error.message.includes("lead elsewhere: ") &&
          error.message.endsWith(JSON.stringify(name)),
        name,
      );
      const files = (await readdir(configDirectory, { recursive: true }))
        .filter((path) => path.endsWith(".jsonl"));
      assert.equal(files.length, 2, files.join());
    }
  }));
