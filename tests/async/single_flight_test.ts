import assert from "node:assert/strict";
import { Deferred } from "../../src/async/deferred.ts";
import { SingleFlight } from "../../src/async/single_flight.ts";
import { test } from "../_harness.ts";

test("SingleFlight.run() shares the work in flight, and starts anew after it", async () => {
  const flight = new SingleFlight<number>();
  const ends: Deferred<number>[] = [];
  const work = () => {
    const end = new Deferred<number>();
    ends.push(end);
    return end.promise;
  };
  const [one, two] = [flight.run(work), flight.run(work)];
  assert.equal(ends.length, 1);
  ends[0]?.resolve(1);
  assert.deepEqual(await Promise.all([one, two]), [1, 1]);
  const three = flight.run(work);
  ends[1]?.resolve(2);
  assert.equal(await three, 2);
  assert.equal(ends.length, 2);
});

test("SingleFlight.run() shares a failure too, and tries again after it", async () => {
  const flight = new SingleFlight<number>();
  const fail = () => Promise.reject(new RangeError("broken"));
  const both = [flight.run(fail), flight.run(fail)];
  for (const one of both) await assert.rejects(one, RangeError);
  assert.equal(await flight.run(() => Promise.resolve(3)), 3);
  assert.throws(() =>
    flight.run(() => {
      throw new TypeError("at once");
    }), TypeError);
  assert.equal(await flight.run(() => Promise.resolve(4)), 4);
});
