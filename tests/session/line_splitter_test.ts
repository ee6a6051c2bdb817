import assert from "node:assert/strict";
import { LineSplitter } from "../../src/session/line_splitter.ts";
import { test } from "../_harness.ts";
import { randomFrom } from "../options/_random.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** All lines of a text that comes in pieces of random size, in one buffer that is used again. */
function split(
  text: string,
  maxBytes: number,
  random: () => number,
): readonly (readonly [number, string | undefined, boolean])[] {
  const splitter = new LineSplitter(maxBytes);
  const bytes = encoder.encode(text);
  const buffer = new Uint8Array(16);
  const lines = [];
  for (let from = 0; from < bytes.length;) {
    const length = 1 + Math.floor(random() * 16);
    const piece = bytes.subarray(from, from + length);
    buffer.set(piece);
    for (const line of splitter.push(buffer.subarray(0, piece.length))) {
      lines.push(toRow(line));
    }
    from += length;
  }
  const last = splitter.end();
  return last === undefined ? lines : [...lines, toRow(last)];
}

function toRow(
  { number, bytes, isEnded }: {
    readonly number: number;
    readonly bytes: Uint8Array | undefined;
    readonly isEnded: boolean;
  },
): readonly [number, string | undefined, boolean] {
  return [number, bytes && decoder.decode(bytes), isEnded];
}

test("LineSplitter numbers lines, blank ones too, and tells whether they ended", () => {
  const random = randomFrom(61);
  for (let round = 0; round < 100; round++) {
    assert.deepEqual(split("one\n\nthree 漢\r\nlast", 100, random), [
      [1, "one", true],
      [2, "", true],
      [3, "three 漢\r", true],
      [4, "last", false],
    ]);
    assert.deepEqual(split("one\n", 100, random), [[1, "one", true]]);
  }
  assert.deepEqual(split("", 100, random), []);
});

test("LineSplitter gives no bytes of a line that is too long", () => {
  const random = randomFrom(62);
  for (let round = 0; round < 100; round++) {
    const text = `${"x".repeat(20)}\n${"y".repeat(21)}\nz\n${"w".repeat(50)}`;
    assert.deepEqual(split(text, 20, random), [
      [1, "x".repeat(20), true],
      [2, undefined, true],
      [3, "z", true],
      [4, undefined, false],
    ]);
  }
});
