import assert from "node:assert/strict";
import { type JsonObject, query } from "@sluice/agent";
import { FakeClock } from "@sluice/agent/testing";
import { test } from "../_harness.ts";
import {
  ASK,
  begin,
  INIT,
  isAnswerTo,
  memoryCli,
  requestLine,
  resultLine,
  stateLine,
  turns,
} from "./_rig.ts";

function taskLine(
  subtype: string,
  task_id: string,
  fields: JsonObject = {},
): JsonObject {
  return {
    type: "system",
    subtype,
    task_id,
    description: "sleep",
    output_file: "",
    summary: "done",
    session_id: "s",
    uuid: "u",
    ...fields,
  };
}

function tasksLine(...ids: readonly string[]): JsonObject {
  return {
    type: "system",
    subtype: "background_tasks_changed",
    tasks: ids.map((task_id) => ({
      task_id,
      task_type: "local_bash",
      description: "sleep",
    })),
    session_id: "s",
    uuid: "u",
  };
}

/** How a CLI may tell that a task ended. */
const ENDS: readonly JsonObject[] = [
  taskLine("task_notification", "b", { status: "completed" }),
  taskLine("task_notification", "b", { status: "failed" }),
  taskLine("task_updated", "b", { patch: { status: "killed" } }),
];

test("stdin stays open for a task that only task_started told of, and for the turn that follows its end", async () => {
  for (const end of ENDS) {
    const { clock, peer, conversation, reading } = await begin({ count: 1 });
    await peer.send(taskLine("task_started", "b"), resultLine());
    await clock.advance(60_000);
    assert.equal(peer.hasInputEnded, false, "it runs");
    await peer.send(requestLine("late", ASK));
    await peer.line(isAnswerTo("late"));
    await peer.send(end);
    await clock.advance(1_000);
    assert.equal(peer.hasInputEnded, false, "the model may be told of it");
    await peer.send(INIT, requestLine("later", ASK));
    await peer.line(isAnswerTo("later"));
    await clock.advance(60_000);
    assert.equal(peer.hasInputEnded, false, "that turn runs");
    await peer.send(resultLine({ origin: { kind: "task-notification" } }));
    await peer.inputEnded();
    assert.equal((await reading).error, undefined);
    await conversation.close();
  }
});

test("a task in the foreground, one that was ended, or one that the list does not name, holds nothing", async () => {
  const foreground = { is_backgrounded: false };
  const cases: readonly (readonly JsonObject[])[] = [
    [taskLine("task_started", "b", foreground)],
    [taskLine("task_started", "b"), ...ENDS.slice(0, 1), INIT],
    [tasksLine("b"), taskLine("task_started", "b"), tasksLine(), INIT],
    [tasksLine(), taskLine("task_started", "b", { is_backgrounded: true })],
  ];
  for (const lines of cases) {
    const { peer, conversation, reading } = await begin({ count: 1 });
    await peer.send(...lines, resultLine());
    await peer.inputEnded();
    assert.equal((await reading).error, undefined);
    await conversation.close();
  }
});

test("a task that goes to the background later holds stdin, at most for ten minutes", async () => {
  const { clock, peer, conversation, reading } = await begin({ count: 1 });
  await peer.send(
    stateLine("running"),
    taskLine("task_started", "b", { is_backgrounded: false }),
    taskLine("task_updated", "b", { patch: { is_backgrounded: true } }),
    resultLine(),
    stateLine("idle"),
  );
  await clock.advance(599_000);
  assert.equal(peer.hasInputEnded, false);
  await clock.advance(1_000);
  await peer.inputEnded();
  assert.equal((await reading).error, undefined);
  await conversation.close();
});

test("a turn that begins after a task keeps stdin open, however long it runs", async () => {
  const { clock, peer, conversation, reading } = await begin({ count: 1 });
  await peer.send(stateLine("running"), tasksLine("b"), resultLine());
  await peer.send(stateLine("idle"), tasksLine());
  await clock.advance(100);
  await peer.send(stateLine("running"));
  await clock.advance(60_000);
  assert.equal(peer.hasInputEnded, false);
  await peer.send(requestLine("late", ASK));
  await peer.line(isAnswerTo("late"));
  await peer.send(resultLine(), stateLine("idle"));
  await peer.inputEnded();
  assert.equal((await reading).error, undefined);
  await conversation.close();
});

test("messages that decide about stdin count on arrival, even without a reader", async () => {
  const clock = new FakeClock();
  const { transport, peer } = memoryCli();
  const conversation = query("x", { transport, clock });
  await conversation.ready;
  // One by one, so that each is a piece of its own.
  await peer.send(INIT);
  await peer.send(taskLine("task_started", "b"));
  await peer.send(resultLine());
  await turns(3);
  assert.equal(peer.hasInputEnded, false);
  await peer.send(taskLine("task_notification", "b", { status: "completed" }));
  await clock.advance(5_000);
  await peer.inputEnded();
  await conversation.close();
});
