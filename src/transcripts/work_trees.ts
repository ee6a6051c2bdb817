import type { Host } from "../ports/host.ts";

/** All work trees of the repository around a directory, and the directory itself. */
export async function workTrees(
  host: Host,
  dir: string,
): Promise<readonly string[]> {
  const { files } = host;
  const root = await repositoryOf(host, dir);
  if (root === undefined) return [dir];
  const git = `${root}/.git`;
  const status = await files.status(git).catch(() => undefined);
  let common = git;
  if (status?.kind === "file") {
    const line = await files.readText(git).catch(() => "");
    const own = /^gitdir: (.*)$/m.exec(line)?.[1];
    common = own?.replace(/\/worktrees\/[^/]*\/?$/, "") ?? git;
  }
  const names = await files.list(`${common}/worktrees`).catch(() => []);
  const others = await Promise.all(names.map(async (name) => {
    const path = `${common}/worktrees/${name}/gitdir`;
    const text = await files.readText(path).catch(() => "");
    return text.trim().replace(/\/\.git$/, "");
  }));
  const main = common.replace(/\/\.git$/, "");
  return [...new Set([dir, root, main, ...others.filter((one) => one !== "")])];
}

/** The nearest directory with a repository, at or above a directory. */
async function repositoryOf(
  { files }: Host,
  dir: string,
): Promise<string | undefined> {
  let at = await files.realPath(dir).catch(() => dir);
  for (;;) {
    if (await files.status(`${at}/.git`).catch(() => undefined)) {
      return at || "/";
    }
    const above = at.replace(/[\\/][^\\/]*$/, "");
    if (above === at) return undefined;
    at = above;
  }
}
