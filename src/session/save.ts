import { systemClock } from "../async/system_clock.ts";
import { isObject, show, typeOf } from "../errors/text.ts";
import { SessionFormatError } from "../errors/session.ts";
import { Problem } from "../parse/fields.ts";
import type { Files, OpenFile } from "../ports/files.ts";
import { type ByteLine, ByteLines } from "../stream/byte_lines.ts";
import type { JsonValue } from "../types/json.ts";
import { folderOf, loadHost, placeFile, toPath, writeText } from "./files.ts";
import { lockPathOf, refuseLocked } from "./lock.ts";
import {
  checkedLine,
  type Entry,
  type Header,
  headerLine,
  MAX_LINE_BYTES,
  type MessageEntry,
  RECORD,
  toHeader,
  toMessageEntry,
} from "./messages.ts";
import {
  contentOf,
  restoreSession,
  type Session,
  type SessionState,
} from "./session.ts";

/** Texts are written when they are this long. */
const WRITE_LENGTH = 64 * 1024;
const CHUNK_BYTES = 256 * 1024;

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

/** How a session file is read. */
export interface LoadOptions {
  /** Whether malformed lines are skipped instead of being an error; false unless given. A missing header stays one. */
  readonly lenient?: boolean | undefined;
  /** Called for each line that was skipped, blank ones excepted: its number, counted from 1, and why. What it throws ends the loading. */
  readonly onSkip?: ((line: number, reason: string) => void) | undefined;
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
    return restoreSession((await readAll(file, options)).end());
  } finally {
    await file.close();
  }
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

/** Reads an open file from its beginning to its end. */
export async function readAll(
  file: OpenFile,
  options: LoadOptions,
): Promise<SessionReader> {
  const reader = new SessionReader(options);
  const buffer = new Uint8Array(CHUNK_BYTES);
  for (let position = 0;;) {
    const length = await file.read(buffer, position);
    if (length === 0) return reader;
    reader.push(buffer.subarray(0, length));
    position += length;
  }
}

/** Writes a session to a file, see {@link placeFile}, and waits until it is on the disk. */
export async function placeSession(
  files: Files,
  path: string,
  by: "rename" | "link",
  session: Header & { readonly entries: readonly Entry[] },
): Promise<void> {
  await placeFile(files, path, {
    by,
    async write(file) {
      await writeLines(file, linesOf(session), WRITE_LENGTH);
      await file.syncData();
    },
  });
  await files.syncDirectory(folderOf(path));
}

function* linesOf(
  { entries, ...header }: Header & { readonly entries: readonly Entry[] },
): Generator<string> {
  yield `${headerLine(header)}\n`;
  for (const [index, entry] of entries.entries()) {
    yield `${checkedLine(entry, index)}\n`;
  }
}

/** Writes lines, as many at once as reach so many characters; none is divided between two writes. */
export async function writeLines(
  file: OpenFile,
  lines: Iterable<string>,
  atOnce: number,
): Promise<void> {
  let text = "";
  for (const line of lines) {
    text += line;
    if (text.length < atOnce) continue;
    await writeText(file, text);
    text = "";
  }
  await writeText(file, text);
}

const NEWLINE = 0x0a;

