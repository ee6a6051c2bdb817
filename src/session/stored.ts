import { systemClock } from "../async/system_clock.ts";
import { SessionFormatError } from "../errors/session.ts";
import { show } from "../errors/text.ts";
import type { Clock } from "../ports/clock.ts";
import type { Files } from "../ports/files.ts";
import type { Host } from "../ports/host.ts";
import { folderOf, SESSION_SUFFIX, writableByAll } from "./files.ts";
import { optionError } from "./input_error.ts";
import { lockPathOf, takeLock } from "./lock.ts";
import type { ChatMessage } from "./messages.ts";
import { readSession } from "./load.ts";
import type { SessionContent } from "./reader.ts";
import { type Batch, recordWriter, type SyncPolicy } from "./record_writer.ts";
import { messageLine } from "./records.ts";
import { placeTexts, realFile } from "./save.ts";
import { restoreSession, type Session } from "./session.ts";

/** Settings of a {@link SessionStore}. */
export interface SessionStoreOptions {
  /**
   * When what was appended is forced onto the disk; `"turn"` by default.
   *
   * `"turn"`: after an assistant message without tool calls. `"record"`: after each message. `"none"`: when the system
   * likes; a crash of the machine, not of the program, may then lose the newest messages.
   */
  readonly sync?: SyncPolicy | undefined;
  /** Whether `open()` skips malformed lines instead of refusing the file; false by default. */
  readonly lenient?: boolean | undefined;
  /** Called for each line that `open()` skipped: the session, the line's number, counted from 1, and why. */
  readonly onSkip?:
    | ((id: string, line: number, reason: string) => void)
    | undefined;
  /**
   * Whether to accept a file, or a folder on its path, that every user of the machine may write; false by default.
   *
   * For file systems without permissions; other users could change chats and remove locks. A sticky folder such as `/tmp`
   * counts as safe, and on Windows nothing is checked.
   */
  readonly anyoneMayWrite?: boolean | undefined;
  /** The time for `created` and `updated`; this machine's by default. */
  readonly clock?: Clock | undefined;
}

/** A session that is written as it grows. */
export interface OpenSession {
  readonly session: Session;
  /** Writes what was appended. */
  flush(): Promise<void>;
  /** Writes what was appended, and lets others write the session. */
  close(): Promise<void>;
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
  const { anyoneMayWrite, clock = systemClock, sync = "turn" } = options;
  if (anyoneMayWrite !== true) await refuseOpenToAll(files, target);
  const lock = await takeLock(host, lockPathOf(target));
  try {
    await prepare?.();
    const content = await readStored(files, target, id, options);
    const file = await files.open(target, "append");
    const writer = recordWriter(`Session "${id}"`, file, sync);
    const onAppend = (messages: readonly ChatMessage[]) =>
      writer.post(toBatch(messages));
    return {
      session: restoreSession({ ...content, clock, onAppend }),
      flush: () => writer.flush(),
      close: () => writer.close().finally(() => lock.release()),
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Other users with write access could remove locks and change chats. */
async function refuseOpenToAll(files: Files, path: string): Promise<void> {
  const folder = await files.realPath(folderOf(path));
  const file = `${folder}/${path.slice(folderOf(path).length)}`;
  const open = await writableByAll(files, file);
  if (open === undefined) return;
  const fact = "leads to what every user of this machine may write " +
    "(chmod o-w, or anyoneMayWrite: true)";
  throw optionError(open === file ? "id" : "directory", fact, open);
}

async function readStored(
  files: Files,
  path: string,
  id: string,
  { lenient, onSkip }: SessionStoreOptions,
): Promise<SessionContent> {
  const content = await readSession(files, path, {
    lenient,
    onSkip: (line, reason) => onSkip?.(id, line, reason),
  });
  if (content.id !== id) {
    throw new SessionFormatError({
      message: `Session file has another name than its session: ${
        show(id + SESSION_SUFFIX)
      } holds ${show(content.id)}`,
      line: 1,
    });
  }
  // A record behind a line without its end would be lost with it.
  if (!content.isEnded) {
    const text = await files.readText(path);
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    const sound = content.isTorn ? whole : `${text}\n`;
    await placeTexts(files, path, "rename", [sound]);
  }
  return content;
}

function toBatch(messages: readonly ChatMessage[]): Batch {
  const last = messages.at(-1);
  const isAnswer = last?.role === "assistant" &&
    (typeof last.content === "string" ||
      last.content.every(({ type }) => type !== "tool_use"));
  return { records: messages.map(messageLine), endsTurn: isAnswer };
}
