import {
  access,
  appendFile,
  constants,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Files } from "../ports/files.ts";

/** What `readlink` says where no link is; Windows has a word of its own. */
const NO_LINK = new Set<unknown>(["EINVAL", "UNKNOWN", "ENOENT", "ENOTDIR"]);
const NOTHING_THERE = new Set<unknown>(["ENOENT", "ENOTDIR"]);
/** Denied, or a file system that is told not to execute. */
const MAY_NOT = new Set<unknown>(["EACCES", "EPERM"]);

/** The files of this machine; all three runtimes have `node:fs`. */
export const files: Files = {
  async status(path) {
    const found = await orUndefined(stat(path), NOTHING_THERE);
    return found && {
      kind: found.isFile()
        ? "file"
        : found.isDirectory()
        ? "directory"
        : "other",
      size: found.size,
      modifiedMs: found.mtimeMs,
    };
  },
  linkTarget: (path) => orUndefined(readlink(path), NO_LINK),
  realPath: (path) => realpath(path),
  async isExecutable(path) {
    const found = await files.status(path);
    if (found?.kind !== "file") return false;
    const answer = access(path, constants.X_OK).then(() => true);
    return await orUndefined(answer, MAY_NOT) ?? false;
  },
  list: (path) => readdir(path),
  readText: (path) => readFile(path, "utf8"),
  writeText: (path, text) => writeFile(path, text),
  appendText: (path, text) => appendFile(path, text),
  rename: (from, to) => rename(from, to),
  remove: (path) => rm(path, { recursive: true, force: true }),
  async makeDirectory(path) {
    await mkdir(path, { recursive: true });
  },
  makeTemporaryDirectory: (prefix) => mkdtemp(join(tmpdir(), prefix)),
};

/** The promised value; `undefined` when it fails for one of the given reasons. */
async function orUndefined<T>(
  work: Promise<T>,
  reasons: ReadonlySet<unknown>,
): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (reasons.has((error as { readonly code?: unknown }).code)) return;
    throw error;
  }
}
