import type { LineFramer } from "@sluice/agent/unstable-streams";

const encoder = new TextEncoder();

/** UTF-8 bytes of a text. */
export function bytesOf(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The bytes of all parts, one after the other. */
export function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(
    parts.reduce((sum, { length }) => sum + length, 0),
  );
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Lines that hold everything a line may hold, and some that a line may not. */
export const CORPUS: Uint8Array = joined(
  bytesOf('\ufeff{"bom":1}\n'),
  bytesOf('{"plain":"abc"}\n\n  \n\r\n'),
  bytesOf('{"crlf":1}\r\n{"cr":"\r in the middle"}\n'),
  bytesOf('{"separators":"a\u2028b\u2029c\u0085d\u000be\u000cf"}\n'),
  bytesOf('{"wide":"zwölf ☃ 漢字 🎉 \ufeff"}\n'),
  new Uint8Array([0x22, 0xff, 0xfe, 0xc3, 0x22, 0x0a]),
  // A character that is cut by the newline, and one whose rest stands alone.
  new Uint8Array([0xf0, 0x9f, 0x8e, 0x0a, 0x89, 0x0a, 0x00, 0x0a]),
  bytesOf("{}\n\ufeff{}\n"),
  bytesOf("last without newline ☃"),
);

/** The lines of some bytes, found the slow way. */
export function linesOf(bytes: Uint8Array): string[] {
  return new TextDecoder().decode(bytes).split("\n")
    .filter((line) => line.trim() !== "");
}

/** The same bytes in chunks that are cut at the given places. */
export function chunksAt(
  bytes: Uint8Array,
  places: readonly number[],
): Uint8Array[] {
  const all = [0, ...places.toSorted((a, b) => a - b), bytes.length];
  return all.slice(1).map((end, i) => bytes.slice(all[i], end));
}

/** A number of places to cut at. */
export function placesIn(
  bytes: Uint8Array,
  count: number,
  random: () => number,
): number[] {
  return Array.from(
    { length: count },
    () => Math.floor(random() * (bytes.length + 1)),
  );
}

/** Pushes chunks through one piece of memory, which holds something else as soon as `push()` is back. */
export function linesThroughOneBuffer(
  framer: LineFramer,
  chunks: readonly Uint8Array[],
): string[] {
  const longest = Math.max(0, ...chunks.map(({ length }) => length));
  const memory = new Uint8Array(longest);
  const lines: string[] = [];
  for (const chunk of chunks) {
    memory.set(chunk);
    lines.push(...framer.push(memory.subarray(0, chunk.length)));
    memory.fill(0x58);
  }
  lines.push(...framer.end());
  return lines;
}

/** Whether all bytes are ASCII. */
export function isAscii(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte < 0x80);
}
