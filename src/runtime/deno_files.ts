import type { Files, OpenFile, OpenMode } from "../ports/files.ts";
import type { DenoGlobal, DenoOpenOptions } from "./globals.ts";
import {
  NO_DIRECTORY_SYNC,
  NO_LINK,
  NOTHING_THERE,
  orUndefined,
  PRIVATE_FILE,
  statusOf,
} from "./machine.ts";

const OPTIONS: Readonly<Record<OpenMode, DenoOpenOptions>> = {
  read: { read: true },
  append: { read: true, append: true },
  grow: { read: true, append: true, create: true, mode: PRIVATE_FILE },
  new: { read: true, append: true, createNew: true, mode: PRIVATE_FILE },
};

const ANYBODY_MAY_EXECUTE = 0o111;

/** `Deno.SeekMode.Start`. */
const FROM_START = 0;

/** The files of this machine through Deno itself: its copy of `node:fs` takes 20 ms to load. */
export function denoFiles(deno: DenoGlobal): Files {
  let user: number | undefined;
  return {
    async status(path) {
      const found = await orUndefined(deno.stat(path), NOTHING_THERE);
      return found && statusOf(deno.build.os, {
        isFile: found.isFile,
        isDirectory: found.isDirectory,
        size: found.size,
        modifiedMs: found.mtime?.getTime() ?? 0,
        mode: found.mode ?? 0,
        owner: found.uid,
      }, user ??= userOf(deno));
    },
    linkTarget: (path) => orUndefined(deno.readLink(path), NO_LINK),
    realPath: (path) => deno.realPath(path),
    async isExecutable(path) {
      const found = await orUndefined(deno.stat(path), NOTHING_THERE);
      if (found === undefined || !found.isFile) return false;
      // Windows has no such bit, and what Deno tells there instead says nothing.
      if (deno.build.os === "windows") return true;
      // Deno does not say whose turn it is, so anybody's counts; the start tells the rest.
      return ((found.mode ?? 0) & ANYBODY_MAY_EXECUTE) !== 0;
    },
    async list(path) {
      const names: string[] = [];
      for await (const { name } of deno.readDir(path)) names.push(name);
      return names;
    },
    readText: (path) => deno.readTextFile(path),
    writeText: (path, text) => deno.writeTextFile(path, text),
    appendText: (path, text) =>
      deno.writeTextFile(path, text, { append: true }),
    rename: (from, to) => deno.rename(from, to),
    remove: (path) =>
      orUndefined(deno.remove(path, { recursive: true }), NOTHING_THERE),
    removeNow(path) {
      try {
        deno.removeSync(path, { recursive: true });
      } catch (error) {
        const { code } = error as { readonly code?: unknown };
        if (!NOTHING_THERE.has(code)) throw error;
      }
    },
    makeDirectory: (path, mode) =>
      deno.mkdir(path, { recursive: true, ...(mode && { mode }) }),
    open: (path, mode) => openFile(deno, path, mode),
    link: (path, name) => deno.link(path, name),
    syncDirectory: (path) =>
      orUndefined(syncNames(deno, path), NO_DIRECTORY_SYNC),
    makeTemporaryDirectory: (prefix) => deno.makeTempDir({ prefix }),
  };
}

/** Id of the user of this program; `undefined` on Windows, and where Deno would ask a person for the permission. */
function userOf(deno: DenoGlobal): number | undefined {
  if (deno.build.os === "windows") return undefined;
  const { state } = deno.permissions.querySync({ name: "sys", kind: "uid" });
  return state === "granted" ? deno.uid() ?? undefined : undefined;
}

async function openFile(
  deno: DenoGlobal,
  path: string,
  mode: OpenMode,
): Promise<OpenFile> {
  const file = await deno.open(path, OPTIONS[mode]);
  return {
    async read(buffer, position) {
      await file.seek(position, FROM_START);
      return await file.read(buffer) ?? 0;
    },
    write: (bytes) => file.write(bytes),
    isRemoved: async () => (await file.stat()).nlink === 0,
    syncData: () => file.syncData(),
    close: () => new Promise((resolve) => resolve(file.close())),
  };
}

async function syncNames(deno: DenoGlobal, path: string): Promise<void> {
  const directory = await deno.open(path, OPTIONS.read);
  try {
    await directory.sync();
  } finally {
    directory.close();
  }
}
