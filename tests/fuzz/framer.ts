import assert from "node:assert/strict";
import { LineFramer } from "@sluice/agent/unstable-streams";
import { pick } from "../options/_random.ts";
import {
  bytesOf,
  chunksAt,
  isAscii,
  joined,
  linesThroughOneBuffer,
  placesIn,
} from "../stream/_bytes.ts";
import type { FuzzTarget } from "./_target.ts";

const NEWLINE = 10;
const MARK = "\ufeff";

/** Pieces that are likely to be cut in the wrong place. */
const PIECES: readonly Uint8Array[] = [
  ...["\n", "\r\n", "\n\n", " ", MARK, "\u2028", "漢字", "🎉", "ö"].map(
    bytesOf,
  ),
  ...['{"a":1}', '"', "x".repeat(100), "☃".repeat(30)].map(bytesOf),
  new Uint8Array([0xff]),
  new Uint8Array([0xf0, 0x9f]),
  new Uint8Array([0x80, 0x00]),
];

/** Bytes to lines: the same lines wherever they are cut, and none above the limit. */
export const framer: FuzzTarget = {
  name: "framer",
  tryOne(random) {
    const bytes = joined(
      ...Array.from(
        { length: Math.floor(random() * 40) },
        () => random() < 0.3 ? bytesOf("\n") : pick(random, PIECES),
      ),
    );
    const maxLineBytes = pick(random, [1, 8, 50, 150, 10_000]);
    const tooLong: number[] = [];
    const framer = new LineFramer({
      maxLineBytes,
      onTooLong: (length) => tooLong.push(length),
      ...random() < 0.7 && { isAscii },
      wideLineBytes: pick(random, [0, 16, 512]),
    });
    const count = Math.floor(random() ** 2 * bytes.length);
    const chunks = chunksAt(bytes, placesIn(bytes, count, random));
    const lines = linesThroughOneBuffer(framer, chunks);
    assert.deepEqual({ lines, tooLong }, slowly(bytes, maxLineBytes));
  },
};

/** The same, told byte by byte. */
function slowly(
  bytes: Uint8Array,
  maxLineBytes: number,
): { lines: string[]; tooLong: number[] } {
  const lines: string[] = [];
  const tooLong: number[] = [];
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let isAtStart = true;
  let from = 0;
  for (let at = 0; at <= bytes.length; at++) {
    if (at < bytes.length && bytes[at] !== NEWLINE) continue;
    const line = bytes.subarray(from, at);
    from = at + 1;
    if (line.length > maxLineBytes) {
      tooLong.push(line.length);
      continue;
    }
    let text = decoder.decode(line);
    if (text.trim() === "") continue;
    if (isAtStart && text.startsWith(MARK)) text = text.slice(1);
    isAtStart = false;
    if (text.trim() !== "") lines.push(text);
  }
  return { lines, tooLong };
}
