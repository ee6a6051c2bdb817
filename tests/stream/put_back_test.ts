import assert from "node:assert/strict";
import { PutBack } from "../../src/stream/iterate.ts";
import { Window } from "../../src/stream/window.ts";
import { test } from "../_harness.ts";

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
