import type { Host } from "../ports/host.ts";
import { writeText } from "../session/files.ts";
import { newestStored } from "../transcripts/newest.ts";
import {
  configFolder,
  listed,
  projectKey,
  stateFile,
} from "../transcripts/places.ts";
import { restore } from "../transcripts/restore.ts";
import type { Options } from "./generated/options.ts";
import type { SessionStore } from "./generated/types.ts";
import { officialStore } from "./store.ts";

/** Default timeout of one answer of a store, in milliseconds. */
const LOAD_MS = 60_000;
/** Files of the configuration folder that are copied. */
const COPIED = [".credentials.json", "settings.json", ".config.json"];

export interface Resumed {
  /** Override those of the query. */
  readonly options: Options;
  readonly remove?: () => Promise<void>;
}

/** Copies a session from a store into a configuration folder of its own, where the CLI resumes it. */
export async function resumed(
  host: Host,
  store: SessionStore,
  options: Options,
): Promise<Resumed | undefined> {
  const { files } = host;
  const { loadTimeoutMs: ms = LOAD_MS, env = host.env() } = options;
  const checked = officialStore(store, ms);
  const own = await projectKey(host, options.cwd, env);
  let id = options.resume;
  if (!id) {
    const sessions = await checked.listSessions?.(own) ?? [];
    id = newestStored(sessions)[0]?.sessionId;
  }
  if (id === undefined) return undefined;
  const folder = await files.makeTemporaryDirectory("claude-resume-");
  const remove = () => files.remove(folder).catch(() => {});
  try {
    const key = { projectKey: own, sessionId: id };
    const projects = `${folder}/projects`;
    const place = { projects, projectKey: own };
    const { isStored } = await restore(host, checked, key, place);
    if (!isStored) {
      await files.remove(folder);
      // A session that is only listed cannot be continued.
      return options.resume ? { options: { resume: id } } : undefined;
    }
    await copyConfiguration(host, folder, { ...options, env });
    return {
      options: { resume: id, env: { ...env, CLAUDE_CONFIG_DIR: folder } },
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function copyConfiguration(
  host: Host,
  folder: string,
  { env = {}, cwd }: Options,
): Promise<void> {
  const from = configFolder(host, env, cwd);
  await copy(host, stateFile(host, env, cwd), `${folder}/.claude.json`);
  const there = await listed(host, from);
  for (const name of COPIED.filter((one) => there.includes(one))) {
    await copy(host, `${from}/${name}`, `${folder}/${name}`);
  }
}

/** Copies a file, if it exists, so that only this user can read it. */
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

/** Two holders of a refresh token log each other out; and settings must not lead back to the other folder. */
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
    // The CLI reports what is wrong.
  }
  return text;
}

/** Settings that would make the CLI install things into the folder. */
const MARKETPLACES = [
  "enabledPlugins",
  "extraKnownMarketplaces",
  "additionalMarketplaces",
];
