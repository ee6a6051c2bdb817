import assert from "node:assert/strict";
import { BatchIterator } from "../../src/stream/iterate.ts";
import { type BatchSource, Window } from "../../src/stream/window.ts";
import { test } from "../_harness.ts";
import { randomFrom } from "../options/_random.ts";

interface Rig {
  readonly window: Window<number>;
  readonly iterator: BatchIterator<number>;
  /** What was given back, by call. */
  readonly left: readonly (readonly number[])[];
}

function rig(...batches: readonly number[][]): Rig {
  const window = new Window<number>(() => {});
  window.open();
  for (const batch of batches) window.put(batch, 1);
  const left: (readonly number[])[] = [];
  const iterator = new BatchIterator(window, (rest) => {
    left.push(rest);
    return Promise.resolve();
  });
  return { window, iterator, left };
}

test("BatchIterator gives the items of all batches, in order, and ends for good", async () => {
  const { window, iterator, left } = rig([1, 2, 3], [4], [5, 6]);
  window.finish();
  const items: number[] = [];
  for await (const item of iterator) items.push(item);
  assert.deepEqual(items, [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(await iterator.next(), { value: undefined, done: true });
  assert.deepEqual(left, []);
});

test("BatchIterator.next() asks the source only when its batch is over", async () => {
  const { window, iterator } = rig([1, 2], [3]);
  assert.equal(window.demands, 0);
  await iterator.next();
  await iterator.next();
  assert.equal(window.demands, 1);
  await iterator.next();
  assert.equal(window.demands, 2);
});

test("BatchIterator.next() answers calls in their order, however many wait", async () => {
  const { window, iterator } = rig();
  const calls = Array.from({ length: 7 }, () => iterator.next());
  window.put([1, 2], 1);
  await calls[0];
  // A call that comes now stands behind those that wait.
  calls.push(iterator.next());
  window.put([3], 1);
  window.put([4, 5, 6, 7], 1);
  window.put([8], 1);
  window.finish();
  const results = await Promise.all(calls);
  assert.deepEqual(results.map(({ value }) => value), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.equal((await iterator.next()).done, true);
});

test("BatchIterator.next() keeps the order for random calls against random batches", async () => {
  const random = randomFrom(31);
  for (let round = 0; round < 50; round++) {
    const { window, iterator } = rig();
    const calls: Promise<IteratorResult<number>>[] = [];
    let put = 0;
    while (put < 40) {
      if (random() < 0.6) calls.push(iterator.next());
      if (random() < 0.3) {
        const size = 1 + Math.floor(random() * 4);
        window.put(Array.from({ length: size }, () => put++), 1);
      }
      if (random() < 0.3) await Promise.resolve();
    }
    window.finish();
    while (calls.length < put) calls.push(iterator.next());
    const values = (await Promise.all(calls)).map(({ value }) => value);
    assert.deepEqual(values.slice(0, put), [...Array(put).keys()]);
  }
});

test("BatchIterator throws the error once, after everything before it", async () => {
  const { window, iterator, left } = rig([1]);
  window.finish(new RangeError("broken"));
  assert.equal((await iterator.next()).value, 1);
  const [first, second] = [iterator.next(), iterator.next()];
  await assert.rejects(first, RangeError);
  assert.equal((await second).done, true);
  assert.deepEqual(left, []);
});

test("BatchIterator.return() gives the rest of the batch back and ends", async () => {
  const { iterator, left } = rig([1, 2, 3], [4]);
  for await (const item of iterator) if (item === 1) break;
  assert.deepEqual(left, [[2, 3]]);
  assert.equal((await iterator.next()).done, true);
  assert.deepEqual(await iterator.return(), { value: undefined, done: true });
});

test("BatchIterator.return() ends calls that wait, and gives back a batch that comes for them", async () => {
  const { window, iterator, left } = rig();
  const calls = [iterator.next(), iterator.next()];
  await iterator.return();
  assert.deepEqual(left, [[]]);
  window.put([1, 2], 1);
  const results = await Promise.all(calls);
  assert.deepEqual(results.map(({ done }) => done), [true, true]);
  assert.deepEqual(left, [[], [1, 2]]);
});

test("BatchIterator.return() waits for whoever takes the rest", async () => {
  let isClosed = false;
  const source: BatchSource<number> = {
    take: () => Promise.resolve([1, 2]),
  };
  const iterator = new BatchIterator(source, async () => {
    await Promise.resolve();
    isClosed = true;
  });
  await iterator.next();
  await iterator.return();
  assert.equal(isClosed, true);
});
