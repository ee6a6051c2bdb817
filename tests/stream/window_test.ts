import assert from "node:assert/strict";
import { Window } from "../../src/stream/window.ts";
import { test } from "../_harness.ts";
import { isSettled } from "../_turn.ts";
import { randomFrom } from "../options/_random.ts";

/** A window that is open already, unless told otherwise. */
function opened(): Window<number> {
  const window = new Window<number>(() => {});
  window.open();
  return window;
}

test("Window.take() gives batches in the order they were put, held or not", async () => {
  const window = opened();
  window.put([1], 1);
  window.put([2], 1);
  assert.deepEqual(await window.take(), [1]);
  const takes = [window.take(), window.take(), window.take()];
  window.put([3], 1);
  window.put([4], 1);
  assert.deepEqual(await Promise.all(takes), [[2], [3], [4]]);
});

test("Window hands nothing out before open()", async () => {
  const window = new Window<number>(() => {});
  window.put([1], 1);
  const [first, second] = [window.take(), window.take()];
  assert.equal(await isSettled(first), false);
  assert.equal(window.isWaited, false);
  window.open();
  assert.deepEqual(await first, [1]);
  assert.equal(window.isWaited, true);
  window.put([2], 1);
  assert.deepEqual(await second, [2]);
});

test("Window.cut() before open() lets nothing through but the error", async () => {
  const window = new Window<number>(() => {});
  const waiting = window.take();
  window.put([1], 1);
  window.cut({ error: new RangeError("no start") });
  await assert.rejects(waiting, RangeError);
  assert.equal(await window.take(), undefined);
});

test("Window.finish() ends after what is held, and lets nothing more in", async () => {
  const window = opened();
  window.put([1], 1);
  window.finish();
  window.put([2], 1);
  window.finish(new RangeError("too late"));
  assert.deepEqual(await window.take(), [1]);
  assert.equal(await window.take(), undefined);
  assert.equal(await window.take(), undefined);
});

test("Window.finish(error) throws after what is held, once", async () => {
  const window = opened();
  window.put([1], 1);
  window.put([2], 1);
  const takes = [window.take(), window.take(), window.take(), window.take()];
  window.finish(new RangeError("broken"));
  assert.deepEqual(await takes[0], [1]);
  assert.deepEqual(await takes[1], [2]);
  await assert.rejects(takes[2] ?? Promise.resolve(), RangeError);
  assert.equal(await takes[3], undefined);
});

test("Window.cut() drops what is held and ends or throws at once", async () => {
  for (const error of [undefined, new RangeError("aborted")]) {
    const window = opened();
    window.put([1], 5);
    window.put([2], 6);
    window.cut(error === undefined ? {} : { error });
    assert.equal(window.bytes, 0);
    assert.equal(window.isEmpty, true);
    if (error !== undefined) await assert.rejects(window.take(), error);
    assert.equal(await window.take(), undefined);
  }
});

test("Window.cut() throws any reason, undefined too, and cuts off a finish that was not handed over", async () => {
  const window = opened();
  window.cut({ error: undefined });
  await assert.rejects(window.take(), (reason) => reason === undefined);
  const other = opened();
  other.put([1], 1);
  other.finish(new RangeError("broken"));
  other.cut({ error: new TypeError("aborted") });
  await assert.rejects(other.take(), TypeError);
});

test("Window.bytes counts what is held and what the consumer works on", async () => {
  const window = opened();
  window.put([1], 10);
  window.put([2], 5);
  assert.equal(window.bytes, 15);
  await window.take();
  assert.equal(window.bytes, 15);
  assert.equal(window.isEmpty, false);
  await window.take();
  assert.equal(window.bytes, 5);
  assert.equal(window.isEmpty, true);
  const waiting = window.take();
  assert.equal(window.bytes, 0);
  window.put([3], 7);
  assert.equal(window.bytes, 7);
  await waiting;
});

test("Window makes a batch when it is taken, not before, and each one once", async () => {
  const window = opened();
  const made: number[] = [];
  for (const n of [1, 2, 3]) {
    window.put(() => {
      made.push(n);
      return [n];
    }, n);
  }
  window.put([4], 4);
  assert.deepEqual(made, []);
  assert.equal(window.bytes, 10);
  for (const n of [1, 2, 3, 4]) {
    assert.deepEqual(await window.take(), [n]);
    assert.deepEqual(made, [1, 2, 3].slice(0, n));
  }
});

test("Window skips batches that turn out empty, and frees their bytes", async () => {
  const window = opened();
  window.put(() => [], 5);
  window.put([], 5);
  window.put(() => [1], 3);
  window.put(() => [], 5);
  assert.equal(window.bytes, 18);
  assert.deepEqual(await window.take(), [1]);
  assert.equal(window.bytes, 8);
  const waiting = window.take();
  assert.equal(window.bytes, 0);
  assert.equal(window.isWaited, true);
  window.put(() => [], 9);
  assert.equal(window.bytes, 0);
  window.finish();
  assert.equal(await waiting, undefined);
});

