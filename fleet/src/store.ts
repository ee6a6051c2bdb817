import { ConfigError } from "@sluice/agent";
import {
  backoffDelay,
  onAbort,
  settleWithin,
  systemClock,
} from "@sluice/agent/extend";
import { FleetError } from "./errors.ts";
import { type Engine, fleetError, type LogEntry, type Path } from "./engine.ts";

/** A seal, its marks, and the mark of a part. */
const SEAL_BYTES = 64;
/** Whoever is refused this often in a row has met something else than others who write. */
const MOST_CONFLICTS = 1_000;

/** An entry of a log, and its place. */
interface Placed<T> {
  readonly value: T;
  readonly place: number;
}

/** The most bytes that a value may take as JSON: three for a character of a text. */
export function sizeOf(value: unknown): number {
  return JSON.stringify(value).length * 3;
}

/** Values as JSON in an engine, sealed where there is a key. */
export class Store {
  readonly engine: Engine;
  readonly #sealing: Sealing;

  constructor(engine: Engine, sealing: Sealing) {
    this.engine = engine;
    this.#sealing = sealing;
  }

  /** A name as it stands in a path. */
  hide(name: string): Promise<string> {
    return this.#sealing.hide(name);
  }

  /** Whether a value goes into one row or entry. */
  fits(bytes: number): boolean {
    return bytes <= this.engine.maxBytes - SEAL_BYTES;
  }

  async get<T>(path: Path): Promise<T | undefined> {
    const row = await this.engine.get(path);
    return row && await this.#open<T>(["row", ...path], row.value);
  }

  /** Every row below a path, except those that cannot be read: one that is damaged hides no other. */
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

  /** Makes a row; false when there is one. */
  async create(path: Path, value: unknown): Promise<boolean> {
    const sealed = await this.#seal(["row", ...path], value);
    return await this.engine.put(path, sealed, 0) !== undefined;
  }

  /**
   * Changes a row, as often as others come between; `undefined` leaves it as it is.
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
      // Many that begin again at the same time would meet again.
      await systemClock.sleep(
        backoffDelay(conflicts, { baseMs: 1, capMs: 20 }),
      );
    }
    throw fleetError(
      "server",
      `Row cannot be written, others always come between: ${path.join("/")}`,
    );
  }

  /** Adds to a log whose newest entry has this place; `undefined` when it has another. */
  async append(
    path: Path,
    value: unknown,
    after: number,
  ): Promise<number | undefined> {
    const sealed = await this.#seal(["log", ...path], value);
    return await this.engine.append(path, sealed, after);
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
    const value = await this.#open<T>(["log", ...path], entry.value);
    return { value, place: entry.place };
  }

  /** Writes a value of any size into a log of its own, in parts. */
  async writeDocument(path: Path, value: unknown): Promise<void> {
    const bytes = new TextEncoder().encode(JSON.stringify(value));
    const size = this.engine.maxBytes - SEAL_BYTES;
    const count = Math.max(1, Math.ceil(bytes.length / size));
    let after = 0;
    for (let part = 0; part < count; part++) {
      const place = ["log", ...path, `${part}/${count}`];
      const piece = bytes.subarray(part * size, (part + 1) * size);
      const sealed = await this.#sealing.seal(place, piece);
      const written = await this.engine.append(path, sealed, after);
      if (written === undefined) {
        throw fleetError(
          "server",
          `Document is there already: ${path.join("/")}`,
        );
      }
      after = written;
    }
    // The number of parts comes last: without it nothing is read.
    const end = await this.#seal(["log", ...path, "end"], count);
    await this.engine.append(path, end, after);
  }

  async readDocument<T>(path: Path): Promise<T> {
    const parts: Uint8Array[] = [];
    const newest = await this.engine.newest(path);
    const count = newest &&
      await this.#open<number>(["log", ...path, "end"], newest.value);
    if (count === undefined) {
      throw fleetError("unreadable", `Document is gone: ${path.join("/")}`);
    }
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
   * Asks again and again, whenever something may have changed, until there is an answer.
   *
   * @param look Gives the answer; `again(ms)` asks for a look after so long, told or not
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
    const unfollow = signal && onAbort(signal, lookAgain);
    try {
      for (;;) {
        signal?.throwIfAborted();
        isDue = false;
        dueMs = Infinity;
        const found = await look((ms) => dueMs = ms);
        if (found !== undefined) return found;
        // What was signalled while it looked counts.
        if (isDue) continue;
        const told = new Promise<void>((resolve) => wake = resolve);
        await (dueMs === Infinity
          ? told
          : settleWithin(told, dueMs, systemClock));
      }
    } finally {
      unfollow?.();
      leave();
    }
  }

