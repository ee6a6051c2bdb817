import type { Core } from "./core.ts";
import { cut, show, textOfError } from "../errors/text.ts";
import { TranscriptError } from "../errors/transcript.ts";
import { resolvePath } from "../process/paths.ts";
import type { JsonObject } from "../types/json.ts";
import { checkedStore } from "../transcripts/checked_store.ts";
import { complete } from "../transcripts/copy.ts";
import { isEntry } from "../transcripts/lines.ts";
import {
  findFile,
  type LocalFile,
  partAt,
  sessionFiles,
} from "../transcripts/cli_files.ts";
import {
  isSessionId,
  projectKey,
  projectsFolder,
} from "../transcripts/places.ts";
import { keyOfFile, mirrorInto } from "../transcripts/mirror.ts";
import { restore, type Restored, unsafeParts } from "../transcripts/restore.ts";
import type {
  TranscriptKey,
  TranscriptOptions,
  TranscriptStore,
} from "../transcripts/store.ts";
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

/** The key of a whole session. */
type Session = Pick<TranscriptKey, "projectKey" | "sessionId">;

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

/** Writes the session to be resumed where the CLI looks for it; returns entries that only files of this machine have. */
async function takeUp(
  { settings, host, cli, reporter: { report } }: Core,
  { projectKey: given, onFailure }: TranscriptOptions,
  store: TranscriptStore,
): Promise<Restored["ahead"]> {
  const { resume, continue: goesOn } = settings.options;
  if (resume === undefined && goesOn !== true) return [];
  const { cwd, env } = await cli.launch;
  const own = await projectKey(host, cwd, env);
  const projects = projectsFolder(host, env, cwd);
  const sessionId = resume ?? await newestOf(
    store,
    given ?? own,
    (await sessionFiles(host, { projects, cwd, env, includeWorktrees: false }))[
      0
    ],
  );
  // A title is looked for by the CLI alone.
  if (!isSessionId(sessionId)) return [];
  // The CLI finds it in any project.
  const file = await findFile(host, { projects, cwd, env }, sessionId) ??
    await findFile(host, { projects }, sessionId);
  const name = file?.projectKey ?? own;
  const key = { projectKey: given ?? name, sessionId };
  try {
    const { isStored, ahead, unsafe } = await restore(
      host,
      store,
      key,
      { projects, projectKey: name },
    );
    if (unsafe.length > 0) report(unsafeParts(sessionId, unsafe));
    if (!isStored && file === undefined) throw foundNowhere(key);
    return ahead;
  } catch (error) {
    // The local copy is better than nothing.
    const isFatal = file === undefined || onFailure === "fail" ||
      !(error instanceof TranscriptError);
    if (isFatal) throw error;
    report(error);
    return [];
  }
}

/** The CLI would say that alone which it knows of: its own files. */
function foundNowhere({ sessionId, projectKey }: Session): TranscriptError {
  return new TranscriptError({
    message: `Session ${sessionId} is neither in the store, of project ${
      show(projectKey)
    }, nor on this machine: give the name of the project that it was begun in as "transcripts.projectKey"`,
    sessionId,
    missing: true,
    fatal: true,
  });
}

/** The newest session of the store, or the newest one here. */
async function newestOf(
  store: TranscriptStore,
  projectKey: string,
  here: LocalFile | undefined,
): Promise<string | undefined> {
  const sessions = await store.listSessions?.(projectKey) ?? [];
  const [newest] = sessions.toSorted((a, b) => b.mtime - a.mtime);
  const isHere = newest === undefined ||
    here !== undefined && here.modifiedMs >= newest.mtime;
  return isHere ? here?.id : newest.sessionId;
}

function saidBy(error: unknown): string {
  return cut(textOfError(error));
}
