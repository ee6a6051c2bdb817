import assert from "node:assert/strict";
import { LongLine } from "../../src/stream/long_line.ts";
import { test } from "../_harness.ts";
import { bytesOf } from "./_bytes.ts";

const MEBIBYTE = 1024 * 1024;

test("LongLine.finish() joins the pieces to bytes of its own and forgets them", () => {
  const line = new LongLine();
  line.add(bytesOf("ab"));
  line.add(bytesOf("c"));
  assert.equal(line.bytes, 3);
  const joined = line.finish(bytesOf("de"));
  assert.deepEqual(joined, bytesOf("abcde"));
  assert.equal(line.bytes, 0);
  assert.deepEqual(line.finish(bytesOf("x")), bytesOf("x"));
});

test("LongLine turns to text above 4 MiB, also in the middle of a character", () => {
  const line = new LongLine();
  const snowman = bytesOf("☃");
  line.add(new Uint8Array(4 * MEBIBYTE).fill(0x61));
  assert.equal(line.isText, false);
  line.add(snowman.slice(0, 1));
  assert.equal(line.isText, true);
  line.add(snowman.slice(1, 2));
  const text = line.finish(snowman.slice(2));
  assert.ok(typeof text === "string");
  assert.equal(text.length, 4 * MEBIBYTE + 1);
  assert.ok(text.endsWith("a☃"));
  assert.equal(line.isText, false);
  assert.deepEqual(line.finish(bytesOf("bytes again")), bytesOf("bytes again"));
});

test("LongLine.drop() forgets the line, text or not", () => {
  const line = new LongLine();
  for (const length of [10, 5 * MEBIBYTE]) {
    line.add(new Uint8Array(length));
    line.drop();
    assert.equal(line.bytes, 0);
    assert.deepEqual(line.finish(bytesOf("new")), bytesOf("new"));
  }
});
