import { ClosedError } from "../errors/state.ts";
import type { OpenFile } from "../ports/files.ts";
import { writeAll } from "./files.ts";
import type { SyncPolicy } from "./store_options.ts";

/** What is appended by one call. */
export interface Batch {
  /** Each with its newline. */
  readonly records: readonly Uint8Array[];
  readonly endsTurn: boolean;
}

/** Adds records to a file, in the order of the calls, each in one write: so that none is torn by another writer. */
export class RecordWriter {
  readonly #name: string;
  readonly #file: OpenFile;
  readonly #sync: SyncPolicy;
  #queue: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;
  #isClosed = false;

  constructor(name: string, file: OpenFile, sync: SyncPolicy) {
    this.#name = name;
    this.#file = file;
    this.#sync = sync;
  }

  /** Takes records without waiting; throws when they cannot be written any more. */
  post(batch: Batch): void {
    if (this.#isClosed) throw new ClosedError(this.#name);
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#next(() => this.#write(batch));
  }

  /** Resolves when all that was posted is written, and on the disk unless that is never wanted. */
  async flush(): Promise<void> {
    this.#next(() => this.#settle(this.#sync !== "none"));
    await this.#queue;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Flushes, then closes the file in any case. */
  async close(): Promise<void> {
    this.#isClosed = true;
    try {
      await this.flush();
    } finally {
      await this.#file.close();
    }
  }

  /** After a failure nothing more is written: it would follow a line that may be torn. */
  #next(work: () => Promise<void>): void {
    this.#queue = this.#queue.then(async () => {
      if (this.#failure !== undefined) return;
      try {
        await work();
      } catch (error) {
        this.#failure = { error };
      }
    });
  }

  async #write({ records, endsTurn }: Batch): Promise<void> {
    for (const record of records) {
      await writeAll(this.#file, record);
      if (this.#sync === "record") await this.#file.syncData();
    }
    if (endsTurn) await this.#settle(this.#sync === "turn");
  }

  /** A file whose name is gone takes all that is written, and loses it. */
  async #settle(isSynced: boolean): Promise<void> {
    if (isSynced) await this.#file.syncData();
    if (!await this.#file.isRemoved()) return;
    const error = new Error(`${this.#name} was removed: its file is gone`);
    throw Object.assign(error, { code: "ENOENT" });
  }
}
