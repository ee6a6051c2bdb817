import { show } from "../errors/text.ts";
import { SessionFormatError } from "../errors/session.ts";
import type { Files } from "../ports/files.ts";
import { folderOf, loadHost, placeFile, toPath, writeText } from "./files.ts";
import { lockPathOf, refuseLocked } from "./lock.ts";
import type { ChatMessage } from "./messages.ts";
import { type Header, headerLine, messageLine } from "./records.ts";
import { contentOf, type Session } from "./session.ts";

/** Texts are written when they are this long. */
const WRITE_LENGTH = 64 * 1024;

/**
 * Writes a session to a file, and replaces an existing one.
 *
 * Shape:
 * - JSON Lines: a header, then a record for each message.
 * - Atomic: a new file in the same folder is written, synced and renamed over the old one; after a failure it is removed.
 * - Only this user can read it (mode 0600).
 * - Messages appended meanwhile are not in it.
 *
 * Not for the file of a session that a {@link SessionStore} has open.
 *
 * @param session The session
 * @param path The file; a link is followed, the folder must exist
 * @throws {ConfigError} If a message is no JSON
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

/** The file that a path leads to, links followed, or the path itself where nothing is yet; throws when something else is there. */
export async function realFile(files: Files, path: string): Promise<string> {
  const status = await files.status(path);
  if (status === undefined) return path;
  if (status.kind !== "file") {
    throw new SessionFormatError({
      message: `Session file is no file: ${show(path)}`,
      line: 1,
    });
  }
  return await files.realPath(path);
}

/** Writes a session to a file, see {@link placeFile}, and waits until it is on the disk. */
export async function placeSession(
  files: Files,
  path: string,
  by: "rename" | "link",
  { messages, ...header }: Header & {
    readonly messages: readonly ChatMessage[];
  },
): Promise<void> {
  const texts = function* () {
    let text = headerLine(header);
    for (const [index, message] of messages.entries()) {
      text += messageLine(message, index);
      if (text.length < WRITE_LENGTH) continue;
      yield text;
      text = "";
    }
    yield text;
  };
  await placeTexts(files, path, by, texts());
}

/** Writes texts to a file, see {@link placeFile}, and waits until they are on the disk. */
export async function placeTexts(
  files: Files,
  path: string,
  by: "rename" | "link",
  texts: Iterable<string>,
): Promise<void> {
  await placeFile(files, path, {
    by,
    async write(file) {
      for (const text of texts) await writeText(file, text);
      await file.syncData();
    },
  });
  await files.syncDirectory(folderOf(path));
}