  #seal(place: Path, value: unknown): Promise<Uint8Array> {
    const bytes = new TextEncoder().encode(JSON.stringify(value));
    return this.#sealing.seal(place, bytes);
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

/** How a stored value begins. */
const PLAIN = 0;
const SEALED = 1;
const IV_BYTES = 12;
const KEY_BYTES = 32;

/** Makes values unreadable for the server, and readable again. */
export interface Sealing {
  /** A name as it stands in a path: one that the server cannot read, where there is a key. */
  hide(name: string): Promise<string>;
  /** Seals a value for one place: at another it cannot be opened. */
  seal(place: Path, value: Uint8Array): Promise<Uint8Array<ArrayBuffer>>;
  /** Opens it; rejects with a `FleetError` when it is not from whoever has the key. */
  open(place: Path, value: Uint8Array): Promise<Uint8Array>;
}

/** Values that the server can read. */
const plain: Sealing = {
  hide: (name) => Promise.resolve(name),
  seal: (_place, value) => Promise.resolve(marked(PLAIN, value)),
  open(place, value) {
    if (value[0] === PLAIN) return Promise.resolve(value.subarray(1));
    return Promise.reject(unreadable(place, 'it is sealed: set "key"'));
  },
};

/** AES-GCM with a key of 32 bytes, as base64; without one nothing is sealed. */
export async function sealingWith(key: string | undefined): Promise<Sealing> {
  if (key === undefined) return plain;
  const secret = await crypto.subtle.importKey(
    "raw",
    keyBytes(key),
    "AES-GCM",
    false,
    ["encrypt", "decrypt"],
  );
  const naming = await crypto.subtle.importKey(
    "raw",
    keyBytes(key),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const cipher = (iv: Uint8Array<ArrayBuffer>, place: Path) => ({
    name: "AES-GCM",
    iv,
    additionalData: new TextEncoder().encode(JSON.stringify(place)),
  });
  return {
    async hide(name) {
      const bytes = new TextEncoder().encode(name);
      const sign = new Uint8Array(
        await crypto.subtle.sign("HMAC", naming, bytes),
      );
      return Array.from(sign, (byte) => byte.toString(16).padStart(2, "0"))
        .join("");
    },
    async seal(place, value) {
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const text = await crypto.subtle.encrypt(
        cipher(iv, place),
        secret,
        new Uint8Array(value),
      );
      return marked(SEALED, iv, new Uint8Array(text));
    },
    async open(place, value) {
      // A server that is not trusted could hand out what was never sealed.
      if (value[0] !== SEALED) throw unreadable(place, "it is not sealed");
      const iv = new Uint8Array(value.subarray(1, 1 + IV_BYTES));
      const text = new Uint8Array(value.subarray(1 + IV_BYTES));
      try {
        const opened = await crypto.subtle.decrypt(
          cipher(iv, place),
          secret,
          text,
        );
        return new Uint8Array(opened);
      } catch {
        throw unreadable(place, "it was sealed with another key, or changed");
      }
    },
  };
}

/** The bytes of a key; refuses one that is none. */
export function keyBytes(key: string): Uint8Array<ArrayBuffer> {
  let text: string;
  try {
    text = atob(key);
  } catch {
    text = "";
  }
  const bytes = Uint8Array.from(text, (one) => one.charCodeAt(0));
  if (bytes.length === KEY_BYTES) return bytes;
  throw new ConfigError({
    message:
      `Option "key" must be ${KEY_BYTES} bytes as base64: make it with "openssl rand -base64 ${KEY_BYTES}"`,
    key: "key",
  });
}

function marked(
  mark: number,
  ...parts: readonly Uint8Array[]
): Uint8Array<ArrayBuffer> {
  const size = parts.reduce((sum, part) => sum + part.length, 1);
  const all = new Uint8Array(size);
  all[0] = mark;
  let at = 1;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function unreadable(place: Path, why: string): FleetError {
  return fleetError("unreadable", `Cannot read ${place.join("/")}: ${why}`);
}
