import assert from "node:assert/strict";
import { SessionFormatError } from "@sluice/agent";
import { pick, textOf } from "../options/_random.ts";
import type { FuzzTarget } from "./_target.ts";
import {
  type SessionContent,
  sessionReader,
} from "../../src/session/reader.ts";
import { headerLine, messageLine } from "../../src/session/records.ts";

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
    const text = lines.join("\n") + end;
    for (const lenient of [false, true]) {
      const content = read(text, lenient, lines.length);
      if (content === undefined) continue;
      const saved = headerLine(content) +
        content.messages.map(messageLine).join("");
      assert.deepEqual(read(saved, false, Infinity), {
        ...content,
        isEnded: true,
        isTorn: false,
      });
    }
  },
};

/** The session, or `undefined` for one that is refused with a line of its own. */
function read(
  text: string,
  lenient: boolean,
  lineCount: number,
): SessionContent | undefined {
  try {
    const reader = sessionReader({
      lenient,
      onSkip: (line, reason) => {
        assert.ok(line >= 1 && line <= lineCount, `line ${line}`);
        assert.notEqual(reason, "");
      },
    });
    const all = text.split("\n");
    const last = all.pop() ?? "";
    for (const line of all) reader.add(line);
    if (last !== "") reader.add(last, true);
    return reader.end();
  } catch (error) {
    assert.ok(error instanceof SessionFormatError, String(error));
    assert.ok(error.line >= 1 && error.line <= Math.max(lineCount, 1));
    return undefined;
  }
}
