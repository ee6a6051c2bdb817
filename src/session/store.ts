import { closeAll, throwFailures } from "../async/scope.ts";
import { ClosedError } from "../errors/base.ts";
import type { Host } from "../ports/host.ts";
import {
  codeOf,
  loadHost,
  newestFirst,
  PRIVATE_FOLDER,
  SESSION_SUFFIX,
  sessionFilesIn,
  toPath,
} from "./files.ts";
import { lockPathOf, takeLock } from "./lock.ts";
import { optionError } from "./input_error.ts";
import { contentOf, Session, type SessionInit } from "./session.ts";
import {
  type OpenSession,
  openStored,
  type SessionPlace,
  type SessionStoreOptions,
} from "./stored.ts";
import { placeSession, realFile } from "./save.ts";

const POLICIES: readonly unknown[] = ["none", "turn", "record"];

const NOT_WRITTEN = "Sessions could not be written";

/** A session in a folder; the file is not read. */
export interface StoredSession {
  /** Id of the session. */
  readonly id: string;
  /** When its file last changed. */
  readonly updated: Date;
  /** Size of its file. */
  readonly bytes: number;
}

/**
 * A folder of sessions, one file each, which grow as they are appended to.
 *
 * Shape:
 * - `<id>.jsonl` holds a session. Files only grow; a line that a crash cut off is removed by `open()`.
 * - `<id>.lock` names the one process that writes it; the lock of a dead process is taken over. `loadSession()` needs no lock.
 * - A link to a file is followed, and the lock is beside that file.
 * - Only this user can read folder and files (modes 0700 and 0600); those that every user may write are refused.
 *
 * Writing:
 * - `append()` of a stored session returns at once; messages are written in the order of the calls.
 * - After a failure the next `append()` throws, and `flush()`, `release()` and `close()` reject, with the system's error.
 *   The messages are still in memory.
 * - Not safe for concurrent use: when several tasks append to one session, the caller has to order the calls.
 *
 * @example Continue a chat
 * ```ts
 * import { SessionStore } from "@sluice/agent/session";
 * import assert from "node:assert/strict";
 * import { mkdtemp, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 *
 * const folder = await mkdtemp(`${tmpdir()}/chats-`);
 * const store = new SessionStore(folder);
 * const session = await store.create({ id: "rivers", system: "Be brief." });
 * session.append({ role: "user", content: "Name a river." });
 * await store.close();
 *
 * const later = new SessionStore(folder);
 * const again = await later.open("rivers");
 * again.append({ role: "assistant", content: "The Rhine." });
 * assert.deepEqual(again.messages.map(({ role }) => role), ["system", "user", "assistant"]);
 * assert.deepEqual((await later.list()).map(({ id }) => id), ["rivers"]);
 * await later.close();
 * await rm(folder, { recursive: true });
 * ```
 */
export class SessionStore implements AsyncDisposable {
  readonly #directory: string | URL;
  readonly #options: SessionStoreOptions;
  readonly #open = new Map<string, Promise<OpenSession>>();
  #isClosed = false;

  /**
   * Creates a store; the folder is created with the first session.
   *
   * @param directory A path, or a `file:` URL
   * @param options When to sync, how to read, the clock
   * @throws {ConfigError} If the folder is no path, or `sync` is unknown
   */
  constructor(directory: string | URL, options: SessionStoreOptions = {}) {
    const isPath = directory instanceof URL ||
      (typeof directory === "string" && directory !== "");
    if (!isPath) {
      throw optionError("directory", "must be a path or a URL", directory);
    }
    const { sync } = options;
    if (sync !== undefined && !POLICIES.includes(sync)) {
      throw optionError("sync", 'must be "none", "turn" or "record"', sync);
    }
    this.#directory = directory;
    this.#options = options;
  }

