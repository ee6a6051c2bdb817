import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { deno } from "./host.ts";

/** The command that runs a module of this package as a program of its own, in the runtime that runs now. */
export function commandFor(module: URL): readonly string[] {
  const path = module.protocol === "file:"
    ? fileURLToPath(module)
    : module.href;
  if (deno === undefined) return [process.execPath, path];
  // Neither a configuration nor a lock file of the project may change the program.
  const flags = ["-A", "--quiet", "--no-config", "--no-lock"];
  return [process.execPath, "run", ...flags, path];
}

/** A folder of this program's own, used without waiting; it is removed when the program ends at the latest. */
export interface Scratch {
  path(name: string): string;
  write(name: string, text: string): void;
  /** Adds to the end of a file; does nothing once the folder is removed. */
  append(name: string, text: string): void;
  /** The text of a file; empty when it is missing. */
  read(name: string): string;
  remove(): void;
}

const MOST_TRIES = 20;

const folders = new Set<string>();
let isWatching = false;

/** Makes a folder in the system's temporary folder. */
export function makeScratch(prefix: string): Scratch {
  watchExit();
  const folder = mkdtempSync(join(tmpdir(), prefix));
  folders.add(folder);
  return {
    path: (name) => join(folder, name),
    write: (name, text) => writeFileSync(join(folder, name), text),
    append(name, text) {
      if (folders.has(folder)) appendFileSync(join(folder, name), text);
    },
    read(name) {
      try {
        return readFileSync(join(folder, name), "utf8");
      } catch {
        return "";
      }
    },
    remove() {
      folders.delete(folder);
      removeFolder(folder);
    },
  };
}

/** One listener for all of them: many would be reported as a leak. */
function watchExit(): void {
  if (isWatching) return;
  isWatching = true;
  // Only `unload` comes at the end of `deno test`; the others do not know it.
  if (deno !== undefined) globalThis.addEventListener("unload", removeAll);
  else process.on("exit", removeAll);
}

function removeAll(): void {
  for (const folder of folders) removeFolder(folder);
}

/** A program that is ending may add to a file in the meantime, which makes it anew. */
function removeFolder(folder: string): void {
  for (let tries = 1;; tries++) {
    try {
      return rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      const { code } = error as { readonly code?: string };
      if (code !== "ENOTEMPTY" || tries === MOST_TRIES) throw error;
    }
  }
}
