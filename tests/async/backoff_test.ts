import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { backoffDelay } from "@sluice/agent/mcp";
import { ConfigError } from "@sluice/agent";
import { LONGEST_TIMER_MS } from "../../src/async/system_clock.ts";
import { test } from "../_harness.ts";
import { randomFrom } from "../options/_random.ts";

/** The largest number that a source of randomness gives. */
const highest = () => 1 - 2 ** -53;

/** Many delays of one attempt, from the least to the most. */
function delaysOf(attempt: number, random?: () => number): number[] {
  return Array.from(
    { length: 4_000 },
    () => backoffDelay(attempt, random === undefined ? {} : { random }),
  ).sort((a, b) => a - b);
}

test("backoffDelay() doubles its ceiling from 500 ms up to 30 s", () => {
  const random = () => 0.5;
  const delays = Array.from(
    { length: 9 },
    (_, attempt) => backoffDelay(attempt, { random }),
  );
  assert.deepEqual(
    delays,
    [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000],
  );
}, { ids: ["HUB-27"] });

test("backoffDelay() takes base and cap from its options", () => {
  const random = () => 0.5;
  const own = (attempt: number) =>
    backoffDelay(attempt, { baseMs: 100, capMs: 1_000, random });
  assert.deepEqual([0, 1, 2, 3, 4].map(own), [50, 100, 200, 400, 500]);
  assert.equal(backoffDelay(9, { baseMs: 0, random }), 0);
  assert.equal(backoffDelay(9, { capMs: 0, random }), 0);
  // A base above the cap is the cap.
  assert.equal(backoffDelay(0, { baseMs: 900, capMs: 200, random }), 100);
});

test(
  "backoffDelay() spreads evenly over the whole range, as whole numbers",
  () => {
    for (const random of [undefined, randomFrom(109)]) {
      const delays = delaysOf(3, random);
      const ceiling = 4_000;
      assert.ok(
        delays.every((ms) => Number.isInteger(ms) && ms >= 0 && ms <= ceiling),
      );
      // Each tenth of the range gets its share; a constant, or jitter on a half only, does not.
      for (let tenth = 0; tenth < 10; tenth++) {
        const [from, to] = [tenth, tenth + 1].map((n) => n * ceiling / 10);
        const count = delays.filter((ms) =>
          ms >= (from ?? 0) && ms < (to ?? 0)
        ).length;
        assert.ok(count > 250 && count < 550, `${count} in tenth ${tenth}`);
      }
    }
  },
  { ids: ["HUB-27"] },
);

test(
  "backoffDelay() grows: each attempt waits about twice as long as the one before",
  () => {
    const random = randomFrom(113);
    const means = [0, 1, 2, 3, 4].map((attempt) =>
      delaysOf(attempt, random).reduce((sum, ms) => sum + ms, 0) / 4_000
    );
    for (const [attempt, mean] of means.entries()) {
      const expected = 250 * 2 ** attempt;
      assert.ok(Math.abs(mean / expected - 1) < 0.1, `${mean} for ${expected}`);
    }
  },
  { ids: ["HUB-27"] },
);

test(
  "backoffDelay() counts a negative attempt, or none at all, as the first",
  () => {
    const random = () => 0.5;
    for (const attempt of [-1, -1e9, -Infinity, NaN, 0, 0.9]) {
      assert.equal(backoffDelay(attempt, { random }), 250);
    }
    assert.equal(backoffDelay(2.9, { random }), 1_000);
  },
  { ids: ["HUB-28", "REG-02"] },
);

test(
  "backoffDelay() limits the exponent, so that any attempt stays below the cap",
  () => {
    for (const attempt of [31, 32, 64, 1_024, 1e6, 2 ** 53, Infinity]) {
      assert.equal(backoffDelay(attempt, { random: highest }), 29_999);
      assert.equal(
        backoffDelay(attempt, { baseMs: 1e-9, capMs: 5, random: () => 0.9 }),
        1,
      );
    }
  },
  { ids: ["HUB-29"] },
);

test("backoffDelay() fits a timer, however large base and cap are", () => {
  const large = [Number.MAX_SAFE_INTEGER, Number.MAX_VALUE, Infinity];
  for (const capMs of large) {
    for (const baseMs of [1, 500, ...large]) {
      for (const attempt of [0, 1, 31, 1e6]) {
        for (const random of [() => 0, highest, Math.random]) {
          const ms = backoffDelay(attempt, { baseMs, capMs, random });
          assert.ok(ms >= 0 && ms <= LONGEST_TIMER_MS, `${ms}`);
        }
      }
    }
  }
  assert.ok(
    backoffDelay(31, { capMs: Infinity, random: highest }) > 2 ** 31 - 10,
  );
}, { ids: ["HUB-30", "REG-03"] });

test(
  "backoffDelay() goes without jitter when the source of randomness fails",
  () => {
    const getRandomValues = crypto.getRandomValues;
    try {
      crypto.getRandomValues = () => {
        throw new Error("no entropy");
      };
      assert.equal(backoffDelay(2), 2_000);
    } finally {
      crypto.getRandomValues = getRandomValues;
    }
    for (
      const random of [
        () => {
          throw new Error("mine");
        },
        () => NaN,
        () => -1,
        () => 2,
      ]
    ) {
      assert.equal(backoffDelay(2, { random }), 2_000);
    }
  },
  { ids: ["HUB-31"] },
);

test("backoffDelay() takes its jitter from the cryptographic source", () => {
  const getRandomValues = crypto.getRandomValues;
  let calls = 0;
  try {
    crypto.getRandomValues = (array) => {
      calls++;
      return getRandomValues.call(crypto, array) as typeof array;
    };
    backoffDelay(1);
    assert.equal(calls, 1);
    backoffDelay(1, { random: () => 0 });
    assert.equal(calls, 1);
  } finally {
    crypto.getRandomValues = getRandomValues;
  }
}, { ids: ["HUB-31"] });

test("backoffDelay() throws ConfigError for a base or cap that is no length of time", () => {
  for (const key of ["baseMs", "capMs"] as const) {
    for (const value of [-1, NaN, -Infinity, "500" as unknown as number]) {
      assert.throws(
        () => backoffDelay(1, { [key]: value }),
        (error) =>
          error instanceof ConfigError && error.key === key &&
          Object.is(error.value, value),
      );
    }
  }
});

test(
  "the source draws no weak random numbers and starts no shell",
  () => {
    const files = readdirSync("src", { recursive: true }).map(String)
      .filter((file) => file.endsWith(".ts"));
    assert.ok(files.length > 100);
    for (const file of files) {
      const source = readFileSync(`src/${file}`, "utf8");
      assert.doesNotMatch(source, /Math\.random\(/, file);
      assert.doesNotMatch(source, /shell:\s*true|\bexecSync?\(["'`]/, file);
    }
  },
  { ids: ["REG-18"] },
);
