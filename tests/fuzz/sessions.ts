import assert from "node:assert/strict";
import { SessionFormatError } from "@sluice/agent";
import type { SessionState } from "../../src/session/session.ts";
import { pick, textOf } from "../options/_random.ts";
import { bytesOf, chunksAt, placesIn } from "../stream/_bytes.ts";
import type { FuzzTarget } from "./_target.ts";
import { sessionReader } from "../../src/session/reader.ts";
import { checkedLine, headerLine } from "../../src/session/records.ts";

const HEADER =
  '{"type":"session.header","version":1,"id":"s1","created":"2026-01-02T03:04:05.000Z"}';
const PIECES: readonly string[] = [
  ...'{}[]":,\\ \r\0é',
  "type",
  "session.message",
  "🎉",
  "\ufeff",
];
const LINES: readonly string[] = [
  HEADER,
  '{"type":"session.header","version":2}',
  '{"type":"session.message","message":{"role":"user","content":"hi"}}',
  '{"type":"session.message","message":{"role":"assistant","content":[{"type":"text","text":"é\\u2028"}]},"time":"2026-01-02T03:04:06.000Z"}',
  '{"type":"session.message","message":{"role":"nobody","content":7}}',
  '{"type":"session.repair","torn_line":2,"time":"2026-01-02T03:04:07.000Z"}',
  '{"type":"session.future","deep":{"__proto__":[1]}}',
  '{"type":7}',
  "[]",
  "",
];

/** Session files: one that is read is a session or an error that names a line, and what was read writes and reads the same. */
export const sessions: FuzzTarget = {
  name: "sessions",
  tryOne(random) {
    const lines = Array.from({ length: Math.floor(random() * 8) }, () => {
      if (random() < 0.15) return textOf(random, PIECES, 20);
      const line = pick(random, LINES);
      const isWhole = random() < 0.9;
      return isWhole ? line : line.slice(0, Math.floor(random() * line.length));
    });
    if (random() < 0.9) lines.unshift(HEADER);
    const end = random() < 0.5 ? "\n" : "";
    const bytes = bytesOf(lines.join("\n") + end);
    const chunks = chunksAt(bytes, placesIn(bytes, 5, random));
    for (const lenient of [false, true]) {
      const state = read(chunks, lenient, lines.length);
      if (state === undefined) continue;
      const text = [headerLine(state), ...state.entries.map(checkedLine)]
        .map((line) => `${line}\n`).join("");
      const again = read([bytesOf(text)], false, Infinity);
      assert.deepEqual(again?.entries, state.entries);
      assert.equal(again?.id, state.id);
    }
  },
};

/** The session, or `undefined` for one that is refused with a line of its own. */
function read(
  chunks: readonly Uint8Array[],
  lenient: boolean,
  lineCount: number,
): SessionState | undefined {
  const reader = sessionReader({
    lenient,
    onSkip: (line, reason) => {
      assert.ok(line >= 1 && line <= lineCount, `line ${line}`);
      assert.notEqual(reason, "");
    },
  });
  try {
    for (const chunk of chunks) reader.push(chunk);
    return reader.end();
  } catch (error) {
    assert.ok(error instanceof SessionFormatError, String(error));
    assert.ok(error.line >= 1 && error.line <= Math.max(lineCount, 1));
    return undefined;
  }
}
