import assert from "node:assert/strict";
import { CliExitError } from "../../src/errors/cli.ts";
import { ResultError } from "../../src/errors/result.ts";
import { query } from "../../src/query.ts";
import { fakeCli } from "../../src/testing/fake_cli.ts";
import type { FakeCliScript } from "../../src/testing/fake_cli_script.ts";
import { resultText, shorts, withConnected } from "../_clients.ts";
import { collect, rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import { isPrompt, memoryCli, resultLine } from "./_rig.ts";

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

test("a prompt without an id that has no answer is counted", async () => {
  const { cliPath } = fakeCli([["said", { exit: 0 }]]);
  const error = await rejectionOf(query("x", { cliPath }).text());
  assert.ok(error instanceof CliExitError);
  assert.deepEqual(error.details, { unansweredCount: 1, unanswered: [] });
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

test("a prompt that was taken back, or that send() was told of, is owed no answer", async () => {
  const { transport, far } = memoryCli();
  const conversation = query(prompts(), { transport });
  const text = conversation.text();
  await far.line((line) => isPrompt(line) && line.uuid === B);
  const taken = { type: "command_lifecycle", state: "cancelled" } as const;
  const own = { session_id: "s", uuid: "u" };
  await far.send(
    resultLine({ user_message_uuids: [A] }),
    { ...taken, ...own, command_uuid: B },
  );
  assert.equal(await text, "done");
  const { transport: other, far: end } = memoryCli();
  const nothing = query(prompts(), { transport: other });
  const result = rejectionOf(nothing.result());
  await end.line((line) => isPrompt(line) && line.uuid === B);
  await end.send(
    { ...taken, ...own, command_uuid: A },
    { ...taken, ...own, command_uuid: B },
  );
  assert.ok(await result instanceof ResultError, "nothing was answered");
});
