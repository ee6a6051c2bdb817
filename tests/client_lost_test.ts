import assert from "node:assert/strict";
import {
  Client,
  isAssistant,
  type Message,
  MessageTooLargeError,
  ResultError,
} from "@sluice/agent";
import { resultText, shorts, withConnected } from "./_clients.ts";
import { collect, rejectionOf } from "./_collect.ts";
import { assistantLine, memoryCli, resultLine } from "./conversation/_rig.ts";
import { test } from "./_harness.ts";

const TOO_LONG = { result: "x".repeat(20_000) };
const LIMITS = { limits: { maxMessageBytes: 10_000 } };

test("ask() rejects with ResultError when the line of its result was lost, and the next turn is whole", async () => {
  const plan = { turns: [["a", TOO_LONG], ["b", { result: "found" }]] };
  await withConnected(plan, async ({ client }) => {
    const errors = client.receiveMessages().errors.getReader();
    const error = await rejectionOf(client.ask("1"));
    assert.ok(error instanceof ResultError);
    assert.equal(error.result, undefined);
    const { value } = await errors.read();
    assert.ok(value instanceof MessageTooLargeError);
    assert.equal(resultText(await client.ask("2")), "found");
  }, LIMITS);
});

test("receiveResponse() ends after the messages of a turn whose result was lost", async () => {
  const plan = { turns: [["a", "b", TOO_LONG], ["c", { result: "found" }]] };
  await withConnected(plan, async ({ client }) => {
    const turns: (readonly string[])[] = [];
    for (const prompt of ["1", "2"]) {
      await client.sendMessage(prompt);
      const { items } = await collect(client.receiveResponse());
      turns.push(shorts(items.filter(isSaid)));
    }
    assert.deepEqual(turns, [["a", "b"], ["c", "=found"]]);
  }, LIMITS);
});

test("a result that names another prompt ends the turn whose own was lost", async () => {
  // Not idle in between: the second prompt is there before the first turn ends.
  const first = ["a", { wait: "prompt" }, TOO_LONG] as const;
  const plan = { turns: [first, ["b", { result: "found" }]] };
  await withConnected(plan, async ({ client }) => {
    await client.sendMessage("1");
    await client.sendMessage("2");
    const one = await collect(client.receiveResponse());
    const two = await collect(client.receiveResponse());
    // Where the first turn ended stood in the line that was lost.
    assert.deepEqual(shorts(one.items.filter(isSaid)), ["a", "b"]);
    assert.deepEqual(shorts(two.items.filter(isSaid)), ["=found"]);
  }, LIMITS);
});

test("a turn that was left early and whose result was lost is read to its end before the next", async () => {
  const plan = { turns: [["a", "b", TOO_LONG], ["c", { result: "found" }]] };
  await withConnected(plan, async ({ client }) => {
    await client.sendMessage("1");
    for await (const one of client.receiveResponse()) {
      if (isAssistant(one)) break;
    }
    assert.equal(resultText(await client.ask("2")), "found");
  }, LIMITS);
});

test("a client hands out no state that is for the host alone", async () => {
  await withConnected("ok", async ({ client }) => {
    await client.sendMessage("1");
    const kinds: string[] = [];
    for await (const one of client.receiveMessages()) {
      kinds.push(one.type === "system" ? one.subtype : one.type);
      if (one.type === "result") break;
    }
    assert.ok(kinds.includes("assistant"));
    assert.ok(!kinds.includes("session_state_changed"));
  });
});

test(
  "an abort drops what the taker of a client's messages holds and has not handed out",
  async () => {
    for (const take of ["receiveMessages", "receiveResponse"] as const) {
      const { transport, peer } = memoryCli();
      const controller = new AbortController();
      const { signal } = controller;
      const client = new Client({ transport, signal });
      await client.connect("x");
      const batch = ["a", "b", "c"].map((text) => assistantLine(text));
      // One piece, so that they come as one batch, and a second one behind it.
      await peer.send(
        batch.map((one) => JSON.stringify(one)).join("\n") + "\n",
      );
      await peer.send(...batch, resultLine());
      const iterator = client[take]()[Symbol.asyncIterator]();
      const { value } = await iterator.next();
      assert.deepEqual(shorts([value as Message]), ["a"]);
      const reason = new Error("Enough");
      controller.abort(reason);
      assert.equal(await rejectionOf(iterator.next()), reason, take);
      await client.close();
    }
  },
  { ids: ["Q-21"] },
);

function isSaid({ type }: Message): boolean {
  return type === "assistant" || type === "result";
}
