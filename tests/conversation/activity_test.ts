import assert from "node:assert/strict";
import { Deferred } from "@sluice/agent/extend";
import {
  type Activity,
  type AgentOptions,
  Client,
  ClosedError,
  type JsonObject,
  NotConnectedError,
  query,
} from "@sluice/agent";
import { FakeClock, type MemoryPair } from "@sluice/agent/testing";
import { collect, rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import {
  ASK,
  assistantLine,
  begin,
  INIT,
  isAnswerTo,
  isPrompt,
  lifeLine,
  memoryCli,
  requestLine,
  resultLine,
  stateLine,
  turns,
} from "./_rig.ts";

const LISTED = {
  type: "system",
  subtype: "background_tasks_changed",
  session_id: "s",
  uuid: "u",
} as const;

function tasks(...ids: string[]): JsonObject {
  return {
    ...LISTED,
    tasks: ids.map((task_id) => ({
      task_id,
      task_type: "local_bash",
      description: `runs ${task_id}`,
    })),
  };
}

/** A connected client of a CLI in this process, without a consumer of its messages. */
async function connected(options: AgentOptions = {}): Promise<{
  readonly client: Client;
  readonly peer: MemoryPair["peer"];
  readonly clock: FakeClock;
}> {
  const clock = new FakeClock();
  const { transport, peer } = memoryCli();
  const client = new Client({ ...options, transport, clock });
  await client.connect();
  return { client, peer, clock };
}

/** The next activity that fits. */
async function until(
  watched: ReadableStreamDefaultReader<Activity>,
  fits: (activity: Activity) => boolean,
): Promise<Activity> {
  for (;;) {
    const { done, value } = await watched.read();
    assert.ok(!done, "the activity ended");
    if (fits(value)) return value;
  }
}

test("an agent is never idle before the model learns of its background work, even without a consumer", async () => {
  const { client, peer } = await connected();
  const seen: Activity["state"][] = [];
  const watching = (async () => {
    for await (const { state } of client.watch()) {
      if (state !== seen.at(-1)) seen.push(state);
    }
  })();
  await turns(1);
  await client.sendMessage("run it");
  let isSettled = false;
  const settled = client.settled().then((activity) => {
    isSettled = true;
    return activity;
  });
  for (
    const line of [
      stateLine("running"),
      INIT,
      tasks("t1"),
      resultLine(),
      stateLine("idle"),
    ]
  ) {
    peer.send(line);
    await turns(2);
  }
  assert.equal(client.activity().state, "background");
  assert.equal(
    (await client.settled({ background: false })).tasks[0]?.id,
    "t1",
  );
  peer.send(tasks());
  await turns(2);
  assert.equal(client.activity().state, "background");
  assert.equal(isSettled, false);
  for (const line of [stateLine("running"), INIT, resultLine()]) {
    peer.send(line);
    await turns(2);
  }
  assert.equal(isSettled, false);
  peer.send(stateLine("idle"));
  assert.equal((await settled).state, "idle");
  await client.close();
  await watching;
  assert.deepEqual(
    seen.filter((state) => state !== "stopping"),
    ["idle", "running", "background", "running", "idle", "gone"],
  );
});

test("the turn that tells the model of the end of a task is waited for 5 s, no longer", async () => {
  const { client, peer, clock } = await connected();
  const watched = client.watch().getReader();
  await client.sendMessage("run it");
  peer.send(INIT, tasks("t1"), resultLine(), tasks());
  await until(
    watched,
    ({ state, tasks }) => state === "background" && tasks.length === 0,
  );
  const settled = client.settled();
  await clock.advance(4_999);
  assert.equal(client.activity().state, "background");
  await clock.advance(1);
  const activity = await settled;
  assert.equal(activity.state, "idle");
  assert.equal(activity.since.getTime(), clock.now());
  await client.close();
});

test("a task keeps its reported facts, and the time of its start", async () => {
  const { client, peer, clock } = await connected();
  const watched = client.watch().getReader();
  await client.sendMessage("run it");
  const since = new Date(clock.now());
  peer.send(INIT, tasks("t1"), {
    type: "system",
    subtype: "task_started",
    task_id: "t1",
    tool_use_id: "call",
    description: "sleeps",
    is_backgrounded: true,
    task_type: "local_bash",
    session_id: "s",
    uuid: "u",
  });
  const told = { id: "t1", kind: "local_bash", toolUseId: "call", since };
  const first = await until(
    watched,
    ({ tasks }) => tasks[0]?.toolUseId !== undefined,
  );
  assert.deepEqual(first.tasks, [{ ...told, description: "sleeps" }]);
  await clock.advance(1_000);
  peer.send(tasks("t1", "t2"));
  const second = await until(watched, ({ tasks }) => tasks.length === 2);
  assert.deepEqual(second.tasks[0], { ...told, description: "runs t1" });
  assert.equal(second.tasks[1]?.since.getTime(), since.getTime() + 1_000);
  await client.close();
});

test("an activity names what the CLI waits for, and since when", async () => {
  const answer = new Deferred<void>();
  const { client, peer, clock } = await connected({
    permissions: {
      canUseTool: async () => {
        await answer.promise;
        return { behavior: "allow" };
      },
    },
  });
  const watched = client.watch().getReader();
  await client.sendMessage("run it");
  const since = new Date(clock.now());
  peer.send(INIT, requestLine("r1", ASK));
  const asked = await until(watched, ({ state }) => state === "waiting");
  assert.deepEqual(asked.waitingFor, [
    { kind: "permission", requestId: "r1", tool: "Bash", since },
  ]);
  await clock.advance(5_000);
  assert.deepEqual(client.activity().waitingFor, asked.waitingFor);
  answer.resolve();
  await peer.line(isAnswerTo("r1"));
  const went = await until(watched, ({ state }) => state === "running");
  assert.deepEqual(went.waitingFor, []);
  assert.equal(went.since.getTime(), since.getTime() + 5_000);
  await client.close();
});

test("prompts that wait behind the turn that runs are queued", async () => {
  const { client, peer } = await connected();
  const watched = client.watch().getReader();
  for (const text of ["one", "two", "three"]) await client.sendMessage(text);
  assert.equal(client.activity().queued, 2);
  const [one, two] = peer.lines.filter(isPrompt).map(({ uuid }) =>
    String(uuid)
  );
  peer.send(stateLine("running"), lifeLine(one, "started"), INIT);
  peer.send(lifeLine(two, "started"));
  await until(watched, ({ queued }) => queued === 1);
  await client.close();
});

test("every watch() is its own, a slow reader gets the newest, and all end with the conversation", async () => {
  const { peer, conversation, reading } = await begin({ isOver: false });
  const fast = collect(conversation.watch());
  const slow = conversation.watch().getReader();
  assert.equal((await slow.read()).value?.state, "running");
  for (const line of [INIT, assistantLine("a"), resultLine()]) {
    peer.send(line);
    await turns(2);
  }
  assert.equal((await slow.read()).value?.state, "idle");
  await conversation.close();
  await reading;
  const { items, error } = await fast;
  assert.equal(error, undefined);
  assert.equal(items.at(-1)?.state, "gone");
  let last = await slow.read();
  while (!last.done && last.value.state !== "gone") last = await slow.read();
  assert.equal((await slow.read()).done, true);
  assert.equal(
    (await conversation.watch().getReader().read()).value?.state,
    "gone",
  );
});

test("a signal ends a watch() and a settled() with its reason, and leaves the agent alone", async () => {
  const { client } = await connected();
  await client.sendMessage("one");
  const reason = new Error("enough");
  const controller = new AbortController();
  const { signal } = controller;
  const watching = collect(client.watch({ signal }));
  const settling = rejectionOf(client.settled({ signal }));
  await turns(1);
  controller.abort(reason);
  assert.equal((await watching).error, reason);
  assert.equal(await settling, reason);
  assert.equal(await rejectionOf(client.settled({ signal })), reason);
  assert.equal(client.activity().state, "running");
  await client.close();
});

test("settled() rejects with what ended the conversation, and resolves for one that ended as it should", async () => {
  const { client, peer } = await connected();
  assert.ok(
    await rejectionOf(new Client().settled()) instanceof NotConnectedError,
  );
  await client.sendMessage("one");
  const settling = rejectionOf(client.settled());
  peer.end({ code: 7 });
  const error = await settling as { name: string };
  assert.equal(error.name, "CliExitError");
  await client.close();
  assert.ok(await rejectionOf(client.settled()) instanceof ClosedError);

  const good = await begin();
  const settled = good.conversation.settled();
  good.peer.send(INIT, resultLine());
  await good.reading;
  assert.ok(["idle", "gone"].includes((await settled).state));
});

test("a start that fails is an activity that is gone, and settled() says why", async () => {
  const conversation = query("hi", { cliPath: "/nowhere/claude" });
  const states = collect(conversation.watch());
  const settling = rejectionOf(conversation.settled());
  assert.equal(conversation.activity().state, "starting");
  const error = await rejectionOf(conversation.ready);
  assert.equal(await settling, error);
  assert.equal((await states).items.at(-1)?.state, "gone");
  assert.equal(conversation.cost().turns, 0);
});

test("cost() is there from the moment that the result was read, even without a consumer", async () => {
  const { client, peer } = await connected();
  const watched = client.watch().getReader();
  assert.deepEqual([client.cost().totalUsd, client.cost().turns], [0, 0]);
  await client.sendMessage("one");
  peer.send(
    INIT,
    resultLine({
      total_cost_usd: 0.5,
      modelUsage: { m: { costUSD: 0.5, inputTokens: 3 } },
    }),
  );
  await until(watched, ({ state }) => state === "idle");
  const { totalUsd, lastTurnUsd, byModel } = client.cost();
  assert.deepEqual([totalUsd, lastTurnUsd, byModel.m?.inputTokens], [
    0.5,
    0.5,
    3,
  ]);
  await client.close();
  assert.equal(client.cost().totalUsd, 0.5);
});
