import {
  close,
  constants,
  fdatasync,
  fstat,
  fsync,
  open,
  read,
  type Stats,
  write,
} from "node:fs";
import type { OpenFile, OpenMode } from "../ports/files.ts";
import { PRIVATE_FILE } from "./error_codes.ts";

const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR } = constants;

const FLAGS: Readonly<Record<OpenMode, number>> = {
  read: O_RDONLY,
  append: O_RDWR | O_APPEND,
  new: O_RDWR | O_APPEND | O_CREAT | O_EXCL,
};

/** Opens a file by its descriptor: a `FileHandle` that is forgotten is an uncaught error in Bun. */
export async function openFile(
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
export async function syncNames(path: string): Promise<void> {
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
