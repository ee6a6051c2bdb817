import assert from "node:assert/strict";
import { Deferred } from "@sluice/agent/extend";
import { Gate } from "../../src/async/gate.ts";
import { test } from "../_harness.ts";
import { nextTurn } from "../_turn.ts";

function rig(most: number) {
  const gate = new Gate(most);
  const order: string[] = [];
  const ends = new Map<string, Deferred<void>>();
  const enter = (name: string, signal?: AbortSignal) =>
    gate.run(() => {
      order.push(name);
      const end = new Deferred<void>();
      ends.set(name, end);
      return end.promise;
    }, signal);
  return { order, ends, enter };
}

test("Gate.run() lets so many in at once, the others in the order in which they came", async () => {
  const { order, ends, enter } = rig(2);
  const runs = ["a", "b", "c", "d"].map((name) => enter(name));
  assert.deepEqual(order, ["a", "b"]);
  ends.get("b")?.resolve();
  await nextTurn();
  assert.deepEqual(order, ["a", "b", "c"]);
  ends.get("a")?.reject(new RangeError("work"));
  await assert.rejects(runs[0] ?? Promise.resolve(), RangeError);
  await nextTurn();
  assert.deepEqual(order, ["a", "b", "c", "d"]);
  for (const name of ["c", "d"]) ends.get(name)?.resolve();
  await Promise.all(runs.slice(1));
  const last = enter("e");
  assert.deepEqual(order.at(-1), "e");
  ends.get("e")?.resolve();
  await last;
});

test("Gate.run() gives up its place in the queue when it is aborted", async () => {
  const { order, ends, enter } = rig(1);
  const first = enter("a");
  const controller = new AbortController();
  const waiting = enter("b", controller.signal);
  const behind = enter("c");
  const reason = new RangeError("enough");
  const aborted = assert.rejects(waiting, (error) => error === reason);
  controller.abort(reason);
  await aborted;
  ends.get("a")?.resolve();
  await first;
  await nextTurn();
  assert.deepEqual(order, ["a", "c"]);
  ends.get("c")?.resolve();
  await behind;
});

test("Gate.run() gives its turn on when it is aborted at the moment it comes", async () => {
  const { order, ends, enter } = rig(1);
  const first = enter("a");
  const controller = new AbortController();
  const waiting = enter("b", controller.signal);
  const behind = enter("c");
  controller.abort(new RangeError("enough"));
  ends.get("a")?.resolve();
  await first;
  await assert.rejects(waiting, RangeError);
  await nextTurn();
  assert.deepEqual(order, ["a", "c"]);
  ends.get("c")?.resolve();
  await behind;
});

test("Gate.run() loses no place when an abort and the end of the work before come together", async () => {
  for (const isAbortFirst of [true, false]) {
    const { order, ends, enter } = rig(1);
    const first = enter("a");
    const controller = new AbortController();
    const waiting = enter("b", controller.signal);
    const behind = enter("c");
    const abort = () => controller.abort(new RangeError("enough"));
    if (isAbortFirst) abort();
    ends.get("a")?.resolve();
    if (!isAbortFirst) abort();
    await first;
    await assert.rejects(waiting, RangeError);
    await nextTurn();
    assert.deepEqual(order, ["a", "c"], String(isAbortFirst));
    ends.get("c")?.resolve();
    await behind;
  }
});
