import assert from "node:assert/strict";
import { test } from "../_harness.ts";
import { FakeClock } from "@sluice/agent/testing";

test("FakeClock.sleep() wakes when the clock has moved far enough and not before", async () => {
  const clock = new FakeClock(1_000);
  let woke = 0;
  const sleeping = clock.sleep(50).then(() => woke = clock.now());
  await clock.advance(49);
  assert.deepEqual([woke, clock.pending], [0, 1]);
  await clock.advance(1);
  assert.deepEqual([woke, clock.pending], [1_050, 0]);
  assert.deepEqual([clock.monotonic(), clock.now()], [50, 1_050]);
  await sleeping;
  for (const ms of [0, -5, Number.NaN]) await clock.sleep(ms);
});

test("FakeClock.advance() stops at each sleep on the way, in the order of their time, then of their start", async () => {
  const clock = new FakeClock(0);
  const order: (string | number)[] = [];
  const loop = (async () => {
    while (clock.now() < 50) {
      await clock.sleep(10);
      order.push(clock.now());
    }
  })();
  const all = [
    clock.sleep(25).then(() => order.push("late")),
    clock.sleep(15).then(() => order.push("early 1")),
    clock.sleep(15).then(() => order.push("early 2")),
  ];
  await clock.advance(35);
  await Promise.all(all);
  assert.deepEqual(order, [10, "early 1", "early 2", 20, "late", 30]);
  assert.equal(clock.now(), 35);
  await clock.advance(15);
  assert.deepEqual(order.slice(6), [40, 50]);
  await loop;
});

test("FakeClock.sleep() rejects with the signal's reason when it is aborted and forgets the sleep", async () => {
  const clock = new FakeClock();
  const controller = new AbortController();
  const reason = new Error("enough");
  const sleeping = clock.sleep(1_000, controller.signal);
  controller.abort(reason);
  for (const sleep of [sleeping, clock.sleep(0, controller.signal)]) {
    await assert.rejects(sleep, (error) => error === reason);
  }
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