  /**
   * Creates a session and its file.
   *
   * @param init Id, system message and clock, as in `Session.create()`; the clock is the store's by default
   * @returns The session, which is written as it grows
   * @throws {ConfigError} If the id cannot name a file, there is such a session, or every user may write the folder
   * @throws {SessionLockedError} If another writer has such a session open
   * @throws {ClosedError} If the store is closed
   */
  async create(init: SessionInit = {}): Promise<Session> {
    const clock = init.clock ?? this.#options.clock;
    const made = Session.create({ ...init, clock });
    checkId(made.id);
    const host = await this.#enter();
    if (this.#open.has(made.id)) throw isThere(made.id);
    const { session } = await this.#hold(made.id, async () => {
      await host.files.makeDirectory(
        toPath(this.#directory, host),
        PRIVATE_FOLDER,
      );
      const place = this.#place(made.id, host);
      const options = { ...this.#options, clock };
      return await openStored(place, options, async () => {
        try {
          // Never in place of another.
          const growing = { ...contentOf(made), updated: undefined };
          await placeSession(host.files, place.file, "link", growing);
        } catch (error) {
          throw codeOf(error) === "EEXIST" ? isThere(made.id) : error;
        }
      });
    });
    return session;
  }

  /**
   * Opens a session to append to it.
   *
   * Returns the same object while the session is open.
   *
   * @param id Id of the session
   * @returns The session, which is written as it grows
   * @throws {ConfigError} If the id cannot name a file, or every user of the machine may write it or its folder
   * @throws {SessionFormatError} If the file is malformed, see `loadSession()`, holds a session of another id, or is no file
   * @throws {SessionLockedError} If another process, or another store, writes the session
   * @throws {ClosedError} If the store is closed
   * @throws {Error} The system's, with the `code` `ENOENT`, if there is no such session
   */
  async open(id: string): Promise<Session> {
    checkId(id);
    const host = await this.#enter();
    const { session } = await (this.#open.get(id) ??
      this.#hold(id, () => openStored(this.#place(id, host), this.#options)));
    return session;
  }

  /**
   * Lists the sessions of the folder, last changed first, without reading their files.
   *
   * @returns Id, time and size; empty when there is no such folder
   * @throws {ClosedError} If the store is closed
   */
  async list(): Promise<readonly StoredSession[]> {
    const host = await this.#enter();
    const folder = toPath(this.#directory, host);
    const found = await sessionFilesIn(host.files, folder);
    return newestFirst(found.filter(({ id }) => isSafeId(id)))
      .map(({ id, modifiedMs, size }) => ({
        id,
        updated: new Date(modifiedMs),
        bytes: size,
      }));
  }

  /**
   * Removes a session and its file; an open one is released first.
   *
   * @param id Id of the session
   * @returns Whether there was one
   * @throws {ConfigError} If the id cannot name a file
   * @throws {SessionLockedError} If another process, or another store, writes the session
   * @throws {ClosedError} If the store is closed
   */
  async delete(id: string): Promise<boolean> {
    checkId(id);
    const host = await this.#enter();
    await this.release(id);
    const place = this.#place(id, host);
    if ((await host.files.status(place.file))?.kind !== "file") return false;
    const target = await realFile(host.files, place.file);
    const lock = await takeLock(host, lockPathOf(target));
    try {
      await host.files.remove(place.file);
    } finally {
      await lock.release();
    }
    return true;
  }

  /**
   * Waits until everything appended so far is written, and on the disk unless `sync` is `"none"`.
   *
   * @throws {Error} The system's, if something could not be written, with the `code` `ENOENT` if a file was removed meanwhile;
   *   several as `AggregateError`
   */
  async flush(): Promise<void> {
    const failures = await closeAll(this.#open, async (opening) => {
      await (await ifOpened(opening))?.flush();
    });
    throwFailures([...failures.values()], NOT_WRITTEN);
  }

  /**
   * Writes the rest of a session, and lets other processes write it; the session accepts no more messages. Does nothing for a
   * session that is not open.
   *
   * @param id Id of the session
   * @throws {Error} The system's, if something could not be written; the session is released all the same
   */
  async release(id: string): Promise<void> {
    const opening = this.#open.get(id);
    if (opening === undefined) return;
    this.#open.delete(id);
    await (await ifOpened(opening))?.close();
  }

  /**
   * Releases all sessions; later calls of the store fail, except a second `close()`.
   *
   * @throws {Error} The system's, if something could not be written; several as `AggregateError`
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    const failures = await closeAll(this.#open, (_, id) => this.release(id));
    throwFailures([...failures.values()], NOT_WRITTEN);
  }

  /** Calls `close()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #enter(): Promise<Host> {
    const host = await loadHost();
    if (this.#isClosed) throw new ClosedError("Session store");
    return host;
  }

  /** Keeps a session under its id from the first moment on, so that it is opened once. */
  #hold(id: string, open: () => Promise<OpenSession>): Promise<OpenSession> {
    const opening = open();
    this.#open.set(id, opening);
    opening.catch(() => {
      if (this.#open.get(id) === opening) this.#open.delete(id);
    });
    return opening;
  }

  #place(id: string, host: Host): SessionPlace {
    const folder = toPath(this.#directory, host).replace(/[/\\]$/, "");
    return { host, id, file: `${folder}/${id}${SESSION_SUFFIX}` };
  }
}

function isSafeId(id: unknown): id is string {
  return typeof id === "string" && /^(?!\.)[A-Za-z0-9._-]{1,128}$/.test(id);
}

function checkId(id: string): void {
  if (isSafeId(id)) return;
  const form = "letters, digits, dots, _ and -, at most 128, no dot first";
  throw optionError("id", `must be made of ${form}`, id);
}

function isThere(id: string): Error {
  return optionError("id", "names a session that is there: open() it", id);
}

/** The caller of `open()` got the error. */
function ifOpened(
  opening: Promise<OpenSession>,
): Promise<OpenSession | undefined> {
  return opening.catch(() => undefined);
}
