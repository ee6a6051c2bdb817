import type { Core } from "./core.ts";
import { show } from "../errors/text.ts";
import { TranscriptError } from "../errors/transcript.ts";
import {
  findFile,
  type LocalFile,
  sessionFiles,
} from "../transcripts/cli_files.ts";
import {
  isSessionId,
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

/** Writes the session to be resumed where the CLI looks for it; returns entries that only files of this machine have. */
export async function takeUp(
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
