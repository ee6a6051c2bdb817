import { systemClock } from "../async/system_clock.ts";
import { SessionFormatError } from "../errors/session.ts";
import { show } from "../errors/text.ts";
import type { Files, OpenFile } from "../ports/files.ts";
import type { Host } from "../ports/host.ts";
import { folderOf, SESSION_SUFFIX, writeText } from "./files.ts";
import { lockPathOf, takeLock } from "./lock.ts";
import { optionError } from "./input_error.ts";
import {
  contentOf,
  replaceBeginning,
  restoreSession,
  type Session,
  type SessionState,
} from "./session.ts";
import { placeSession, realFile } from "./save.ts";
import { readAll } from "./load.ts";
import type { Clock } from "../ports/clock.ts";
import { type ChatMessage, takeMessage } from "./messages.ts";
import { checkedLine, type Entry, type MessageEntry } from "./records.ts";
import { type Batch, recordWriter, type SyncPolicy } from "./record_writer.ts";

/** Settings of a {@link SessionStore}. */
export interface SessionStoreOptions {
  /**
   * When what was appended is forced onto the disk; `"turn"` unless given.
   *
   * `"turn"`: after an assistant message without tool calls. `"record"`: after each message. `"none"`: when the system
   * likes; a crash of the machine, not of the program, may then lose the newest messages.
   */
  readonly sync?: SyncPolicy | undefined;
  /** Whether `open()` skips malformed lines instead of refusing the file; false unless given. */
  readonly lenient?: boolean | undefined;
  /** Called for each line that `open()` skipped: the session, the line's number, counted from 1, and why. */
  readonly onSkip?:
    | ((id: string, line: number, reason: string) => void)
    | undefined;
  /**
   * Whether to accept a folder or a file that every user of the machine may write; false unless given.
   *
   * For file systems without permissions; other users could change chats and remove locks. A sticky folder such as `/tmp`
   * counts as safe, and on Windows nothing is checked.
   */
  readonly anyoneMayWrite?: boolean | undefined;
  /** The time for `created` and `updated`; this machine's unless given. */
  readonly clock?: Clock | undefined;
}

/** Returns new messages for all messages. */
export type Change = (
  messages: readonly ChatMessage[],
) => readonly ChatMessage[];

/** A session that is written as it grows. */
export interface OpenSession {
  readonly session: Session;
  /** Writes what was appended. */
  flush(): Promise<void>;
  /** Writes what was appended, and lets others write the session. */
  close(): Promise<void>;
  /** Replaces its messages; see `SessionStore.rewrite()`. */
  rewrite(change: Change): Promise<void>;
}

export interface SessionPlace {
  readonly host: Host;
  readonly id: string;
  readonly file: string;
}

/** Takes the lock of a session, prepares its file and reads it; what is appended from then on is added to it. */
export async function openStored(
  { host, id, file: path }: SessionPlace,
  options: SessionStoreOptions,
  prepare?: () => Promise<void>,
): Promise<OpenSession> {
  const { files } = host;
  const target = await realFile(files, path);
  if (options.anyoneMayWrite !== true) await refuseOpenToAll(files, target);
  const lock = await takeLock(host, lockPathOf(target));
  let file: OpenFile | undefined;
  try {
    await prepare?.();
    file = await files.open(target, "append");
    const state = await readStored(file, id, options);
    const { sync = "turn" } = options;
    const writer = recordWriter(`Session "${id}"`, file, sync);
    const session = restoreSession({
      ...state,
      onAppend: (entries) => writer.post(toBatch(entries)),
    });
    return {
      session,
      flush: () => writer.flush(),
      close: () => writer.close().finally(() => lock.release()),
      rewrite: (change) =>
        writer.continueIn(() => writeAnew(files, target, session, change)),
    };
  } catch (error) {
    await file?.close();
    await lock.release();
    throw error;
  }
}

/** Other users with write access could remove locks and change chats. */
async function refuseOpenToAll(files: Files, path: string): Promise<void> {
  const folder = folderOf(path);
  for (const [key, one] of [["directory", folder], ["id", path]] as const) {
    if ((await files.status(one))?.isOpenToAll !== true) continue;
    const fact = "leads to what every user of this machine may write " +
      "(chmod o-w, or anyoneMayWrite: true)";
    throw optionError(key, fact, one);
  }
}

async function readStored(
  file: OpenFile,
  id: string,
  { lenient, onSkip, clock = systemClock }: SessionStoreOptions,
): Promise<SessionState> {
  const reader = await readAll(file, {
    lenient,
    onSkip: (line, reason) => onSkip?.(id, line, reason),
  });
  const state = reader.end();
  if (state.id !== id) {
    throw new SessionFormatError({
      message: `Session file has another name than its session: ${
        show(id + SESSION_SUFFIX)
      } holds ${show(state.id)}`,
      line: 1,
    });
  }
  const ending = reader.ending(clock.now());
  if (ending !== "") await writeText(file, ending);
  return { ...state, clock };
}

/** Writes a session anew over its file, which is given, opened. */
async function writeAnew(
  files: Files,
  path: string,
  session: Session,
  change: Change,
): Promise<OpenFile> {
  // Before anything is awaited: what is appended from here on goes to the new file.
  const before = contentOf(session);
  const { entries, clock } = before;
  const changed = entriesOf(change(session.messages), entries, clock.now());
  const growing = { ...before, entries: changed, updated: undefined };
  await placeSession(files, path, "rename", growing);
  const file = await files.open(path, "append");
  replaceBeginning(session, entries.length, changed);
  return file;
}

/** Entries of messages: those that were there keep what their records hold, and lines of unknown kinds their place between them. */
function entriesOf(
  messages: readonly ChatMessage[],
  before: readonly Entry[],
  now: number,
): readonly Entry[] {
  if (!Array.isArray(messages)) {
    throw optionError("change", "must give a list of messages", messages);
  }
  const places = new Map(
    before.map((entry, at) => ["line" in entry ? entry : entry.message, at]),
  );
  let next = 0;
  const linesUpTo = (end: number) => {
    const passed = before.slice(next, end);
    next = Math.max(next, end);
    return passed.filter((entry) => "line" in entry);
  };
  const entries = messages.flatMap((message, index): readonly Entry[] => {
    const at = places.get(message);
    const kept = before[at ?? -1] ??
      { message: takeMessage(message, `messages[${index}]`, now) };
    return [...linesUpTo(at ?? 0), kept];
  });
  return [...entries, ...linesUpTo(before.length)];
}

function toBatch(entries: readonly MessageEntry[]): Batch {
  const records = entries.map((entry, index) =>
    `${checkedLine(entry, index)}\n`
  );
  const last = entries.at(-1)?.message;
  const isAnswer = last?.role === "assistant" &&
    (typeof last.content === "string" ||
      last.content.every(({ type }) => type !== "tool_use"));
  return { records, endsTurn: isAnswer };
}
