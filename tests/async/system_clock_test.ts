import assert from "node:assert/strict";
import { LONGEST_TIMER_MS, systemClock } from "../../src/async/system_clock.ts";
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
