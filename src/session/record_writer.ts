import { oneAtATime } from "../async/one_at_a_time.ts";
import { ClosedError } from "../errors/base.ts";
import type { OpenFile } from "../ports/files.ts";
import { writeText } from "./files.ts";

/** When what was written is forced onto the disk: never, after each turn, or after each record. */
export type SyncPolicy = "none" | "turn" | "record";

/** Entries appended by one call. */
export interface Batch {
  readonly records: readonly string[];
  readonly endsTurn: boolean;
}

/** Adds records to a file. */
export interface RecordWriter {
  /** Takes records without waiting; throws when they cannot be written any more. */
  post(batch: Batch): void;
  /** Resolves when all that was posted is written, and on the disk unless that is never wanted. */
  flush(): Promise<void>;
  /** Flushes, then closes the file in any case. */
  close(): Promise<void>;
}

/**
 * Adds records to a file, in the order of the calls. What was posted during a write goes with the next one, as whole records: so that
 * none is torn by another writer.
 */
export function recordWriter(
  name: string,
  file: OpenFile,
  sync: SyncPolicy,
): RecordWriter {
  let posted: Batch[] = [];
  const inTurn = oneAtATime();
  let failure: { readonly error: unknown } | undefined;
  let isClosed = false;

  /** After a failure nothing more is written: it would follow a line that may be torn. */
  function next(work: () => Promise<void>): Promise<void> {
    return inTurn(async () => {
      if (failure !== undefined) return;
      await work().catch((error) => {
        failure = { error };
      });
    });
  }

  async function writePosted(): Promise<void> {
    const batches = posted;
    posted = [];
    const records = batches.flatMap((batch) => batch.records);
    for (const text of sync === "record" ? records : [records.join("")]) {
      await writeText(file, text);
      if (sync === "record") await file.syncData();
    }
    const endsTurn = batches.some((batch) => batch.endsTurn);
    if (endsTurn) await settle(sync === "turn");
  }

  /** A file that was removed accepts writes and loses them. */
  async function settle(isSynced: boolean): Promise<void> {
    if (isSynced) await file.syncData();
    if (!await file.isRemoved()) return;
    const error = new Error(`${name} was removed: its file is gone`);
    throw Object.assign(error, { code: "ENOENT" });
  }

  async function flush(): Promise<void> {
    await next(() => settle(sync !== "none"));
    if (failure !== undefined) throw failure.error;
  }

  return {
    flush,
    post(batch) {
      if (isClosed) throw new ClosedError(name);
      if (failure !== undefined) throw failure.error;
      posted.push(batch);
      if (posted.length === 1) void next(writePosted);
    },
    async close() {
      isClosed = true;
      await flush().finally(() => file.close());
    },
  };
}
