import assert from "node:assert/strict";
import { Deferred } from "../../src/async/deferred.ts";
import { batchStream, singleStream } from "../../src/stream/iterate.ts";
import { Window } from "../../src/stream/window.ts";
import { test } from "../_harness.ts";

/** A window whose batches are handed out at once. */
function opened(
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
  const { window } = opened(batch, [3]);
  window.finish();
  const batches = await readAll(batchStream(window, stay));
  assert.deepEqual(batches, [[1, 2], [3]]);
  assert.equal(batches[0], batch);
});

test("singleStream() gives each item, and ends", async () => {
  const { window } = opened([1, 2], [3]);
  window.finish();
  assert.deepEqual(await readAll(singleStream(window, stay)), [1, 2, 3]);
});

test("batchStream() and singleStream() throw the error after everything before it", async () => {
  for (const toStream of [batchStream, singleStream]) {
    const { window } = opened([1], [2]);
    window.finish(new RangeError("broken"));
    const reader = (toStream(window, stay) as ReadableStream).getReader();
    await reader.read();
    await reader.read();
    await assert.rejects(reader.read(), RangeError);
  }
});

test("batchStream() and singleStream() take nothing before somebody reads, and one batch per need", async () => {
  for (const toStream of [batchStream, singleStream]) {
    const { window } = opened([1], [2], [3]);
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
