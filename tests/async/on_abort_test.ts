import assert from "node:assert/strict";
import { Deferred, joinSignals, unlessAborted } from "@sluice/agent/extend";
import { onAbort } from "../../src/async/on_abort.ts";
import { test } from "../_harness.ts";
import { isSettled, nextTurn } from "../_turn.ts";

/** A signal that counts its listeners. */
function counted(): {
  readonly controller: AbortController;
  readonly signal: AbortSignal;
  readonly listeners: () => number;
} {
  const controller = new AbortController();
  const { signal } = controller;
  let listeners = 0;
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    listeners++;
    addEventListener.apply(signal, args);
  };
  signal.removeEventListener = (
    ...args: Parameters<typeof removeEventListener>
  ) => {
    listeners--;
    removeEventListener.apply(signal, args);
  };
  return { controller, signal, listeners: () => listeners };
}

test("onAbort() calls everyone back, in order, behind one listener", () => {
  const { controller, listeners } = counted();
  const called: number[] = [];
  for (let i = 0; i < 100; i++) {
    onAbort(controller.signal, () => called.push(i));
  }
  assert.equal(listeners(), 1);
  controller.abort();
  assert.deepEqual(called, Array.from({ length: 100 }, (_, i) => i));
});

test("onAbort() forgets who left, and leaves no listener when the last one did", () => {
  const { controller, listeners } = counted();
  const called: string[] = [];
  const same = () => called.push("same");
  const leave = [
    onAbort(controller.signal, same),
    onAbort(controller.signal, same),
  ];
  leave[0]?.();
  leave[0]?.();
  assert.equal(listeners(), 1);
  leave[1]?.();
  assert.equal(listeners(), 0);
  onAbort(controller.signal, () => called.push("later"));
  controller.abort();
  assert.deepEqual(called, ["later"]);
});

test("onAbort() does not call back who was taken back by another", () => {
  const controller = new AbortController();
  const called: string[] = [];
  const { signal } = controller;
  onAbort(signal, () => {
    called.push("first");
    leave();
  });
  const leave = onAbort(signal, () => called.push("second"));
  controller.abort();
  assert.deepEqual(called, ["first"]);
});

test("unlessAborted() gives what the promise gives, and leaves no listener", async () => {
  const { signal, listeners } = counted();
  const work = new Deferred<number>();
  const waiting = unlessAborted(work.promise, signal);
  assert.equal(listeners(), 1);
  work.resolve(7);
  assert.equal(await waiting, 7);
  const broken = unlessAborted(Promise.reject(new RangeError()), signal);
  await assert.rejects(broken, RangeError);
  await nextTurn();
  assert.equal(listeners(), 0);
  assert.equal(await unlessAborted(Promise.resolve(8), undefined), 8);
});

test("unlessAborted() rejects with the signal's reason, and does not mind the promise any more", async () => {
  const reason = new RangeError("enough");
  const isReason = (error: unknown) => error === reason;
  const { controller, signal, listeners } = counted();
  const work = new Deferred<never>();
  const waiting = unlessAborted(work.promise, signal);
  assert.equal(await isSettled(waiting), false);
  controller.abort(reason);
  await assert.rejects(waiting, isReason);
  work.reject(new Error("nobody hears it"));
  await nextTurn();
  assert.equal(listeners(), 0);
  const broken = Promise.reject(new Error("nobody hears it"));
  await assert.rejects(unlessAborted(broken, signal), isReason);
  await nextTurn();
});

test("joinSignals() follows the first signal that is aborted", async () => {
  const [one, two] = [counted(), counted()];
  const joined = joinSignals(one.signal, undefined, two.signal);
  assert.equal(joined.signal.aborted, false);
  two.controller.abort("two");
  one.controller.abort("one");
  assert.equal(joined.signal.reason, "two");
  const late = joinSignals(one.signal, two.signal);
  assert.equal(late.signal.reason, "one");
  joined.release();
  late.release();
  await nextTurn();
});

test("joinSignals(): a released signal follows nobody, and leaves nothing at the others", () => {
  const [one, two] = [counted(), counted()];
  const joined = joinSignals(one.signal, two.signal);
  assert.deepEqual([one.listeners(), two.listeners()], [1, 1]);
  joined.release();
  assert.deepEqual([one.listeners(), two.listeners()], [0, 0]);
  one.controller.abort();
  assert.equal(joined.signal.aborted, false);
  joined.release();
});
