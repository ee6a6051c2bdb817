import type { Core } from "./core.ts";
import { show } from "../errors/text.ts";
import { TranscriptError } from "../errors/transcript.ts";
import { findFile, sessionFiles } from "../transcripts/cli_files.ts";
import { newestStored } from "../transcripts/newest.ts";
import {
  isSessionId,
  type LocalPlace,
  projectKey,
  projectsFolder,
} from "../transcripts/places.ts";
import { restore, type Restored, unsafeParts } from "../transcripts/restore.ts";
import type {
  TranscriptKey,
  TranscriptOptions,
  TranscriptStore,
} from "../transcripts/store.ts";

/** The key of a whole session. */
type Session = Pick<TranscriptKey, "projectKey" | "sessionId">;

/** Where the CLI of a conversation keeps its sessions. */
interface CliPlace extends LocalPlace {
  /** Project of its working directory. */
  readonly own: string;
}

/** Writes the session to be resumed where the CLI looks for it; returns entries that only files of this machine have. */
export async function takeUp(
  core: Core,
  options: TranscriptOptions,
  store: TranscriptStore,
): Promise<Restored["ahead"]> {
  const { settings, host, cli } = core;
  const { resume, continue: goesOn } = settings.options;
  if (resume === undefined && goesOn !== true) return [];
  const { cwd, env } = await cli.launch;
  const own = await projectKey(host, cwd, env);
  const place = { projects: projectsFolder(host, env, cwd), cwd, env, own };
  const stored = options.projectKey ?? own;
  const ids = resume === undefined
    ? await idsToContinue(core, store, { ...place, own: stored })
    : [resume];
  // A title is looked for by the CLI alone.
  for (const sessionId of ids.filter(isSessionId)) {
    const ahead = await takeUpOne(core, options, store, place, sessionId);
    if (ahead !== undefined) return ahead;
    if (resume !== undefined) {
      throw foundNowhere({ sessionId, projectKey: stored });
    }
  }
  return [];
}

/** The same of one session; `undefined` if it is neither in the store nor here. */
async function takeUpOne(
  { host, reporter: { report } }: Core,
  { projectKey: given, onFailure }: TranscriptOptions,
  store: TranscriptStore,
  { own, ...place }: CliPlace,
  sessionId: string,
): Promise<Restored["ahead"] | undefined> {
  const { projects } = place;
  // The CLI finds it in any project.
  const file = await findFile(host, place, sessionId) ??
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
    return isStored || file !== undefined ? ahead : undefined;
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

/** Sessions to continue, best first: those of the store that are newer than the newest one here, and that one. */
async function idsToContinue(
  { host }: Core,
  store: TranscriptStore,
  { own, ...place }: CliPlace,
): Promise<readonly string[]> {
  const [here] = await sessionFiles(host, {
    ...place,
    includeWorktrees: false,
  });
  const stored = newestStored(await store.listSessions?.(own) ?? []);
  const newer = stored.filter(({ mtime }) =>
    here === undefined || mtime > here.modifiedMs
  );
  return [...newer, ...here ? [{ sessionId: here.id }] : []]
    .map(({ sessionId }) => sessionId);
}
