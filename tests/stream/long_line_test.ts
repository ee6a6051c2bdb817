import assert from "node:assert/strict";
import { LineFramer } from "../../src/stream/line_framer.ts";
import { test } from "../_harness.ts";
import { bytesOf } from "./_bytes.ts";

const MEBIBYTE = 1024 * 1024;

/** What a framer gives as the line in progress when its last bytes come. */
function finish(framer: LineFramer, bytes: Uint8Array) {
  return framer.cut(new Uint8Array([...bytes, 0x0a]))?.head;
}

test("LongLine.finish() joins the pieces to bytes of its own and forgets them", () => {
  const framer = new LineFramer({ isReused: false });
  framer.cut(bytesOf("ab"));
  framer.cut(bytesOf("c"));
  assert.equal(framer.heldBytes, 3);
  const joined = finish(framer, bytesOf("de"));
  assert.deepEqual(joined, bytesOf("abcde"));
  assert.equal(framer.heldBytes, 0);
  framer.cut(bytesOf("x"));
  assert.deepEqual(finish(framer, bytesOf("")), bytesOf("x"));
});

test("LongLine turns to text above 4 MiB, also in the middle of a character", () => {
  const framer = new LineFramer();
  const snowman = bytesOf("☃");
  const letters = new Uint8Array(4 * MEBIBYTE).fill(0x61);
  framer.cut(letters);
  assert.ok(finish(framer, bytesOf("a")) instanceof Uint8Array);
  framer.cut(letters);
  framer.cut(snowman.slice(0, 1));
  framer.cut(snowman.slice(1, 2));
  const text = finish(framer, snowman.slice(2));
  assert.ok(typeof text === "string");
  assert.equal(text.length, 4 * MEBIBYTE + 1);
  assert.ok(text.endsWith("a☃"));
  framer.cut(bytesOf("bytes "));
  assert.deepEqual(finish(framer, bytesOf("again")), bytesOf("bytes again"));
});

test("LongLine.drop() forgets the line, text or not", () => {
  for (const length of [10, 5 * MEBIBYTE]) {
    const framer = new LineFramer({ maxLineBytes: length });
    framer.cut(new Uint8Array(length));
    assert.equal(framer.heldBytes, length);
    assert.equal(finish(framer, bytesOf("too long")), undefined);
    assert.equal(framer.heldBytes, 0);
    framer.cut(bytesOf("n"));
    assert.deepEqual(finish(framer, bytesOf("ew")), bytesOf("new"));
  }
});
