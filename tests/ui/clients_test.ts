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
import { join } from "node:path";
import {
  type AgentOptions,
  CapacityError,
  type Client,
  CliExitError,
  ClosedError,
  ConfigError,
  isRetryable,
  type Transport,
} from "@sluice/agent";
import { Deferred } from "@sluice/agent/extend";
import { telemetry } from "@sluice/agent/otel";
import { fakeCli, type FakeCliScript, FakeClock } from "@sluice/agent/testing";
import { memoryTranscripts, TranscriptError } from "@sluice/agent/transcripts";
import {
  type ClientKey,
  type Clients,
  clients,
  type ClientsSettings,
} from "@sluice/agent/ui";
import { rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import { nextTurn } from "../_turn.ts";
import { spansInMemory } from "../otel/_spans.ts";

/** "stay" runs until it is interrupted; everything else is answered at once. */
const SCRIPT: FakeCliScript = {
  match: [
    { prompt: "stay", turn: [{ wait: "interrupt" }] },
    { prompt: "die", turn: [{ exit: 9 }] },
    { prompt: "tool", turn: [{ tool: "Bash" }, "Done."] },
    {
      prompt: "task",
      turn: [{
        message: {
          type: "system",
          subtype: "background_tasks_changed",
          tasks: [{ task_id: "t1", task_type: "local_bash", description: "d" }],
        },
      }, "Started."],
    },
    { prompt: "", turn: "ok" },
  ],
};

interface Rig {
  readonly agents: Clients;
  readonly fake: ReturnType<typeof fakeCli>;
  readonly clock: FakeClock;
  /** Runs that have not ended. */
  open(): number;
  /** Values of the flag that names the session, by run. */
  sessions(): readonly (string | undefined)[];
}

/** A process takes a while to end. */
function slowly(transport: Transport): Transport {
  return {
    async open(launch, signal) {
      const channel = await transport.open(launch, signal);
      const exited = channel.exited.then(async (report) => {
        await nextTurn();
        return report;
      });
      return Object.create(channel, { exited: { value: exited } });
    },
  };
}

/** Clients of a fake CLI in this process; nothing of them is open afterwards. */
async function withClients(
  settings: Partial<ClientsSettings>,
  use: (rig: Rig) => Promise<void>,
  options: AgentOptions = {},
): Promise<void> {
  const fake = fakeCli(SCRIPT);
  const clock = new FakeClock();
  const open = () =>
    fake.runs.filter(({ exitCode }) => exitCode === undefined).length;
  const agents = clients(
    { transport: slowly(fake.transport), clock, ...options },
    { max: 2, waitMs: 0, ...settings },
  );
  const sessions = () =>
    fake.runs.map(({ args }) =>
      args.join(" ").match(/--(?:resume|session-id)=(\S+)/)?.[1]
    );
  try {
    await use({ agents, fake, clock, open, sessions });
  } finally {
    await agents.close();
    await fake.close();
  }
  assert.deepEqual(agents.stats(), { clients: 0, busy: 0, waiting: 0 });
}

/** Asks once as a user; gives the client. */
async function ask(
  agents: Clients,
  key: ClientKey,
  prompt = "Hi",
): Promise<Client> {
  const client = await agents.get(key);
  await client.ask(prompt);
  // The CLI reports a moment after the result that it is idle.
  await client.settled();
  return client;
}

test("get() gives all callers of a key one client, whose overlapping turns run in order", async () => {
  await withClients({}, async ({ agents, fake }) => {
    const [a, b] = await Promise.all([
      agents.get("anna"),
      agents.get({ user: "anna" }),
    ]);
    assert.equal(a, b);
    assert.equal(await agents.get("anna"), a);
    assert.equal(agents.peek("anna"), a);
    const texts = await Promise.all([
      a.text("one"),
      b.text("two"),
      a.ask("three").then(({ subtype }) => subtype),
    ]);
    assert.deepEqual(texts, ["ok", "ok", "success"]);
    const prompts = fake.received.filter(({ type }) => type === "user");
    assert.equal(prompts.length, 3);
    assert.equal(fake.runs.length, 1);
    // An aborted wait for a turn leaves the order of the others alone.
    const first = a.ask("stay");
    const aborted = a.ask("never", { signal: AbortSignal.abort(7) });
    const last = a.text("four");
    assert.equal(await rejectionOf(aborted), 7);
    await fake.receivedLine(({ message }) =>
      JSON.stringify(message ?? "").includes("stay")
    );
    await a.interrupt();
    await first;
    assert.equal(await last, "ok");
  });
});

test("no two keys share a session, and each has a stable id that is nothing but a UUID", async () => {
  const transcripts = { store: memoryTranscripts(), projectKey: "site" };
  const keys: readonly ClientKey[] = [
    ...["anna", "Anna", "anna ", "../../etc/passwd", "__proto__"],
    ...["constructor", "a\0b", "\ud800", "\ud801", "\ufffd", "e\u0301", "é"],
    ...["null", '["anna",null]', "x".repeat(1_000)],
    { user: "anna", thread: "1" },
    { user: "anna", thread: "null" },
    { user: '"anna","1"', thread: "]" },
    { user: "1", thread: "anna" },
  ];
  await withClients({ transcripts }, async ({ agents, fake }) => {
    const ids = await Promise.all(keys.map((key) => agents.sessionId(key)));
    assert.equal(new Set(ids).size, keys.length);
    for (const id of ids) {
      assert.match(id, /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-/);
    }
    // Stored sessions depend on it.
    assert.equal(ids[0], ANNA);
    assert.equal(await agents.sessionId({ user: "anna" }), ids[0]);
    assert.equal(fake.runs.length, 0);
  });
  const elsewhere = { ...transcripts, projectKey: "other" };
  await withClients({ transcripts: elsewhere }, async ({ agents }) => {
    assert.notEqual(await agents.sessionId("anna"), ANNA);
  });
});

/** Session of "anna" in the project "site". */
const ANNA = "ec704236-1b9e-84c0-95f5-250c3bc47f61";

test("a wrong key or setting is a ConfigError that names it, and is short", async () => {
  await withClients({}, async ({ agents, fake }) => {
    const bad: readonly unknown[] = [
      ...["", "x".repeat(1_001), "y".repeat(10_000_000)],
      ...[null, undefined, 5, ["anna"], new Map([["user", "anna"]])],
      ...[{}, { user: "" }, { user: 5 }, { user: "a", thread: "" }],
      ...[{ user: "a", thread: 5 }, { user: "a", thraed: "b" }],
    ];
    for (const key of bad) {
      const error = await rejectionOf(agents.get(key as ClientKey));
      assert.ok(error instanceof ConfigError, String(error));
      assert.match(error.message, /"(?:user|thread|thraed)"/);
      assert.ok(JSON.stringify(error).length < 3_000);
      assert.throws(() => agents.peek(key as ClientKey), ConfigError);
      assert.ok(
        await rejectionOf(agents.sessionId(key as ClientKey)) instanceof
          ConfigError,
      );
    }
    assert.equal(fake.runs.length, 0);
  });
  const wrong: readonly (readonly [string, unknown, unknown])[] = [
    ["max", {}, {}],
    ["max", {}, { max: 0 }],
    ["max", {}, { max: 1.5 }],
    ["maxPerKey", {}, { max: 1, maxPerKey: 0 }],
    ["idleMs", {}, { max: 1, idleMs: 0 }],
    ["waitMs", {}, { max: 1, waitMs: -1 }],
    ["size", {}, { max: 1, size: 3 }],
    ["settings", {}, undefined],
    ["transcripts.store", {}, { max: 1, transcripts: {} }],
    ["transcripts", { transcripts: { store: memoryTranscripts() } }, {
      max: 1,
      transcripts: { store: memoryTranscripts() },
    }],
    ["resume", { resume: "x" }, { max: 1 }],
    ["sessionId", { sessionId: crypto.randomUUID() }, { max: 1 }],
    ["continue", { continue: true }, { max: 1 }],
    ["persistSession", { persistSession: false }, { max: 1 }],
    ["maxTurns", { maxTurns: -1 }, { max: 1 }],
    ["options", null, { max: 1 }],
  ];
  for (const [key, options, settings] of wrong) {
    assert.throws(
      () => clients(options as AgentOptions, settings as ClientsSettings),
      (error) => error instanceof ConfigError && error.key === key,
      key,
    );
  }
});

test("a full set closes the client that was idle for longest, and resumes its session later", async () => {
  await withClients({}, async ({ agents, open, sessions }) => {
    const anna = await ask(agents, "anna");
    await ask(agents, "bob");
    await ask(agents, "anna");
    await ask(agents, "carl");
    assert.equal(agents.peek("bob"), undefined);
    assert.equal(agents.peek("anna"), anna);
    assert.equal(open(), 2);
    await ask(agents, "bob");
    assert.equal(anna.state, "closed");
    const [, bob, , again] = sessions();
    assert.equal(again, bob);
    assert.equal(again, await agents.sessionId("bob"));
  });
});

test("a client in use is not closed: a turn, a question, a background task, an unread answer, a caller before its prompt", async () => {
  const asked = new Deferred<void>();
  const answer = new Deferred<void>();
  const uses: Readonly<
    Record<string, (client: Client) => Promise<() => unknown>>
  > = {
    async turn(client) {
      const turn = client.ask("stay");
      await Promise.resolve();
      return async () => {
        await client.interrupt();
        await turn;
      };
    },
    async question(client) {
      const turn = client.ask("tool");
      await asked.promise;
      return async () => {
        answer.resolve();
        await turn;
      };
    },
    async task(client) {
      await client.ask("task");
      assert.equal(client.activity().state, "background");
      return () => client.close();
    },
    async unread(client) {
      await client.sendMessage("Hi");
      await client.settled();
      return async () => {
        for await (const _message of client.receiveResponse());
      };
    },
    async half(client) {
      await client.sendMessage("Hi");
      const reading = client.receiveResponse();
      await reading.next();
      await client.settled();
      return () => reading.return?.();
    },
    caller: (client) => Promise.resolve(() => client.ask("Hi")),
  };
  const permissions = {
    async canUseTool() {
      asked.resolve();
      await answer.promise;
      return { behavior: "allow" } as const;
    },
  };
  for (const [name, begin] of Object.entries(uses)) {
    await withClients({ max: 1 }, async ({ agents }) => {
      const client = await agents.get("anna");
      const end = await begin(client);
      const error = await rejectionOf(agents.get("bob"));
      assert.ok(error instanceof CapacityError, name);
      assert.deepEqual([error.limit, error.allowed, isRetryable(error)], [
        "max",
        1,
        true,
      ]);
      assert.equal(agents.stats().busy, 1);
      await end();
      if (client.state === "connected") await client.settled();
      await agents.get("bob");
      assert.equal(client.state, "closed", name);
    }, { permissions });
  }
});

test(
  "a caller that gives up its turn leaves a client that is free once the turn has ended",
  async () => {
    const asked = new Deferred<void>();
    const answer = new Deferred<void>();
    const permissions = {
      async canUseTool() {
        asked.resolve();
        await answer.promise;
        return { behavior: "allow" } as const;
      },
    };
    await withClients({ max: 1, waitMs: 60_000 }, async ({ agents }) => {
      const client = await agents.get("anna");
      const controller = new AbortController();
      const turn = client.text("tool", { signal: controller.signal });
      await asked.promise;
      await nextTurn();
      const reason = new Error("Enough");
      controller.abort(reason);
      assert.equal(await rejectionOf(turn), reason);
      assert.equal(agents.stats().busy, 1);
      const next = agents.get("bob");
      answer.resolve();
      await next;
      assert.equal(client.state, "closed");
    }, { permissions });
  },
  { timeoutMs: 20_000 },
);

test("get() waits for a client that is in use as long as waitMs, in the order of the calls, and by its signal", async () => {
  await withClients({ max: 1, waitMs: 60_000 }, async (rig) => {
    const { agents, clock, fake } = rig;
    const anna = await agents.get("anna");
    const turn = anna.ask("stay");
    const abort = new AbortController();
    const got: string[] = [];
    const wait = async (user: string, signal?: AbortSignal) => {
      const client = await agents.get(user, { signal });
      got.push(user);
      await client.ask("Hi");
    };
    const aborted = rejectionOf(wait("aborted", abort.signal));
    const waits = [wait("bob"), wait("carl"), wait("bob")];
    assert.equal(agents.stats().waiting, 3);
    abort.abort("left");
    assert.equal(await aborted, "left");
    assert.equal(agents.stats().waiting, 2);
    await fake.receivedLine(({ type }) => type === "user");
    await anna.interrupt();
    await turn;
    await Promise.all(waits);
    assert.deepEqual(got, ["bob", "bob", "carl"]);
    assert.equal(fake.runs.length, 3);
    const late = await agents.get("dora");
    const lateTurn = late.ask("stay");
    const refused = rejectionOf(agents.get("eve"));
    await clock.advance(60_000);
    assert.ok(await refused instanceof CapacityError);
    await late.interrupt();
    await lateTurn;
  });
});

test("a client that did nothing for idleMs is closed; work and calls begin the time anew", async () => {
  await withClients({ idleMs: 60_000 }, async ({ agents, clock, fake }) => {
    const client = await ask(agents, "anna");
    await clock.advance(59_000);
    assert.equal(await agents.get("anna"), client);
    await clock.advance(59_000);
    const turn = client.ask("stay");
    await fake.receivedLine(({ message }) =>
      JSON.stringify(message ?? "").includes("stay")
    );
    await clock.advance(600_000);
    assert.equal(client.state, "connected");
    await client.interrupt();
    await turn;
    await client.settled();
    await clock.advance(59_999);
    assert.equal(client.state, "connected");
    await clock.advance(1);
    await fake.until(([run]) => run?.exitCode !== undefined);
    assert.equal(agents.peek("anna"), undefined);
    // An answer that is never read does not keep it.
    const again = await agents.get("anna");
    assert.notEqual(again, client);
    await again.sendMessage("Hi");
    await again.settled();
    await clock.advance(60_000);
    await fake.until((runs) => runs[1]?.exitCode !== undefined);
  });
  await withClients({ idleMs: Infinity }, async ({ agents, clock }) => {
    const client = await ask(agents, "anna");
    await clock.advance(3_600_000);
    assert.equal(client.state, "connected");
  });
});

test("a client is kept for its caller until a prompt, for ten seconds at most", async () => {
  await withClients({ max: 1, waitMs: 60_000 }, async ({ agents, clock }) => {
    const anna = await agents.get("anna");
    const bob = agents.get("bob");
    await clock.advance(9_999);
    assert.equal(anna.state, "connected");
    await clock.advance(1);
    await (await bob).ask("Hi");
    assert.equal(anna.state, "closed");
    // Each of two callers has its time.
    const [carl] = await Promise.all([agents.get("carl"), agents.get("carl")]);
    await carl.ask("Hi");
    const dora = agents.get("dora");
    await clock.advance(5_000);
    await carl.ask("Hi");
    await dora;
  });
});

test("after a CLI has died or a caller has closed a client the next get() resumes the session", async () => {
  await withClients({ max: 1 }, async ({ agents, sessions, open }) => {
    const client = await ask(agents, "anna");
    const error = await rejectionOf(client.ask("die"));
    assert.ok(error instanceof CliExitError);
    assert.equal(agents.peek("anna"), undefined);
    // Nothing begins another session behind its back.
    assert.ok(await rejectionOf(client.connect()) instanceof ClosedError);
    const second = await ask(agents, "anna");
    void second.close();
    const third = await ask(agents, "anna");
    assert.equal(new Set(sessions()).size, 1);
    assert.equal(open(), 1);
    await third.close();
    await ask(agents, "bob");
    assert.equal(open(), 1);
  });
});

test("a start that fails rejects all its callers and leaves room; one that all callers leave is ended", async () => {
  let isBroken = true;
  const begun: string[] = [];
  const fake = fakeCli(SCRIPT);
  const { transport } = fake;
  const agents = clients(async ({ user }) => {
    begun.push(user);
    if (user === "slow") await new Promise(() => {});
    if (user === "wrong") return { maxTurns: -1 };
    if (isBroken) throw new Error("no such user");
    return { transport, model: `model-of-${user}` };
  }, { max: 1, waitMs: 0 });
  const failed = await Promise.all([
    rejectionOf(agents.get("anna")),
    rejectionOf(agents.get("anna")),
  ]);
  assert.deepEqual(failed.map(String), Array(2).fill("Error: no such user"));
  assert.ok(await rejectionOf(agents.get("wrong")) instanceof ConfigError);
  isBroken = false;
  await ask(agents, "anna");
  assert.ok(fake.runs[0]?.args.includes("--model=model-of-anna"));
  await agents.get("bob").then((client) => client.ask("Hi"));
  // The callers of a start that does not end.
  const [one, other] = [new AbortController(), new AbortController()];
  await agents.peek("bob")?.settled();
  const slow = [one, other].map(({ signal }) =>
    rejectionOf(agents.get("slow", { signal }))
  );
  await fake.until((runs) => runs[1]?.exitCode !== undefined);
  one.abort("one");
  assert.equal(await slow[0], "one");
  assert.equal(agents.stats().clients, 1);
  other.abort("other");
  assert.equal(await slow[1], "other");
  await ask(agents, "carl");
  assert.deepEqual(begun, ["anna", "wrong", "anna", "bob", "slow", "carl"]);
  await agents.close();
  await fake.close();
});

test("close() ends starts, waits, turns and idle clients, and lets nothing begin", async () => {
  const fake = fakeCli({ ...SCRIPT, runs: [{}, { initialize: "silent" }] });
  const { transport } = fake;
  const agents = clients({ transport }, { max: 2, waitMs: Infinity });
  const anna = await agents.get("anna");
  const turn = rejectionOf(anna.ask("stay"));
  const starting = rejectionOf(agents.get("bob"));
  const waiting = rejectionOf(agents.get("carl"));
  await fake.until((runs) => runs[1]?.received.length === 1);
  const closing = agents.close();
  assert.equal(agents.close(), closing);
  const late = ["dora", "anna"].map((user) => rejectionOf(agents.get(user)));
  for (const error of await Promise.all([starting, waiting, ...late])) {
    assert.ok(error instanceof ClosedError, String(error));
  }
  assert.ok(await turn instanceof Error);
  await closing;
  assert.equal(anna.state, "closed");
  assert.deepEqual(fake.runs.map(({ exitCode }) => exitCode === undefined), [
    false,
    false,
  ]);
  await agents[Symbol.asyncDispose]();
  await fake.close();
});

test("maxPerKey counts the threads of a user, and makes room among these alone", async () => {
  await withClients({ max: 3, maxPerKey: 2 }, async ({ agents }) => {
    const thread = (thread: string) => ({ user: "anna", thread });
    const bob = await ask(agents, "bob");
    const first = await ask(agents, thread("1"));
    const second = await agents.get(thread("2"));
    const turn = second.ask("stay");
    await ask(agents, thread("3"));
    assert.deepEqual([bob.state, first.state], ["connected", "closed"]);
    const busy = await agents.get(thread("3"));
    const error = await rejectionOf(agents.get("anna"));
    assert.ok(error instanceof CapacityError);
    assert.equal(error.limit, "maxPerKey");
    assert.match(error.message, /2 clients of this user .*"maxPerKey"/);
    assert.equal(await agents.get(thread("3")), busy);
    await second.interrupt();
    await turn;
  });
});

test("fifty users share five clients, never more, and each gets its answers", async () => {
  await withClients(
    { max: 5, waitMs: Infinity },
    async ({ agents, fake, open, sessions }) => {
      let most = 0;
      const users = Array.from({ length: 50 }, (_, at) => `user-${at}`);
      const texts = await Promise.all(users.map(async (user) => {
        const [first] = await Promise.all([0, 1].map(async () => {
          const client = await agents.get(user);
          most = Math.max(most, open());
          return await client.text("Hi");
        }));
        return first;
      }));
      assert.deepEqual(new Set(texts), new Set(["ok"]));
      assert.ok(most <= 5, String(most));
      assert.equal(new Set(sessions()).size, 50);
      assert.equal(
        fake.received.filter(({ type }) => type === "user").length,
        100,
      );
    },
  );
});

test("a store that cannot be read fails get(), and begins no other session", async () => {
  const store = memoryTranscripts();
  let isDown = true;
  const transcripts = {
    projectKey: "site",
    store: {
      append: store.append,
      load: (key: Parameters<typeof store.load>[0]) =>
        isDown ? Promise.reject(new Error("down")) : store.load(key),
    },
  };
  const fake = fakeCli(SCRIPT);
  const agents = clients({ cliPath: fake.cliPath }, { max: 1, transcripts });
  assert.ok(await rejectionOf(agents.get("anna")) instanceof TranscriptError);
  assert.equal(fake.runs.length, 0);
  isDown = false;
  // It is neither in the store nor on this machine: it begins.
  await ask(agents, "anna");
  assert.ok(fake.runs[0]?.args.includes(`--session-id=${ANNA}`));
  await agents.close();
  await fake.close();
});

test("with a store, a new thread begins and a stored one resumes: each in one start, none fails, and the store is read once", async () => {
  const folder = await mkdtemp(join(tmpdir(), "clients-"));
  const store = memoryTranscripts();
  const loads: string[] = [];
  const line = { type: "user", uuid: crypto.randomUUID(), sessionId: ANNA };
  await store.append({ projectKey: "site", sessionId: ANNA }, [line]);
  const { tracer, spans } = spansInMemory();
  const errors: string[] = [];
  const fake = fakeCli(SCRIPT);
  const agents = clients(
    telemetry({ tracer }).options({
      cliPath: fake.cliPath,
      cwd: folder,
      env: { CLAUDE_CONFIG_DIR: folder },
      logger: {
        debug() {},
        info() {},
        warn: (text: string) => void errors.push(text),
        error: (text: string) => void errors.push(text),
      },
    }),
    {
      max: 2,
      transcripts: {
        projectKey: "site",
        store: {
          ...store,
          load(key) {
            loads.push(`${key.projectKey} ${key.sessionId}`);
            return store.load(key);
          },
        },
      },
    },
  );
  for (const key of ["anna", "bob"]) await ask(agents, key);
  const bob = await agents.sessionId("bob");
  await agents.close();
  const sessions = fake.runs.map(({ args }) =>
    args.find((arg) => /^--(?:resume|session-id)=/.test(arg))
  );
  assert.deepEqual(sessions, [`--resume=${ANNA}`, `--session-id=${bob}`]);
  for (const id of [ANNA, bob]) {
    const ofIt = loads.filter((one) => one === `site ${id}`);
    assert.equal(ofIt.length, 1, loads.join());
  }
  const starts = spans().filter(({ name }) => name === "startup");
  assert.equal(starts.length, 2);
  const failed = spans().filter(({ status }) => status.code !== 0);
  assert.deepEqual(failed.map(({ name }) => name), []);
  assert.deepEqual(errors, []);
  const [part] = await readdir(join(folder, "projects"));
  const text = await readFile(
    join(folder, "projects", part ?? "", `${ANNA}.jsonl`),
    "utf8",
  );
  assert.ok(text.includes(line.uuid), "the session was not restored");
  await fake.close();
  await rm(folder, { recursive: true });
});

for (
  const { name, env, project } of [
    {
      name: "a relative configuration folder",
      env: { CLAUDE_CONFIG_DIR: "own" },
      project: (cwd: string) => cwd.replaceAll(/[^a-zA-Z0-9]/g, "-"),
    },
    {
      name: "a folder for all projects",
      env: { CLAUDE_CONFIG_DIR: "own", CLAUDE_CODE_PROJECT_DIR_NAME: "shared" },
      project: () => "shared",
    },
  ]
) {
  test(`a session in the files of ${name} is resumed`, async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "clients-")));
    const fake = fakeCli(SCRIPT);
    const agents = clients({
      cliPath: fake.cliPath,
      cwd: folder,
      env,
    }, { max: 1 });
    const id = await agents.sessionId("anna");
    const files = join(folder, "own/projects", project(folder));
    await mkdir(files, { recursive: true });
    await writeFile(join(files, `${id}.jsonl`), '{"type":"user"}\n');
    await ask(agents, "anna");
    assert.ok(fake.runs[0]?.args.includes(`--resume=${id}`));
    await agents.close();
    await fake.close();
    await rm(folder, { recursive: true });
  });
}
