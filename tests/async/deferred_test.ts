import { Deferred } from "@sluice/agent/extend";
import assert from "node:assert/strict";
import { quiet } from "../../src/async/deferred.ts";
import { test } from "../_harness.ts";
import { nextTurn } from "../_turn.ts";

test("Deferred settles once, the first time", async () => {
  const good = new Deferred<number>();
  assert.equal(good.isSettled, false);
  good.resolve(1);
  assert.equal(good.isSettled, true);
  good.resolve(2);
  good.reject(new Error("too late"));
  assert.equal(await good.promise, 1);
  const bad = new Deferred<number>();
  bad.reject(new RangeError("first"));
  bad.resolve(1);
  assert.equal(bad.isSettled, true);
  await assert.rejects(bad.promise, /first/);
});

test("Deferred.quiet() keeps a rejection that nobody looks at from being unhandled", async () => {
  const deferred = new Deferred<never>();
  assert.equal(deferred.quiet(), deferred);
  deferred.reject(new Error("nobody hears it"));
  await nextTurn();
  await assert.rejects(deferred.promise, /nobody hears it/);
});

test("quiet() keeps a rejection that nobody looks at from being unhandled", async () => {
  const broken = Promise.reject(new RangeError("broken"));
  assert.equal(quiet(broken), broken);
  await nextTurn();
  await assert.rejects(broken, RangeError);
});
