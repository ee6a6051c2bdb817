import { type SessionHolder, SessionLockedError } from "../errors/session.ts";
import { asObject, parsedJson, show } from "../errors/text.ts";
import type { Files, OpenFile } from "../ports/files.ts";
import type { Host } from "../ports/host.ts";
import {
  codeOf,
  placeFile,
  SESSION_SUFFIX,
  textIfThere,
  writeText,
} from "./files.ts";

/** Each process that changes the lock meanwhile costs one try. */
const MOST_TRIES = 200;

export interface Lock {
  release(): Promise<void>;
}

/** Content of a lock; empty for one that cannot be read. */
interface LockFile {
  readonly holder?: SessionHolder;
  /** Tells this lock from any later one at the same path. */
  readonly nonce?: string;
}

/** The lock of a session file, given its resolved path: all writers of the file meet there. */
export function lockPathOf(path: string): string {
  const isSession = path.endsWith(SESSION_SUFFIX);
  return `${isSession ? path.slice(0, -SESSION_SUFFIX.length) : path}.lock`;
}

/**
 * Takes a lock, also from a process that is gone.
 *
 * The file appears complete, in one step. Processes that find a dead one's lock compete for a second lock; the winner replaces
 * the first one after another look, so that no fresh lock is replaced.
 */
export async function takeLock(host: Host, path: string): Promise<Lock> {
  const { files } = host;
  const nonce = crypto.randomUUID();
  const { pid } = host;
  const began = host.beginningOf(pid);
  const machine = host.machine();
  const text = `${JSON.stringify({ pid, began, machine, nonce })}\n`;
  const write = (file: OpenFile) => writeText(file, text);
  const place = (by: "rename" | "link") =>
    placeFile(files, path, { by, write });
  const lock: Lock = {
    async release() {
      const there = await lockAt(files, path);
      if (there?.nonce === nonce) await files.remove(path);
    },
  };
  let refusal = lockedBy(undefined, path);
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    try {
      await place("link");
      return lock;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
    const found = await refuseLocked(host, path);
    if (found === undefined) continue;
    let claim: Lock;
    try {
      claim = await takeLock(host, `${path}.${found.nonce}`);
    } catch (error) {
      if (!(error instanceof SessionLockedError)) throw error;
      // A concurrent takeover may fail as well, so only the lock counts.
      refusal = error;
      continue;
    }
    try {
      // Another one may have been faster.
      const there = await lockAt(files, path);
      if (there?.nonce !== found.nonce) continue;
      await place("rename");
      return lock;
    } finally {
      await claim.release();
    }
  }
  throw refusal;
}

/** Throws when a living or unknown process holds the lock; returns the one that a dead process left, if any. */
export async function refuseLocked(
  host: Host,
  path: string,
): Promise<LockFile | undefined> {
  const found = await lockAt(host.files, path);
  if (found === undefined) return undefined;
  if (found.holder !== undefined && isGone(host, found.holder)) return found;
  throw lockedBy(found.holder, path);
}

/** The lock at a path; only plain files are read, since a pipe would block. */
async function lockAt(
  files: Files,
  path: string,
): Promise<LockFile | undefined> {
  const status = await files.status(path);
  if (status !== undefined && status.kind !== "file") {
    throw new SessionLockedError({
      message: `Session lock is no file: remove ${show(path)}`,
    });
  }
  const text = await textIfThere(files, path);
  if (text === undefined) return undefined;
  // Of another program, or half written, it names no holder.
  const value = asObject(parsedJson(text));
  const holder = holderIn(value);
  const { nonce } = value;
  return holder && typeof nonce === "string" && /^[\w-]{1,64}$/.test(nonce)
    ? { holder, nonce }
    : {};
}

/** The process named in foreign data. */
function holderIn(value: object): SessionHolder | undefined {
  const { pid, began, machine } = value as Partial<SessionHolder>;
  if (pid === undefined || !Number.isSafeInteger(pid) || pid <= 0) {
    return undefined;
  }
  return {
    pid,
    ...(typeof began === "string" ? { began } : {}),
    ...(typeof machine === "string" ? { machine } : {}),
  };
}

/** Whether a process is certainly dead; those of another machine, or of one without a name, count as alive. */
function isGone(
  host: Host,
  { pid, began, machine }: SessionHolder,
): boolean {
  if (machine === undefined || machine !== host.machine()) return false;
  if (!host.isRunning(pid)) return true;
  const now = host.beginningOf(pid);
  return began !== undefined && now !== undefined && areOfTwo(began, now);
}

function lockedBy(
  holder: SessionHolder | undefined,
  path: string,
): SessionLockedError {
  const { pid, machine } = holder ?? {};
  const where = machine === undefined ? "" : ` on ${show(machine)}`;
  const who = pid === undefined ? "another process" : `process ${pid}${where}`;
  return new SessionLockedError({
    message: `Session is being written by ${who}: ` +
      `close it there, or remove ${show(path)} if no process writes it`,
    holder,
  });
}

/** From /proc: ticks since the start of the system. */
const TICKS = /^\d+$/;
/** From `ps`, in UTC: `Mon Jan  5 10:00:00 2026`, joined by blanks or dashes. */
const DATE =
  /^[A-Z][a-z]{2}[ -]([A-Z][a-z]{2})[ -]+(\d{1,2})[ -](\d\d:\d\d:\d\d)[ -](\d{4})$/;

/** `ps` counts back from now, and comes out a second earlier or later. */
const ROUNDING_MS = 2_000;

/** Whether two beginnings are surely those of two processes; one from /proc and one from `ps` cannot be compared. */
function areOfTwo(one: string, other: string): boolean {
  if (TICKS.test(one) && TICKS.test(other)) return one !== other;
  return Math.abs(toMs(one) - toMs(other)) > ROUNDING_MS;
}

function toMs(text: string): number {
  const [, month, day, time, year] = DATE.exec(text) ?? [];
  return Date.parse(`${month} ${day} ${year} ${time} UTC`);
}
