import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { backoffDelay } from "@sluice/agent/mcp";
import { ConfigError } from "@sluice/agent";
import { test } from "../_harness.ts";

const HIGHEST_TIMER_MS = 2 ** 31 - 1;

test(
  "backoffDelay() doubles its ceiling until the cap",
  () => {
    const random = () => 1;
    const ceilings = [0, 1, 2, 3, 4, 5, 6, 7, 8]
      .map((attempt) => backoffDelay(attempt, { random }));
    const grown = [500, 1_000, 2_000, 4_000, 8_000, 16_000];
    assert.deepEqual(ceilings, [...grown, 30_000, 30_000, 30_000]);
  },
  { ids: ["HUB-26", "HUB-27", "REG-17"] },
);

test(
  "backoffDelay() spreads evenly between 0 and its ceiling",
  () => {
    const buckets = Array.from({ length: 10 }, () => 0);
    const count = 20_000;
    for (let i = 0; i < count; i++) {
      const delay = backoffDelay(4, { baseMs: 1_000, capMs: 1e9 });
      assert.ok(delay >= 0 && delay <= 16_000 && Number.isInteger(delay));
      const bucket = Math.min(9, Math.floor(delay / 1_600));
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    // A tenth each, give or take far more than chance does.
    for (const share of buckets) {
      assert.ok(Math.abs(share / count - 0.1) < 0.02, String(buckets));
    }
  },
  { ids: ["HUB-27", "REG-17"] },
);

test(
  "backoffDelay() takes a negative attempt for the first",
  () => {
    const random = () => 1;
    for (const attempt of [-1, -31, -1e9, -Infinity, NaN, -0]) {
      assert.equal(backoffDelay(attempt, { random }), 500);
    }
  },
  { ids: ["HUB-28", "REG-02"] },
);

test(
  "backoffDelay() is at most the cap however many attempts there were",
  () => {
    for (const attempt of [31, 32, 63, 1_000, 1_000_000, Infinity]) {
      assert.equal(backoffDelay(attempt, { random: () => 1 }), 30_000);
      assert.ok(backoffDelay(attempt) <= 30_000);
    }
  },
  { ids: ["HUB-29"] },
);

test(
  "backoffDelay() fits a timer whatever the cap is",
  () => {
    const caps = [Infinity, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE, 2 ** 31];
    for (const capMs of caps) {
      for (const baseMs of [500, 2 ** 31, Infinity, Number.MAX_VALUE]) {
        for (const attempt of [0, 1, 31, 1_000_000]) {
          const most = backoffDelay(attempt, {
            baseMs,
            capMs,
            random: () => 1,
          });
          assert.ok(Number.isInteger(most), `${baseMs} ${capMs}: ${most}`);
          assert.ok(most >= 0 && most <= HIGHEST_TIMER_MS);
        }
      }
    }
    assert.equal(backoffDelay(5, { baseMs: 0, capMs: Infinity }), 0);
    assert.equal(backoffDelay(5, { baseMs: 500, capMs: 0 }), 0);
  },
  { ids: ["HUB-30", "REG-03"] },
);

for (
  const [key, value] of [
    ["baseMs", -1],
    ["baseMs", NaN],
    ["capMs", -1],
    ["capMs", NaN],
  ] as const
) {
  test(`backoffDelay() throws ConfigError for ${key} ${value}`, () => {
    assert.throws(
      () => backoffDelay(0, { [key]: value }),
      (error) => error instanceof ConfigError && error.key === key,
    );
  });
}

test(
  "backoffDelay() goes without jitter when the random source fails",
  () => {
    const throws = () => {
      throw new Error("no entropy");
    };
    for (const random of [throws, () => NaN, () => -1, () => 2]) {
      assert.equal(backoffDelay(3, { random }), 4_000);
    }
  },
  { ids: ["HUB-31"] },
);

test(
  "backoffDelay() draws from the cryptographic source, and survives its failure",
  () => {
    const own = Object.getOwnPropertyDescriptor(crypto, "getRandomValues");
    let draws = 0;
    const replace = (value: unknown) =>
      Object.defineProperty(crypto, "getRandomValues", {
        value,
        configurable: true,
        writable: true,
      });
    try {
      replace((words: Uint32Array) => {
        draws++;
        return words.fill(2 ** 31);
      });
      assert.equal(backoffDelay(1), 500);
      assert.equal(draws, 1);
      replace(() => {
        throw new Error("no entropy");
      });
      assert.equal(backoffDelay(1), 1_000);
    } finally {
      if (own === undefined) Reflect.deleteProperty(crypto, "getRandomValues");
      else Object.defineProperty(crypto, "getRandomValues", own);
    }
  },
  { ids: ["HUB-31"] },
);

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
