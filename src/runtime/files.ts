import {
  access,
  appendFile,
  constants,
  link,
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
import process from "node:process";
import type { Files } from "../ports/files.ts";
import {
  isOpenToAll,
  MAY_NOT,
  NO_DIRECTORY_SYNC,
  NO_LINK,
  NOTHING_THERE,
  orUndefined,
} from "./error_codes.ts";
import { openFile, syncNames } from "./open_file.ts";

/** The files of this machine through `node:fs`. */
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
      // Windows has no such permissions, whatever stands there.
      isOpenToAll: process.platform !== "win32" &&
        isOpenToAll(found.mode, found.isDirectory()),
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
  async makeDirectory(path, mode) {
    await mkdir(path, { recursive: true, ...(mode && { mode }) });
  },
  open: openFile,
  link: (path, name) => link(path, name),
  syncDirectory: (path) => orUndefined(syncNames(path), NO_DIRECTORY_SYNC),
  makeTemporaryDirectory: (prefix) => mkdtemp(join(tmpdir(), prefix)),
};
