import assert from "node:assert/strict";
import { Deferred } from "../../src/async/deferred.ts";
import {
  BatchIterator,
  batchStream,
  PutBack,
  singleStream,
} from "../../src/stream/iterate.ts";
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

function opened<T>(...batches: readonly T[][]): Window<T> {
  const window = new Window<T>(() => {});
  window.open();
  for (const batch of batches) window.put(batch, 1);
  return window;
}

test("PutBack.take() gives what was put back before anything new", async () => {
  const source = new PutBack(opened([1, 2, 3], [4]));
  const batch = await source.take() ?? [];
  source.putBack(batch.slice(1));
  assert.deepEqual(await source.take(), [2, 3]);
  assert.deepEqual(await source.take(), [4]);
});

test("PutBack.putBack() puts later returns in front of earlier ones, and ignores nothing at all", async () => {
  const source = new PutBack(opened([9]));
  source.putBack([3, 4]);
  source.putBack([1, 2]);
  source.putBack([]);
  assert.deepEqual(await source.take(), [1, 2, 3, 4]);
  assert.deepEqual(await source.take(), [9]);
});

test("PutBack.holds() tells what was put back and not taken again", async () => {
  const [one, two] = [{ n: 1 }, { n: 2 }];
  const source = new PutBack(opened([one, two]));
  assert.equal(source.holds(one), false);
  source.putBack((await source.take())?.slice(1) ?? []);
  assert.equal(source.holds(one), false);
  assert.equal(source.holds(two), true);
  await source.take();
  assert.equal(source.holds(two), false);
});

test("PutBack.take() waits for a batch that was given up on its way, and gives it first", async () => {
  const window = opened<string>();
  const source = new PutBack(window);
  const givenUp = source.take().then((batch) => source.putBack(batch ?? []));
  const next = source.take();
  window.put(["first"], 1);
  window.put(["second"], 1);
  await givenUp;
  assert.deepEqual(await next, ["first"]);
  assert.deepEqual(await source.take(), ["second"]);
});

test("PutBack.take() gives several callers at once their batches in order", async () => {
  const window = opened<number>();
  const source = new PutBack(window);
  const takes = [source.take(), source.take(), source.take()];
  for (const n of [1, 2, 3]) window.put([n], 1);
  assert.deepEqual(await Promise.all(takes), [[1], [2], [3]]);
});

test("PutBack.take() passes the end and the error on, and works after an error", async () => {
  const window = opened<number>([1]);
  const source = new PutBack(window);
  window.finish(new RangeError("broken"));
  assert.deepEqual(await source.take(), [1]);
  await assert.rejects(source.take(), RangeError);
  assert.equal(await source.take(), undefined);
  source.putBack([1]);
  assert.deepEqual(await source.take(), [1]);
  assert.equal(await source.take(), undefined);
});

test("PutBack.take() gives what is put back while it waits, and the batch on its way after that", async () => {
  const window = opened<number>();
  const source = new PutBack(window);
  const waiting = source.take();
  await Promise.resolve();
  source.putBack([1]);
  assert.deepEqual(await waiting, [1]);
  window.put([2], 1);
  assert.deepEqual(await source.take(), [2]);
});

test("PutBack.take() keeps the order when the one before puts back some turns late", async () => {
  const window = opened<number>();
  const source = new PutBack(window);
  const late = (async () => {
    const batch = await source.take() ?? [];
    for (let i = 0; i < 5; i++) await Promise.resolve();
    source.putBack(batch);
  })();
  const next = source.take();
  window.put([1], 1);
  await late;
  assert.deepEqual(await next, [1]);
  window.put([2], 1);
  assert.deepEqual(await source.take(), [2]);
});

test("PutBack.take() tells the next caller of an error that came while nobody waited", async () => {
  const window = opened<number>();
  const source = new PutBack(window);
  const first = source.take();
  await Promise.resolve();
  source.putBack([1]);
  await first;
  window.finish(new RangeError("broken"));
  await assert.rejects(source.take(), RangeError);
  assert.equal(await source.take(), undefined);
});

/** A window whose batches are handed out at once. */
function counted(
  ...batches: readonly number[][]
): { readonly window: Window<number>; demands: number } {
  const seen = {
    window: new Window<number>(() => void seen.demands++),
    demands: 0,
  };
  seen.window.open();
  for (const batch of batches) seen.window.put(batch, 1);
  return seen;
}

async function readAll<T>(stream: ReadableStream<T>): Promise<T[]> {
  const items: T[] = [];
  const reader = stream.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return items;
    items.push(value);
  }
}

const stay = () => Promise.resolve();

test("batchStream() gives each batch as it is, and ends", async () => {
  const batch = [1, 2];
  const { window } = counted(batch, [3]);
  window.finish();
  const batches = await readAll(batchStream(window, stay));
  assert.deepEqual(batches, [[1, 2], [3]]);
  assert.equal(batches[0], batch);
});

test("singleStream() gives each item, and ends", async () => {
  const { window } = counted([1, 2], [3]);
  window.finish();
  assert.deepEqual(await readAll(singleStream(window, stay)), [1, 2, 3]);
});

test("batchStream() and singleStream() throw the error after everything before it", async () => {
  for (const toStream of [batchStream, singleStream]) {
    const { window } = counted([1], [2]);
    window.finish(new RangeError("broken"));
    const reader = (toStream(window, stay) as ReadableStream).getReader();
    await reader.read();
    await reader.read();
    await assert.rejects(reader.read(), RangeError);
  }
});

test("batchStream() and singleStream() take nothing before somebody reads, and one batch per need", async () => {
  for (const toStream of [batchStream, singleStream]) {
    const { window } = counted([1], [2], [3]);
    const stream = toStream(window, stay) as ReadableStream;
    await Promise.resolve();
    assert.equal(window.demands, 0);
    const reader = stream.getReader();
    await reader.read();
    await Promise.resolve();
    assert.equal(window.demands, 1);
    await reader.cancel();
  }
});

test("batchStream() and singleStream() give back what comes after they were cancelled", async () => {
  for (const toStream of [batchStream<number>, singleStream<number>]) {
    const asked = new Deferred<void>();
    const window = new Window<number>(() => asked.resolve());
    window.open();
    const left: (readonly number[])[] = [];
    const late = new Deferred<void>();
    const stream = toStream(window, (rest) => {
      left.push(rest);
      if (rest.length > 0) late.resolve();
      return Promise.resolve();
    }) as ReadableStream;
    const reader = stream.getReader();
    const pending = reader.read();
    await asked.promise;
    await reader.cancel();
    assert.equal((await pending).done, true);
    assert.deepEqual(left, [[]]);
    window.put([1, 2], 1);
    await late.promise;
    assert.deepEqual(left, [[], [1, 2]]);
    assert.equal((await reader.read()).done, true);
  }
});

test("PutBack.used() says nothing while items are held that were put back", async () => {
  let used = 0;
  const source = new PutBack<number>({
    take: () => Promise.resolve([1, 2]),
    used: () => void used++,
  });
  await source.take();
  source.putBack([2]);
  source.used();
  assert.equal(used, 0);
  assert.deepEqual(await source.take(), [2]);
  source.used();
  assert.equal(used, 1);
});
