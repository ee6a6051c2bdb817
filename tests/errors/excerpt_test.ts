import assert from "node:assert/strict";
import { excerpt } from "../../src/errors/excerpt.ts";
import type { JsonValue } from "@sluice/agent";
import { test } from "../_harness.ts";

test("excerpt() gives a small value as it is", () => {
  const values: readonly (JsonValue | undefined)[] = [
    undefined,
    null,
    true,
    17,
    "text",
    [1, [2]],
    { a: { b: ["c"] }, nothing: null },
    { text: "x".repeat(4_000) },
  ];
  for (const value of values) {
    const { value: kept, details } = excerpt(value);
    assert.equal(kept, value);
    assert.deepEqual(details, {});
  }
});

test("excerpt() gives the beginning of a big value, in its shape, and the size of the whole", () => {
  const big: readonly JsonValue[] = [
    "y".repeat(100_000),
    { type: "assistant", text: "é".repeat(100_000), last: 1 },
    Array.from({ length: 100_000 }, (_, n) => n),
    { list: Array.from({ length: 10_000 }, () => ({ a: "b" })) },
    Object.fromEntries(
      Array.from({ length: 100_000 }, (_, n) => [`key ${n}`, n]),
    ),
    { a: "x".repeat(4_000), b: "y".repeat(4_000), c: { d: ["z"] } },
  ];
  for (const value of big) {
    const { value: kept, details } = excerpt(value);
    const whole = JSON.stringify(value);
    const text = JSON.stringify(kept);
    assert.ok(text.length < 10_000, `${text.length}`);
    assert.ok(text.length > 2_000, `${text.length}`);
    assert.ok(whole.startsWith(text.slice(0, 1_000)));
    assert.equal(details.bytes, new TextEncoder().encode(whole).length);
  }
});

test("excerpt() leaves out what is too deep to be looked through", () => {
  const levels = (count: number): JsonValue =>
    JSON.parse("[".repeat(count) + "]".repeat(count));
  const text = "x".repeat(10_000);
  for (
    const deep of [levels(100_000), [levels(1_000), text], {
      text,
      a: levels(1_000),
    }]
  ) {
    assert.deepEqual(excerpt(deep), { value: "[redacted]", details: {} });
  }
  const whole: JsonValue = [text, levels(100)];
  const bytes = JSON.stringify(whole).length;
  assert.deepEqual(excerpt(whole).details, { bytes });
});