/** A session file that is being read, chunk by chunk. */
export class SessionReader {
  readonly #lines = new ByteLines(MAX_LINE_BYTES);
  readonly #decoder = new TextDecoder("utf-8", {
    fatal: true,
    ignoreBOM: true,
  });
  readonly #options: LoadOptions;
  readonly #entries: Entry[] = [];
  #header: Header | undefined;
  #updatedMs = -Infinity;
  /** A broken line that the next one may explain. */
  #suspect: { readonly line: number; readonly reason: string } | undefined;
  #lastLine = 0;
  /** Whether the last byte so far is a newline. */
  endsLine = false;
  /** The number of the last line if it was cut off; known after the end. */
  tornLine: number | undefined;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  /** Takes the next bytes. */
  push(chunk: Uint8Array): void {
    this.endsLine = chunk.at(-1) === NEWLINE;
    // What lies between the first and the last newline is whole lines, which are cheaper to decode at once.
    const from = chunk.indexOf(NEWLINE) + 1;
    const to = chunk.lastIndexOf(NEWLINE) + 1;
    this.#takeLines(chunk.subarray(0, from));
    const whole = chunk.subarray(from, to);
    const text = whole.length > MAX_LINE_BYTES
      ? undefined
      : this.#textOf(whole);
    if (text === undefined) this.#takeLines(whole);
    else {
      for (const line of text.split("\n").slice(0, -1)) {
        this.#takeText(++this.#lastLine, line, true);
      }
    }
    this.#takeLines(chunk.subarray(to));
  }

  /** What the file held. */
  end(): SessionState {
    const last = this.#lines.end();
    if (last !== undefined) this.#take(last);
    this.#settle();
    const header = this.#header;
    if (header === undefined) {
      throw malformed(
        Math.max(1, this.#lastLine),
        `no "${RECORD.header}" record before its end`,
      );
    }
    const { id, created, updated = created, rest } = header;
    return {
      id,
      created,
      updated: new Date(Math.max(updated.getTime(), this.#updatedMs)),
      entries: this.#entries,
      rest,
      clock: systemClock,
    };
  }

  /** The text of bytes; `undefined` where they are not UTF-8. */
  #textOf(bytes: Uint8Array): string | undefined {
    try {
      return this.#decoder.decode(bytes);
    } catch {
      return undefined;
    }
  }

  #takeLines(bytes: Uint8Array): void {
    for (const line of this.#lines.push(bytes)) this.#take(line);
  }

  #take({ bytes, isCut, isEnded }: ByteLine): void {
    const number = ++this.#lastLine;
    if (isCut) {
      this.#settle();
      return this.#refuse(number, `longer than ${MAX_LINE_BYTES} bytes`);
    }
    const text = this.#textOf(bytes);
    if (text === undefined) return this.#takeBroken(number, isEnded);
    this.#takeText(number, text, isEnded);
  }

  #takeText(number: number, given: string, isEnded: boolean): void {
    const text = number === 1 ? given.replace(/^\ufeff/, "") : given;
    if (text.trim() === "") return;
    let value: JsonValue;
    try {
      value = JSON.parse(text);
    } catch {
      return this.#takeBroken(number, isEnded);
    }
    this.#takeValue(number, value, text);
  }

  /** A line that is no JSON: the last one was cut off by a crash, any other may turn out to have been. */
  #takeBroken(line: number, isEnded: boolean): void {
    this.#settle();
    if (isEnded) {
      this.#suspect = { line, reason: "not JSON in UTF-8" };
      return;
    }
    this.tornLine = line;
    this.#options.onSkip?.(line, "cut off at the end of the file");
  }

  #takeValue(line: number, value: JsonValue, text: string): void {
    const type = isObject(value) ? value.type : undefined;
    if (type === RECORD.repair) return this.#takeRepair(value);
    this.#settle();
    if (!isObject(value)) {
      return this.#refuse(line, `must be an object, is ${typeOf(value)}`);
    }
    if (type === undefined) return this.#refuse(line, '"type" is missing');
    if (typeof type !== "string" || type === "") {
      const fact = '"type" must be a text that is not empty';
      return this.#refuse(line, `${fact}: ${show(type)}`);
    }
    if (type === RECORD.header) {
      const header = toHeader(value);
      if (header instanceof Problem) this.#refuse(line, header);
      else if (this.#header === undefined) this.#header = header;
      else this.#refuse(line, `a second "${RECORD.header}" record`);
    } else if (type === RECORD.message) {
      this.#takeMessage(line, toMessageEntry(value));
    } else {
      this.#entries.push({ line: text });
      this.#options.onSkip?.(
        line,
        `unknown type ${show(type)}, kept for saving`,
      );
    }
  }

  #takeMessage(line: number, entry: MessageEntry | Problem): void {
    if (this.#header === undefined) {
      throw malformed(line, `no "${RECORD.header}" record before it`);
    }
    if (entry instanceof Problem) return this.#refuse(line, entry);
    this.#entries.push(entry);
    const { created } = entry.message;
    if (created === undefined) return;
    this.#updatedMs = Math.max(this.#updatedMs, created.getTime());
  }

  /** Says that the broken line before it was cut off by a crash. */
  #takeRepair(value: JsonValue): void {
    const suspect = this.#suspect;
    const torn = isObject(value) ? value.torn_line : undefined;
    if (suspect === undefined || torn !== suspect.line) return this.#settle();
    this.#suspect = undefined;
    this.#options.onSkip?.(suspect.line, "cut off by a crash");
  }

  /** The line after a broken one did not explain it. */
  #settle(): void {
    const suspect = this.#suspect;
    this.#suspect = undefined;
    if (suspect !== undefined) this.#refuse(suspect.line, suspect.reason);
  }

  #refuse(line: number, problem: string | Problem): void {
    const reason = problem instanceof Problem
      ? `"${problem.field}" ${problem.fact}`
      : problem;
    if (this.#options.lenient !== true) throw malformed(line, reason);
    this.#options.onSkip?.(line, reason);
  }
}

function malformed(line: number, reason: string): SessionFormatError {
  return new SessionFormatError({
    message: `Session file is malformed: line ${line}: ${reason}`,
    line,
  });
}
