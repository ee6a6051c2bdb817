import assert from "node:assert/strict";
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type AgentOptions,
  type ApprovalRequest,
  type ApprovalStore,
  Client,
  directoryApprovals,
  type JsonObject,
  memoryApprovals,
  permissionQueue,
  query,
} from "@sluice/agent";
import type { ModelToolCall } from "@sluice/agent/testing";
import { Deferred } from "@sluice/agent/extend";
import { createMcpServer, tool } from "@sluice/agent/mcp";
import {
  directoryTranscripts,
  forkTranscript,
} from "@sluice/agent/transcripts";
import { never } from "../callbacks/_asking.ts";
import { resultText } from "../_clients.ts";
import { fixture, host, Lines, release, textOf } from "../_children.ts";
import { collect } from "../_collect.ts";
import type { RealCli } from "../_real_cli.ts";
import { deferredSession } from "./_deferred.ts";
import { appears, inTurns, ofType, realTest } from "./_real.ts";

const current = await host();
const DRIVER = new URL("../fixtures/approval_driver.ts", import.meta.url);

const ALLOW = { behavior: "allow" } as const;

function mark(text: string, id: string) {
  return { name: "Bash", input: { command: `echo ${text} >> marker` }, id };
}

function marks({ cwd }: RealCli): string {
  const path = join(cwd, "marker");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** Role of one process in a story; see the fixture. */
interface Part {
  readonly role: "ask" | "answer" | "resume";
  readonly session?: string;
  readonly waitMs?: number;
  /** The step that it does not get beyond. */
  readonly stop?: string;
  /** Folder of a copy of the session. */
  readonly transcripts?: string;
}

async function start({ options, cwd }: RealCli, part: Part) {
  const story = JSON.stringify({ options, folder: folderOf(cwd), ...part });
  const driver = await current.spawn(fixture(DRIVER, story));
  const problems = textOf(driver.stderr);
  const lines = new Lines(driver.stdout);
  return {
    driver,
    /** Its next report; `undefined` at its end, if it printed no error before. */
    async says(): Promise<Told | undefined> {
      const line = await lines.next();
      if (line === undefined) assert.equal(await problems, "");
      return line === undefined ? undefined : JSON.parse(line);
    },
    async release(): Promise<void> {
      await release(driver);
      await lines.cancel();
      await problems;
    },
  };
}

/** Report of a process in a story. */
interface Told {
  readonly pid: number;
  readonly session: string;
  readonly put?: { readonly id: string };
}

/** Runs one process of the story to its end: what it said. */
async function act(real: RealCli, part: Part): Promise<readonly unknown[]> {
  const { says, release } = await start(real, part);
  const said: unknown[] = [];
  for (let told = await says(); told !== undefined; told = await says()) {
    said.push(told);
  }
  await release();
  return said;
}

/** Runs one process of the story to where it is killed, with its CLI: what it said first. */
async function killed(
  real: RealCli,
  part: Part,
  until: () => Promise<void> = () => Promise.resolve(),
): Promise<Told> {
  const { driver, says, release } = await start(real, part);
  const told = await says();
  assert.ok(told);
  await until();
  if (told.pid !== undefined) current.killPid(told.pid, "SIGKILL");
  driver.kill("SIGKILL");
  await driver.exited;
  await release();
  return told;
}

/** Resolves when the CLI has written a text, by default what the user said: it does so behind its questions. */
async function isSaved(
  { env }: RealCli,
  text: string = '"type":"user"',
): Promise<void> {
  const projects = join(env.HOME ?? "", ".claude", "projects");
  const hasText = () =>
    existsSync(projects) &&
    readdirSync(projects, { recursive: true }).map(String)
      .filter((name) => name.endsWith(".jsonl"))
      .some((name) =>
        readFileSync(join(projects, name), "utf8").includes(text)
      );
  while (!hasText()) await sleep(5);
}

function folderOf(cwd: string): string {
  return `${cwd}/../approvals`;
}

/** A session whose call is deferred, and allowed since; its id. */
async function allowedSession(
  real: RealCli,
  call: ModelToolCall,
  store: ApprovalStore = directoryApprovals(folderOf(real.cwd)),
): Promise<string> {
  const { id } = await deferredSession(real, store, call);
  for (const { request } of await store.list()) {
    assert.equal(await store.answer(request.id, ALLOW), true);
  }
  return id;
}

/** The last text sent to the model. */
function lastTold({ model }: RealCli): string {
  const { messages } = model.requests.at(-1)?.body as unknown as {
    readonly messages: readonly JsonObject[];
  };
  return JSON.stringify(messages.at(-1));
}

realTest(
  "an approval is parked, its process killed, answered by a third, resumed by a fourth: the tool runs once",
  [{ tools: [mark("x", "toolu_a")] }, "Done.", "Nothing to do."],
  async (real) => {
    const { session, put } = await killed(real, { role: "ask" });
    assert.equal(put?.id, "toolu_a");
    assert.equal(marks(real), "");

    // No answer yet: it is deferred once more, and not asked as another question, however its process ends.
    const resume = { role: "resume", session } as const;
    await killed(real, { ...resume, stop: "after park" });
    assert.deepEqual(await act(real, resume), [{ result: "", put }]);
    // The answering process is killed, too.
    await killed(real, { role: "answer", stop: "after answer" });
    await killed(real, { ...resume, stop: "before take" });
    assert.equal(marks(real), "");
    assert.deepEqual(await act(real, resume), [{ result: "Done." }]);
    assert.equal(marks(real), "x\n");
    assert.deepEqual(await act(real, { role: "answer" }), [false]);
  },
  { timeoutMs: 120_000 },
);

realTest(
  "a program killed while its CLI asks again loses the approval, as the next resume reports; a copy of the session does not",
  [{ tools: [mark("x", "toolu_a")] }, { text: "Done.", repeat: true }],
  async (real) => {
    const store = directoryApprovals(folderOf(real.cwd));
    const copies = join(real.cwd, "..", "copies");
    const transcripts = { store: directoryTranscripts(copies) };
    const permissions = { approvals: { store, waitMs: 0 } };
    const options = { ...real.options, permissions };
    const { session_id: session } = await query("Go.", {
      ...options,
      transcripts,
    }).result();
    const [asked] = await store.list();
    assert.ok(asked);
    await store.answer(asked.request.id, ALLOW);

    const { driver, says, release } = await start(real, {
      role: "resume",
      stop: "before take",
      session,
      transcripts: copies,
    });
    await says();
    driver.kill("SIGKILL");
    await driver.exited;
    await release();
    // The CLI lives long enough to note a rejection of the user.
    await isSaved(real, '"tool_use_id":"toolu_a"');

    const resume = { ...options, resume: session };
    await assert.rejects(
      query((async function* () {})(), resume).text(),
      /ended without a result: .* no deferred call of the session waits/,
    );
    const { decision, isTaken } = await store.get(asked.request.id) ?? {};
    assert.deepEqual([decision, isTaken, marks(real)], [ALLOW, undefined, ""]);

    const elsewhere = { ...real.env, HOME: join(real.cwd, "..", "elsewhere") };
    const copied = { ...resume, transcripts, env: elsewhere };
    const { result } = await query((async function* () {})(), copied).result();
    assert.deepEqual([result, marks(real)], ["Done.", "x\n"]);
  },
  { timeoutMs: 120_000 },
);

/** Runs as long as a file is there. */
const held = {
  ...mark("x", "toolu_a"),
  input: {
    command: "echo x >> marker; while [ -e running ]; do sleep .05; done",
  },
};

for (
  const { when, stop, runs } of [
    { when: "when it had taken the answer", stop: "after take", runs: 0 },
    { when: "while the tool ran", stop: "ready", runs: 1 },
  ]
) {
  realTest(
    `a process that was killed ${when} leaves a call that is not run again, and the model learns of it`,
    ["Pity."],
    async (real) => {
      const session = await allowedSession(real, held);
      const resume = { role: "resume", session } as const;
      const running = join(real.cwd, "running");
      writeFileSync(running, "");
      await killed(
        real,
        { ...resume, stop },
        () => runs > 0 ? appears(join(real.cwd, "marker")) : Promise.resolve(),
      );
      rmSync(running);
      assert.deepEqual(await act(real, resume), [{ result: "Pity." }]);
      assert.match(lastTold(real), /was used before: it may have run already/);
      assert.equal(marks(real), "x\n".repeat(runs));
      const [approval] = await directoryApprovals(folderOf(real.cwd)).list();
      assert.equal(approval?.isTaken, true);
    },
    { timeoutMs: 120_000 },
  );
}

realTest(
  "a process killed after the model got the tool's result leaves a call that is not run again",
  [{ hang: true }, { text: "Done.", repeat: true }],
  async (real) => {
    const session = await allowedSession(real, mark("x", "toolu_a"));
    await killed(real, { role: "resume", session, stop: "ready" }, async () => {
      const { requests } = real.model;
      while (!requests.some(({ isSide }) => !isSide)) {
        await sleep(5);
      }
    });
    const { result } = await query("Go on.", {
      ...real.options,
      resume: session,
      permissions: {
        approvals: { store: directoryApprovals(folderOf(real.cwd)) },
      },
    }).result();
    assert.equal(result, "Done.");
    const { messages } = real.model.requests.at(-1)?.body as JsonObject;
    // The CLI writes its file a moment later, or did not come to it.
    assert.match(
      JSON.stringify(messages),
      /"is_error":false|it may have run already/,
    );
    assert.equal(marks(real), "x\n");
  },
  { timeoutMs: 120_000 },
);

realTest(
  "an answer reaches a call while the CLI runs, with the input that it changes",
  [{ tools: [mark("x", "toolu_a")] }, "Done."],
  async (real) => {
    const store = memoryApprovals();
    const conversation = query("Go.", {
      ...real.options,
      permissions: { approvals: { store } },
    });
    const text = conversation.text();
    for await (
      const { request, decision } of store.watch(new AbortController().signal)
    ) {
      if (decision !== undefined) continue;
      assert.deepEqual(request.input, { command: "echo x >> marker" });
      assert.equal(request.cwd, real.cwd);
      await store.answer(request.id, {
        behavior: "allow",
        updatedInput: { command: "echo y >> marker" },
      });
      break;
    }
    assert.equal(await text, "Done.");
    assert.equal(marks(real), "y\n");
    assert.equal((await store.list())[0]?.isTaken, true);
  },
);

/** A question of the model with two options. */
function question(text: string) {
  const options = ["Tea", "Coffee"].map((label) => (
    { label, description: "hot" }
  ));
  const questions = [
    { question: text, header: "Drink", options, multiSelect: false },
  ];
  return { tool: "AskUserQuestion", input: { questions } };
}

realTest(
  "a store alone answers questions of the model, while the CLI runs and after it has ended, and approves plans",
  [
    question("What now?"),
    { tool: "EnterPlanMode", input: {} },
    { tool: "ExitPlanMode", input: {} },
    question("What later?"),
    "Done.",
  ],
  async (real) => {
    const store = memoryApprovals();
    const decide = async ({ id, input, tool }: ApprovalRequest) => {
      const { questions } = input as { questions?: [{ question: string }] };
      const answers = questions && { [questions[0].question]: "Tea" };
      assert.equal(answers !== undefined, tool === "AskUserQuestion");
      await store.answer(id, {
        ...ALLOW,
        ...answers && { updatedInput: { ...input, answers } },
      });
    };
    const options = { ...real.options, permissions: { approvals: { store } } };
    const conversation = query("Go.", options);
    let later: ApprovalRequest | undefined;
    const { signal } = new AbortController();
    for await (const { request, decision } of store.watch(signal)) {
      if (decision !== undefined) continue;
      if (JSON.stringify(request.input).includes("later")) {
        later = request;
        break;
      }
      await decide(request);
    }
    await conversation.close();
    assert.ok(later);
    await decide(later);
    const resume = later.sessionId;
    const rest = query((async function* () {})(), { ...options, resume });
    assert.equal(await rest.text(), "Done.");
    const { body } = real.model.requests.at(-1) ?? {};
    const sent = JSON.stringify(body?.["messages"]);
    for (
      const text of [
        /What now\?[\\"]+=[\\"]+Tea/,
        /User has approved exiting plan mode/,
        /What later\?[\\"]+=[\\"]+Tea/,
      ]
    ) assert.match(sent, text);
  },
);

let planFile = "";

for (const kind of ["a store", "a queue"]) {
  realTest(
    `the model gets the plan that was approved through ${kind}, also if its file changes while the call waits`,
    [
      ({ body }) => {
        [planFile = ""] = /[^\s"\\]+\/plans\/[\w-]+\.md/
          .exec(JSON.stringify(body)) ?? [];
        const content = "1. Look.\n";
        return { tool: "Write", input: { file_path: planFile, content } };
      },
      { tool: "ExitPlanMode", input: {} },
      "Done.",
    ],
    async (real) => {
      const store = memoryApprovals();
      const queue = permissionQueue();
      const change = () => writeFileSync(planFile, "1. Leap.\n");
      const park = (tool: string) => tool === "ExitPlanMode";
      const text = query("Go.", {
        ...real.options,
        permissions: {
          mode: "plan",
          ...kind === "a store"
            ? { approvals: { store, park } }
            : { canUseTool: queue.canUseTool },
        },
      }).text();
      if (kind === "a store") {
        const { signal } = new AbortController();
        for await (const { request } of store.watch(signal)) {
          change();
          await store.answer(request.id, ALLOW);
          break;
        }
      } else {
        for await (const [first] of queue.watch()) {
          if (first === undefined) continue;
          if (first.tool === "ExitPlanMode") change();
          queue.answer(first.id, ALLOW);
          if (first.tool === "ExitPlanMode") break;
        }
      }
      assert.equal(await text, "Done.");
      const { body } = real.model.requests.at(-1) ?? {};
      const sent = JSON.stringify(body?.["messages"]);
      assert.match(sent, /Approved Plan[^"]*\\n1\. Look\./);
      assert.doesNotMatch(sent, /Leap/);
    },
  );
}

realTest(
  "of two calls in one turn one is put off, and the other denied: neither is lost",
  [
    { tools: [mark("x", "toolu_a"), mark("y", "toolu_b")] },
    "Done.",
    "And that.",
  ],
  async (real) => {
    const store = memoryApprovals();
    const permissions = { approvals: { store, waitMs: 0 } };
    const first = await query("Go.", { ...real.options, permissions }).result();
    assert.equal(first.subtype, "success");
    assert.equal(
      first.subtype === "success" && first.deferred_tool_use?.id,
      "toolu_a",
    );
    const [a, b] = await store.list();
    assert.equal(a?.decision, undefined);
    assert.match(
      b?.decision?.behavior === "deny" ? b.decision.message : "",
      /another call of this turn is deferred already/,
    );
    await store.answer(String(a?.request.id), { behavior: "allow" });
    const result = await query("Go on.", {
      ...real.options,
      permissions,
      resume: first.session_id,
    }).result();
    assert.equal(result.result, "And that.");
    assert.equal(marks(real), "x\n");
    // The model saw both calls, each with its result.
    const { messages } = real.model.requests.at(-1)?.body as unknown as {
      readonly messages: readonly JsonObject[];
    };
    const results = JSON.stringify(messages);
    assert.match(results, /another call of this turn is deferred already/);
    assert.match(results, /"tool_use_id":"toolu_a","type":"tool_result"/);
  },
);

realTest(
  "two hosts that resume one session run its approved call once",
  [{ text: "Done.", repeat: true }],
  async (real) => {
    const store = memoryApprovals();
    const permissions = { approvals: { store, waitMs: 0 } };
    const call = mark("x", "toolu_a");
    const resume = await allowedSession(real, call, store);
    const resumed = () =>
      query((async function* () {})(), {
        ...real.options,
        permissions,
        resume,
      }).result();
    // A host that comes when the other one is through finds nothing to do, and so no result.
    const ends = await Promise.allSettled([resumed(), resumed()]);
    assert.ok(ends.some(({ status }) => status === "fulfilled"));
    assert.equal(marks(real), "x\n");
  },
);

realTest(
  "a deferred call waits again in a fork of its session, though the program does not select it and the original was denied",
  [{ text: "Done.", repeat: true }],
  async (real) => {
    const store = memoryApprovals();
    const { id } = await deferredSession(real, store);
    const [original] = await store.list();
    const message = "Not on a Friday";
    assert.ok(original);
    await store.answer(original.request.id, { behavior: "deny", message });
    const resumed = (resume: string, more: AgentOptions = {}) =>
      query((async function* () {})(), {
        ...real.options,
        permissions: {
          approve: ["Bash"],
          approvals: { store, park: () => false, waitMs: 0 },
        },
        resume,
        ...more,
      }).result();
    const { session_id: fork, stop_reason: reason } = await resumed(id, {
      forkSession: true,
    });
    assert.equal(reason, "tool_deferred");
    const { cwd, env } = real;
    const configDirectory = join(env["HOME"] ?? "", ".claude");
    const copy = await forkTranscript(id, { cwd, configDirectory });
    assert.equal((await resumed(copy)).stop_reason, "tool_deferred");
    assert.equal(marks(real), "");
    const requests = (await store.list()).map(({ request }) => request);
    assert.deepEqual(
      requests.map(({ sessionId }) => sessionId),
      [id, fork, copy],
    );
    await store.answer(String(requests[1]?.id), ALLOW);
    assert.equal((await resumed(fork)).result, "Done.");
    assert.equal(marks(real), "x\n");
  },
  { timeoutMs: 120_000 },
);

realTest(
  "an approval counts only in the directory that its request shows: after a `cd` a resumed call waits again",
  [
    { tools: [{ name: "Bash", input: { command: "mkdir sub; cd sub" } }] },
    { tools: [mark("x", "toolu_a")] },
    "Done.",
  ],
  async (real) => {
    const store = memoryApprovals();
    const park = (_tool: string, { command }: JsonObject) =>
      String(command).includes("marker");
    const options = {
      ...real.options,
      permissions: {
        approve: ["Bash"],
        approvals: { store, park, waitMs: 0 },
      },
    };
    const { session_id: resume } = await query("Go.", options).result();
    const resumed = () =>
      query((async function* () {})(), { ...options, resume }).result();
    const requests = async () =>
      (await store.list()).map(({ request }) => request);
    const [shown] = await requests();
    assert.equal(shown?.cwd, join(real.cwd, "sub"));
    await store.answer(shown.id, ALLOW);
    assert.equal((await resumed()).stop_reason, "tool_deferred");
    assert.equal(marks(real), "");
    const next = (await requests()).find(({ id }) => id !== shown.id);
    assert.equal(next?.cwd, real.cwd);
    await store.answer(next.id, ALLOW);
    assert.equal((await resumed()).result, "Done.");
    assert.equal(marks(real), "x\n");
  },
  { timeoutMs: 120_000 },
);

realTest(
  "a store that fails is a denial and an error, and never an allowance",
  [{ tools: [mark("x", "toolu_a")] }, "Pity."],
  async (real) => {
    const store = memoryApprovals();
    const conversation = query("Go.", {
      ...real.options,
      permissions: {
        approve: ["Bash"],
        approvals: {
          store: {
            ...store,
            get: () => Promise.reject(new Error("disk full")),
          },
        },
      },
    });
    const [text, { items: errors }] = await Promise.all([
      conversation.text(),
      collect(conversation.errors),
    ]);
    assert.equal(text, "Pity.");
    assert.equal(marks(real), "");
    assert.match(
      String(errors[0]?.message),
      /Hook for PreToolUse failed: the approval store did not give a request: disk full/,
    );
  },
);

realTest(
  "a conversation that is closed puts off the call that waits, and an answer right before the close is found later",
  [{ tools: [mark("x", "toolu_a")] }, "Done."],
  async (real) => {
    const memory = memoryApprovals();
    const looked = new Deferred<void>();
    let onLook: () => unknown = () => looked.resolve();
    const store: ApprovalStore = {
      ...memory,
      async get(id) {
        await onLook();
        return await memory.get(id);
      },
    };
    const options = { ...real.options, permissions: { approvals: { store } } };
    const client = new Client(options);
    await client.connect("Go.");
    await looked.promise;
    await client.close();
    const [asked = assert.fail("No request")] = await memory.list();
    const { id, sessionId: resume } = asked.request;
    assert.equal(asked.decision, undefined);

    const resumed = () =>
      query((async function* () {})(), { ...options, resume });
    const again = resumed();
    const closed = new Promise<void>((resolve) => {
      onLook = async () => {
        onLook = () => {};
        await memory.answer(id, ALLOW);
        resolve(again.close());
        await sleep(0);
      };
    });
    await closed;
    const { decision, isTaken } = await memory.get(id) ?? {};
    assert.deepEqual([decision, isTaken], [ALLOW, undefined]);
    assert.equal((await resumed().result()).result, "Done.");
    assert.equal(marks(real), "x\n");
  },
);

for (
  const { when, stop, waitMs } of [
    {
      when: "before the CLI deferred it",
      stop: "after park",
      waitMs: 0,
    },
    {
      when: "before the CLI got the answer",
      stop: "after take",
      waitMs: 60_000,
    },
  ]
) {
  realTest(
    `a call whose process was killed ${when} runs by no answer of before; called again it is another question`,
    [{ tools: [mark("x", "toolu_a")] }, { tools: [mark("x", "toolu_b")] }],
    async (real) => {
      const store = directoryApprovals(folderOf(real.cwd));
      const asking = killed(
        real,
        { role: "ask", stop, waitMs },
        () => isSaved(real),
      );
      if (waitMs === 0) await asking;
      let [first] = await store.list();
      for (; first === undefined; [first] = await store.list()) await sleep(5);
      await store.answer(first.request.id, ALLOW);
      await asking;
      const result = await query("Go on.", {
        ...real.options,
        resume: first.request.sessionId,
        permissions: { approvals: { store, waitMs: 0 } },
      }).result();
      assert.equal(result.stop_reason, "tool_deferred");
      const calls = (await store.list()).map(({ request }) =>
        request.toolUseId
      );
      assert.deepEqual(calls, ["toolu_a", "toolu_b"]);
      assert.equal(marks(real), "");
    },
    { timeoutMs: 120_000 },
  );
}

for (const when of ["before", "after"] as const) {
  realTest(
    `a prompt in a running conversation drops a deferred call, which is an error, also if it was sent ${when} the deferral`,
    [{ tools: [mark("x", "toolu_a")] }, "Second."],
    async (real) => {
      const store = memoryApprovals();
      const waitMs = when === "after" ? 0 : 3_000;
      const permissions = { approvals: { store, waitMs } };
      const client = new Client({ ...real.options, permissions });
      await client.connect("Go.");
      const { errors } = client.receiveMessages();
      if (when === "after") {
        for await (const _message of client.receiveResponse());
      } else {
        const { signal } = new AbortController();
        for await (const _request of store.watch(signal)) break;
      }
      await client.sendMessage("Next.");
      for await (const error of errors) {
        assert.match(
          error.message,
          /dropped the deferred call toolu_a of Bash/,
        );
        break;
      }
      const [{ request, decision } = assert.fail("No request")] = await store
        .list();
      assert.equal(decision?.behavior, "deny");
      assert.equal(await store.answer(request.id, ALLOW), false);
      await client.settled();
      await client.close();
      assert.equal(marks(real), "");
    },
  );
}

realTest(
  "a subagent's call waits for its approval while the CLI runs, also where other calls are put off at once",
  [
    {
      tool: "Agent",
      input: {
        description: "Help",
        prompt: "Help, please",
        subagent_type: "general-purpose",
        run_in_background: false,
      },
    },
    { tools: [mark("x", "toolu_a")] },
    "Helped.",
    "Done.",
  ],
  async (real) => {
    const store = memoryApprovals();
    const result = await query("Go.", {
      ...real.options,
      permissions: {
        approve: ["Agent"],
        approvals: {
          store: {
            ...store,
            async get(id) {
              const found = await store.get(id);
              // An answer that is later than the first look.
              const isAsked = found !== undefined && !found.decision;
              if (isAsked) setTimeout(() => store.answer(id, ALLOW));
              return found;
            },
          },
          park: (tool) => tool === "Bash",
          waitMs: 0,
        },
      },
    }).result();
    assert.equal(result.result, "Done.");
    assert.equal(marks(real), "x\n");
    const [approval] = await store.list();
    assert.equal(approval?.request.toolUseId, "toolu_a");
    assert.ok(approval?.request.agentId);
    assert.equal(approval?.isTaken, true);
  },
);

/** Whether a call waits whose input a hook changes, and what then runs. */
const CHANGED: readonly {
  readonly title: string;
  readonly park: (command: string) => boolean;
  readonly ran: string;
}[] = [
  { title: "a call that waits", park: () => true, ran: "" },
  {
    title: "a call to one that waits",
    park: (command) => command.includes("y"),
    ran: "",
  },
  { title: "a call that does not wait", park: () => false, ran: "y\n" },
];

realTest(
  "with approvals, a hook changes the input: a call that waits, or waits with the new input, is denied, any other runs with it, without a question",
  CHANGED.flatMap((_, at) => [{ tools: [mark("x", `toolu_${at}`)] }, "Done."]),
  async (real) => {
    const store = memoryApprovals();
    const hookSpecificOutput = {
      hookEventName: "PreToolUse",
      permissionDecision: "allow",
      updatedInput: { command: "echo y >> marker" },
    } as const;
    let waits: (command: string) => boolean = () => true;
    await inTurns({
      ...real.options,
      permissions: {
        approve: ["Bash"],
        approvals: {
          store,
          park: (_tool, { command }) => waits(String(command)),
          waitMs: 0,
        },
      },
      hooks: { PreToolUse: [{ hooks: [() => ({ hookSpecificOutput })] }] },
    }, async (turn) => {
      for (const { title, park, ran } of CHANGED) {
        waits = park;
        const [result] = ofType(await turn("Go."), "result");
        assert.equal(resultText(result), "Done.", title);
        assert.equal(marks(real), ran, title);
        assert.deepEqual(await store.list(), [], title);
      }
    });
  },
);

/** Sources of an empty input, and the input with which the call then runs. */
const EMPTIED = [
  ["PreToolUse", undefined],
  ["store", { source: "store" }],
  ["canUseTool", { source: "canUseTool" }],
  ["PermissionRequest", { source: "PermissionRequest" }],
] as const;

realTest(
  "an empty updatedInput of a PreToolUse hook is a changed input; elsewhere it leaves the input as it is",
  EMPTIED.flatMap(([source]) => [
    { tool: "mcp__srv__run", input: { source } },
    "Done.",
  ]),
  async (real) => {
    const ran: JsonObject[] = [];
    const run = tool({
      name: "run",
      description: "Runs",
      input: { type: "object", properties: { source: { type: "string" } } },
      run(input) {
        ran.push(input as JsonObject);
        return "ran";
      },
    });
    const memory = memoryApprovals();
    const store: ApprovalStore = {
      ...memory,
      async park(request) {
        await memory.park(request);
        await memory.answer(request.id, { ...ALLOW, updatedInput: {} });
      },
    };
    const updatedInput = {};
    const emptied = { ...ALLOW, updatedInput };
    const errors = await inTurns({
      ...real.options,
      mcpServers: { srv: createMcpServer({ name: "srv", tools: [run] }) },
      permissions: {
        approvals: {
          store,
          park: (_tool, { source }) =>
            source === "PreToolUse" || source === "store",
        },
        // The CLI takes whichever answer is first.
        canUseTool: (_tool, { source }) =>
          source === "PermissionRequest" ? never() : emptied,
      },
      hooks: {
        PreToolUse: [{
          hooks: [(input) => {
            if (!isFrom("PreToolUse", input)) return;
            return {
              hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput },
            };
          }],
        }],
        PermissionRequest: [{
          hooks: [(input) => {
            if (!isFrom("PermissionRequest", input)) return;
            return {
              hookSpecificOutput: {
                hookEventName: "PermissionRequest",
                decision: emptied,
              },
            };
          }],
        }],
      },
    }, async (turn) => {
      for (const [source, expected] of EMPTIED) {
        await turn("Go.");
        assert.deepEqual(ran.splice(0), expected ? [expected] : [], source);
      }
    });
    assert.deepEqual(errors, []);
    assert.deepEqual(
      (await store.list()).map(({ request }) => request.input),
      [{ source: "store" }],
    );
  },
);

function isFrom(
  source: string,
  { tool_input: input }: { tool_input: unknown },
) {
  return (input as JsonObject).source === source;
}

/** A cause for which the CLI asks about a call, although a hook allows the call. */
interface Asking {
  readonly what: string;
  readonly call?: (real: RealCli) => ModelToolCall;
  readonly isHooked?: boolean;
  readonly mode?: "plan";
  readonly updatedInput?: JsonObject;
}

const ASKING: readonly Asking[] = [
  { what: "a hook", isHooked: true },
  {
    what: "a hook, about another input",
    isHooked: true,
    updatedInput: { command: "echo y >> marker" },
  },
  {
    what: "plan mode",
    mode: "plan",
    call: ({ cwd }) => written(join(cwd, "marker"), "x\n"),
  },
  {
    what: "a protected file",
    call: ({ cwd }) => written(join(cwd, ".claude", "settings.json"), "{}\n"),
  },
];

/** The one where a function denies. */
const DENYING: AgentOptions = {
  settings: { permissions: { ask: ["Bash"] } },
  permissions: {
    canUseTool: () => ({ behavior: "deny", message: "Once more: no" }),
  },
};

function written(file_path: string, content: string): ModelToolCall {
  return { name: "Write", input: { file_path, content }, id: "toolu_a" };
}

/** Has the model make a call in each turn, which is approved at once. */
async function approveEach(
  real: RealCli,
  more: AgentOptions,
  asking: readonly Asking[],
  prepare: (call: ModelToolCall) => void,
): Promise<void> {
  let now: Asking | undefined;
  const memory = memoryApprovals();
  const store: ApprovalStore = {
    ...memory,
    async park(request) {
      await memory.park(request);
      const { updatedInput } = now ?? {};
      await memory.answer(request.id, {
        ...ALLOW,
        ...updatedInput && { updatedInput },
      });
    },
  };
  const hookSpecificOutput = {
    hookEventName: "PreToolUse",
    permissionDecision: "ask",
  } as const;
  const errors = await inTurns({
    ...real.options,
    ...more,
    permissions: { ...more.permissions, approvals: { store } },
    ...asking.some(({ isHooked }) => isHooked) && {
      hooks: {
        PreToolUse: [{
          hooks: [() => now?.isHooked ? { hookSpecificOutput } : {}],
        }],
      },
    },
  }, async (turn, conversation) => {
    for (const [at, one] of asking.entries()) {
      now = one;
      const { what, mode = "default", updatedInput } = one;
      const call = one.call?.(real) ?? mark("x", "");
      prepare({ ...call, id: `toolu_${at}` });
      rmSync(join(real.cwd, "marker"), { force: true });
      await conversation.setPermissionMode(mode);
      const [result] = ofType(await turn("Go."), "result");
      assert.deepEqual(result?.permission_denials, [], what);
      const { file_path: path = join(real.cwd, "marker"), content = "x\n" } =
        call.input as { file_path?: string; content?: string };
      const expected = updatedInput === undefined ? content : "y\n";
      assert.equal(readFileSync(path, "utf8"), expected, what);
    }
  });
  assert.deepEqual(errors, []);
}

for (
  const { where, asking, options } of [
    {
      where: "a hook, plan mode or a protected file makes",
      asking: ASKING,
      options: {},
    },
    {
      where: "a rule, beside a function that denies, makes",
      asking: [{ what: "a rule" }],
      options: DENYING,
    },
  ]
) {
  let made: ModelToolCall = mark("x", "");
  realTest(
    `an approved call runs where ${where} the CLI ask`,
    asking.flatMap(() => [() => ({ tools: [made] }), "Done."]),
    (real) => approveEach(real, options, asking, (call) => made = call),
  );
}
