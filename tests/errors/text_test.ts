import { textOfError } from "@sluice/agent/extend";
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { beginningOf, cut, endOf, show } from "../../src/errors/text.ts";
import { keptBytes, longText } from "../_garbage.ts";
import { test } from "../_harness.ts";

test(
  "cut(), beginningOf() and endOf() keep what fits, and no half of a pair",
  () => {
    const text = "abcdefghij".repeat(20);
    for (
      const [shown, expected] of [
        [cut(text), text],
        [cut(`${text}k`), `${text.slice(0, 199)}…`],
        [cut("abcdef", 3), "ab…"],
        [cut("ab🎉cd", 4), "ab…"],
        [cut("ab🎉cde", 5), "ab🎉…"],
        [beginningOf(`${text}k`), text],
        [beginningOf("ab🎉cd", 3), "ab"],
        [beginningOf("ab🎉cd", 4), "ab🎉"],
        [beginningOf("\ufeffab", 2), "\ufeffa"],
        [endOf("abc", 3), "abc"],
        [endOf("abcd", 3), "bcd"],
        [endOf("a🎉b", 2), "b"],
        [endOf("a🎉b", 3), "🎉b"],
      ]
    ) assert.equal(shown, expected);
  },
  { ids: ["PA-14"] },
);

test("cut() and show() keep nothing of a long text alive", () => {
  const bytes = keptBytes(() => {
    const kept: string[] = [];
    for (let i = 0; i < 15; i++) kept.push(cut(longText(i)), show(longText(i)));
    return kept;
  });
  assert.ok(bytes < 10 * 1024 * 1024, `${bytes} bytes`);
});

test("show() writes any value, quoted and cut, and never throws", () => {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  const cases: readonly (readonly [unknown, string])[] = [
    ["text", '"text"'],
    [7, "7"],
    [NaN, "NaN"],
    [null, "null"],
    [undefined, "undefined"],
    [Symbol("s"), "Symbol(s)"],
    [7n, "7n"],
    [() => {}, "a function"],
    [{ a: [1] }, '{"a":[1]}'],
    [circular, "object"],
    [JSON.parse("[".repeat(1_000) + "]".repeat(1_000)), "array"],
    [[new Uint8Array(3)], '["Uint8Array of 3 bytes"]'],
    [new ArrayBuffer(3), '"ArrayBuffer of 3 bytes"'],
    [{ a: Buffer.from("sk-") }, '{"a":"Buffer of 3 bytes"}'],
    [[1n], "array"],
    [
      {
        toJSON() {
          throw new Error("no");
        },
      },
      "object",
    ],
  ];
  for (const [value, text] of cases) assert.equal(show(value), text);
  assert.equal(show("x".repeat(1_000)).length, 200);
});

test("textOfError() gives the text of anything that was thrown", () => {
  assert.equal(textOfError(new Error("text")), "text");
  assert.equal(textOfError(new RangeError()), "RangeError");
  assert.equal(textOfError("only a text"), "only a text");
  assert.equal(textOfError({ code: 7 }), '{"code":7}');
  assert.equal(textOfError(undefined), "undefined");
  assert.equal(
    textOfError(new DOMException("aborted", "AbortError")),
    "aborted",
  );
});
