import type { FileStatus } from "../ports/files.ts";
import type { Helper, SpawnFailure, TextSink } from "../ports/process.ts";

const BY_CODE: ReadonlyMap<unknown, SpawnFailure> = new Map([
  ["ENOENT", "missing"],
  ["ENOTDIR", "missing"],
  ["EACCES", "permission"],
  ["EPERM", "permission"],
]);

/** Deno's errors have names of their own, and not all of them a `code`. */
const BY_NAME: ReadonlyMap<unknown, SpawnFailure> = new Map([
  ["NotFound", "missing"],
  ["PermissionDenied", "permission"],
  ["NotCapable", "not-allowed"],
]);

/** Says which of the neutral failures the error of a start is. */
export function failureOf(error: unknown): SpawnFailure {
  const { code, name } = Object(error) as {
    readonly code?: unknown;
    readonly name?: unknown;
  };
  return BY_CODE.get(code) ?? BY_NAME.get(name) ?? "other";
}

/** Codes of an error that says that nothing is at a path. */
export const NOTHING_THERE: ReadonlySet<unknown> = new Set(
  ["ENOENT", "ENOTDIR"],
);

/** Codes for a path that is not a link; Windows has its own. */
export const NO_LINK: ReadonlySet<unknown> = new Set(
  ["EINVAL", "UNKNOWN", "ENOENT", "ENOTDIR"],
);

/** Codes of an error that says that this user may not. */
export const MAY_NOT: ReadonlySet<unknown> = new Set(["EACCES", "EPERM"]);

/** Codes by which a system says that a directory cannot be synced; Windows cannot even open one. */
export const NO_DIRECTORY_SYNC: ReadonlySet<unknown> = new Set(
  ["EACCES", "EPERM", "EISDIR", "EINVAL", "EBADF", "ENOTSUP"],
);

/** Permissions of a file that this user alone may read and write. */
export const PRIVATE_FILE = 0o600;

/** Id of the user who may do everything, and the owner of all files on Windows. */
const ROOT = 0;

export function statusOf(
  platform: string,
  { isFile, isDirectory, size, modifiedMs, mode, owner }: {
    readonly isFile: boolean;
    readonly isDirectory: boolean;
    readonly size: number;
    readonly modifiedMs: number;
    readonly mode: number;
    readonly owner: number | null;
  },
  user: number | undefined,
): FileStatus {
  // Windows has no such permissions, whatever stands there.
  const mayAllWrite = !platform.startsWith("win") && (mode & 0o002) !== 0;
  return {
    kind: isFile ? "file" : isDirectory ? "directory" : "other",
    size,
    modifiedMs,
    // In a sticky folder users cannot touch each other's files.
    isOpenToAll: mayAllWrite && !(isDirectory && (mode & 0o1000) !== 0),
    mayAllAdd: mayAllWrite && isDirectory,
    isForeign: user !== undefined && owner !== null && owner !== ROOT &&
      owner !== user,
  };
}

/** The promised value; `undefined` when it fails for one of the given reasons. */
export async function orUndefined<T>(
  work: Promise<T>,
  codes: ReadonlySet<unknown>,
): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codes.has((error as { readonly code?: unknown }).code)) return;
    throw error;
  }
}

/** Whether a signal was taken; false when the process is gone, or may not be killed. */
export function attempt(kill: () => void): boolean {
  try {
    kill();
    return true;
  } catch {
    return false;
  }
}

/** A process that was started with no output as a helper of this program, which may end before it. */
export function helperOf(
  child: {
    readonly pid: number;
    ref(): void;
    unref(): void;
    kill(signal: "SIGKILL"): void;
  },
  stdin: TextSink,
  exited: Promise<unknown>,
): Helper {
  child.unref();
  return {
    pid: child.pid,
    write: (text) => void stdin.write(text).catch(() => {}),
    kill() {
      // Its end is waited for from now on, maybe by nothing else.
      child.ref();
      attempt(() => child.kill("SIGKILL"));
    },
    exited: exited.then(() => stdin.end()),
  };
}
