import assert from "node:assert/strict";
import { ContentEstimator } from "../../src/session/estimator.ts";
import { LengthHeuristic } from "../../src/session/tokens.ts";
import { test } from "../_harness.ts";

const PROSE =
  "The river flows to the sea, and nobody has ever seen it flow back again. "
    .repeat(20);
const JSON_TEXT = JSON.stringify(
  Array.from({ length: 60 }, (_, id) => ({ id, lat: 52.1 + id, ok: true })),
);
const CHINESE = "河流流向大海，从来没有人看见它倒流。".repeat(20);

test("ContentEstimator counts words, data and ideographs by their own measure", () => {
  const estimator = new ContentEstimator();
  const ratio = (text: string) =>
    new TextEncoder().encode(text).length / estimator.count(text);
  assert.ok(Math.abs(ratio(PROSE) - 4.4) < 0.1, `${ratio(PROSE)}`);
  assert.ok(Math.abs(ratio(JSON_TEXT) - 2.6) < 0.1, `${ratio(JSON_TEXT)}`);
  assert.ok(Math.abs(ratio(CHINESE) - 4.2) < 0.1, `${ratio(CHINESE)}`);
  assert.ok(
    estimator.count(JSON_TEXT) > new LengthHeuristic().count(JSON_TEXT),
  );
});

test("ContentEstimator counts nothing as nothing, and anything as more than that", () => {
  const estimator = new ContentEstimator();
  assert.equal(estimator.count(""), 0);
  for (const text of ["a", "{", "河", "\ud83c", "\ud83c\udf0a", "\u0000"]) {
    const count = estimator.count(text);
    assert.ok(Number.isSafeInteger(count) && count > 0, text);
  }
});

test("ContentEstimator never counts less for more of the same", () => {
  const estimator = new ContentEstimator();
  for (const text of [PROSE, JSON_TEXT, CHINESE]) {
    let last = 0;
    for (let times = 1; times < 40; times++) {
      const count = estimator.count(text.repeat(times));
      assert.ok(count > last);
      last = count;
    }
  }
});

test("calibrated() comes as close as what was counted, and leaves the old one alone", () => {
  const estimator = new ContentEstimator();
  const guessed = estimator.count(PROSE);
  const closer = estimator.calibrated(guessed, guessed * 1.5);
  assert.equal(closer.count(PROSE), Math.ceil(guessed * 1.5 - 1e-9) || 0);
  assert.equal(estimator.factor, 1);
  assert.equal(closer.calibrated(100, 200).factor, 3);
});

test("ContentEstimator refuses what is no number, and what counts something else", () => {
  for (const factor of [0, -1, Number.NaN, Infinity]) {
    assert.throws(() => new ContentEstimator(factor), { name: "ConfigError" });
  }
  const estimator = new ContentEstimator();
  for (
    const [guessed, counted] of [
      [0, 1],
      [1, 0],
      [Number.NaN, 1],
      [1, Infinity],
      [100, 401],
      [401, 100],
    ] as const
  ) {
    assert.throws(() => estimator.calibrated(guessed, counted), {
      name: "ConfigError",
    });
  }
});
