import assert from "node:assert/strict";
import {
  Client,
  CliExitError,
  type JsonObject,
  type ParseError,
  query,
  ResultError,
} from "@sluice/agent";
import { fakeCli, FakeClock } from "@sluice/agent/testing";
import { shorts } from "../_clients.ts";
import { collect, rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import { isSettled } from "../_turn.ts";
import {
  assistantLine,
  INIT,
  isPrompt,
  lifeLine,
  memoryCli,
  resultLine,
  stateLine,
  turns,
} from "./_rig.ts";

for (const kind of ["text", "source"] as const) {
  test(`a ${kind} prompt whose result was too long ends when the CLI is idle, without a result`, async () => {
    const fake = fakeCli([["said", { result: "x".repeat(20_000) }]]);
    async function* prompts(): AsyncGenerator<string> {
      yield "Go";
    }
    const conversation = query(kind === "text" ? "Go" : prompts(), {
      cliPath: fake.cliPath,
      limits: { maxMessageBytes: 10_000 },
    });
    const { items, error } = await collect(conversation);
    assert.ok(items.some(({ type }) => type === "assistant"));
    assert.ok(error instanceof CliExitError);
    assert.match(error.message, /without a result: exit code 0/);
    const { items: errors } = await collect(conversation.errors);
    assert.deepEqual(errors.map(({ code }) => code), [
      "message_too_large",
      "cli_exit",
    ]);
    await fake.close();
  });
}

test("a result without an optional field ends its turn, and is reported on errors", async () => {
  const full = resultLine();
  for (const field of Object.keys(full)) {
    if (["type", "subtype", "is_error"].includes(field)) continue;
    const { transport, peer } = memoryCli();
    const conversation = query("x", { transport });
    await conversation.ready;
    const text = conversation.text().catch((error) => error);
    await peer.send({ ...full, [field]: undefined });
    const answer = await text;
    if (field !== "result") assert.equal(answer, "done", field);
    else {
      assert.ok(answer instanceof ResultError);
      assert.match(answer.message, /a result without a text$/);
    }
    const { items } = await collect(conversation.errors);
    assert.deepEqual(
      items.map((error) => [error.code, (error as ParseError).field]),
      [["parse", field]],
    );
    await conversation.close();
  }
});

test("a result line with broken JSON is reported when the output ends, and when the session is idle", async () => {
  const broken = [
    JSON.stringify(resultLine()).slice(0, 40),
    `${JSON.stringify(resultLine()).slice(0, 40)}}`,
  ];
  for (const line of broken) {
    for (const next of [[], [stateLine("idle")]]) {
      const { transport, peer } = memoryCli();
      const conversation = query("x", { transport });
      await conversation.ready;
      const errors = conversation.errors.getReader();
      await peer.send(stateLine("running"), `${line}\n`, ...next);
      if (next.length === 0) peer.end();
      const { value } = await errors.read();
      assert.ok(value?.code === "parse");
      assert.equal((value as ParseError).rawData, line);
      await conversation.close();
    }
  }
});

test("an incomplete line is reported after health.idleMs without further output", async () => {
  const clock = new FakeClock();
  const { transport, peer } = memoryCli();
  const conversation = query("x", {
    transport,
    clock,
    health: { idleMs: 5_000 },
  });
  await conversation.ready;
  const messages = conversation[Symbol.asyncIterator]();
  const first = messages.next();
  const line = JSON.stringify(resultLine()).slice(0, 40);
  await peer.send(assistantLine("a"), `${line}\n`);
  await first;
  await clock.advance(4_000);
  // A line that might have completed it extends the timeout.
  await peer.send("\n", '"more\n');
  const told = conversation.errors.getReader().read();
  await clock.advance(4_000);
  assert.equal(await isSettled(told), false);
  await clock.advance(1_000);
  assert.equal(
    ((await told).value as ParseError).rawData,
    `${line}\n"more`,
  );
  const second = messages.next();
  await peer.send(assistantLine("b"));
  assert.equal((await second).value?.type, "assistant");
  const closing = conversation.close();
  await clock.advance(60_000);
  await closing;
});

/** Results that do not say how their turn ended. */
const BROKEN: readonly JsonObject[] = [
  { type: "result", session_id: "s", uuid: "u" },
  { ...resultLine(), subtype: 7 },
];

test("a result that is skipped ends its turn all the same, where no state is reported", async () => {
  for (const broken of BROKEN) {
    const { transport, peer } = memoryCli();
    const conversation = query("x", { transport });
    const reading = collect(conversation);
    await conversation.ready;
    await peer.send(assistantLine("said"), broken);
    await peer.inputEnded();
    const { error, items } = await reading;
    assert.equal(items.length, 1);
    assert.ok(error instanceof CliExitError, String(error));
    assert.equal(error.details.unansweredCount, 1);
    const { items: errors } = await collect(conversation.errors);
    assert.deepEqual(errors.map(({ code }) => code), ["parse", "cli_exit"]);
  }
});

test("a result that is skipped is attributed as it would have been, also within one piece", async () => {
  const { transport, peer } = memoryCli();
  const client = new Client({ transport });
  await client.connect();
  for (const prompt of ["1", "2", "3"]) await client.sendMessage(prompt);
  const lines = [
    resultLine({ result: "one" }),
    { type: "result", session_id: "s", uuid: "u" },
    assistantLine("third turn"),
    resultLine({ result: "three" }),
  ];
  void peer.send(lines.map((line) => JSON.stringify(line) + "\n").join(""));
  const turns: (readonly string[])[] = [];
  for (let n = 0; n < 3; n++) {
    const { items } = await collect(client.receiveResponse());
    turns.push(shorts(items));
  }
  assert.deepEqual(turns, [["=one"], [], ["third turn", "=three"]]);
  await client.close();
});

test("ask() rejects when its result was skipped, and names go before order", async () => {
  const { transport, peer } = memoryCli();
  const client = new Client({ transport });
  await client.connect();
  await client.sendMessage("1");
  const asking = rejectionOf(client.ask("2"));
  await peer.line((line) =>
    isPrompt(line) && peer.lines.filter(isPrompt).length === 2
  );
  const [first, second] = peer.lines.filter(isPrompt);
  await peer.send({
    type: "result",
    user_message_uuids: [String(second?.uuid)],
    session_id: "s",
    uuid: "u",
  });
  assert.ok(await asking instanceof ResultError);
  void peer.send(resultLine({ user_message_uuids: [String(first?.uuid)] }));
  const { items } = await collect(client.receiveResponse());
  assert.deepEqual(shorts(items), ["=done"]);
  await client.close();
});

test("a slash command is answered by a result without names, from a CLI that reports no state", async () => {
  const { transport, peer } = memoryCli();
  const client = new Client({ transport });
  await client.connect();
  const uuidOf = async (count: number) => {
    await peer.line((line) =>
      isPrompt(line) && peer.lines.filter(isPrompt).length === count
    );
    return String(peer.lines.filter(isPrompt).at(-1)?.uuid);
  };
  const first = client.ask("hello");
  const named = await uuidOf(1);
  await peer.send(resultLine({ user_message_uuids: [named] }));
  await first;
  const second = client.ask("/context");
  const command = await uuidOf(2);
  await peer.send(resultLine({ result: "own work, before the command" }));
  await peer.send(
    lifeLine(command, "started"),
    resultLine({ result: "usage" }),
    lifeLine(command, "completed"),
  );
  assert.equal((await second).result, "usage");
  await client.close();
});

async function* two(): AsyncGenerator<string> {
  yield "one";
  yield "two";
}

const BROKEN_LINE = `${JSON.stringify(resultLine()).slice(0, 40)}}\n`;

/** How the result of a second turn may get lost, and the first answer still be no answer to its prompt. */
const LOSSES: Readonly<Record<string, readonly (JsonObject | string)[]>> = {
  "is broken JSON": [BROKEN_LINE],
  "is broken JSON after an init": [INIT, assistantLine("two"), BROKEN_LINE],
  "is broken JSON after a text": [assistantLine("two"), BROKEN_LINE],
  "is too long": [resultLine({ result: "x".repeat(10_000) })],
  "has no type": [{ ...resultLine(), type: 7 }],
  "has no subtype": [{ type: "result", session_id: "s", uuid: "u" }],
  "never comes": [INIT, assistantLine("two")],
};

for (const [how, lines] of Object.entries(LOSSES)) {
  for (const states of [false, true]) {
    test(`text() does not give the first answer where a second result ${how}, from a CLI that names no prompts and reports ${states ? "its" : "no"} state`, async () => {
      const clock = new FakeClock();
      const { transport, peer } = memoryCli();
      const conversation = query(two(), {
        transport,
        clock,
        limits: { maxMessageBytes: 5_000 },
      });
      const text = conversation.text().catch((error) => error);
      await conversation.ready;
      await peer.line((line) =>
        isPrompt(line) && peer.lines.filter(isPrompt).length === 2
      );
      const state = (name: string) => states ? [stateLine(name)] : [];
      await peer.send(
        ...state("running"),
        INIT,
        resultLine({ result: "one" }),
        ...state("idle"),
        ...state("running"),
        ...lines,
        ...state("idle"),
      );
      await turns(2);
      for (let ms = 0; !peer.hasInputEnded && ms < 600_000; ms += 30_000) {
        await clock.advance(30_000);
      }
      if (!peer.hasInputEnded) peer.end();
      const error = await text;
      assert.ok(error instanceof CliExitError, String(error));
      assert.equal(error.details.unansweredCount, 1);
      const closing = conversation.close();
      await clock.advance(60_000);
      await closing;
    });
  }
}

test("the result of a first turn that was lost is not replaced by that of the second", async () => {
  const { transport, peer } = memoryCli();
  const client = new Client({ transport });
  await client.connect();
  await client.sendMessage("one");
  await client.sendMessage("two");
  const [first] = peer.lines.filter(isPrompt);
  await peer.send(
    stateLine("running"),
    BROKEN_LINE,
    lifeLine(String(first?.uuid), "completed"),
    stateLine("idle"),
    stateLine("running"),
    resultLine({ result: "two" }),
    stateLine("idle"),
  );
  const said: (readonly string[])[] = [];
  for (let n = 0; n < 2; n++) {
    const { items } = await collect(client.receiveResponse());
    said.push(shorts(items));
  }
  assert.deepEqual(said, [["completed"], ["=two"]]);
  await client.close();
});
