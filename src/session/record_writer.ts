import { ClosedError } from "../errors/base.ts";
import type { OpenFile } from "../ports/files.ts";
import { writeText } from "./files.ts";
import { writeLines } from "./save.ts";

/** When what was written is forced onto the disk: never, after each turn, or after each record. */
export type SyncPolicy = "none" | "turn" | "record";

/** Entries appended by one call. */
export interface Batch {
  readonly records: readonly string[];
  readonly endsTurn: boolean;
}

/** Characters written at once; a longer record is not divided. */
const MOST_AT_ONCE = 1024 * 1024;

/**
 * Adds records to a file, in the order of the calls. What was posted during a write goes with the next one, as whole records: so that
 * none is torn by another writer.
 */
export class RecordWriter {
  readonly #name: string;
  #file: OpenFile;
  readonly #sync: SyncPolicy;
  #posted: Batch[] = [];
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
    this.#posted.push(batch);
    if (this.#posted.length === 1) this.#next(() => this.#writePosted());
  }

  /** Resolves when all that was posted is written, and on the disk unless that is never wanted. */
  async flush(): Promise<void> {
    this.#next(() => this.#settle(this.#sync !== "none"));
    await this.#queue;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /**
   * Continues in the file that `make` returns once all posted records are in this one; later ones go to the new file. If `make`
   * fails, this one stays.
   */
  async goOnIn(make: () => Promise<OpenFile>): Promise<void> {
    if (this.#isClosed) throw new ClosedError(this.#name);
    let refusal: { readonly error: unknown } | undefined;
    this.#next(async () => {
      do {
        await this.#writePosted();
        await this.#settle(false);
        // More may have been posted meanwhile.
      } while (this.#posted.length > 0);
      try {
        const old = this.#file;
        this.#file = await make();
        await old.close();
      } catch (error) {
        refusal = { error };
        // Its place may be taken already.
        await this.#settle(false);
      }
    });
    await this.#queue;
    const failure = refusal ?? this.#failure;
    if (failure !== undefined) throw failure.error;
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

  async #writePosted(): Promise<void> {
    const batches = this.#posted;
    this.#posted = [];
    if (this.#sync === "record") {
      for (const { records, endsTurn } of batches) {
        for (const record of records) {
          await writeText(this.#file, record);
          await this.#file.syncData();
        }
        if (endsTurn) await this.#settle(false);
      }
      return;
    }
    const all = batches.flatMap(({ records }) => records);
    await writeLines(this.#file, all, MOST_AT_ONCE);
    const endsTurn = batches.some((batch) => batch.endsTurn);
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
