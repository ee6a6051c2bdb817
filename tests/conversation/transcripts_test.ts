import assert from "node:assert/strict";
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Deferred } from "@sluice/agent/extend";
import {
  memoryTranscripts,
  type TranscriptEntry,
  TranscriptError,
  type TranscriptKey,
  type TranscriptOptions,
  type TranscriptStore,
} from "@sluice/agent/transcripts";
import { type AgentOptions, type JsonObject, query } from "@sluice/agent";
import { fakeCli, FakeClock } from "@sluice/agent/testing";
import { collect, rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import {
  assistantLine,
  isPrompt,
  memoryCli,
  resultLine,
  stateLine,
} from "./_rig.ts";

const ID = "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11";
const KEY = { projectKey: "-home-ada", sessionId: ID };
const FOLDER = "/home/ada/.claude/projects/-home-ada";

/** Line of the CLI about entries that it wrote. */
function mirrorLine(from: number, to = from + 1, path = ""): JsonObject {
  return {
    type: "transcript_mirror",
    filePath: `${FOLDER}/${ID}${path}.jsonl`,
    entries: Array.from({ length: to - from }, (_, at) => ({
      type: "user",
      uuid: `line-${from + at}`,
    })),
  };
}

/** A conversation with a store, its start over, and the CLI played by the test. */
async function begin(
  transcripts: TranscriptOptions,
  options: AgentOptions = {},
) {
  const { transport, peer } = memoryCli();
  const conversation = query("x", { ...options, transport, transcripts });
  await conversation.ready;
  return { conversation, peer };
}

/** A store that calls a function when entries come, and keeps them then. */
function storeThat(
  append: (key: TranscriptKey, call: number) => Promise<void> | void,
  onKept: (call: number) => void = () => {},
) {
  const memory = memoryTranscripts();
  let calls = 0;
  const store: TranscriptStore = {
    ...memory,
    async append(key, entries) {
      const call = ++calls;
      await append(key, call);
      await memory.append(key, entries);
      onKept(call);
    },
  };
  const ids = () => memory.entries(KEY).map(({ uuid }) => uuid);
  return { store, memory, ids, calls: () => calls };
}

function upTo(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `line-${at}`);
}

test("mirrored entries are in the store when the messages end, in order, and are no messages", async () => {
  const { store, ids, memory } = storeThat(() => {});
  const { conversation, peer } = await begin({ store });
  const reading = Promise.all([
    collect(conversation),
    collect(conversation.errors),
  ]);
  await peer.send(mirrorLine(0, 3), assistantLine("a"), mirrorLine(3));
  await peer.send(mirrorLine(0, 2, "/subagents/agent-1"), resultLine());
  await peer.send(mirrorLine(4, 6));
  const [messages, errors] = await reading;
  assert.deepEqual(ids(), upTo(6));
  assert.equal(
    memory.entries({ ...KEY, subpath: "subagents/agent-1" }).length,
    2,
  );
  assert.deepEqual(
    messages.items.map(({ type }) => type),
    ["assistant", "result"],
  );
  assert.deepEqual(errors.items, []);
  assert.ok(peer.launch?.args.includes("--session-mirror"));
  await conversation.close();
});

test("entries are in the store after each turn, and eager ones during it", async () => {
  for (const flush of ["turn", "eager"] as const) {
    const came = new Deferred<void>();
    const { store, ids, calls } = storeThat(() => {}, () => came.resolve());
    const { transport, peer } = memoryCli();
    const conversation = query(open(), {
      transport,
      transcripts: { store, flush },
    });
    await conversation.ready;
    const messages = conversation[Symbol.asyncIterator]();
    await peer.line(({ type }) => type === "user");
    await peer.send(
      stateLine("running"),
      mirrorLine(0),
      assistantLine("a"),
      mirrorLine(1),
      assistantLine("b"),
    );
    await messages.next();
    await messages.next();
    if (flush === "eager") await came.promise;
    else assert.equal(calls(), 0);
    await peer.send(resultLine(), stateLine("idle"));
    await came.promise;
    assert.deepEqual(ids(), upTo(2));
    await conversation.close();
  }
});

/** One prompt, and the source stays open. */
async function* open(): AsyncGenerator<string> {
  yield "x";
  await new Promise(() => {});
}

