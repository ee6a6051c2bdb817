import assert from "node:assert/strict";
import { FakeClock } from "@sluice/agent/testing";
import { mirrorOf } from "../../src/compat/store.ts";
import { test } from "../_harness.ts";

const PATH =
  "/home/ada/.claude/projects/-x/7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11.jsonl";

/** A store that fails while the test says so, and an eager copy into it. */
function eagerCopy(isDown: (nowMs: number) => boolean) {
  const clock = new FakeClock();
  const start = clock.monotonic();
  const tries = new Map<unknown, number>();
  const stored: unknown[] = [];
  const errors: unknown[] = [];
  const mirror = mirrorOf(
    {
      append(_key, [entry]) {
        const at = entry?.["at"];
        tries.set(at, (tries.get(at) ?? 0) + 1);
        if (isDown(clock.monotonic() - start)) {
          return Promise.reject(new Error("down"));
        }
        stored.push(at);
        return Promise.resolve();
      },
      load: () => Promise.resolve(null),
    },
    { sessionStoreFlush: "eager" },
    ({ error }) => errors.push(error),
    clock,
  );
  const put = (from: number, to: number) => {
    for (let at = from; at < to; at++) {
      mirror.put(PATH, [{ type: "user", at }], 10);
    }
  };
  return { clock, mirror, put, tries, stored, errors };
}

test("an outage of 1.3 seconds loses one eager call", async () => {
  const { clock, mirror, put, tries, stored, errors } = eagerCopy((ms) =>
    ms < 1_300
  );
  put(0, 5);
  const flushed = mirror.flush();
  await clock.advance(2_000);
  await flushed;
  assert.deepEqual([...tries], [[0, 3], [1, 3], [2, 1], [3, 1], [4, 1]]);
  assert.deepEqual(stored, [1, 2, 3, 4]);
  assert.deepEqual(errors, ["down"]);
});

test("a store that stays down delays the end by ten seconds, whatever waits", async () => {
  let isDown = true;
  const { clock, mirror, put, tries, stored, errors } = eagerCopy(() => isDown);
  put(0, 1_000);
  const flushed = mirror.flush();
  await clock.advance(10_000);
  await flushed;
  assert.equal(errors.length, 1_000);
  assert.deepEqual([...tries.values()].slice(8, 12), [3, 3, 1, 1]);
  isDown = false;
  put(1_000, 1_001);
  await mirror.flush();
  isDown = true;
  put(1_001, 1_002);
  const last = mirror.flush();
  await clock.advance(1_000);
  await last;
  assert.deepEqual(stored, [1_000]);
  assert.equal(tries.get(1_001), 3);
});
