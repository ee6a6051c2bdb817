import assert from "node:assert/strict";
import { type ByteLine, ByteLines } from "../../src/stream/byte_lines.ts";
import { test } from "../_harness.ts";
import { randomFrom } from "../options/_random.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

type Row = readonly [
  text: string,
  length: "whole" | "cut",
  isEnded: boolean,
];

/** All lines of a text that comes in pieces of random size, in one buffer that is used again. */
function split(
  text: string,
  maxBytes: number,
  random: () => number,
): readonly Row[] {
  const splitter = new ByteLines(maxBytes);
  const bytes = encoder.encode(text);
  const buffer = new Uint8Array(16);
  const lines: Row[] = [];
  for (let from = 0; from < bytes.length;) {
    const length = 1 + Math.floor(random() * 16);
    const piece = bytes.subarray(from, from + length);
    buffer.set(piece);
    const chunk = buffer.subarray(0, piece.length);
    splitter.push(chunk, (line) => lines.push(toRow(line)));
    from += length;
  }
  const last = splitter.end();
  return last === undefined ? lines : [...lines, toRow(last)];
}

function toRow({ bytes, isCut, isEnded }: ByteLine): Row {
  return [decoder.decode(bytes), isCut ? "cut" : "whole", isEnded];
}

test("ByteLines cuts at newlines, keeps blank lines, and tells whether they ended", () => {
  const random = randomFrom(61);
  for (let round = 0; round < 100; round++) {
    assert.deepEqual(split("one\n\nthree 漢\r\nlast", 100, random), [
      ["one", "whole", true],
      ["", "whole", true],
      ["three 漢\r", "whole", true],
      ["last", "whole", false],
    ]);
    assert.deepEqual(split("one\n", 100, random), [["one", "whole", true]]);
  }
  assert.deepEqual(split("", 100, random), []);
});

test("ByteLines gives the beginning of a line that is too long", () => {
  const random = randomFrom(62);
  for (let round = 0; round < 100; round++) {
    const text = `${"x".repeat(20)}\n${"y".repeat(21)}\nz\n${"w".repeat(50)}`;
    assert.deepEqual(split(text, 20, random), [
      ["x".repeat(20), "whole", true],
      ["y".repeat(20), "cut", true],
      ["z", "whole", true],
      ["w".repeat(20), "cut", false],
    ]);
    assert.deepEqual(split("a\n\nb", 0, random), [
      ["", "cut", true],
      ["", "whole", true],
      ["", "cut", false],
    ]);
  }
});