test("a store that hangs holds up no message; what it did not take is a TranscriptError with the number of entries", async () => {
  const clock = new FakeClock();
  const { store } = storeThat(() => new Promise(() => {}));
  const { conversation, peer } = await begin({ store, flush: "eager" }, {
    clock,
  });
  const messages = conversation[Symbol.asyncIterator]();
  const errors = collect(conversation.errors);
  await peer.send(mirrorLine(0, 7), assistantLine("a"), mirrorLine(7));
  await peer.send(resultLine());
  assert.equal((await messages.next()).value?.type, "assistant");
  assert.equal((await messages.next()).value?.type, "result");
  const end = messages.next();
  let isOver = false;
  end.then(() => isOver = true);
  for (let seconds = 0; seconds < 60 && !isOver; seconds++) {
    await clock.advance(1_000);
  }
  assert.equal((await end).done, true);
  const [error] = (await errors).items;
  assert.ok(error instanceof TranscriptError);
  assert.equal(error.lost, 8);
  assert.equal(error.code, "transcript");
  assert.equal(error.fatal, false);
  const thrown = await rejectionOf(conversation.close());
  assert.equal(thrown, error);
});

test("a store that fails once gets the refused entries again, and only the log reports it", async () => {
  const clock = new FakeClock();
  const { store, ids } = storeThat((_key, call) => {
    if (call === 1) throw new Error("once");
  });
  const warned = new Deferred<string>();
  const silent = () => {};
  const { conversation, peer } = await begin({ store, flush: "eager" }, {
    clock,
    logger: {
      debug: silent,
      info: silent,
      warn: (text) => warned.resolve(text),
      error: silent,
    },
  });
  const reading = Promise.all([
    collect(conversation),
    collect(conversation.errors),
  ]);
  await peer.send(mirrorLine(0, 2));
  assert.match(await warned.promise, /refuses entries/);
  await peer.send(mirrorLine(2, 4), resultLine());
  const [, errors] = await reading;
  assert.deepEqual(errors.items, []);
  assert.deepEqual(ids(), upTo(4));
  await conversation.close();
});

test('with onFailure "fail" a store that refuses three times ends the conversation', async () => {
  const clock = new FakeClock();
  const { store } = storeThat(() => {
    throw new Error("disk full");
  });
  const { conversation, peer } = await begin(
    { store, flush: "eager", onFailure: "fail" },
    { clock },
  );
  const reading = collect(conversation);
  await peer.send(assistantLine("a"), mirrorLine(0, 2));
  for (let second = 0; second < 5; second++) await clock.advance(1_000);
  const { error, items } = await reading;
  assert.ok(error instanceof TranscriptError);
  assert.match(error.message, /disk full/);
  assert.equal(error.fatal, true);
  assert.equal(items.length, 1);
  await rejectionOf(conversation.close());
});

test('with onFailure "fail" entries that are lost at the end are thrown, one time', async () => {
  for (const onFailure of ["fail", "continue"] as const) {
    const clock = new FakeClock();
    const { store } = storeThat(() => {
      throw new Error("disk full");
    });
    const { conversation, peer } = await begin({ store, onFailure }, { clock });
    const reading = Promise.all([
      collect(conversation),
      collect(conversation.errors),
    ]);
    await peer.send(mirrorLine(0, 2), resultLine());
    peer.end();
    const [messages, errors] = await reading;
    assert.equal(messages.items.length, 1);
    const [lost, ...more] = errors.items;
    assert.deepEqual(more, []);
    assert.ok(lost instanceof TranscriptError);
    assert.equal(lost.lost, 2);
    assert.equal(lost.fatal, onFailure === "fail");
    assert.equal(messages.error, lost.fatal ? lost : undefined);
    await rejectionOf(conversation.close());
  }
});

test("entries that the CLI writes during close() reach the store too", async () => {
  const { store, ids } = storeThat(() => {});
  const { transport, peer } = memoryCli({
    interrupt() {
      // Before the interrupt counts as written: close() stops the CLI then.
      void peer.send(assistantLine("b"), mirrorLine(1, 3));
      return undefined;
    },
  });
  const conversation = query("x", {
    transport,
    transcripts: { store },
    clock: new FakeClock(),
  });
  const messages = conversation[Symbol.asyncIterator]();
  await conversation.ready;
  await peer.line(isPrompt);
  await peer.send(mirrorLine(0), assistantLine("a"));
  await messages.next();
  await conversation.close();
  assert.deepEqual(ids(), upTo(3));
});

