import { systemClock } from "../async/system_clock.ts";
import type { Files } from "../ports/files.ts";
import { loadHost, toPath } from "./files.ts";
import { restoreSession, type Session } from "./session.ts";
import {
  type LoadOptions,
  type SessionContent,
  sessionReader,
} from "./reader.ts";
import { realFile } from "./save.ts";

const CHUNK_BYTES = 256 * 1024;

/**
 * Reads a session from a file.
 *
 * Shape:
 * - The session that was saved, or that a {@link SessionStore} wrote, in memory.
 * - Blank lines, a last line that a crash cut off, and records and fields of later versions are skipped.
 * - Needs no lock, and the memory of one line besides the messages.
 *
 * @param path The file
 * @param options Whether malformed lines are skipped, and a callback for skipped ones
 * @returns The session
 * @throws {SessionFormatError} If it is no file, if it has no header, or a line is malformed: no JSON, no object, without `type`, a field
 *   of a wrong type; with `lenient` only if the header is missing
 * @throws {Error} The system's, with its `code`, if the file cannot be read
 *
 * @example Read a damaged file
 * ```ts
 * import { loadSession } from "@sluice/agent/session";
 * import assert from "node:assert/strict";
 * import { mkdtemp, rm, writeFile } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 *
 * const folder = await mkdtemp(`${tmpdir()}/chats-`);
 * await writeFile(
 *   `${folder}/chat.jsonl`,
 *   '{"type":"session.header","version":1,"id":"s1","created":"2026-01-01T00:00:00.000Z"}\n' +
 *     '{"type":"session.mess\n' +
 *     '{"type":"session.message","message":{"role":"user","content":"Hello"}}\n',
 * );
 * const skipped: number[] = [];
 * const session = await loadSession(`${folder}/chat.jsonl`, {
 *   lenient: true,
 *   onSkip: (line) => void skipped.push(line),
 * });
 * assert.deepEqual(skipped, [2]);
 * assert.equal(session.messages.length, 1);
 * await rm(folder, { recursive: true });
 * ```
 */
export async function loadSession(
  path: string | URL,
  options: LoadOptions = {},
): Promise<Session> {
  const host = await loadHost();
  const { files } = host;
  const content = await readSession(
    files,
    await realFile(files, toPath(path, host)),
    options,
  );
  return restoreSession({ ...content, clock: systemClock });
}

/** Reads a session file from its beginning to its end. */
export async function readSession(
  files: Files,
  path: string,
  options: LoadOptions,
): Promise<SessionContent> {
  const reader = sessionReader(options);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const buffer = new Uint8Array(CHUNK_BYTES);
  const file = await files.open(path, "read");
  try {
    let rest = "";
    for (let position = 0;;) {
      const length = await file.read(buffer, position);
      const bytes = buffer.subarray(0, length);
      const [first = "", ...more] = decoder.decode(bytes, {
        stream: length > 0,
      })
        .split("\n");
      const last = more.pop();
      rest += first;
      if (last !== undefined) {
        reader.add(rest);
        for (const line of more) reader.add(line);
        rest = last;
      }
      if (length === 0) break;
      position += length;
    }
    if (rest !== "") reader.add(rest, true);
    return reader.end();
  } finally {
    await file.close();
  }
}
