import assert from "node:assert/strict";
import { Deferred } from "@sluice/agent/extend";
import { TranscriptError } from "@sluice/agent/transcripts";
import {
  type AgentOptions,
  type Channel,
  CliError,
  CliStalledError,
  type ExitReport,
  type JsonObject,
  type Prompt,
  ProtocolError,
  query,
} from "@sluice/agent";
import { createMcpServer, tool } from "@sluice/agent/mcp";
import { fakeCli, FakeClock, memoryTransport } from "@sluice/agent/testing";
import { host } from "../_children.ts";
import { readSource } from "../_examples.ts";
import { rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import { isSettled } from "../_turn.ts";
import {
  assistantLine,
  isAnswerTo,
  isPrompt,
  isRequest,
  memoryCli,
  requestLine,
  requestOf,
  responseOf,
  resultLine,
  stateLine,
  turns,
} from "./_rig.ts";

/** How long each wait of docs/reliability.md takes at most, in milliseconds, from the top. */
const LIMITS: readonly number[] = readSource("docs/reliability.md")
  .split("| Sluice waits for")[1]?.split("\n\n")[0]?.split("\n").slice(2)
  .map((row) => toMs(row.split("|")[2]?.trim())) ?? [];

function toMs(text = ""): number {
  const [count = "", unit = ""] = text.split(" ");
  return Number(count) * ({ ms: 1, s: 1_000, min: 60_000 }[unit] ?? NaN);
}

function limitMsOf(name: string): number {
  return LIMITS[Object.keys(CASES).indexOf(name)] ?? NaN;
}

const never = () => new Promise<never>(() => {});

/** One prompt, and the promise of more. */
async function* prompts(): AsyncGenerator<string> {
  yield "x";
  await never();
}

/** A conversation with a CLI that never ends by itself; `over` breaks more of its channel's promises. */
async function begin(
  options: AgentOptions = {},
  { prompt = prompts(), over = {} }: {
    readonly prompt?: Prompt;
    readonly over?: Partial<Channel>;
  } = {},
) {
  const clock = new FakeClock();
  const { transport, peer } = memoryCli({}, { staysOpen: true });
  const conversation = query(prompt, {
    transport: {
      open: async (launch, signal) => ({
        ...await transport.open(launch, signal),
        ...over,
      }),
    },
    clock,
    ...options,
  });
  await conversation.ready;
  await peer.line(isPrompt);
  const messages = conversation[Symbol.asyncIterator]();
  const error = conversation.errors.getReader().read().then(({ value }) =>
    value
  );
  return { clock, peer, conversation, messages, error };
}

/** Moves the clock to the limit, and finds that nothing settled before it. */
async function endOf<T>(
  name: string,
  clock: FakeClock,
  promise: Promise<T>,
): Promise<T> {
  await clock.advance(limitMsOf(name) - 1);
  assert.equal(await isSettled(promise), false, `${name}: not before its time`);
  await clock.advance(1);
  assert.equal(await isSettled(promise), true, `${name}: at its time`);
  return await promise;
}

async function leave(
  { clock, conversation }: Awaited<ReturnType<typeof begin>>,
): Promise<void> {
  const closing = conversation.close().catch(() => {});
  await clock.advance(100_000);
  await closing;
}

const ASK = { subtype: "can_use_tool", tool_name: "Bash", input: {} };

const TOOL_USE: JsonObject = {
  ...assistantLine("x"),
  message: {
    ...assistantLine("x").message as JsonObject,
    content: [{ type: "tool_use", id: "t", name: "Bash", input: {} }],
  },
};

function tasksLine(...tasks: readonly JsonObject[]): JsonObject {
  return {
    type: "system",
    subtype: "background_tasks_changed",
    tasks,
    session_id: "s",
    uuid: "u",
  };
}

const TASK = { task_id: "b", task_type: "local_bash", description: "sleep" };

/** Ends what a dead server leaves behind, when its test is over. */
let ending: Deferred<void>;

/** A server of this program that answers nothing and does not close. */
function deadServer(): AgentOptions {
  const wait = tool({
    name: "wait",
    description: "Waits for ever",
    input: { type: "object", properties: {} },
    run: never,
  });
  const server = createMcpServer({ name: "dead", tools: [wait] });
  const instance = {
    ...server,
    open: async () => {
      const connection = await server.open();
      connection.close = () => ending.promise;
      return connection;
    },
  };
  return { mcpServers: { dead: { type: "sdk", instance } } };
}

/** Test of each row of the page, in its order, against a CLI, a server and a callback that never return. */
const CASES: Readonly<Record<string, () => Promise<void>>> = {
  async start() {
    const clock = new FakeClock();
    const { transport, peer } = memoryTransport({ staysOpen: true });
    const conversation = query("x", { transport, clock });
    const failure = rejectionOf(conversation.ready);
    await peer.line(isRequest("initialize"));
    const error = await endOf("start", clock, failure);
    assert.ok(error instanceof CliError && error.stage === "connect");
  },
  async write() {
    const scene = await begin();
    scene.peer.pause();
    const failure = rejectionOf(scene.conversation.send("stuck"));
    const error = await endOf("write", scene.clock, failure);
    assert.ok(error instanceof CliError && error.stage === "write");
    await leave(scene);
  },
  async control() {
    const scene = await begin();
    const failure = rejectionOf(scene.conversation.mcpStatus());
    const error = await endOf("control", scene.clock, failure);
    assert.ok(error instanceof ProtocolError && error.category === "timeout");
    await leave(scene);
  },
  async hook() {
    const scene = await begin({ hooks: { PreToolUse: [{ hooks: [never] }] } });
    const { peer, clock } = scene;
    const { hooks } = requestOf(peer.lines[0] ?? {}) as {
      hooks: { PreToolUse: readonly { hookCallbackIds: readonly string[] }[] };
    };
    await peer.send(requestLine("h", {
      subtype: "hook_callback",
      callback_id: hooks.PreToolUse[0]?.hookCallbackIds[0] ?? "",
      input: {
        hook_event_name: "PreToolUse",
        tool_name: "Bash",
        tool_input: { command: "ls" },
      },
    }));
    const answer = await endOf("hook", clock, peer.line(isAnswerTo("h")));
    assert.match(JSON.stringify(answer), /"permissionDecision":"deny"/);
    assert.ok(await scene.error instanceof ProtocolError);
    await leave(scene);
  },
  async permission() {
    const scene = await begin({ permissions: { canUseTool: never } });
    const { peer, clock } = scene;
    await peer.send(requestLine("p", ASK));
    const answer = await endOf("permission", clock, peer.line(isAnswerTo("p")));
    assert.match(JSON.stringify(answer), /"behavior":"deny"/);
    assert.ok(await scene.error instanceof ProtocolError);
    await leave(scene);
  },
  async mcp() {
    const scene = await begin(deadServer());
    const { peer, clock } = scene;
    await peer.send(requestLine("m", {
      subtype: "mcp_message",
      server_name: "dead",
      message: {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "wait", arguments: {} },
      },
    }));
    const answer = await endOf("mcp", clock, peer.line(isAnswerTo("m")));
    assert.match(JSON.stringify(responseOf(answer)), /error/i);
    assert.ok(await scene.error instanceof ProtocolError);
    await leave(scene);
  },
  async silence() {
    const scene = await begin();
    await scene.peer.send(stateLine("running"));
    const error = await endOf("silence", scene.clock, scene.error);
    assert.ok(error instanceof CliStalledError);
    await leave(scene);
  },
  async tool() {
    const scene = await begin();
    void scene.messages.next();
    void scene.messages.next();
    await scene.peer.send(stateLine("running"), TOOL_USE);
    const error = await endOf("tool", scene.clock, scene.error);
    assert.ok(error instanceof CliStalledError);
    await leave(scene);
  },
  async tasks() {
    const scene = await begin({}, { prompt: "x" });
    const { peer, clock } = scene;
    await peer.send(tasksLine(TASK), resultLine());
    await endOf("tasks", clock, peer.inputEnded());
    await leave(scene);
  },
  async followUp() {
    const scene = await begin({}, { prompt: "x" });
    const { peer, clock } = scene;
    await peer.send(tasksLine(TASK), resultLine());
    await peer.send(tasksLine());
    await turns(2);
    await endOf("followUp", clock, peer.inputEnded());
    await leave(scene);
  },
  async exit() {
    const scene = await begin({}, { prompt: "x" });
    const text = readAll(scene.messages);
    await scene.peer.send(resultLine());
    await scene.peer.inputEnded();
    await endOf("exit", scene.clock, scene.error);
    assert.equal(scene.peer.stops[0]?.reason, "finished");
    await scene.clock.advance(1_000);
    assert.deepEqual(await text, ["result"]);
    await leave(scene);
  },
  async lastWords() {
    const broken = new Deferred<void>();
    async function* two(): AsyncGenerator<string> {
      yield "x";
      await broken.promise;
      yield "lost";
    }
    const { transport, peer } = memoryCli({}, { staysOpen: true });
    const clock = new FakeClock();
    const conversation = query(two(), {
      clock,
      transport: {
        open: async (launch, signal) => {
          const channel = await transport.open(launch, signal);
          return {
            ...channel,
            write: (text) =>
              broken.isSettled
                ? Promise.reject(new Error("EPIPE"))
                : channel.write(text),
          };
        },
      },
    });
    const failure = rejectionOf(conversation.text());
    await peer.line(isPrompt);
    broken.resolve();
    await turns(2);
    const error = await endOf("lastWords", clock, failure);
    assert.ok(error instanceof CliError && error.stage === "write");
    const closing = conversation.close();
    await clock.advance(100_000);
    await closing;
  },
  async linger() {
    const stopped = new Deferred<void>();
    const stop = () => {
      stopped.resolve();
      return never();
    };
    const scene = await begin({}, { over: { exited: never(), stop } });
    scene.peer.end();
    await turns(2);
    await endOf("linger", scene.clock, stopped.promise);
    await leave(scene);
  },
  async quietOutput() {
    const exited = new Deferred<ExitReport>();
    const over = { exited: exited.promise };
    const scene = await begin({}, { prompt: "x", over });
    const text = readAll(scene.messages);
    await scene.peer.send(resultLine());
    await turns(2);
    exited.resolve({ code: 0, signal: null, stderrTail: "" });
    await turns(2);
    assert.deepEqual(await endOf("quietOutput", scene.clock, text), ["result"]);
    await leave(scene);
  },
  async lateOutput() {
    const exited = new Deferred<ExitReport>();
    const over = { exited: exited.promise };
    const scene = await begin({}, { prompt: "x", over });
    const { clock, peer } = scene;
    const text = readAll(scene.messages);
    await peer.send(resultLine());
    exited.resolve({ code: 0, signal: null, stderrTail: "" });
    await turns(2);
    const limitMs = limitMsOf("lateOutput");
    for (let ms = 0; ms < limitMs; ms += 100) {
      assert.equal(await isSettled(text), false, `not after ${ms} ms`);
      await Promise.all([peer.send({ type: "keep_alive" }), turns(2)]);
      await clock.advance(100);
    }
    assert.deepEqual(await text, ["result"]);
    await leave(scene);
  },
  async interrupt() {
    const scene = await begin();
    const { clock, peer, conversation } = scene;
    await peer.send(stateLine("running"));
    peer.pause();
    const closing = conversation.close();
    await clock.advance(limitMsOf("interrupt") - 1);
    assert.equal(peer.stops.length, 0);
    await clock.advance(1);
    assert.equal(peer.stops[0]?.reason, "closed");
    assert.equal(peer.lines.some(isRequest("interrupt")), false);
    await closing;
  },
  async putOff() {
    const store = { park: never, answer: never, get: never, list: never };
    const scene = await begin({ permissions: { approvals: { store } } });
    const { clock, peer, conversation } = scene;
    await peer.send(stateLine("running"));
    await peer.send(requestLine("h", {
      subtype: "hook_callback",
      callback_id: "approval_0",
      input: {
        hook_event_name: "PreToolUse",
        session_id: "s",
        tool_use_id: "t",
        tool_name: "Bash",
        tool_input: { command: "ls" },
      },
    }));
    await turns(2);
    const closing = conversation.close();
    await endOf("putOff", clock, peer.line(isRequest("interrupt")));
    await clock.advance(100_000);
    await closing;
  },
  async terminate() {
    await ladder();
  },
  async kill() {
    await ladder();
  },
  async reap() {
    const scene = await begin({}, { over: { stop: never, exited: never() } });
    const { clock, conversation } = scene;
    const closing = conversation.close();
    await turns(3);
    await clock.advance(limitMsOf("kill"));
    await endOf("reap", clock, closing);
  },
  async transcripts() {
    const store = { append: never, load: () => Promise.resolve(null) };
    const scene = await begin({ transcripts: { store } });
    await scene.peer.send({
      type: "transcript_mirror",
      filePath: "/projects/-p/7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11.jsonl",
      entries: [{ type: "user" }],
    });
    const closing = rejectionOf(scene.conversation.close());
    await turns(3);
    const error = await endOf("transcripts", scene.clock, closing);
    assert.ok(error instanceof TranscriptError && error.lost === 1);
  },
  async servers() {
    const scene = await begin(deadServer());
    const closing = rejectionOf(scene.conversation.close());
    await turns(3);
    const error = await endOf("servers", scene.clock, closing);
    assert.ok(error instanceof Error);
    assert.match(error.message, /Cannot close MCP servers: .* within 7000 ms/);
  },
};

