import assert from "node:assert/strict";
import { Deferred } from "@sluice/agent/extend";
import {
  BatchIterator,
  batchStream,
  singleStream,
} from "../../src/stream/iterate.ts";
import { type BatchSource, Queue } from "../../src/stream/queue.ts";
import { test } from "../_harness.ts";
import { randomFrom } from "../options/_random.ts";

interface Rig {
  readonly queue: Queue<number>;
  readonly iterator: BatchIterator<number>;
  /** Returned values, by call. */
  readonly left: readonly (readonly number[])[];
}

function rig(...batches: readonly number[][]): Rig {
  const queue = new Queue<number>();
  queue.open();
  for (const batch of batches) queue.put(batch, 1);
  const left: (readonly number[])[] = [];
  const iterator = new BatchIterator(queue, (rest) => {
    left.push(rest);
    return Promise.resolve();
  });
  return { queue, iterator, left };
}

test("BatchIterator.next() keeps the order for random calls against random batches", async () => {
  const random = randomFrom(31);
  for (let round = 0; round < 50; round++) {
    const { queue, iterator } = rig();
    const calls: Promise<IteratorResult<number>>[] = [];
    let put = 0;
    while (put < 40) {
      if (random() < 0.6) calls.push(iterator.next());
      if (random() < 0.3) {
        const size = 1 + Math.floor(random() * 4);
        queue.put(Array.from({ length: size }, () => put++), 1);
      }
      if (random() < 0.3) await Promise.resolve();
    }
    queue.finish();
    while (calls.length < put) calls.push(iterator.next());
    const values = (await Promise.all(calls)).map(({ value }) => value);
    assert.deepEqual(values.slice(0, put), [...Array(put).keys()]);
  }
});

test("BatchIterator.return() gives the rest of the batch back and ends", async () => {
  const { iterator, left } = rig([1, 2, 3], [4]);
  for await (const item of iterator) if (item === 1) break;
  assert.deepEqual(left, [[2, 3]]);
  assert.equal((await iterator.next()).done, true);
  assert.deepEqual(await iterator.return(), { value: undefined, done: true });
});

test("BatchIterator.return() ends calls that wait, and leaves the batch on its way to the queue", async () => {
  const queue = opened<number>();
  const iterator = new BatchIterator(queue, () => {
    queue.withdraw();
    return Promise.resolve();
  });
  const pending = [iterator.next(), iterator.next()];
  // Handed over, and not received yet.
  queue.put([1, 2], 1);
  await iterator.return();
  for (const one of pending) assert.equal((await one).done, true);
  assert.deepEqual(await queue.take(), [1, 2]);
});

test("BatchIterator.return() waits for the consumer of the rest", async () => {
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

function opened<T>(...batches: readonly T[][]): Queue<T> {
  const queue = new Queue<T>();
  queue.open();
  for (const batch of batches) queue.put(batch, 1);
  return queue;
}

/** A queue whose batches are handed out at once. */
function counted(
  ...batches: readonly number[][]
): { readonly queue: Queue<number>; demands: number } {
  const seen = {
    queue: new Queue<number>(),
    demands: 0,
  };
  seen.queue.connect({
    demanded: () => void seen.demands++,
    waitEnded: () => {},
  });
  seen.queue.open();
  for (const batch of batches) seen.queue.put(batch, 1);
  return seen;
}

const stay = () => Promise.resolve();

test("batchStream() and singleStream() consume nothing before a read, and one batch on demand", async () => {
  for (const toStream of [batchStream, singleStream]) {
    const { queue } = counted([1], [2], [3]);
    const stream = toStream(queue, stay) as ReadableStream;
    await Promise.resolve();
    assert.equal(queue.demands, 0);
    const reader = stream.getReader();
    await reader.read();
    await Promise.resolve();
    assert.equal(queue.demands, 1);
    await reader.cancel();
  }
});

test("batchStream() and singleStream() leave what comes after they were cancelled to the queue", async () => {
  for (const toStream of [batchStream<number>, singleStream<number>]) {
    const asked = new Deferred<void>();
    const queue = new Queue<number>();
    queue.connect({ demanded: () => asked.resolve(), waitEnded: () => {} });
    queue.open();
    const stream = toStream(queue, () => {
      queue.withdraw();
      return Promise.resolve();
    }) as ReadableStream;
    const reader = stream.getReader();
    const pending = reader.read();
    await asked.promise;
    await reader.cancel();
    assert.equal((await pending).done, true);
    queue.put([1, 2], 1);
    assert.deepEqual(await queue.take(), [1, 2]);
    assert.equal((await reader.read()).done, true);
  }
});
