import type { Stats } from "node:fs";
import type { Files, OpenFile, OpenMode } from "../ports/files.ts";
import { process } from "./builtins.ts";
import {
  MAY_NOT,
  NO_DIRECTORY_SYNC,
  NO_LINK,
  NOTHING_THERE,
  orUndefined,
  PRIVATE_FILE,
  statusOf,
} from "./error_codes.ts";

const fs = process.getBuiltinModule("node:fs");
const disk = process.getBuiltinModule("node:fs/promises");
const { tmpdir } = process.getBuiltinModule("node:os");
const { join } = process.getBuiltinModule("node:path");
const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR } = fs.constants;

const FLAGS: Readonly<Record<OpenMode, number>> = {
  read: O_RDONLY,
  append: O_RDWR | O_APPEND,
  new: O_RDWR | O_APPEND | O_CREAT | O_EXCL,
};

/** The files of this machine through `node:fs`. */
export const files: Files = {
  async status(path) {
    const found = await orUndefined(disk.stat(path), NOTHING_THERE);
    return found && statusOf(process.platform, {
      isFile: found.isFile(),
      isDirectory: found.isDirectory(),
      size: found.size,
      modifiedMs: found.mtimeMs,
      mode: found.mode,
    });
  },
  linkTarget: (path) => orUndefined(disk.readlink(path), NO_LINK),
  realPath: (path) => disk.realpath(path),
  async isExecutable(path) {
    const found = await files.status(path);
    if (found?.kind !== "file") return false;
    const answer = disk.access(path, fs.constants.X_OK).then(() => true);
    return await orUndefined(answer, MAY_NOT) ?? false;
  },
  list: (path) => disk.readdir(path),
  readText: (path) => disk.readFile(path, "utf8"),
  writeText: (path, text) => disk.writeFile(path, text),
  appendText: (path, text) => disk.appendFile(path, text),
  rename: (from, to) => disk.rename(from, to),
  remove: (path) => disk.rm(path, { recursive: true, force: true }),
  removeNow: (path) => fs.rmSync(path, { recursive: true, force: true }),
  async makeDirectory(path, mode) {
    await disk.mkdir(path, { recursive: true, ...(mode && { mode }) });
  },
  open: openFile,
  link: (path, name) => disk.link(path, name),
  syncDirectory: (path) => orUndefined(syncNames(path), NO_DIRECTORY_SYNC),
  async freeBytes(path) {
    try {
      const { bavail, bsize } = await disk.statfs(path);
      return bavail * bsize;
    } catch {
      return undefined;
    }
  },
  makeTemporaryDirectory: (prefix) => disk.mkdtemp(join(tmpdir(), prefix)),
};

/** Opens a file by its descriptor: a `FileHandle` that is forgotten is an uncaught error in Bun. */
async function openFile(
  path: string,
  mode: OpenMode,
): Promise<OpenFile> {
  const file = await promised<number>((done) =>
    fs.open(path, FLAGS[mode], PRIVATE_FILE, done)
  );
  return {
    read: (buffer, position) =>
      promised<number>((done) =>
        fs.read(file, buffer, 0, buffer.length, position, done)
      ),
    write: (bytes) =>
      promised<number>((done) =>
        fs.write(file, bytes, 0, bytes.length, null, done)
      ),
    isRemoved: async () =>
      (await promised<Stats>((done) => fs.fstat(file, done))).nlink === 0,
    syncData: () => promised((done) => fs.fdatasync(file, done)),
    close: () => promised((done) => fs.close(file, done)),
  };
}

/** Resolves when the names in a directory are on the disk. */
async function syncNames(path: string): Promise<void> {
  const directory = await promised<number>((done) =>
    fs.open(path, O_RDONLY, done)
  );
  try {
    await promised((done) => fs.fsync(directory, done));
  } finally {
    await promised((done) => fs.close(directory, done));
  }
}

function promised<T = void>(
  call: (done: (error?: Error | null, value?: T) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) =>
    // What calls back without an error has the value.
    call((error, value) => error ? reject(error) : resolve(value as T))
  );
}
