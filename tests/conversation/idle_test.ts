import assert from "node:assert/strict";
import {
  type AgentOptions,
  CliStalledError,
  type Conversation,
  type JsonObject,
  query,
} from "@sluice/agent";
import { fakeCli, FakeClock } from "@sluice/agent/testing";
import { collect, rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import {
  assistantLine,
  logSpy,
  memoryCli,
  requestLine,
  requestOf,
  resultLine,
  stateLine,
  turns,
} from "./_rig.ts";

const SILENCE = /silent/;

/** One prompt, and the promise of more. */
async function* prompts(): AsyncGenerator<string> {
  yield "x";
  await new Promise(() => {});
}

/** A conversation on a clock of its own, its first turn running, without a reader yet. */
async function begin(options: AgentOptions = {}) {
  const clock = new FakeClock();
  const log = logSpy();
  const { transport, peer } = memoryCli();
  const conversation = query(prompts(), {
    ...options,
    transport,
    clock,
    logger: log.logger,
  });
  await conversation.ready;
  await turns(1);
  return {
    clock,
    peer,
    conversation,
    warnings: () =>
      log.lines.filter(({ level, message }) =>
        level === "warn" && SILENCE.test(message)
      ),
  };
}

async function end(clock: FakeClock, conversation: Conversation) {
  const closing = conversation.close();
  await clock.advance(60_000);
  await closing;
}

test(
  "two minutes of silence while a turn runs are one warning, and the conversation continues",
  async () => {
    const { clock, peer, conversation, warnings } = await begin();
    const reading = collect(conversation);
    await clock.advance(119_999);
    assert.deepEqual(warnings(), []);
    assert.equal(conversation.health().state, "running");
    await clock.advance(1);
    assert.equal(warnings().length, 1);
    assert.equal(warnings()[0]?.fields.silenceMs, 120_000);
    assert.equal(conversation.health().state, "stalled");
    await clock.advance(600_000);
    assert.equal(warnings().length, 1, "one for each silence");
    await peer.send(assistantLine("there again"));
    await turns(2);
    assert.equal(conversation.health().state, "running");
    await clock.advance(90_000);
    assert.equal(warnings().length, 1);
    await clock.advance(60_000);
    assert.equal(warnings().length, 2, "another silence");
    await peer.send(resultLine());
    await clock.advance(1_000_000);
    assert.equal(warnings().length, 2, "no turn runs any more");
    await end(clock, conversation);
    const { items, error } = await reading;
    assert.equal(error, undefined);
    assert.deepEqual(items.map(({ type }) => type), ["assistant", "result"]);
  },
  { ids: ["P-10", "E-03", "DEC-07"] },
);

test(
  'onIdle: "fail" ends a silent turn with CliStalledError after everything that had come',
  async () => {
    const { clock, peer, conversation, warnings } = await begin({
      health: { checkMs: 1_000, idleMs: 5_000, onIdle: "fail" },
    });
    await peer.send(assistantLine("last words"));
    const reading = collect(conversation);
    await turns(2);
    await clock.advance(5_000);
    const { items, error } = await reading;
    assert.equal(items.length, 1);
    assert.ok(error instanceof CliStalledError);
    assert.equal(error.code, "cli_stalled");
    assert.equal(error.idleMs, 5_000);
    assert.equal(error.fatal, true);
    assert.deepEqual((await collect(conversation.errors)).items, [error]);
    assert.equal(warnings().length, 1);
    await end(clock, conversation);
    assert.equal(peer.stops[0]?.reason, "stalled");
  },
  { ids: ["P-10"] },
);

test('onIdle: "fail" stops the process with SIGTERM first', async () => {
  const fake = fakeCli({
    turns: [["a", { wait: "forever" }]],
    onStdinEnd: "ignore",
  });
  const clock = new FakeClock();
  const conversation = query("x", {
    cliPath: fake.cliPath,
    clock,
    health: { checkMs: 50, idleMs: 800, onIdle: "fail" },
  });
  const messages = conversation[Symbol.asyncIterator]();
  let item = await messages.next();
  while (item.value?.type !== "assistant") item = await messages.next();
  const failure = rejectionOf(messages.next());
  await clock.advance(800);
  const error = await failure;
  assert.ok(error instanceof CliStalledError);
  assert.equal(error.idleMs, 800);
  assert.equal(error.processInfo.pid, conversation.pid);
  await conversation.close();
  assert.deepEqual(fake.runs[0]?.signals, ["SIGTERM"]);
  await fake.close();
}, { ids: ["P-10"] });

test(
  "silence is nothing to worry about while no turn runs, or a tool, a hook, a permission or a decision is pending",
  async () => {
    const toolUse = {
      ...assistantLine("x"),
      message: {
        ...assistantLine("x").message as object,
        content: [{ type: "tool_use", id: "t", name: "Bash", input: {} }],
      },
    };
    const never = () => new Promise<never>(() => {});
    const options: AgentOptions = {
      health: { onIdle: "fail" },
      timeouts: { hookMs: 10_000_000, permissionMs: 10_000_000 },
      permissions: { canUseTool: never },
      hooks: { Stop: [{ hooks: [never] }] },
    };
    const permission = requestLine("p1", {
      subtype: "can_use_tool",
      tool_name: "Bash",
      input: {},
    });
    const quiet = [
      ["idle", [stateLine("running"), resultLine(), stateLine("idle")]],
      ["waiting", [toolUse]],
      ["waiting", [permission]],
      ["waiting", [stateLine("requires_action"), permission]],
      ["waiting", "hook"],
    ] as const;
    for (const [state, items] of quiet) {
      const { clock, peer, conversation, warnings } = await begin(options);
      void collect(conversation);
      if (items === "hook") {
        const { hooks } = requestOf(peer.lines[0] ?? {}) as {
          hooks: { Stop: readonly { hookCallbackIds: readonly string[] }[] };
        };
        await peer.send(requestLine("h1", {
          subtype: "hook_callback",
          callback_id: hooks.Stop[0]?.hookCallbackIds[0] ?? "",
          input: { hook_event_name: "Stop" },
        }));
      } else await peer.send(...items);
      await turns(2);
      assert.equal(conversation.health().state, state);
      await clock.advance(1_000_000);
      assert.deepEqual(warnings(), []);
      assert.equal(conversation.health().state, state);
      await end(clock, conversation);
    }
  },
  { ids: ["P-10"] },
);

test("a turn that continues after a tool is watched again", async () => {
  const { clock, peer, conversation, warnings } = await begin();
  void collect(conversation);
  const tool = (content: object): JsonObject => ({
    ...assistantLine("x"),
    message: {
      ...assistantLine("x").message as object,
      content: [content as JsonObject],
    },
  });
  await peer.send(tool({ type: "tool_use", id: "t", name: "Bash", input: {} }));
  await turns(2);
  await clock.advance(300_000);
  assert.deepEqual(warnings(), []);
  await peer.send({
    type: "user",
    message: {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "t", content: "ok" }],
    },
    parent_tool_use_id: null,
    session_id: "s",
    uuid: "u",
  });
  await turns(2);
  await clock.advance(150_000);
  assert.equal(warnings().length, 1);
  await end(clock, conversation);
}, { ids: ["P-10"] });

