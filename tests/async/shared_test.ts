import assert from "node:assert/strict";
import { shared, type Underway } from "../../src/async/shared.ts";
import { test } from "../_harness.ts";

test("shared() does work once for all who ask before it is done, and anew after that", async () => {
  const underway: Underway<number> = new WeakMap();
  const owner = {};
  let count = 0;
  const work = () => Promise.resolve(++count);
  const ask = (whose: object, key: string) =>
    shared(underway, whose, key, work);
  assert.deepEqual(
    await Promise.all([
      ask(owner, "a"),
      ask(owner, "a"),
      ask(owner, "b"),
      ask({}, "a"),
    ]),
    [1, 1, 2, 3],
  );
  assert.equal(await ask(owner, "a"), 4);
});

test("shared() forgets work that failed", async () => {
  const underway: Underway<number> = new WeakMap();
  const owner = {};
  const fail = () => Promise.reject(new Error("gone"));
  await assert.rejects(shared(underway, owner, "a", fail), /gone/);
  assert.equal(await shared(underway, owner, "a", () => Promise.resolve(7)), 7);
});
