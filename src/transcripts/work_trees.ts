import type { Host } from "../ports/host.ts";
import { resolvePath, upwards } from "../process/paths.ts";

/** A directory with a repository. */
interface Repository {
  readonly root: string;
  /** Folder with the files of Git that all its work trees share. */
  readonly common: string;
}

/** All work trees of the repository around a directory, and the directory itself. */
export async function workTrees(
  host: Host,
  dir: string,
): Promise<readonly string[]> {
  const { files, platform } = host;
  const repository = await repositoryAround(host, dir);
  if (repository === undefined) return [dir];
  const { root, common } = repository;
  const folder = `${common}/worktrees`;
  const names = await files.list(folder).catch(() => []);
  const others = await Promise.all(names.map(async (name) => {
    const path = await pathIn(host, `${folder}/${name}/gitdir`);
    return path && resolvePath(`${folder}/${name}`, path, platform);
  }));
  const trees = [common, ...others.filter((one) => one !== undefined)]
    .map((path) => path.replace(/[\\/]\.git$/, ""));
  return [...new Set([dir, root, ...trees])];
}

/** The nearest repository, at or above a directory. */
async function repositoryAround(
  host: Host,
  dir: string,
): Promise<Repository | undefined> {
  const real = await host.files.realPath(dir).catch(() => dir);
  for (const root of upwards(real, host.platform)) {
    const common = await commonFolder(host, root);
    if (common !== undefined) return { root, common };
  }
  return undefined;
}

async function commonFolder(
  host: Host,
  at: string,
): Promise<string | undefined> {
  const kindOf = async (path: string) =>
    (await host.files.status(path).catch(() => undefined))?.kind;
  const git = `${at}/.git`;
  const kind = await kindOf(git);
  if (kind === "file") return await linkedFolder(host, at);
  if (kind !== undefined) return git;
  const isBare = await kindOf(`${at}/HEAD`) === "file" &&
    await kindOf(`${at}/objects`) === "directory";
  return isBare ? at : undefined;
}

/** The folder that the file `.git` of a work tree leads to. */
async function linkedFolder(host: Host, at: string): Promise<string> {
  const git = `${at}/.git`;
  const path = await pathIn(host, git);
  if (path === undefined) return git;
  const own = resolvePath(at, path, host.platform);
  const common = await pathIn(host, `${own}/commondir`);
  return common === undefined
    ? own.replace(/[\\/]worktrees[\\/][^\\/]*$/, "")
    : resolvePath(own, common, host.platform);
}

/** The path that a file of Git holds, which may be relative; `undefined` without one. */
async function pathIn(
  { files }: Host,
  path: string,
): Promise<string | undefined> {
  const text = await files.readText(path).catch(() => "");
  return text.replace(/^gitdir: /, "").trim() || undefined;
}
