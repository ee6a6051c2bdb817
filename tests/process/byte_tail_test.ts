import assert from "node:assert/strict";
import { ByteTail } from "../../src/process/stderr.ts";
import { test } from "../_harness.ts";

const encoder = new TextEncoder();

test("ByteTail.text() is the newest bytes, whatever the pieces were", () => {
  let state = 7;
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
  for (const capacity of [0, 1, 2, 10, 1_024, 5_000]) {
    const tail = new ByteTail(capacity);
    let all = "";
    for (let i = 0; i < 60; i++) {
      const length = random(i % 10 === 0 ? capacity * 3 + 2 : 40);
      const piece = Array.from(
        { length },
        () => String.fromCharCode(97 + random(26)),
      ).join("");
      tail.push(encoder.encode(piece));
      all += piece;
      assert.equal(tail.text(), capacity === 0 ? "" : all.slice(-capacity));
    }
  }
}, { ids: ["IO-04"] });

test("ByteTail.text() leaves a character out that was cut at the front", () => {
  for (let capacity = 1; capacity < 12; capacity++) {
    const tail = new ByteTail(capacity);
    tail.push(encoder.encode("😀é€x"));
    const text = tail.text();
    assert.ok("😀é€x".endsWith(text), `${capacity}: ${text}`);
    assert.ok(encoder.encode(text).length <= capacity);
  }
});

test("ByteTail.text() keeps bytes that are no text, as far as text can show them", () => {
  const tail = new ByteTail(100);
  tail.push(new Uint8Array([0x80, 0x41, 0xff, 0x42]));
  assert.equal(tail.text(), "\ufffdA\ufffdB");
});

test("ByteTail.push() copies", () => {
  const tail = new ByteTail(100);
  const shared = encoder.encode("before");
  tail.push(shared);
  shared.fill(0);
  assert.equal(tail.text(), "before");
});
