import assert from "node:assert/strict";
import { FakeClock } from "@sluice/agent/testing";
import { Correlator } from "../../src/async/correlator.ts";
import { Deadlines } from "../../src/async/deadline.ts";
import { test } from "../_harness.ts";
import { isSettled } from "../_turn.ts";

function rig(): {
  clock: FakeClock;
  requests: Correlator<number, string, string>;
} {
  const clock = new FakeClock();
  return { clock, requests: new Correlator(new Deadlines(clock)) };
}

test("Correlator.take() removes the request with an id once, and only that", async () => {
  const { requests } = rig();
  const { promise } = requests.open(1, "one");
  requests.open(2, "two").quiet();
  const request = requests.take(1);
  assert.equal(request?.facts, "one");
  assert.equal(requests.take(1), undefined);
  assert.deepEqual([...requests].map(({ id }) => id), [2]);
  request.resolve("answer");
  assert.equal(await promise, "answer");
});

test("a timeout of a Correlator rejects with the caller's reason unless the request was taken", async () => {
  const { clock, requests } = rig();
  const late = requests.open(1, "", {
    timeoutMs: 100,
    onTimeout: () => new RangeError("late"),
  }).promise;
  const taken = requests.open(2, "", { timeoutMs: 100 });
  requests.take(2);
  const refused = assert.rejects(late, /late/);
  await clock.advance(100);
  await refused;
  assert.equal(await isSettled(taken.promise), false);
  assert.equal(requests.size, 0);
});

test("a paused timeout of a Correlator rests, and progress starts it anew", async () => {
  const { clock, requests } = rig();
  const request = requests.open(1, "", { timeoutMs: 100 });
  await clock.advance(60);
  request.pause();
  await clock.advance(1_000);
  request.resume();
  await clock.advance(39);
  assert.equal(await isSettled(request.promise), false);
  request.restart();
  await clock.advance(99);
  request.pause();
  request.restart();
  request.resume();
  await clock.advance(99);
  assert.equal(await isSettled(request.promise), false);
  const rejected = assert.rejects(request.promise);
  await clock.advance(1);
  await rejected;
});

test("a signal ends a request of a Correlator with its reason, and is left alone afterwards", async () => {
  const { requests } = rig();
  const controller = new AbortController();
  const { signal } = controller;
  const ended: number[] = [];
  const first = requests.open(1, "", { signal, onAbort: () => ended.push(1) });
  requests.open(2, "", { signal, onAbort: () => ended.push(2) });
  requests.take(2)?.resolve("answer");
  const rejected = assert.rejects(first.promise, /enough/);
  controller.abort(new Error("enough"));
  await rejected;
  assert.deepEqual([ended, requests.size], [[1], 0]);
});