test("copies do not wait for a consumer that takes no messages", async () => {
  const came = new Deferred<void>();
  const { store, ids } = storeThat(() => {}, () => {
    if (ids().length === 3) came.resolve();
  });
  const { conversation, peer } = await begin({ store, flush: "eager" });
  for (let at = 0; at < 3; at++) {
    await peer.send(assistantLine(`${at}`), mirrorLine(at));
  }
  await came.promise;
  await conversation.close();
  assert.deepEqual(ids(), upTo(3));
});

test("garbage instead of a copy is an error, and the conversation continues", async () => {
  const { store, ids, memory } = storeThat(() => {});
  const { conversation, peer } = await begin({ store });
  const reading = Promise.all([
    collect(conversation),
    collect(conversation.errors),
  ]);
  await peer.send(
    { type: "transcript_mirror" },
    { type: "transcript_mirror", filePath: 1, entries: {} },
    { ...mirrorLine(0), filePath: "/etc/passwd" },
    { ...mirrorLine(0), entries: [null, 1, "x", [], {}] },
    mirrorLine(0, 1, "/../../other"),
    mirrorLine(0),
    resultLine(),
  );
  const [messages, errors] = await reading;
  assert.equal(messages.error, undefined);
  assert.deepEqual(
    errors.items.map(({ name }) => name),
    ["ProtocolError", "ProtocolError", "ProtocolError", "TranscriptError"],
  );
  assert.equal((errors.items[3] as TranscriptError).lost, 2);
  assert.deepEqual(await memory.listSubkeys(KEY), []);
  assert.deepEqual(ids(), upTo(1));
  await rejectionOf(conversation.close());
});