test("a consumer that does not read is no silent CLI", async () => {
  const { clock, peer, conversation, warnings } = await begin();
  await peer.send(assistantLine("unread"));
  await turns(3);
  await clock.advance(1_000_000);
  assert.deepEqual(warnings(), []);
  await end(clock, conversation);
}, { ids: ["P-10"] });

test(
  "health() has exact numbers, and lastActivityAt moves with every read and write",
  async () => {
    const clock = new FakeClock();
    const { transport, peer } = memoryCli({ mcp_status: {} });
    const conversation = query("x", { transport, clock });
    assert.deepEqual(conversation.health(), {
      bytesRead: 0,
      bytesWritten: 0,
      messagesReceived: 0,
      messagesSent: 0,
      stderrLines: 0,
      pendingRequests: 0,
      state: "starting",
    });
    await conversation.ready;
    const bytesOf = (lines: readonly unknown[]) =>
      lines.reduce(
        (sum: number, line) =>
          sum + new TextEncoder().encode(JSON.stringify(line)).length + 1,
        0,
      );
    const begun = conversation.health();
    assert.equal(begun.bytesWritten, bytesOf(peer.lines));
    assert.equal(begun.messagesSent, 2);
    assert.equal(begun.messagesReceived, 1);
    assert.equal(begun.startedAt?.getTime(), clock.now());
    assert.equal(begun.lastActivityAt?.getTime(), clock.now());
    const reading = collect(conversation);
    await clock.advance(1_000);
    const line = assistantLine("Grüße");
    await peer.send(line);
    await turns(2);
    const read = conversation.health();
    assert.equal(read.bytesRead, begun.bytesRead + bytesOf([line]));
    assert.equal(read.messagesReceived, 2);
    assert.equal(read.lastActivityAt?.getTime(), clock.now());
    await clock.advance(1_000);
    const asking = conversation.mcpStatus();
    assert.equal(conversation.health().pendingRequests, 1);
    await asking;
    const written = conversation.health();
    assert.equal(written.pendingRequests, 0);
    assert.equal(written.messagesSent, 3);
    assert.equal(written.bytesWritten, bytesOf(peer.lines));
    assert.equal(written.lastActivityAt?.getTime(), clock.now());
    await peer.send(resultLine());
    await reading;
    await end(clock, conversation);
    assert.equal(conversation.health().state, "gone");
  },
  { ids: ["P-08", "P-09", "E-10", "E-11"] },
);

test(
  "health() of a process has its id, its start and its lines of stderr",
  async () => {
    const fake = fakeCli([[{ stderr: "one\ntwo\n" }, "a"]]);
    const before = Date.now();
    const conversation = query("x", { cliPath: fake.cliPath });
    await collect(conversation);
    await conversation.close();
    const { pid, startedAt, stderrLines, state } = conversation.health();
    assert.equal(pid, fake.runs[0]?.pid);
    assert.equal(conversation.pid, pid);
    assert.ok((startedAt?.getTime() ?? 0) >= before);
    assert.equal(stderrLines, 2);
    assert.equal(state, "gone");
    await fake.close();
  },
  { ids: ["P-08", "P-07"] },
);
