import {
  close,
  constants,
  fdatasync,
  fstat,
  fsync,
  open,
  read,
  rmSync,
  type Stats,
  write,
} from "node:fs";
import {
  access,
  appendFile,
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
  statfs,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { Files, OpenFile, OpenMode } from "../ports/files.ts";
import {
  MAY_NOT,
  NO_DIRECTORY_SYNC,
  NO_LINK,
  NOTHING_THERE,
  orUndefined,
  PRIVATE_FILE,
  statusOf,
} from "./error_codes.ts";

const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR } = constants;

const FLAGS: Readonly<Record<OpenMode, number>> = {
  read: O_RDONLY,
  append: O_RDWR | O_APPEND,
  new: O_RDWR | O_APPEND | O_CREAT | O_EXCL,
};

/** The files of this machine through `node:fs`. */
export const files: Files = {
  async status(path) {
    const found = await orUndefined(stat(path), NOTHING_THERE);
    return found && statusOf(process.platform, {
      isFile: found.isFile(),
      isDirectory: found.isDirectory(),
      size: found.size,
      modifiedMs: found.mtimeMs,
      mode: found.mode,
    });
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
  removeNow: (path) => rmSync(path, { recursive: true, force: true }),
  async makeDirectory(path, mode) {
    await mkdir(path, { recursive: true, ...(mode && { mode }) });
  },
  open: openFile,
  link: (path, name) => link(path, name),
  syncDirectory: (path) => orUndefined(syncNames(path), NO_DIRECTORY_SYNC),
  async freeBytes(path) {
    try {
      const { bavail, bsize } = await statfs(path);
      return bavail * bsize;
    } catch {
      return undefined;
    }
  },
  makeTemporaryDirectory: (prefix) => mkdtemp(join(tmpdir(), prefix)),
};

/** Opens a file by its descriptor: a `FileHandle` that is forgotten is an uncaught error in Bun. */
async function openFile(
  path: string,
  mode: OpenMode,
): Promise<OpenFile> {
  const file = await promised<number>((done) =>
    open(path, FLAGS[mode], PRIVATE_FILE, done)
  );
  return {
    read: (buffer, position) =>
      promised<number>((done) =>
        read(file, buffer, 0, buffer.length, position, done)
      ),
    write: (bytes) =>
      promised<number>((done) =>
        write(file, bytes, 0, bytes.length, null, done)
      ),
    isRemoved: async () =>
      (await promised<Stats>((done) => fstat(file, done))).nlink === 0,
    syncData: () => finished((done) => fdatasync(file, done)),
    close: () => finished((done) => close(file, done)),
  };
}

/** Resolves when the names in a directory are on the disk. */
async function syncNames(path: string): Promise<void> {
  const directory = await promised<number>((done) =>
    open(path, O_RDONLY, done)
  );
  try {
    await finished((done) => fsync(directory, done));
  } finally {
    await finished((done) => close(directory, done));
  }
}

function promised<T>(
  call: (done: (error: Error | null, value: T) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) =>
    call((error, value) => error ? reject(error) : resolve(value))
  );
}

function finished(
  call: (done: (error?: Error | null) => void) => void,
): Promise<void> {
  return new Promise((resolve, reject) =>
    call((error) => error ? reject(error) : resolve())
  );
}
