import assert from "node:assert/strict";
import {
  type JsonObject,
  NotPendingError,
  type PendingPermission,
  permissionQueue,
  query,
} from "@sluice/agent";
import { fakeCli, FakeClock } from "@sluice/agent/testing";
import {
  isAnswerTo,
  memoryCli,
  requestLine,
  responseOf,
  turns,
} from "./conversation/_rig.ts";
import { test } from "./_harness.ts";

/** A question of the CLI. */
function ask(id: string, command = "ls"): JsonObject {
  return requestLine(id, {
    subtype: "can_use_tool",
    tool_name: "Bash",
    input: { command },
    tool_use_id: `toolu_${id}`,
    title: "Run a command",
    permission_suggestions: [],
  });
}

/** A conversation whose permissions go into a queue, where these questions are. */
async function asked(...questions: readonly JsonObject[]) {
  const { transport, peer } = memoryCli();
  const queue = permissionQueue();
  assert.deepEqual(queue.pending, []);
  const conversation = query("x", {
    transport,
    permissions: { canUseTool: queue.canUseTool },
  });
  await conversation.ready;
  for (const question of questions) await peer.send(question);
  const pending = await listOf(queue, questions.length);
  return { peer, queue, conversation, pending };
}

/** The list as soon as it has this many entries. */
async function listOf(
  queue: ReturnType<typeof permissionQueue>,
  length: number,
): Promise<readonly PendingPermission[]> {
  for await (const pending of queue.watch()) {
    if (pending.length === length) return pending;
  }
  throw new Error("The stream ended");
}

test("permissionQueue() collects questions, and each is answered by its id in any order", async () => {
  const { peer, queue, conversation, pending } = await asked(
    ask("p1", "one"),
    ask("p2", "two"),
  );
  const [first, second] = pending;
  assert.ok(first && second);
  assert.deepEqual([first.tool, first.input], ["Bash", { command: "one" }]);
  assert.deepEqual(
    JSON.parse(JSON.stringify(second)),
    {
      id: second.id,
      tool: "Bash",
      input: { command: "two" },
      since: second.since.toISOString(),
      toolUseId: "toolu_p2",
      suggestions: [],
      title: "Run a command",
    },
    "it can be sent to a page",
  );
  queue.answer(second.id, { behavior: "deny", message: "No" });
  assert.deepEqual(queue.pending, [first]);
  queue.answer(first.id, {
    behavior: "allow",
    updatedInput: { command: "three" },
  });
  assert.deepEqual(queue.pending, []);
  const answers = await Promise.all(
    ["p1", "p2"].map((id) => peer.line(isAnswerTo(id))),
  );
  assert.deepEqual(answers.map((line) => responseOf(line).response), [
    { behavior: "allow", updatedInput: { command: "three" } },
    { behavior: "deny", message: "No" },
  ]);
  await conversation.close();
});

test("a question in a queue has no limit of time, unless permissions.timeoutMs sets one", async () => {
  for (const timeoutMs of [undefined, 1_000]) {
    const clock = new FakeClock();
    const { transport, peer } = memoryCli();
    const queue = permissionQueue();
    const conversation = query("x", {
      transport,
      clock,
      // The watch of silences would look meanwhile.
      health: { checkMs: 1_000_000_000 },
      permissions: {
        canUseTool: queue.canUseTool,
        ...timeoutMs !== undefined && { timeoutMs },
      },
    });
    await conversation.ready;
    await peer.send(ask("p1"));
    const [question] = await listOf(queue, 1);
    assert.ok(question);
    await clock.advance(24 * 3_600_000);
    if (timeoutMs === undefined) {
      assert.equal(peer.lines.some(isAnswerTo("p1")), false);
      queue.answer(question.id, { behavior: "allow" });
      const { response } = responseOf(await peer.line(isAnswerTo("p1")));
      assert.deepEqual(response, { behavior: "allow" });
    } else {
      const { response } = responseOf(await peer.line(isAnswerTo("p1")));
      assert.equal((response as JsonObject).behavior, "deny");
      assert.deepEqual(queue.pending, []);
    }
    const closing = conversation.close();
    await clock.advance(60_000);
    await closing;
  }
});

test("a question that the CLI takes back, or whose conversation ends, leaves the queue", async () => {
  const { peer, queue, conversation, pending } = await asked(
    ask("p1"),
    ask("p2"),
  );
  const [first, second] = pending;
  assert.ok(first && second);
  await peer.send({ type: "control_cancel_request", request_id: "p1" });
  assert.deepEqual(await listOf(queue, 1), [second]);
  await conversation.close();
  assert.deepEqual(queue.pending, []);
  for (const { id } of [first, second]) {
    assert.throws(
      () => queue.answer(id, { behavior: "allow" }),
      (error) =>
        error instanceof NotPendingError && error.id === id &&
        error.reason === "withdrawn" && /took it back/.test(error.message),
    );
  }
});

