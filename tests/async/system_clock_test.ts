import { systemClock } from "@sluice/agent/extend";
import assert from "node:assert/strict";
import { fullClock, LONGEST_TIMER_MS } from "../../src/async/system_clock.ts";
import { test } from "../_harness.ts";
import { isSettled } from "../_turn.ts";

test("systemClock.now() is the time of this machine", () => {
  const before = Date.now();
  const now = systemClock.now();
  assert.ok(before <= now && now <= Date.now());
});

test("systemClock.sleep() wakes by itself, at once for no time and less", async () => {
  const before = Date.now();
  await systemClock.sleep(20);
  assert.ok(Date.now() - before >= 19);
  await systemClock.sleep(0);
  await systemClock.sleep(-5);
});

test("systemClock.sleep() rejects with the signal's reason, and leaves neither timer nor listener", async () => {
  const reason = new RangeError("enough");
  const isReason = (error: unknown) => error === reason;
  await assert.rejects(
    systemClock.sleep(60_000, AbortSignal.abort(reason)),
    isReason,
  );
  const controller = new AbortController();
  const sleeping = systemClock.sleep(60_000, controller.signal);
  await systemClock.sleep(1, controller.signal);
  controller.abort(reason);
  await assert.rejects(sleeping, isReason);
});

test("systemClock.sleep() sleeps no shorter for more than a timer takes", async () => {
  for (const ms of [LONGEST_TIMER_MS + 1, 1e15, Infinity]) {
    const controller = new AbortController();
    const sleeping = systemClock.sleep(ms, controller.signal);
    assert.equal(await isSettled(sleeping), false);
    controller.abort();
    await assert.rejects(sleeping);
  }
});

test("systemClock.monotonic() does not follow the time of day, and counts whole milliseconds", async () => {
  const now = Date.now;
  const before = systemClock.monotonic();
  Date.now = () => now() - 3_600_000;
  try {
    assert.ok(systemClock.now() < now() - 3_500_000);
    await systemClock.sleep(20);
    const passedMs = systemClock.monotonic() - before;
    assert.ok(Number.isInteger(passedMs));
    assert.ok(passedMs >= 19 && passedMs < 60_000, `${passedMs} ms`);
  } finally {
    Date.now = now;
  }
});

test("fullClock() counts by the one time of a clock that has no other, and takes any other as it is", async () => {
  assert.equal(fullClock(systemClock), systemClock);
  const slept: unknown[] = [];
  const clock = fullClock({
    now: () => 7,
    sleep: (...given) => {
      slept.push(...given);
      return Promise.resolve();
    },
  });
  const { signal } = new AbortController();
  await clock.sleep(5, signal);
  assert.deepEqual([clock.now(), clock.monotonic(), ...slept], [
    7,
    7,
    5,
    signal,
  ]);
});
