import assert from "node:assert/strict";
import { CliExitError, query, ResultError } from "@sluice/agent";
import { fakeCli, type FakeCliScript } from "@sluice/agent/testing";
import { resultText, shorts, withConnected } from "../_clients.ts";
import { collect, rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import {
  assistantLine,
  INIT,
  isPrompt,
  memoryCli,
  resultLine,
  stateLine,
} from "./_rig.ts";

const A = "11111111-2222-4333-8444-555555555555";
const B = "21111111-2222-4333-8444-555555555555";

async function* prompts() {
  for (const uuid of [A, B]) {
    yield {
      type: "user" as const,
      uuid,
      message: { role: "user" as const, content: uuid },
    };
  }
}

/** A CLI that ends in the middle of its second turn. */
const DYING: readonly FakeCliScript[] = [
  ["first", ["second", { exit: 0 }]],
  ["first", [{ exit: 0 }]],
];

test("text(), result() and iteration reject with CliExitError when the CLI ends in a later turn, however politely", async () => {
  for (const script of DYING) {
    const { cliPath } = fakeCli(script);
    for (const take of ["text", "result"] as const) {
      const error = await rejectionOf(query(prompts(), { cliPath })[take]());
      assert.ok(error instanceof CliExitError, String(error));
      assert.equal(error.exitCode, 0);
      assert.match(error.message, /1 prompt without an answer/);
      assert.deepEqual(error.details, {
        unansweredCount: 1,
        unanswered: [B],
      });
    }
    const conversation = query(prompts(), { cliPath });
    const { items, error } = await collect(conversation);
    assert.equal(shorts(items).filter((one) => one === "=first").length, 1);
    assert.ok(error instanceof CliExitError);
    assert.deepEqual((await collect(conversation.errors)).items, [error]);
  }
});

test("an error result does not explain the exit of a CLI that owes another answer", async () => {
  const turns = [{ result: { is_error: true } }, [{ exit: 1 }]] as const;
  const { cliPath } = fakeCli(turns);
  const error = await rejectionOf(query(prompts(), { cliPath }).text());
  assert.ok(error instanceof CliExitError, String(error));
  assert.deepEqual(error.details.unanswered, [B]);
});

test("a prompt without an id that has no answer is named by the beginning of its text", async () => {
  const prompts = [
    ["Why?", "Why?"],
    ["x".repeat(1_000), `${"x".repeat(200)}`],
    [[{ type: "text", text: "Why?" }], '[{"type":"text","text":"Why?"}]'],
  ] as const;
  for (const [prompt, name] of prompts) {
    const { cliPath } = fakeCli([["said", { exit: 0 }]]);
    const error = await rejectionOf(query(prompt, { cliPath }).text());
    assert.ok(error instanceof CliExitError);
    assert.deepEqual(error.details, { unansweredCount: 1, unanswered: [name] });
  }
});

test("the name of a prompt shows no secret", async () => {
  const { cliPath } = fakeCli([["said", { exit: 0 }]]);
  const error = await rejectionOf(
    query(`${"x".repeat(190)}planted-secret-value`, {
      cliPath,
      env: { API_TOKEN: "planted-secret-value" },
    }).text(),
  );
  assert.ok(error instanceof CliExitError);
  assert.equal(error.details.unansweredCount, 1);
  assert.equal(
    JSON.stringify(error.details).includes("planted"),
    false,
  );
});

test("receiveResponse() and ask() reject with CliExitError when the CLI ends in their turn with code 0", async () => {
  const script = ["first", ["second", { exit: 0 }]] as const;
  await withConnected(script, async ({ client }) => {
    assert.equal(resultText(await client.ask("1")), "first");
    await client.sendMessage("2");
    const { items, error } = await collect(client.receiveResponse());
    assert.ok(shorts(items).includes("second"));
    assert.ok(error instanceof CliExitError, String(error));
    assert.equal(error.details.unansweredCount, 1);
  });
  await withConnected(script, async ({ client }) => {
    await client.ask("1");
    const error = await rejectionOf(client.ask("2"));
    assert.ok(error instanceof CliExitError, String(error));
  });
});

test("a cancelled prompt, or one whose send() failed, is owed no answer", async () => {
  const { transport, peer } = memoryCli();
  const conversation = query(prompts(), { transport });
  const text = conversation.text();
  await peer.line((line) => isPrompt(line) && line.uuid === B);
  const taken = { type: "command_lifecycle", state: "cancelled" } as const;
  const own = { session_id: "s", uuid: "u" };
  await peer.send(
    resultLine({ user_message_uuids: [A] }),
    { ...taken, ...own, command_uuid: B },
  );
  assert.equal(await text, "done");
  const { transport: other, peer: end } = memoryCli();
  const nothing = query(prompts(), { transport: other });
  const result = rejectionOf(nothing.result());
  await end.line((line) => isPrompt(line) && line.uuid === B);
  await end.send(
    { ...taken, ...own, command_uuid: A },
    { ...taken, ...own, command_uuid: B },
  );
  assert.ok(await result instanceof ResultError, "nothing was answered");
});

const DELTA = {
  type: "stream_event",
  event: { type: "message_stop" },
  parent_tool_use_id: null,
  session_id: "s",
  uuid: "u",
} as const;

/** Lines of a turn that the CLI began on its own, or with a prompt that was answered before. */
const BEGINNINGS = {
  "an init and a text": [INIT, assistantLine("more")],
  "a text alone": [assistantLine("more")],
  "a delta": [stateLine("idle"), stateLine("running"), INIT, DELTA],
};

for (const [what, lines] of Object.entries(BEGINNINGS)) {
  for (const isRead of [true, false]) {
    test(`an exit with code 0 after ${what} is an exit in the middle of a turn, ${isRead ? "read" : "unread"}`, async () => {
      const { transport, peer } = memoryCli({}, { staysOpen: true });
      const conversation = query("x", { transport });
      await conversation.ready;
      const text = isRead ? rejectionOf(conversation.text()) : undefined;
      await peer.line(isPrompt);
      for (
        const line of [INIT, assistantLine("said"), resultLine(), ...lines]
      ) {
        await peer.send(line);
      }
      peer.end();
      const error = await (text ?? collect(conversation).then(({ error }) =>
        error
      ));
      assert.ok(error instanceof CliExitError, String(error));
      assert.match(error.message, /in the middle of a turn: exit code 0/);
      await conversation.close();
    });
  }
}

/** Lines of a CLI after its last result that begin no turn. */
const AFTERTHOUGHTS = {
  "its state": [stateLine("running"), stateLine("idle")],
  "a status": [{
    type: "system",
    subtype: "status",
    status: null,
    session_id: "s",
    uuid: "u",
  }],
  "a task in the background": [
    { ...assistantLine("child"), parent_tool_use_id: "toolu_1" },
    { ...DELTA, parent_tool_use_id: "toolu_1" },
  ],
  "an echo": [{
    type: "user",
    message: { role: "user", content: "x" },
    parent_tool_use_id: null,
    session_id: "s",
    uuid: "u",
  }],
  "a turn with a result": [
    INIT,
    assistantLine("more"),
    resultLine({ origin: { kind: "task-notification" } }),
  ],
  "a turn whose result was lost, and that is over": [
    stateLine("running"),
    assistantLine("more"),
    stateLine("idle"),
  ],
};

for (const [what, lines] of Object.entries(AFTERTHOUGHTS)) {
  test(`an exit with code 0 after the last result and ${what} is the end`, async () => {
    const { transport, peer } = memoryCli({}, { staysOpen: true });
    const conversation = query("x", { transport });
    const text = conversation.text();
    await conversation.ready;
    await peer.line(isPrompt);
    for (const line of [INIT, assistantLine("said"), resultLine(), ...lines]) {
      await peer.send(line);
    }
    peer.end();
    assert.equal(await text, "done");
    await conversation.close();
  });
}

test("a text of a turn that is read after its result begins no other", async () => {
  const { transport, peer } = memoryCli({}, { staysOpen: true });
  const conversation = query("x", { transport });
  await conversation.ready;
  await peer.line(isPrompt);
  void peer.send(INIT, assistantLine("1"), assistantLine("2"), resultLine());
  await peer.inputEnded();
  const reading = collect(conversation);
  peer.end();
  assert.equal((await reading).error, undefined);
});

async function* openSource(count: number): AsyncGenerator<string> {
  for (let n = 0; n < count; n++) yield "x";
  await new Promise(() => {});
}

test("an exit with code 0 while more prompts are to come is CliExitError, however many were answered", async () => {
  for (const count of [0, 1]) {
    const { transport, peer } = memoryCli({}, { staysOpen: true });
    const conversation = query(openSource(count), { transport });
    const text = rejectionOf(conversation.text());
    await conversation.ready;
    if (count > 0) {
      await peer.line(isPrompt);
      await peer.send(resultLine());
    }
    peer.end();
    const error = await text;
    assert.ok(error instanceof CliExitError, String(error));
    assert.match(error.message, /while more prompts were to come: exit code 0/);
    await conversation.close();
  }
});
