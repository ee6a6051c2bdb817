import type { Files, OpenFile } from "../ports/files.ts";
import {
  folderOf,
  loadHost,
  placeFile,
  readChunks,
  realFile,
  toPath,
  writeText,
} from "./files.ts";
import { lockPathOf, refuseLocked } from "./lock.ts";
import { type LoadOptions, SessionReader } from "./reader.ts";
import { checkedLine, type Entry, type Header, headerLine } from "./records.ts";
import { contentOf, restoreSession, type Session } from "./session.ts";

/** Texts are written when they are this long. */
const WRITE_LENGTH = 64 * 1024;

/**
 * Writes a session to a file, in place of what was there.
 *
 * Shape: JSON Lines, a header and a record for each message. A new file in the same folder is written, synced and renamed
 * over the old one, so that at every moment one of both is there, whole; when that fails, the new one is removed. It can be
 * read by this user alone (mode 0600). What is appended meanwhile is not in it. Not for the file of a session that a
 * {@link SessionStore} has open: that one saves itself.
 *
 * @param session What is written
 * @param path Where to; a link is followed, the folder must be there
 * @throws {ConfigError} If a message is no JSON, or over 32 MiB
 * @throws {SessionFormatError} If something else than a file is there
 * @throws {SessionLockedError} If a store has the file open
 * @throws {Error} The system's, with its `code`, if the file cannot be written
 *
 * @example Save, and load again
 * ```ts
 * import { loadSession, saveSession, Session } from "@sluice/agent/session";
 * import assert from "node:assert/strict";
 * import { mkdtemp, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 *
 * const folder = await mkdtemp(`${tmpdir()}/chats-`);
 * const session = Session.create({ system: "Be brief." });
 * session.append({ role: "user", content: "Hello" });
 * await saveSession(session, `${folder}/chat.jsonl`);
 *
 * const again = await loadSession(`${folder}/chat.jsonl`);
 * assert.equal(again.id, session.id);
 * assert.deepEqual(again.messages, session.messages);
 * await rm(folder, { recursive: true });
 * ```
 */
export async function saveSession(
  session: Session,
  path: string | URL,
): Promise<void> {
  // Before anything is awaited, so that this is the session of the call.
  const state = contentOf(session);
  const host = await loadHost();
  const { files } = host;
  const target = await realFile(files, toPath(path, host));
  await refuseLocked(host, lockPathOf(target));
  await placeSession(files, target, "rename", state);
}

/**
 * Reads a session from a file.
 *
 * Shape: the session that was saved, or that a {@link SessionStore} wrote; it lives in memory from then on. Blank lines,
 * records of unknown types and a last line that was cut off by a crash are skipped. Unknown records and fields are kept and
 * saved again. Takes no lock. Holds one line, at most 32 MiB, and the messages.
 *
 * @param path The file
 * @param options Whether malformed lines are skipped, and a callback for skipped ones
 * @returns The session
 * @throws {SessionFormatError} If it is no file, if it has no header, or a line is malformed: no JSON, no object, without `type`, a field
 *   of a wrong type; with `lenient` only if the header is missing
 * @throws {Error} The system's, with its `code`, if the file cannot be read
 *
 * @example Read what is left of a damaged file
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
  const file = await files.open(
    await realFile(files, toPath(path, host)),
    "read",
  );
  try {
    const reader = new SessionReader(options);
    await readChunks(file, (chunk) => reader.push(chunk));
    return restoreSession(reader.end());
  } finally {
    await file.close();
  }
}

/** Writes a session to a file, see {@link placeFile}, and waits until it is on the disk. */
export async function placeSession(
  files: Files,
  path: string,
  by: "rename" | "link",
  session: Header & { readonly entries: readonly Entry[] },
): Promise<void> {
  const write = (file: OpenFile) => writeSession(file, session);
  await placeFile(files, path, { by, write });
  await files.syncDirectory(folderOf(path));
}

async function writeSession(
  file: OpenFile,
  { entries, ...header }: Header & { readonly entries: readonly Entry[] },
): Promise<void> {
  let text = `${headerLine(header)}\n`;
  for (const [index, entry] of entries.entries()) {
    text += `${checkedLine(entry, index)}\n`;
    if (text.length < WRITE_LENGTH) continue;
    await writeText(file, text);
    text = "";
  }
  await writeText(file, text);
  await file.syncData();
}
