import type { Core } from "./core.ts";
import { cut, textOfError } from "../errors/text.ts";
import { TranscriptError } from "../errors/transcript.ts";
import { resolvePath } from "../process/paths.ts";
import type { JsonObject } from "../types/json.ts";
import { checkedStore } from "../transcripts/checked_store.ts";
import { complete } from "../transcripts/copy.ts";
import { isEntry } from "../transcripts/lines.ts";
import { partAt } from "../transcripts/cli_files.ts";
import { keyOfFile, mirrorInto } from "../transcripts/mirror.ts";
import type { TranscriptKey, TranscriptOptions } from "../transcripts/store.ts";
import { takeUp } from "./take_up.ts";
import { isRunning } from "./work.ts";
import type { Turns } from "./turns.ts";

/** Timeout of one call of the store while the conversation runs, in milliseconds. */
const APPEND_MS = 60_000;
/** Waits before another try, in milliseconds; the last one again and again. */
const RETRIES_MS: readonly number[] = [200, 800, 2_000, 5_000, 15_000];
/** A store that refuses entries so often has failed. */
const MOST_TRIES = 3;

/** The copy of a conversation's session in the user's store. */
export interface TranscriptCopy {
  /** Takes a line of the CLI that tells what it writes to disk. */
  readonly put: (line: JsonObject) => void;
  /** Hands over at the end of each turn from now on. */
  follow(turns: Turns): void;
  /**
   * Hands over what is left, within a limit, and reports what is lost, unless the error is fatal: then the conversation has
   * to end with it. Later calls return the same error.
   */
  finish(): Promise<TranscriptError | undefined>;
}

/** Resumes the session, and begins to keep a copy. */
export async function openTranscripts(
  core: Core,
  options: TranscriptOptions,
): Promise<TranscriptCopy> {
  const { settings, host, life, timeouts, meter } = core;
  const { log, report } = core.reporter;
  const { clock, options: { transport } } = settings;
  const { store, onFailure, flush, projectKey: given } = options;
  const answering = checkedStore(store, {
    clock,
    ms: options.loadTimeoutMs,
    signal: life.signal,
  });
  const ahead = transport === undefined
    ? await takeUp(core, options, answering)
    : [];

  const adding = checkedStore(store, { clock, ms: APPEND_MS });
  let lastRefusal: unknown;
  let isBehind = false;
  let isDue = false;
  let bytesBefore = 0;
  let finished: Promise<TranscriptError | undefined> | undefined;
  let turns: Turns | undefined;

  const mirror = mirrorInto({
    store: adding,
    clock,
    isEager: flush === "eager",
    onRefused({ key, count, error, tries }) {
      lastRefusal = error;
      if (onFailure === "fail" && tries + 1 === MOST_TRIES) {
        const failure = new TranscriptError({
          message: `Store of transcripts refuses entries: ${saidBy(error)}`,
          sessionId: key.sessionId,
          cause: error,
          fatal: true,
        });
        void life.fail(failure).catch(() => {});
      }
      if (tries === 0) {
        log.warn("Store of transcripts refuses entries: they are kept", {
          entries: count,
          reason: saidBy(error),
        });
      }
      return RETRIES_MS[Math.min(tries, RETRIES_MS.length - 1)];
    },
    keyOf,
    ...transport === undefined && {
      catchUp: (path: string, key: TranscriptKey) => catchUp(path, key),
    },
  });

  function keyOf(path: string): TranscriptKey | undefined {
    const key = keyOfFile(path);
    return key && given !== undefined ? { ...key, projectKey: given } : key;
  }

  async function catchUp(path: string, key: TranscriptKey): Promise<void> {
    // One in a relative configuration folder begins where the CLI runs.
    const { cwd } = await core.cli.launch;
    const whole = resolvePath(cwd, path, host.platform);
    const entries = await partAt(host.files, whole);
    if (entries.length === 0) throw new Error(`Nothing can be read: ${path}`);
    await complete(adding, key, entries);
  }

  function flushSoon(): void {
    if (isDue || !isBehind || turns && isRunning(turns.state)) return;
    isDue = true;
    host.nextTurn(() => {
      isDue = isBehind = false;
      void mirror.flush();
    });
  }

  function put(line: JsonObject): void {
    const { filePath, entries } = line;
    if (typeof filePath !== "string" || !Array.isArray(entries)) {
      throw new TypeError("No path and entries in a copy of what was written");
    }
    const bytes = meter.bytesRead - bytesBefore;
    bytesBefore = meter.bytesRead;
    const known = entries.filter(isEntry);
    mirror.put(filePath, known, bytes);
    isBehind = true;
    flushSoon();
    // A store would refuse them, and with them what is behind.
    const wrong = entries.length - known.length;
    if (wrong > 0) {
      throw new TypeError(
        `No lines of a session in a copy of what was written: ${wrong} of ${entries.length}`,
      );
    }
  }

  async function finish(): Promise<TranscriptError | undefined> {
    const lost = await mirror.close(timeouts.ms("transcripts"));
    if (lost === 0) return undefined;
    const error = new TranscriptError({
      message: `Entries did not reach the store: ${lost} are lost${
        lastRefusal === undefined ? "" : `, ${saidBy(lastRefusal)}`
      }`,
      lost,
      sessionId: turns?.sessionId,
      cause: lastRefusal,
      fatal: onFailure === "fail" && life.reason === undefined,
    });
    // A fatal one is reported by the end.
    if (!error.fatal) report(error);
    return error;
  }

  const finishOnce = () => finished ??= finish();

  life.scope.own("transcripts", async () => {
    const error = await finishOnce();
    // It speaks for itself.
    if (error !== undefined) throw new AggregateError([error]);
  });
  for (const { path, entries } of ahead) mirror.put(path, entries, 0);
  isBehind = ahead.length > 0;
  return {
    put,
    follow(ledger) {
      turns = ledger;
      ledger.watch(flushSoon);
    },
    finish: finishOnce,
  };
}

function saidBy(error: unknown): string {
  return cut(textOfError(error));
}
