import assert from "node:assert/strict";
import { Queue } from "../../src/stream/queue.ts";
import { test } from "../_harness.ts";
import { isSettled } from "../_turn.ts";
import { randomFrom } from "../options/_random.ts";

/** A queue that is open already, unless told otherwise. */
function opened(): Queue<number> {
  const queue = new Queue<number>();
  queue.open();
  return queue;
}

test("Queue.take() gives batches in the order they were put, held or not", async () => {
  const queue = opened();
  queue.put([1], 1);
  queue.put([2], 1);
  assert.deepEqual(await queue.take(), [1]);
  const takes = [queue.take(), queue.take(), queue.take()];
  queue.put([3], 1);
  queue.put([4], 1);
  assert.deepEqual(await Promise.all(takes), [[2], [3], [4]]);
});

test("Queue.finish(error) throws after what is held, once", async () => {
  const queue = opened();
  queue.put([1], 1);
  queue.put([2], 1);
  const takes = [queue.take(), queue.take(), queue.take(), queue.take()];
  queue.finish(new RangeError("broken"));
  assert.deepEqual(await takes[0], [1]);
  assert.deepEqual(await takes[1], [2]);
  await assert.rejects(takes[2] ?? Promise.resolve(), RangeError);
  assert.equal(await takes[3], undefined);
});

test("Queue.cut() drops what is held and ends or throws at once", async () => {
  for (const error of [undefined, new RangeError("aborted")]) {
    const queue = opened();
    queue.put([1], 5);
    queue.put([2], 6);
    queue.cut(error === undefined ? {} : { error });
    assert.equal(queue.bytes, 0);
    assert.equal(queue.isEmpty, true);
    if (error !== undefined) await assert.rejects(queue.take(), error);
    assert.equal(await queue.take(), undefined);
  }
});

test("Queue.bytes counts what is held and what the consumer works on", async () => {
  const queue = opened();
  queue.put([1], 10);
  queue.put([2], 5);
  assert.equal(queue.bytes, 15);
  await queue.take();
  assert.equal(queue.bytes, 15);
  assert.equal(queue.isEmpty, false);
  await queue.take();
  assert.equal(queue.bytes, 5);
  assert.equal(queue.isEmpty, true);
  const waiting = queue.take();
  assert.equal(queue.bytes, 0);
  queue.put([3], 7);
  assert.equal(queue.bytes, 7);
  await waiting;
});

test("Queue reports demand only when a consumer has to wait, and each end of a wait", async () => {
  const told: string[] = [];
  const queue = new Queue<number>();
  queue.connect({
    demanded: () => void told.push("demand"),
    waitEnded: () => void told.push("end"),
  });
  queue.open();
  queue.put([1], 1);
  await queue.take();
  assert.deepEqual(told, ["end"]);
  const waiting = queue.take();
  assert.deepEqual(told, ["end", "demand"]);
  assert.equal(queue.isWaited, true);
  queue.put([2], 1);
  assert.equal(queue.isWaited, false);
  await waiting;
  assert.deepEqual(told, ["end", "demand", "end"]);
  assert.equal(queue.demands, 2);
  const left = queue.take();
  queue.withdraw();
  await left;
  assert.deepEqual(told.slice(3), ["demand", "end"]);
});

test("Queue.drained resolves when the end was handed over", async () => {
  const queue = opened();
  queue.put([1], 1);
  await queue.take();
  queue.put([2], 1);
  queue.finish();
  assert.equal(await isSettled(queue.drained), false);
  await queue.take();
  assert.equal(await isSettled(queue.drained), false);
  await queue.take();
  assert.equal(await isSettled(queue.drained), true);
});

test("Queue agrees with a plain list, however puts and takes are mixed", async () => {
  const random = randomFrom(43);
  for (let round = 0; round < 20; round++) {
    const queue = opened();
    const takes: Promise<readonly number[] | undefined>[] = [];
    let [put, held] = [0, 0];
    for (let step = 0; step < 2_000; step++) {
      if (random() < 0.5) {
        const item = put++;
        queue.put(random() < 0.5 ? [item] : () => [item], 1);
        if (random() < 0.1) queue.put(() => [], 1);
      } else takes.push(queue.take());
      held = Math.max(held, queue.bytes);
    }
    queue.finish();
    while (takes.length < put) takes.push(queue.take());
    const items = (await Promise.all(takes)).map((batch) => batch?.[0]);
    assert.deepEqual(items.slice(0, put), [...Array(put).keys()]);
    assert.ok(held > 0);
  }
});

test("Queue.passed() waits until the consumer is done with a batch, or the end has come", async () => {
  const queue = opened();
  queue.put([1], 1);
  const passed = queue.passed(queue.position);
  assert.deepEqual(await queue.take(), [1]);
  assert.equal(await isSettled(passed), false, "the consumer works on it");
  queue.used();
  await passed;
  queue.put([2], 1);
  await queue.take();
  const cut = queue.passed(queue.position);
  assert.equal(await isSettled(cut), false);
  queue.finish();
  await cut;
});

test("Queue.passed() does not wait for a consumer that never comes once the end is there", async () => {
  const queue = opened();
  queue.put([1], 1);
  const passed = queue.passed(queue.position);
  assert.equal(await isSettled(passed), false);
  queue.finish();
  await passed;
});

test("Queue.take() gives what was put back before anything new, the latest first", async () => {
  const queue = opened();
  queue.put([1, 2, 3], 1);
  queue.put([9], 1);
  assert.deepEqual(await queue.take(), [1, 2, 3]);
  queue.putBack([3]);
  queue.putBack([]);
  queue.putBack([2]);
  assert.equal(queue.holds(2), true);
  assert.equal(queue.holds(9), false);
  assert.deepEqual(await queue.take(), [2, 3]);
  assert.equal(queue.holds(2), false);
  assert.deepEqual(await queue.take(), [9]);
});

test("Queue.putBack() serves a consumer that waits, and one after the end", async () => {
  const queue = opened();
  const waiting = queue.take();
  queue.putBack([1]);
  assert.deepEqual(await waiting, [1]);
  queue.finish();
  assert.equal(await queue.take(), undefined);
  queue.putBack([2]);
  assert.deepEqual(await queue.take(), [2]);
});

test("Queue.withdraw() ends takes that wait, and leaves the next batch to the next consumer", async () => {
  const queue = opened();
  const left = queue.take();
  queue.withdraw();
  assert.equal(await left, undefined);
  queue.put([1], 1);
  assert.deepEqual(await queue.take(), [1]);
});

test("Queue.withdraw() puts back a batch that is on its way", async () => {
  const queue = opened();
  const left = queue.take();
  queue.put([1], 1);
  queue.withdraw();
  assert.deepEqual(await queue.take(), [1]);
  assert.deepEqual(await left, [1]);
});

test("Queue.passed() waits for what was put back", async () => {
  const queue = opened();
  queue.put([1, 2], 1);
  await queue.take();
  queue.putBack([2]);
  queue.used();
  const passed = queue.passed(queue.position);
  assert.equal(await isSettled(passed), false);
  await queue.take();
  queue.used();
  await passed;
});