test("entries beyond the bound of a slow store are read from the CLI's file later, in order", async () => {
  const folder = await mkdtemp(join(tmpdir(), "transcripts-"));
  try {
    // In a relative configuration folder the CLI reports relative paths.
    const filePath = `own/projects/-home-ada/${ID}.jsonl`;
    const path = `${folder}/${filePath}`;
    await mkdir(dirname(path), { recursive: true });
    const entries = upTo(90).map((uuid) => ({ type: "user", uuid }));
    await writeFile(
      path,
      entries.map((one) => `${JSON.stringify(one)}\n`).join(""),
    );
    // Each comes with a megabyte of output.
    const filling = "x".repeat(1024 * 1024);
    const fake = fakeCli([[
      ...entries.map((entry) => ({
        line: JSON.stringify({
          type: "transcript_mirror",
          filePath,
          entries: [entry],
          filling: entry.uuid === "line-0" ? "" : filling,
        }),
      })),
      "answer",
    ]]);
    const asked = new Deferred<void>();
    const open = new Deferred<void>();
    const { store, ids } = storeThat(async () => {
      asked.resolve();
      await open.promise;
    });
    const conversation = query("x", {
      cliPath: fake.cliPath,
      cwd: folder,
      transcripts: { store, flush: "eager" },
    });
    const reading = collect(conversation.errors);
    for await (const { type } of conversation) {
      if (type !== "result") continue;
      await asked.promise;
      open.resolve();
    }
    await conversation.close();
    assert.deepEqual((await reading).items, []);
    assert.deepEqual(ids(), upTo(90));
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("entries that a killed host left in its files reach the store by the next resume there, unknown parts included", async () => {
  const folder = await mkdtemp(join(tmpdir(), "transcripts-"));
  try {
    const memory = memoryTranscripts();
    const cwd = await realpath(folder);
    const key = {
      projectKey: cwd.replaceAll(/[^a-zA-Z0-9]/g, "-"),
      sessionId: ID,
    };
    const main = `${folder}/projects/${key.projectKey}/${ID}`;
    const lines = (name: string, count: number) =>
      Array.from(
        { length: count },
        (_, at) => ({ type: "user", uuid: `${name}-${at}` }),
      );
    const note = { agentType: "Explore", toolUseId: "toolu_a" };
    const write = async (path: string, entries: readonly object[]) => {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(
        path,
        entries.map((one) => `${JSON.stringify(one)}\n`).join(""),
      );
    };
    const known = { ...key, subpath: "subagents/agent-known" };
    const unknown = { ...key, subpath: "subagents/agent-unknown" };
    await memory.append(key, lines("main", 2));
    await memory.append(known, lines("known", 1));
    await write(`${main}.jsonl`, lines("main", 3));
    await write(`${main}/${known.subpath}.jsonl`, lines("known", 2));
    await write(`${main}/${known.subpath}.meta.json`, [note]);
    await write(`${main}/${unknown.subpath}.jsonl`, lines("unknown", 2));
    await write(`${main}/${unknown.subpath}.meta.json`, [note]);
    const resume = async (configuration: string) => {
      const conversation = query("x", {
        cliPath: fakeCli(["answer"]).cliPath,
        cwd,
        env: { CLAUDE_CONFIG_DIR: configuration },
        resume: ID,
        transcripts: { store: memory },
      });
      const errors = collect(conversation.errors);
      await conversation.result();
      await conversation.close();
      assert.deepEqual((await errors).items, []);
    };
    // A relative one begins where the CLI runs.
    for (const configuration of [".", folder]) {
      await resume(configuration);
      const noted = { ...note, type: "agent_metadata" };
      assert.deepEqual(memory.entries(key), lines("main", 3));
      assert.deepEqual(memory.entries(known), [...lines("known", 2), noted]);
      assert.deepEqual(memory.entries(unknown), [
        ...lines("unknown", 2),
        noted,
      ]);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a session is resumed under the name that CLAUDE_CODE_PROJECT_DIR_NAME gives all projects", async () => {
  const folder = await mkdtemp(join(tmpdir(), "transcripts-"));
  try {
    const memory = memoryTranscripts();
    const key = { projectKey: "shared", sessionId: ID };
    await memory.append(key, [{ type: "user", uuid: "u1" }]);
    const fake = fakeCli(["answer"]);
    const conversation = query("x", {
      cliPath: fake.cliPath,
      cwd: folder,
      env: {
        CLAUDE_CONFIG_DIR: folder,
        CLAUDE_CODE_PROJECT_DIR_NAME: "shared",
      },
      continue: true,
      transcripts: { store: memory },
    });
    await conversation.result();
    await conversation.close();
    const text = await readFile(`${folder}/projects/shared/${ID}.jsonl`);
    assert.ok(text.includes("u1"));
    await fake.close();
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a session that the store cannot load continues from local files with a warning; with "fail" it does not', async () => {
  const folder = await mkdtemp(join(tmpdir(), "transcripts-"));
  try {
    const cwd = await realpath(folder);
    const projectKey = cwd.replaceAll(/[^a-zA-Z0-9]/g, "-");
    const path = `${folder}/projects/${projectKey}/${ID}.jsonl`;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, '{"type":"user","uuid":"here"}\n');
    const stores: Readonly<Record<string, Partial<TranscriptStore>>> = {
      "load(): out of order": {
        load: () => Promise.reject(new Error("out of order")),
      },
      "load(): no answer within 20 ms": { load: () => new Promise(() => {}) },
      "gave string in load()": { load: () => Promise.resolve("x" as never) },
      "gave number as item 0 in listSubkeys()": {
        listSubkeys: () => Promise.resolve([1 as never]),
      },
    };
    for (const [text, wrong] of Object.entries(stores)) {
      for (const onFailure of ["continue", "fail"] as const) {
        const memory = memoryTranscripts();
        const key = { projectKey, sessionId: ID };
        await memory.append(key, [{ type: "user", uuid: "there" }]);
        const conversation = query("x", {
          cliPath: fakeCli(["answer"]).cliPath,
          cwd,
          env: { CLAUDE_CONFIG_DIR: folder },
          resume: ID,
          transcripts: {
            store: { ...memory, ...wrong },
            loadTimeoutMs: 20,
            onFailure,
          },
        });
        const errors = collect(conversation.errors);
        const thrown = onFailure === "fail"
          ? await rejectionOf(conversation.result())
          : (await conversation.result(), undefined);
        await conversation.close();
        const error = thrown ?? (await errors).items[0];
        assert.ok(error instanceof TranscriptError, text);
        assert.ok(error.message.includes(text), error.message);
        await errors;
      }
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("the project can be called otherwise in the store", async () => {
  const memory = memoryTranscripts();
  const { conversation, peer } = await begin({
    store: memory,
    projectKey: "letters",
  });
  const reading = collect(conversation);
  await peer.send(mirrorLine(0), resultLine());
  await reading;
  const key = { projectKey: "letters", sessionId: ID };
  assert.equal(memory.entries(key).length, 1);
  await conversation.close();
});

test("a session that is in the store of another project is an error that names the option, and nothing is started", async () => {
  const home = await mkdtemp(join(tmpdir(), "transcripts-"));
  const fake = fakeCli("x");
  const store = memoryTranscripts();
  await store.append(KEY, [{ type: "user", uuid: "line-0" }]);
  const go = (projectKey?: string) =>
    query("x", {
      cliPath: fake.cliPath,
      env: { CLAUDE_CONFIG_DIR: home },
      transcripts: { store, projectKey },
      resume: ID,
    });
  try {
    const elsewhere = go();
    const error = await rejectionOf(elsewhere.text());
    assert.ok(error instanceof TranscriptError);
    assert.equal(error.sessionId, ID);
    assert.match(
      error.message,
      /neither in the store, of project ".+", nor on this machine.*"transcripts\.projectKey"/,
    );
    assert.equal(await rejectionOf(elsewhere.ready), error);
    assert.equal(fake.runs.length, 0);
    assert.equal(await go(KEY.projectKey).text(), "x");
  } finally {
    await fake.close();
    await rm(home, { recursive: true });
  }
});

test("continue passes over sessions of the store that are empty or gone, and needs none", async () => {
  const home = await mkdtemp(join(tmpdir(), "transcripts-"));
  const fake = fakeCli("x");
  const gone = "8d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11";
  const memory = memoryTranscripts();
  const listed = [{ sessionId: gone, mtime: 9 }, { sessionId: ID, mtime: 8 }];
  const go = (lines: readonly TranscriptEntry[] | null, count: number) =>
    query("x", {
      cliPath: fake.cliPath,
      cwd: home,
      env: { CLAUDE_CONFIG_DIR: home },
      continue: true,
      transcripts: {
        projectKey: KEY.projectKey,
        store: {
          ...memory,
          load: (key) =>
            key.sessionId === gone ? Promise.resolve(lines) : memory.load(key),
          listSessions: () => Promise.resolve(listed.slice(0, count)),
        },
      },
    }).text();
  try {
    assert.equal(await go(null, 1), "x");
    assert.equal(await go([], 1), "x");
    await memory.append(KEY, [{ type: "user", uuid: "line-0" }]);
    assert.equal(await go(null, 2), "x");
    const projects = join(home, "projects");
    const [project = ""] = await readdir(projects);
    assert.deepEqual(await readdir(join(projects, project)), [`${ID}.jsonl`]);
  } finally {
    await fake.close();
    await rm(home, { recursive: true });
  }
});

test("a conversation without a store asks for no copies", async () => {
  const { transport, peer } = memoryCli();
  const conversation = query("x", { transport });
  const reading = collect(conversation);
  await conversation.ready;
  await peer.send(mirrorLine(0), resultLine());
  assert.deepEqual((await reading).items.map(({ type }) => type), ["result"]);
  assert.ok(!peer.launch?.args.includes("--session-mirror"));
});

test("the option transcripts is checked", () => {
  const store = memoryTranscripts();
  const wrong: Readonly<Record<string, AgentOptions>> = {
    "transcripts": { transcripts: 1 as never },
    "transcripts.store": { transcripts: {} as never },
    "transcripts.store.load": {
      transcripts: { store: { append: store.append } as never },
    },
    "transcripts.flush": { transcripts: { store, flush: "never" as never } },
    "transcripts.onFailure": {
      transcripts: { store, onFailure: "x" as never },
    },
    "transcripts.loadTimeoutMs": { transcripts: { store, loadTimeoutMs: 0 } },
    "transcripts.projectKey": { transcripts: { store, projectKey: "" } },
    "persistSession": { transcripts: { store }, persistSession: false },
    "continue": {
      transcripts: { store: { ...store, listSessions: undefined as never } },
      continue: true,
    },
  };
  for (const [key, options] of Object.entries(wrong)) {
    assert.throws(
      () => query("x", options),
      (error: Error & { key?: string }) => error.key === key,
      key,
    );
  }
});

test("entries with the text of a secret go to the store as they are, an error text does not hold it", async () => {
  const secret = "sk-ant-very-secret-token-0123456789";
  const memory = memoryTranscripts();
  const store: TranscriptStore = {
    ...memory,
    append: (_key: TranscriptKey, _all: readonly TranscriptEntry[]) =>
      Promise.reject(new Error(`redis://:${secret}@host refused`)),
  };
  const { conversation, peer } = await begin({ store }, {
    env: { ANTHROPIC_API_KEY: secret },
  });
  const reading = Promise.all([
    collect(conversation),
    collect(conversation.errors),
  ]);
  await peer.send(mirrorLine(0), resultLine());
  const [, errors] = await reading;
  const [error] = errors.items;
  assert.ok(error instanceof TranscriptError);
  const told = `${error.message} ${error.cause}`;
  assert.ok(!told.includes(secret), told);
  await rejectionOf(conversation.close());
});
