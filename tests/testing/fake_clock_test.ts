import assert from "node:assert/strict";
import { test } from "../_harness.ts";
import { FakeClock } from "@sluice/agent/testing";

test("FakeClock.sleep() wakes when the clock has moved far enough and not before", async () => {
  const clock = new FakeClock(1_000);
  let woke = 0;
  const sleeping = clock.sleep(50).then(() => woke = clock.now());
  await clock.advance(49);
  assert.equal(woke, 0);
  assert.equal(clock.pending, 1);
  await clock.advance(1);
  assert.equal(woke, 1_050);
  assert.equal(clock.pending, 0);
  await sleeping;
});

test("FakeClock.advance() stops at each sleep on the way, so that loops wake as often as in real time", async () => {
  const clock = new FakeClock(0);
  const seen: number[] = [];
  const loop = (async () => {
    while (seen.length < 5) {
      await clock.sleep(10);
      seen.push(clock.now());
    }
  })();
  await clock.advance(35);
  assert.deepEqual(seen, [10, 20, 30]);
  assert.equal(clock.now(), 35);
  await clock.advance(15);
  assert.deepEqual(seen, [10, 20, 30, 40, 50]);
  await loop;
});

test("FakeClock.sleep() wakes sleepers in the order of their time, then of their start", async () => {
  const clock = new FakeClock();
  const order: string[] = [];
  const all = [
    clock.sleep(20).then(() => order.push("late")),
    clock.sleep(10).then(() => order.push("early 1")),
    clock.sleep(10).then(() => order.push("early 2")),
  ];
  await clock.advance(100);
  await Promise.all(all);
  assert.deepEqual(order, ["early 1", "early 2", "late"]);
});

test("FakeClock.sleep() rejects with the signal's reason when it is aborted and forgets the sleep", async () => {
  const clock = new FakeClock();
  const controller = new AbortController();
  const reason = new Error("enough");
  const sleeping = clock.sleep(1_000, controller.signal);
  controller.abort(reason);
  await assert.rejects(sleeping, (error) => error === reason);
  assert.equal(clock.pending, 0);
  await assert.rejects(
    clock.sleep(0, controller.signal),
    (error) => error === reason,
  );
});

test("FakeClock.sleep() ends at once when there is nothing to wait for", async () => {
  const clock = new FakeClock();
  await clock.sleep(0);
  await clock.sleep(-5);
  await clock.sleep(Number.NaN);
  assert.equal(clock.pending, 0);
});

test("FakeClock.untilPending() resolves when the code under test has come to its wait", async () => {
  const clock = new FakeClock();
  let isReached = false;
  const reached = clock.untilPending(2).then(() => isReached = true);
  const first = clock.sleep(5);
  await clock.advance(0);
  assert.equal(isReached, false);
  const second = clock.sleep(5);
  await reached;
  await clock.untilPending();
  await clock.advance(5);
  await Promise.all([first, second]);
});

test("FakeClock.monotonic() counts from 0 what the test has moved it", async () => {
  const clock = new FakeClock(1_000);
  assert.equal(clock.monotonic(), 0);
  await clock.advance(35);
  assert.deepEqual([clock.monotonic(), clock.now()], [35, 1_035]);
});

test("FakeClock.sleep() leaves no listener on its signal", async () => {
  const clock = new FakeClock();
  const { signal } = new AbortController();
  const listeners = new Set<unknown>();
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...args: unknown[]) => {
    listeners.add(args[1]);
    Reflect.apply(addEventListener, signal, args);
  };
  signal.removeEventListener = (...args: unknown[]) => {
    listeners.delete(args[1]);
    Reflect.apply(removeEventListener, signal, args);
  };
  const sleeping = clock.sleep(5, signal);
  assert.equal(listeners.size, 1);
  await clock.advance(5);
  await sleeping;
  assert.equal(listeners.size, 0);
});
