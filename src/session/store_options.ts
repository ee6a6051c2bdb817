import type { Clock } from "../ports/clock.ts";
import { optionError } from "./option_error.ts";

/** When what was written is forced onto the disk: never, after each turn, or after each record. */
export type SyncPolicy = "none" | "turn" | "record";

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
   * Whether a folder or a file that every user of the machine may write is taken all the same; false unless given.
   *
   * For file systems without permissions, where everything looks so; others could change chats and take locks away. A sticky
   * folder such as `/tmp` counts as safe, and on Windows nobody looks.
   */
  readonly anyoneMayWrite?: boolean | undefined;
  /** The time for `created` and `updated`; this machine's unless given. */
  readonly clock?: Clock | undefined;
}

/** One session in a folder, as far as its file tells without being read. */
export interface StoredSession {
  /** Id of the session. */
  readonly id: string;
  /** When its file last changed. */
  readonly updated: Date;
  /** Size of its file. */
  readonly bytes: number;
}

/** Whether an id may name a file. */
export function isSafeId(id: unknown): id is string {
  return typeof id === "string" && /^(?!\.)[A-Za-z0-9._-]{1,128}$/.test(id);
}

/** Throws when an id may not name a file. */
export function checkId(id: string): void {
  if (isSafeId(id)) return;
  const form = "letters, digits, dots, _ and -, at most 128, no dot first";
  throw optionError("id", `must be made of ${form}`, id);
}
