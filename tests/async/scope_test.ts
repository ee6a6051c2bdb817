import assert from "node:assert/strict";
import { Deferred } from "@sluice/agent/extend";
import { Scope } from "../../src/async/scope.ts";
import { test } from "../_harness.ts";
import { isSettled, nextTurn } from "../_turn.ts";

function fails(text: string): () => Promise<void> {
  return () => Promise.reject(new RangeError(text));
}

test(
  "Scope.close() closes in the reverse order of the slots, one after the other",
  async () => {
    const scope = new Scope();
    const order: string[] = [];
    const first = scope.slot("first");
    scope.own("second", async () => {
      order.push("second begins");
      await nextTurn();
      order.push("second ends");
    });
    const third = scope.slot("third");
    third.fill(() => void order.push("third"));
    // Filled last, closed last all the same.
    first.fill(() => void order.push("first"));
    scope.slot("empty");
    await scope.close();
    assert.deepEqual(order, ["third", "second begins", "second ends", "first"]);
  },
  { ids: ["C-17"] },
);

test("Scope.close() gives every caller the same end", async () => {
  const scope = new Scope();
  const gate = new Deferred<void>();
  let closes = 0;
  scope.own("thing", () => {
    closes++;
    return gate.promise;
  });
  const [one, two] = [scope.close(), scope.close()];
  assert.equal(one, two);
  assert.equal(await isSettled(one), false);
  gate.resolve();
  await one;
  await scope.close();
  assert.equal(closes, 1);
}, { ids: ["C-19"] });

test(
  "Scope.close() closes everything, and rejects with the one failure under its name",
  async () => {
    const scope = new Scope();
    const order: string[] = [];
    scope.own("a", () => void order.push("a"));
    scope.own('MCP server "b"', fails("connection lost"));
    scope.own("c", () => void order.push("c"));
    await assert.rejects(scope.close(), (error) => {
      assert.ok(error instanceof Error);
      assert.equal(
        error.message,
        'Cannot close MCP server "b": connection lost',
      );
      assert.ok(error.cause instanceof RangeError);
      return true;
    });
    assert.deepEqual(order, ["c", "a"]);
    await assert.rejects(scope.close(), /connection lost/);
  },
  { ids: ["C-16"] },
);

test(
  "Scope.close() gathers several failures, the parts of an aggregate one by one",
  async () => {
    const scope = new Scope();
    scope.own("a", () => {
      throw new TypeError("at once");
    });
    scope.own("b", () =>
      Promise.reject(
        new AggregateError([new Error("server x"), new Error("server y")]),
      ));
    scope.own("c", () => Promise.reject("only a text"));
    await assert.rejects(scope.close(), (error) => {
      assert.ok(error instanceof AggregateError);
      assert.deepEqual(error.errors.map(({ message }) => message), [
        "Cannot close c: only a text",
        "server x",
        "server y",
        "Cannot close a: at once",
      ]);
      assert.match(error.message, /^Several things failed to close: /);
      assert.ok(error.message.includes("server x; server y"));
      return true;
    });
  },
  { ids: ["C-18"] },
);

test(
  "Slot.fill() closes at once what comes after the end, and hides its failure",
  async () => {
    const scope = new Scope();
    const slot = scope.slot("late");
    const order: string[] = [];
    await scope.close();
    slot.fill(() => void order.push("late"));
    scope.own("after the end", () => void order.push("after the end"));
    scope.own("failing", fails("nobody hears it"));
    scope.own("throwing", () => {
      throw new Error("nobody hears it");
    });
    await nextTurn();
    assert.deepEqual(order, ["late", "after the end"]);
  },
);

test("Slot.fill() during the close of a later slot is closed in its turn, waited for", async () => {
  const scope = new Scope();
  const order: string[] = [];
  const early = scope.slot("early");
  scope.own("later", async () => {
    await nextTurn();
    early.fill(async () => {
      await nextTurn();
      order.push("early");
    });
    order.push("later");
  });
  await scope.close();
  assert.deepEqual(order, ["later", "early"]);
});
