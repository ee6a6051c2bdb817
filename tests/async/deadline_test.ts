import assert from "node:assert/strict";
import {
  type Deadline,
  Deadlines,
  withTimeout,
} from "../../src/async/deadline.ts";
import { FakeClock } from "@sluice/agent/testing";
import { test } from "../_harness.ts";
import { isSettled, nextTurn } from "../_turn.ts";
import { randomFrom } from "../options/_random.ts";

function rig(): {
  readonly clock: FakeClock;
  readonly deadlines: Deadlines;
  readonly passed: string[];
  add(name: string, ms: number): Deadline;
} {
  const clock = new FakeClock(0);
  const deadlines = new Deadlines(clock);
  const passed: string[] = [];
  return {
    clock,
    deadlines,
    passed,
    add: (name, ms) =>
      deadlines.add(ms, () => passed.push(`${name} at ${clock.now()}`)),
  };
}

test("Deadlines passes each limit once, at its time, whatever lengths there are", async () => {
  const { clock, passed, add } = rig();
  add("long", 500);
  add("short", 100);
  add("middle", 250);
  await clock.advance(100);
  add("second short", 100);
  await clock.advance(1_000);
  assert.deepEqual(passed, [
    "short at 100",
    "second short at 200",
    "middle at 250",
    "long at 500",
  ]);
  assert.equal(clock.pending, 0);
});

test("Deadlines keeps one timer, however many limits there are", async () => {
  const { clock, add, passed } = rig();
  for (let i = 0; i < 1_000; i++) add(`${i}`, 100 + i % 7);
  await nextTurn();
  assert.equal(clock.pending, 1);
  await clock.advance(106);
  assert.equal(passed.length, 1_000);
});

test("Deadlines: a limit of no time passes in the next turn, an endless one never", async () => {
  const { clock, passed, add } = rig();
  add("endless", Infinity);
  assert.equal(clock.pending, 0);
  add("none", 0);
  assert.deepEqual(passed, []);
  await nextTurn();
  assert.deepEqual(passed, ["none at 0"]);
  await clock.advance(1e12);
  assert.equal(passed.length, 1);
});

test("Deadlines agrees with a plain list, however limits are added and cancelled", async () => {
  const random = randomFrom(107);
  const { clock, deadlines } = rig();
  const passed = new Map<number, number>();
  const expected = new Map<number, number>();
  const open: { id: number; deadline: Deadline; at: number }[] = [];
  for (let id = 0; id < 600; id++) {
    const ms = 1 + Math.floor(random() * 12) * 10;
    const at = clock.now() + ms;
    const deadline = deadlines.add(ms, () => passed.set(id, clock.now()));
    open.push({ id, deadline, at });
    expected.set(id, at);
    if (random() < 0.4) {
      const one = open[Math.floor(random() * open.length)];
      if (one !== undefined && one.at > clock.now()) expected.delete(one.id);
      one?.deadline.cancel();
    }
    if (random() < 0.2) await clock.advance(Math.floor(random() * 30));
  }
  await clock.advance(1_000);
  assert.deepEqual(
    [...passed].sort(([a], [b]) => a - b),
    [...expected].sort(([a], [b]) => a - b),
  );
  assert.ok(passed.size > 200 && passed.size < 600);
  assert.equal(clock.pending, 0);
});

test("withTimeout() gives what the work gives, and leaves neither timer nor listener", async () => {
  const clock = new FakeClock();
  const controller = new AbortController();
  const init = {
    clock,
    ms: 100,
    signal: controller.signal,
    onTimeout: () => new Error("late"),
  };
  let inner: AbortSignal | undefined;
  const value = await withTimeout((signal) => {
    inner = signal;
    return Promise.resolve(7);
  }, init);
  assert.equal(value, 7);
  await assert.rejects(
    withTimeout(() => Promise.reject(new RangeError("work")), init),
    RangeError,
  );
  await assert.rejects(
    withTimeout(() => {
      throw new TypeError("at once");
    }, init),
    TypeError,
  );
  assert.equal(clock.pending, 0);
  controller.abort();
  await clock.advance(1_000);
  assert.equal(inner?.aborted, false);
});

test("withTimeout() rejects with the limit's error and aborts the work, without waiting for it", async () => {
  const clock = new FakeClock();
  const late = new RangeError("late");
  let inner: AbortSignal | undefined;
  const running = withTimeout((signal) => {
    inner = signal;
    return new Promise<never>(() => {});
  }, { clock, ms: 100, onTimeout: () => late });
  await clock.advance(99);
  assert.equal(await isSettled(running), false);
  const rejected = assert.rejects(running, (error) => error === late);
  await clock.advance(1);
  await rejected;
  assert.equal(inner?.reason, late);
});

test("withTimeout() rejects with the signal's reason, before the work and during it", async () => {
  const clock = new FakeClock();
  const reason = new RangeError("aborted");
  const init = { clock, ms: 100, onTimeout: () => new Error("late") };
  let ran = false;
  const work = () => {
    ran = true;
    return Promise.resolve();
  };
  await assert.rejects(
    withTimeout(work, { ...init, signal: AbortSignal.abort(reason) }),
    (error) => error === reason,
  );
  assert.equal(ran, false);
  const controller = new AbortController();
  const running = withTimeout(
    () => new Promise<never>(() => {}),
    { ...init, signal: controller.signal },
  );
  controller.abort(reason);
  await assert.rejects(running, (error) => error === reason);
  assert.equal(clock.pending, 0);
});
