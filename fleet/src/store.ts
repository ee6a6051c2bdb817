import { settleWithin, systemClock, unlessAborted } from "@sluice/agent/extend";
import { backoffDelay } from "@sluice/agent/mcp";
import { FleetError } from "./errors.ts";
import { type Engine, fleetError, type LogEntry, type Path } from "./engine.ts";
import { type Sealing, unreadable } from "./sealing.ts";

/** Sealing adds fewer bytes. */
const SEAL_BYTES = 64;
/** More conflicts in a row are no race of writers. */
const MOST_CONFLICTS = 1_000;

/** An entry of a log, and its place. */
interface Placed<T> {
  readonly value: T;
  readonly place: number;
}

/** JSON values of any size in an engine, sealed where there is a key. */
export class Store {
  readonly engine: Engine;
  readonly #sealing: Sealing;

  constructor(engine: Engine, sealing: Sealing) {
    this.engine = engine;
    this.#sealing = sealing;
  }

  /** A name for use in a path. */
  hide(name: string): Promise<string> {
    return this.#sealing.hide(name);
  }

  async get<T>(path: Path): Promise<T | undefined> {
    const row = await this.engine.get(path);
    return row && await this.#open<T>(["row", ...path], row.value);
  }

  /** Every readable row below a path: a damaged one hides no other. */
  async *rows<T>(below: Path): AsyncGenerator<T> {
    for await (const { path, value } of this.engine.rows(below)) {
      let row: T;
      try {
        row = await this.#open<T>(["row", ...path], value);
      } catch (error) {
        if (error instanceof FleetError && error.fault === "unreadable") {
          continue;
        }
        throw error;
      }
      yield row;
    }
  }

  /** Creates a row; false if it exists. */
  async create(path: Path, value: unknown): Promise<boolean> {
    const sealed = await this.#seal(["row", ...path], value);
    return await this.engine.put(path, sealed, 0) !== undefined;
  }

  /**
   * Changes a row by compare-and-set, again after each conflict; `undefined` leaves it alone.
   *
   * @returns The row as it is then
   */
  async change<T>(
    path: Path,
    next: (value: T | undefined) => T | undefined,
  ): Promise<T | undefined> {
    for (let conflicts = 0; conflicts < MOST_CONFLICTS; conflicts++) {
      const row = await this.engine.get(path);
      const found = row && await this.#open<T>(["row", ...path], row.value);
      const changed = next(found);
      if (changed === undefined) return found;
      const sealed = await this.#seal(["row", ...path], changed);
      const revision = row?.revision ?? 0;
      if (await this.engine.put(path, sealed, revision) !== undefined) {
        return changed;
      }
      // Writers that retry at the same time would collide again.
      await systemClock.sleep(
        backoffDelay(conflicts, { baseMs: 1, capMs: 20 }),
      );
    }
    throw fleetError("server", `Too many write conflicts: ${path.join("/")}`);
  }

  /** Adds to a log whose newest entry has this place; `undefined` when it has another. */
  async append(
    path: Path,
    value: object,
    after: number,
  ): Promise<number | undefined> {
    const bytes = bytesOf(value);
    let entry = bytes;
    if (bytes.length > this.#roomBytes) {
      // The entry is the name of its parts.
      const name = crypto.randomUUID();
      await this.#writeParts([...path, "large", name], bytes);
      entry = bytesOf(name);
    }
    const sealed = await this.#sealing.seal(["log", ...path], entry);
    return await this.engine.append(path, sealed, after);
  }

  /**
   * Adds to a log that others may add to.
   *
   * @param next Returns the entry to add behind the newest; may throw
   * @returns The place of the entry
   */
  async add<T extends object>(
    path: Path,
    next: (newest: T | undefined) => T,
  ): Promise<number> {
    for (;;) {
      const newest = await this.newest<T>(path);
      const entry = next(newest?.value);
      const place = await this.append(path, entry, newest?.place ?? 0);
      if (place !== undefined) return place;
    }
  }

  /**
   * Takes a log over with a first entry: earlier owners can add nothing from then on.
   *
   * @returns Adds an entry; false once another owner has taken the log over
   */
  async takeOver<T extends object>(
    path: Path,
    next: (newest: T | undefined) => T,
  ): Promise<(entry: T) => Promise<boolean>> {
    let place: number | undefined = await this.add(path, next);
    return async (entry) => {
      if (place !== undefined) place = await this.append(path, entry, place);
      return place !== undefined;
    };
  }

