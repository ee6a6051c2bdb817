import assert from "node:assert/strict";
import { Deferred } from "../../src/async/deferred.ts";
import { settleWithin } from "../../src/async/deadline.ts";
import { FakeClock } from "../../src/testing/fake_clock.ts";
import { test } from "../_harness.ts";
import { isSettled, nextTurn } from "../_turn.ts";

test("settleWithin() gives what the promise gives in time, and leaves no timer", async () => {
  const clock = new FakeClock();
  const work = new Deferred<number>();
  const waiting = settleWithin(work.promise, 100, clock);
  await clock.advance(99);
  work.resolve(7);
  assert.equal(await waiting, 7);
  assert.equal(clock.pending, 0);
  const broken = settleWithin(Promise.reject(new RangeError()), 100, clock);
  await assert.rejects(broken, RangeError);
  assert.equal(clock.pending, 0);
});

test("settleWithin() gives undefined when the time is up, whatever comes later", async () => {
  const clock = new FakeClock();
  const work = new Deferred<number>();
  const waiting = settleWithin(work.promise, 100, clock);
  await clock.advance(99);
  assert.equal(await isSettled(waiting), false);
  await clock.advance(1);
  assert.equal(await waiting, undefined);
  work.reject(new Error("nobody hears it"));
  await nextTurn();
});
