import assert from "node:assert/strict";
import { byteLength } from "../../src/stream/byte_length.ts";
import { test } from "../_harness.ts";

test("byteLength() gives what TextEncoder gives, also of long texts and of halves of pairs", () => {
  const encoder = new TextEncoder();
  const pieces = ["", "a", "é", "€", "😀", "\ud83d", "\ude00"];
  for (const piece of pieces) {
    // Odd beginnings, so that the places where it stops fall into every character.
    for (const before of ["", "a", "ab", "abc"]) {
      for (const count of [1, 2, 20_000]) {
        const text = before + piece.repeat(count);
        assert.equal(byteLength(text), encoder.encode(text).length);
      }
    }
  }
});