test("Window tells of demand only when somebody has to wait, and of each hand-over", async () => {
  const told: string[] = [];
  const window = new Window<number>(
    () => told.push("demand"),
    () => told.push("hand-over"),
  );
  window.open();
  window.put([1], 1);
  await window.take();
  assert.deepEqual(told, ["hand-over"]);
  const waiting = window.take();
  assert.deepEqual(told, ["hand-over", "demand"]);
  assert.equal(window.isWaited, true);
  window.put([2], 1);
  assert.equal(window.isWaited, false);
  await waiting;
  assert.deepEqual(told, ["hand-over", "demand", "hand-over"]);
  assert.equal(window.demands, 2);
});

test("Window tells of demand before open() too, since the start may hang on it", () => {
  let demands = 0;
  const window = new Window<number>(() => void demands++);
  window.take();
  assert.equal(demands, 1);
});

test("Window.drained resolves when the end was handed over", async () => {
  const window = opened();
  window.put([1], 1);
  await window.take();
  window.put([2], 1);
  window.finish();
  assert.equal(await isSettled(window.drained), false);
  await window.take();
  assert.equal(await isSettled(window.drained), false);
  await window.take();
  assert.equal(await isSettled(window.drained), true);
});

test("Window.drained resolves at once when nobody ever asked, and at a cut", async () => {
  const unread = opened();
  unread.put([1], 1);
  unread.finish();
  assert.equal(await isSettled(unread.drained), true);
  const cut = opened();
  cut.put([1], 1);
  await cut.take();
  cut.put([2], 1);
  cut.cut();
  assert.equal(await isSettled(cut.drained), true);
});

test("Window keeps the order when a batch that is being made adds another, or asks for one", async () => {
  const window = opened();
  let inner: Promise<readonly number[] | undefined> | undefined;
  window.put(() => {
    window.put([3], 1);
    inner = window.take();
    return [1];
  }, 1);
  window.put([2], 1);
  const outer = window.take();
  assert.deepEqual(await outer, [1]);
  assert.deepEqual(await inner, [2]);
  assert.deepEqual(await window.take(), [3]);
});

test("Window gives everything that is held when a batch that is being made ends it", async () => {
  const window = opened();
  window.put(() => {
    window.finish(new RangeError("broken"));
    return [];
  }, 1);
  window.put([2], 1);
  window.put([3], 1);
  assert.deepEqual(await window.take(), [2]);
  assert.deepEqual(await window.take(), [3]);
  await assert.rejects(window.take(), RangeError);
});

test("Window drops a batch during whose making it is cut", async () => {
  const window = opened();
  window.put(() => {
    window.cut({ error: new RangeError("aborted") });
    return [1];
  }, 4);
  window.put([2], 1);
  await assert.rejects(window.take(), RangeError);
  assert.equal(window.bytes, 0);
  assert.equal(await window.take(), undefined);
});

test("Window agrees with a plain list, however puts and takes are mixed", async () => {
  const random = randomFrom(43);
  for (let round = 0; round < 20; round++) {
    const window = opened();
    const takes: Promise<readonly number[] | undefined>[] = [];
    let [put, held] = [0, 0];
    for (let step = 0; step < 2_000; step++) {
      if (random() < 0.5) {
        const item = put++;
        window.put(random() < 0.5 ? [item] : () => [item], 1);
        if (random() < 0.1) window.put(() => [], 1);
      } else takes.push(window.take());
      held = Math.max(held, window.bytes);
    }
    window.finish();
    while (takes.length < put) takes.push(window.take());
    const items = (await Promise.all(takes)).map((batch) => batch?.[0]);
    assert.deepEqual(items.slice(0, put), [...Array(put).keys()]);
    assert.ok(held > 0);
  }
});

test("Window keeps the order over thousands of batches, some of which are always held", async () => {
  const window = opened();
  const count = 10_000;
  for (let n = 0; n < 600; n++) window.put([n], 1);
  for (let n = 0; n < count; n++) {
    assert.deepEqual(await window.take(), [n]);
    window.put([n + 600], 1);
    assert.equal(window.bytes, 601);
  }
});

test("Window.passed() waits until the consumer is done with a batch, or the end has come", async () => {
  const window = opened();
  window.put([1], 1);
  const passed = window.passed(window.position);
  assert.deepEqual(await window.take(), [1]);
  assert.equal(await isSettled(passed), false, "the consumer works on it");
  window.used();
  await passed;
  window.put([2], 1);
  await window.take();
  const cut = window.passed(window.position);
  assert.equal(await isSettled(cut), false);
  window.finish();
  await cut;
});

test("Window.passed() does not wait for a consumer that never comes once the end is there", async () => {
  const window = opened();
  window.put([1], 1);
  const passed = window.passed(window.position);
  assert.equal(await isSettled(passed), false);
  window.finish();
  await passed;
});
