import { systemClock } from "../async/system_clock.ts";
import { withLimit } from "../async/deadline.ts";
import type { Host } from "../ports/host.ts";
import { writeText } from "../session/files.ts";
import {
  configFolder,
  listed,
  projectKey,
} from "../transcripts/local_files.ts";
import { restore } from "../transcripts/restore.ts";
import type { Options } from "./types_options.ts";
import type { SessionKey, SessionStore } from "./types_sessions.ts";

/** A store gets so long for one answer, unless told otherwise, in milliseconds. */
const LOAD_MS = 60_000;
/** What of the user's configuration goes along, beside settings. */
const COPIED = [".credentials.json", "settings.json", ".config.json"];

/** Options by which the CLI finds the session, and how to remove what was made for it. */
export interface Resumed {
  /** Laid over those that were given. */
  readonly options: Options;
  /** Removes the copy, where there is one. */
  readonly remove?: () => Promise<void>;
}

/** What has to be done before a CLI can go on with a session of a store; `undefined` = nothing. */
export function resumePlan(
  options: Options,
): ((host: Host) => Promise<Resumed | undefined>) | undefined {
  const { sessionStore: store, resume } = options;
  if (store === undefined || (!resume && !options.continue)) return undefined;
  return async (host) => {
    const ms = options.loadTimeoutMs ?? LOAD_MS;
    const limited: Limited = (call, what) =>
      withLimit(async () => await call(), {
        clock: systemClock,
        ms,
        onLimit: () =>
          new Error(`SessionStore.${what} timed out after ${ms}ms`),
      });
    const own = await projectKey(host, options.cwd);
    const id = resume || await newest(store, own, limited);
    if (id === undefined) return undefined;
    const key = { projectKey: own, sessionId: id };
    const env = options.env ?? host.env();
    const folder = await copyOf(host, store, key, env, limited);
    return folder === undefined ? { options: { resume: id } } : {
      options: { resume: id, env: { ...env, CLAUDE_CONFIG_DIR: folder } },
      remove: () => host.files.remove(folder).catch(() => {}),
    };
  };
}

type Limited = <T>(
  call: () => T | PromiseLike<T>,
  what: string,
) => Promise<T>;

async function newest(
  store: SessionStore,
  key: string,
  limited: Limited,
): Promise<string | undefined> {
  const sessions = await limited(
    () => store.listSessions?.(key) ?? [],
    "listSessions()",
  );
  return sessions.toSorted((a, b) => b.mtime - a.mtime)[0]?.sessionId;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A configuration folder of its own with the session in it; `undefined` where the store has none. */
async function copyOf(
  host: Host,
  store: SessionStore,
  key: SessionKey,
  env: Environment,
  limited: Limited,
): Promise<string | undefined> {
  const { files } = host;
  const folder = await files.makeTemporaryDirectory("claude-resume-");
  const timed: Pick<SessionStore, "load" | "listSubkeys"> = {
    load: (one) =>
      limited(() => store.load(one), `load() for session ${key.sessionId}`),
    listSubkeys: async (one) => await store.listSubkeys?.(one) ?? [],
  };
  try {
    const project = `${folder}/projects/${key.projectKey}`;
    const { isStored } = await restore(host, timed, key, project);
    if (isStored) await copyConfiguration(host, folder, env);
    else await files.remove(folder);
    return isStored ? folder : undefined;
  } catch (error) {
    await files.remove(folder).catch(() => {});
    throw error;
  }
}

async function copyConfiguration(
  host: Host,
  folder: string,
  env: Environment,
): Promise<void> {
  const from = configFolder(host, env);
  const home = env.CLAUDE_CONFIG_DIR || env.HOME || host.home() || "";
  await copy(host, `${home}/.claude.json`, `${folder}/.claude.json`);
  const there = await listed(host, from);
  for (const name of COPIED.filter((one) => there.includes(one))) {
    await copy(host, `${from}/${name}`, `${folder}/${name}`);
  }
}

/** What is not there is not copied; what is, this user alone can read. */
async function copy(
  { files }: Host,
  from: string,
  to: string,
): Promise<void> {
  const text = await files.readText(from).catch(() => undefined);
  if (text === undefined) return;
  const file = await files.open(to, "new");
  try {
    await writeText(file, plain(to, text));
  } finally {
    await file.close();
  }
}

/** Two that renew one sign-in end each other's; and settings must not lead back to the other folder. */
function plain(path: string, text: string): string {
  try {
    const value = JSON.parse(text);
    if (path.endsWith(".credentials.json")) {
      delete value.claudeAiOauth?.refreshToken;
      return JSON.stringify(value);
    }
    if (path.endsWith("/settings.json")) {
      for (const key of MARKETPLACES) delete value[key];
      delete value.env?.CLAUDE_CONFIG_DIR;
      return JSON.stringify(value);
    }
  } catch {
    // The CLI will say what is wrong with it.
  }
  return text;
}

/** What the CLI would set up anew in the folder. */
const MARKETPLACES = [
  "enabledPlugins",
  "extraKnownMarketplaces",
  "additionalMarketplaces",
];