  async read<T>(path: Path, after: number): Promise<Placed<T> | undefined> {
    return await this.#placed(path, await this.engine.read(path, after));
  }

  async newest<T>(path: Path): Promise<Placed<T> | undefined> {
    return await this.#placed(path, await this.engine.newest(path));
  }

  async #placed<T>(
    path: Path,
    entry: LogEntry | undefined,
  ): Promise<Placed<T> | undefined> {
    if (entry === undefined) return undefined;
    const value = await this.#open<T | string>(["log", ...path], entry.value);
    const found = typeof value === "string"
      ? await this.#readParts<T>([...path, "large", value])
      : value;
    return { value: found, place: entry.place };
  }

  /** Stores a value in a log of its own. */
  async save(path: Path, value: object): Promise<void> {
    if (await this.append(path, value, 0) !== undefined) return;
    throw fleetError("server", `Value exists already: ${path.join("/")}`);
  }

  async load<T>(path: Path): Promise<T> {
    const found = await this.newest<T>(path);
    if (found === undefined) throw unreadable(path, "it is gone");
    return found.value;
  }

  /** Writes a value of any size, the number of its parts last: without that nothing is read. */
  async #writeParts(path: Path, bytes: Uint8Array): Promise<void> {
    const size = this.#roomBytes;
    const count = Math.ceil(bytes.length / size);
    let after = 0;
    for (let part = 0; part < count; part++) {
      const piece = bytes.subarray(part * size, (part + 1) * size);
      const place = ["log", ...path, `${part}/${count}`];
      const sealed = await this.#sealing.seal(place, piece);
      after = await this.engine.append(path, sealed, after) ?? after;
    }
    const end = await this.#seal(["log", ...path, "end"], count);
    await this.engine.append(path, end, after);
  }

  async #readParts<T>(path: Path): Promise<T> {
    const newest = await this.engine.newest(path);
    if (newest === undefined) throw unreadable(path, "it is gone");
    const end = ["log", ...path, "end"];
    const count = await this.#open<number>(end, newest.value);
    const parts: Uint8Array[] = [];
    for (let part = 0, after = 0; part < count; part++) {
      const entry = await this.engine.read(path, after);
      const place = ["log", ...path, `${part}/${count}`];
      parts.push(
        await this.#sealing.open(place, entry?.value ?? new Uint8Array(0)),
      );
      after = entry?.place ?? after;
    }
    const text = await new Blob(parts as Uint8Array<ArrayBuffer>[]).text();
    return JSON.parse(text);
  }

  /**
   * Looks again after each signal of a topic, until there is an answer.
   *
   * @param look Returns the answer; `again(ms)` asks for a look after this time, signal or not
   * @throws The signal's reason
   */
  async until<T>(
    topic: Path,
    look: (again: (ms: number) => void) => Promise<T | undefined>,
    signal?: AbortSignal,
  ): Promise<T> {
    let wake = () => {};
    let isDue = false;
    let dueMs = Infinity;
    const lookAgain = () => {
      isDue = true;
      wake();
    };
    const leave = this.engine.listen(topic, lookAgain);
    try {
      for (;;) {
        signal?.throwIfAborted();
        isDue = false;
        dueMs = Infinity;
        const found = await look((ms) => dueMs = ms);
        if (found !== undefined) return found;
        // A signal during the look counts.
        if (isDue) continue;
        const woken = new Promise<void>((resolve) => wake = resolve);
        const due = dueMs === Infinity
          ? woken
          : settleWithin(woken, dueMs, systemClock);
        await unlessAborted(due, signal);
      }
    } finally {
      leave();
    }
  }

  get #roomBytes(): number {
    return this.engine.maxBytes - SEAL_BYTES;
  }

  #seal(place: Path, value: unknown): Promise<Uint8Array> {
    return this.#sealing.seal(place, bytesOf(value));
  }

  async #open<T>(place: Path, sealed: Uint8Array): Promise<T> {
    const bytes = await this.#sealing.open(place, sealed);
    try {
      return JSON.parse(new TextDecoder().decode(bytes));
    } catch {
      throw unreadable(place, "it is no JSON");
    }
  }
}

function bytesOf(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}