test("a repeated, unexpected or malformed answer gets an error", async () => {
  const { peer, queue, conversation, pending } = await asked(ask("p1"));
  const [question] = pending;
  assert.ok(question);
  const { id } = question;
  for (
    const nonsense of [
      undefined,
      null,
      "allow",
      {},
      { behavior: "perhaps" },
      { behavior: "deny" },
      { behavior: "allow", message: "No" },
      { behavior: "allow", updatedInput: "ls" },
      { behavior: "allow", toolUseID: "toolu_p2" },
      { behavior: "allow", updatedPermissions: [{ type: "setMode" }] },
      Object.create({ behavior: "allow" }),
    ]
  ) {
    assert.throws(() => queue.answer(id, nonsense as never), TypeError);
  }
  assert.equal(queue.pending.length, 1, "it can still be answered");
  queue.answer(id, { behavior: "allow" });
  assert.throws(() => queue.answer(id, { behavior: "allow" }), {
    name: "NotPendingError",
    code: "not_pending",
    reason: "answered",
    message: `Permission request "${id}" was answered before`,
  });
  assert.throws(() => queue.answer("p9", { behavior: "allow" }), {
    reason: "unknown",
    message:
      'Permission request "p9" is not known: take the id from what is pending',
  });
  await peer.line(isAnswerTo("p1"));
  await conversation.close();
});

test("an allowed plan is the one that was pending, unless the decision has a plan of its own", async () => {
  const plan = (id: string) =>
    requestLine(id, {
      subtype: "can_use_tool",
      tool_name: "ExitPlanMode",
      input: { plan: "A", planFilePath: "/plan.md" },
      tool_use_id: `toolu_${id}`,
    });
  const { peer, queue, conversation, pending } = await asked(
    ...["p1", "p2", "p3"].map(plan),
  );
  const own = { plan: "B", planFilePath: "/plan.md" };
  const given = [undefined, {}, own];
  for (const [at, { id }] of pending.entries()) {
    queue.answer(id, { behavior: "allow", updatedInput: given[at] });
  }
  const answers = ["p1", "p2", "p3"].map(async (id) =>
    responseOf(await peer.line(isAnswerTo(id))).response
  );
  assert.deepEqual(
    await Promise.all(answers),
    ["A\n", "A\n", "B"].map((plan) => ({
      behavior: "allow",
      updatedInput: { plan, planFilePath: "/plan.md" },
    })),
  );
  await conversation.close();
});

test("a pending call cannot be changed: the next reader sees the call that runs", async () => {
  const { queue, conversation, pending: [question] } = await asked(ask("p1"));
  assert.ok(question);
  const { input, suggestions = [] } = question;
  assert.throws(() => Object.assign(input, { command: "rm x" }), TypeError);
  assert.throws(() => Object.assign(suggestions, [{}]), TypeError);
  assert.deepEqual(queue.pending[0]?.input, { command: "ls" });
  await conversation.close();
});

test("a decision is read when it is given: what is done to the object later changes nothing", async () => {
  const { peer, queue, conversation, pending } = await asked(
    ask("p1"),
    ask("p2"),
  );
  const [first, second] = pending;
  assert.ok(first && second);
  const decision: Record<string, unknown> = { behavior: "deny", message: "No" };
  queue.answer(first.id, decision as never);
  delete decision["message"];
  const updatedInput = { command: "git log" };
  Object.assign(decision, { behavior: "allow", updatedInput });
  queue.answer(second.id, decision as never);
  updatedInput.command = "rm x";
  const answers = [];
  for (const id of ["p1", "p2"]) {
    answers.push(responseOf(await peer.line(isAnswerTo(id))).response);
  }
  assert.deepEqual(answers, [
    { behavior: "deny", message: "No" },
    { behavior: "allow", updatedInput: { command: "git log" } },
  ]);
  await conversation.close();
});

test("watch() gives the list now and after each change, the newest to a slow reader, and ends with its signal", async () => {
  const { transport, peer } = memoryCli();
  const queue = permissionQueue();
  const leaving = new AbortController();
  const reader = queue.watch({ signal: leaving.signal }).getReader();
  assert.deepEqual((await reader.read()).value, []);
  const next = reader.read();
  const conversation = query("x", {
    transport,
    permissions: { canUseTool: queue.canUseTool },
  });
  await conversation.ready;
  await peer.send(ask("p1"));
  assert.equal((await next).value?.length, 1);
  await peer.send(ask("p2"));
  await peer.send(ask("p3"));
  while (queue.pending.length < 3) await turns(1);
  assert.equal(
    (await reader.read()).value?.length,
    3,
    "questions in between are left out",
  );
  const last = reader.read();
  leaving.abort();
  assert.equal((await last).done, true);
  const late = queue.watch({ signal: leaving.signal }).getReader();
  assert.equal((await late.read()).done, true);
  const left = queue.watch();
  await left.cancel();
  await conversation.close();
});

test("one queue serves conversations of several processes", async () => {
  const queue = permissionQueue();
  const texts = ["a", "b"].map((command) => {
    const { cliPath } = fakeCli([[
      { tool: "Bash", input: { command } },
      command,
    ]]);
    return query("x", {
      cliPath,
      permissions: { canUseTool: queue.canUseTool },
    }).text();
  });
  for (const { id } of await listOf(queue, 2)) {
    queue.answer(id, { behavior: "allow" });
  }
  assert.deepEqual(await Promise.all(texts), ["a", "b"]);
});