/** A process that hears neither the end of its input nor SIGTERM. */
async function ladder(): Promise<void> {
  const fake = fakeCli({
    turns: [["a", { wait: "forever" }]],
    onStdinEnd: "ignore",
    onSigterm: "ignore",
    onInterrupt: "ignore",
  });
  const clock = new FakeClock();
  const conversation = query("x", { cliPath: fake.cliPath, clock });
  await conversation.ready;
  const { pid = 0 } = conversation;
  const closing = conversation.close();
  await fake.until(([run]) => run?.hasStdinEnded === true);
  await clock.advance(limitMsOf("terminate") - 1);
  assert.deepEqual(fake.runs[0]?.signals, []);
  await clock.advance(1);
  await fake.until(([run]) => run?.signals.length === 1);
  await clock.advance(limitMsOf("kill") - limitMsOf("terminate") - 1);
  assert.equal((await host()).isRunning(pid), true);
  await clock.advance(1);
  await closing;
  assert.deepEqual(fake.runs[0]?.signals, ["SIGTERM"]);
  await fake.close();
}

async function readAll(
  messages: AsyncIterator<{ readonly type: string }>,
): Promise<readonly string[]> {
  const types: string[] = [];
  for (;;) {
    const { value, done } = await messages.next();
    if (done) return types;
    types.push(value.type);
  }
}

for (const [name, prove] of Object.entries(CASES)) {
  test(`the wait "${name}" ends at its limit`, async () => {
    ending = new Deferred();
    await prove();
    // A limit of the connection itself runs in real time, and must not outlive the test.
    ending.resolve();
    await turns(3);
  });
}

test("docs/reliability.md has a row for each wait", () => {
  assert.equal(LIMITS.length, Object.keys(CASES).length);
});
