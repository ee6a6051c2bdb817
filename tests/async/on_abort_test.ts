import assert from "node:assert/strict";
import { onAbort } from "../../src/async/on_abort.ts";
import { test } from "../_harness.ts";

/** Counts the listeners that a signal has. */
function counted(signal: AbortSignal): { count: number } {
  const seen = { count: 0 };
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  Object.assign(signal, {
    addEventListener: (...args: Parameters<typeof add>) => {
      seen.count++;
      add(...args);
    },
    removeEventListener: (...args: Parameters<typeof remove>) => {
      seen.count--;
      remove(...args);
    },
  });
  return seen;
}

test("onAbort() calls everyone back, in order, behind one listener", () => {
  const controller = new AbortController();
  const listeners = counted(controller.signal);
  const called: number[] = [];
  for (let i = 0; i < 100; i++) {
    onAbort(controller.signal, () => called.push(i));
  }
  assert.equal(listeners.count, 1);
  controller.abort();
  assert.deepEqual(called, Array.from({ length: 100 }, (_, i) => i));
});

test("onAbort() forgets who left, and leaves no listener when the last one did", () => {
  const controller = new AbortController();
  const listeners = counted(controller.signal);
  const called: string[] = [];
  const same = () => called.push("same");
  const leave = [
    onAbort(controller.signal, same),
    onAbort(controller.signal, same),
  ];
  leave[0]?.();
  leave[0]?.();
  assert.equal(listeners.count, 1);
  leave[1]?.();
  assert.equal(listeners.count, 0);
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
