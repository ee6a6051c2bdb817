import assert from "node:assert/strict";
import { diffLines } from "../../src/callbacks/line_diff.ts";
import { test } from "../_harness.ts";

/** All lists of up to four lines that are "a" or "b". */
const LISTS: readonly string[][] = [0, 1, 2, 3, 4].flatMap((length) =>
  Array.from(
    { length: 2 ** length },
    (_, at) =>
      Array.from({ length }, (_, place) => (at >> place) % 2 ? "a" : "b"),
  )
);

/** How many lines the longest common sequence has. */
function commonLines(one: string[], other: string[]): number {
  const [first, ...rest] = one;
  if (first === undefined || other.length === 0) return 0;
  const at = other.indexOf(first);
  const without = commonLines(rest, other);
  return at < 0
    ? without
    : Math.max(without, 1 + commonLines(rest, other.slice(at + 1)));
}

test("diffLines() gives both texts back, and keeps as many lines as can be kept", () => {
  for (const before of LISTS) {
    for (const after of LISTS) {
      const lines = diffLines(before, after);
      const without = (sign: string) =>
        lines.filter((one) => one.sign !== sign).map(({ text }) => text);
      assert.deepEqual(without("+"), before);
      assert.deepEqual(without("-"), after);
      const kept = lines.filter(({ sign }) => sign === " ").length;
      assert.equal(kept, commonLines(before, after), `${before} ${after}`);
    }
  }
});

test("diffLines() of two long texts without a common line ends, with all of both", () => {
  const texts = ["a", "b"].map((name) =>
    Array.from({ length: 5_000 }, (_, at) => `${name}${at}`)
  );
  const [before = [], after = []] = texts;
  const lines = diffLines(["same", ...before], ["same", ...after]);
  assert.deepEqual(lines.map(({ text }) => text), [
    "same",
    ...before,
    ...after,
  ]);
});
