import { show } from "../errors/text.ts";
import type { Files, OpenFile } from "../ports/files.ts";
import type { Host } from "../ports/host.ts";
import { optionError } from "./input_error.ts";

/** Ending of a session file's name, after the id. */
export const SESSION_SUFFIX = ".jsonl";

/** Mode of folders with sessions, for this user alone: chats hold secrets. */
export const PRIVATE_FOLDER = 0o700;

/** A file of a session, as far as it is known without being read. */
export interface SessionFile {
  /** Its path below the folder that was looked in, without the suffix. */
  readonly id: string;
  readonly path: string;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modifiedMs: number;
}

/**
 * The session files in a folder, with `isDeep` also those below it, level by level; empty if the folder is missing. A file that
 * cannot be looked at, such as a link to itself, is left out, so that it does not hide the others.
 */
export async function sessionFilesIn(
  files: Files,
  root: string,
  isDeep = false,
): Promise<readonly SessionFile[]> {
  const found: SessionFile[] = [];
  const folders = [""];
  for (const folder of folders) {
    const isBelow = folder !== "";
    const names = await files.list(root + folder)
      .catch(isBelow ? () => [] : emptyIfMissing);
    const paths = names.map((name) => `${folder}/${name}`)
      .filter((path) => isDeep || path.endsWith(SESSION_SUFFIX)).sort();
    const statuses = await Promise.all(
      paths.map((path) => files.status(root + path).catch(() => undefined)),
    );
    for (const [at, below] of paths.entries()) {
      const status = statuses[at];
      if (isDeep && status?.kind === "directory") {
        // A link may lead back here.
        const target = await files.linkTarget(root + below).catch(() => "");
        if (target === undefined) folders.push(below);
      }
      if (status?.kind !== "file" || !below.endsWith(SESSION_SUFFIX)) continue;
      const { size, modifiedMs } = status;
      const id = below.slice(1, -SESSION_SUFFIX.length);
      found.push({ id, path: root + below, size, modifiedMs });
    }
  }
  return found;
}

function emptyIfMissing(error: unknown): readonly string[] {
  if (isMissing(error)) return [];
  throw error;
}

/** Whether a system's error says that there is no such file or folder. */
export function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

/** Text of a file; `undefined` if it does not exist. */
export async function textIfThere(
  files: Files,
  path: string,
): Promise<string | undefined> {
  try {
    return await files.readText(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

export function newestFirst<File extends SessionFile>(
  files: readonly File[],
): File[] {
  return files.toSorted((a, b) =>
    b.modifiedMs - a.modifiedMs || (a.id < b.id ? -1 : 1)
  );
}

/** The runtime, loaded when the first file is touched. */
export async function loadHost(): Promise<Host> {
  const { host } = await import("../runtime/host.ts");
  return await host();
}

export function checkPath(target: unknown): void {
  const isPath = typeof target === "string"
    ? target !== ""
    : Object(target).protocol === "file:";
  if (isPath) return;
  throw optionError("path", "must be a path or a file URL", target);
}

export function toPath(
  target: string | URL,
  { platform }: Pick<Host, "platform">,
): string {
  if (typeof target === "string") return target;
  const isWindows = platform === "win32";
  const { host, pathname, protocol } = target;
  if (protocol !== "file:") refuseUrl(target, "must be a file URL");
  // Decoded it would be a separator, and lead somewhere else.
  if ((isWindows ? /%2f|%5c/i : /%2f/i).test(pathname)) {
    refuseUrl(target, "must not hold an encoded slash");
  }
  const path = decodeURIComponent(pathname);
  if (isWindows) {
    const rooted = host === ""
      ? path.replace(/^\/(?=[A-Za-z]:)/, "")
      : `//${host}${path}`;
    return rooted.replaceAll("/", "\\");
  }
  if (host !== "") {
    refuseUrl(target, `names the host ${show(host)}, which no path has here`);
  }
  return path;
}

function refuseUrl(url: URL, why: string): never {
  throw optionError("path", why, url, url.href);
}

export function folderOf(path: string): string {
  const [folder] = /^.*[/\\]/s.exec(path) ?? [];
  return folder ?? "./";
}

/**
 * The path, or the nearest folder above it, through which every user of the machine can change what is at the path;
 * `undefined` if no such folder is known. In a sticky folder users cannot touch each other's files.
 *
 * @param path A path without links
 */
export async function writableByAll(
  files: Files,
  path: string,
): Promise<string | undefined> {
  const { isGranted } = await import("../runtime/host.ts");
  const names = path.split("/");
  for (let count = names.length; count > 0; count--) {
    const at = names.slice(0, count).join("/") || "/";
    // Deno would ask a person about each folder above.
    if (at !== path && !isGranted({ name: "read", path: at })) continue;
    if ((await files.status(at))?.isOpenToAll === true) return at;
  }
  return undefined;
}

/**
 * Writes a file for this user alone in one step, complete or not at all: `"rename"` replaces another file, `"link"` fails with
 * `EEXIST` then. Until then it is a file in the same folder whose name begins with a dot, as no session's does.
 */
export async function placeFile(
  files: Files,
  path: string,
  { by, write }: {
    readonly by: "rename" | "link";
    readonly write: (file: OpenFile) => Promise<void>;
  },
): Promise<void> {
  const temporary = `${folderOf(path)}.${crypto.randomUUID()}.tmp`;
  try {
    const file = await files.open(temporary, "new");
    try {
      await write(file);
    } finally {
      await file.close();
    }
    await files[by](temporary, path);
  } finally {
    await files.remove(temporary);
  }
}

const encoder = new TextEncoder();

/** Writes a whole text, also if the system writes only a part at once. */
export async function writeText(file: OpenFile, text: string): Promise<void> {
  const bytes = encoder.encode(text);
  for (let from = 0; from < bytes.length;) {
    const taken = await file.write(bytes.subarray(from));
    if (taken === 0) throw new Error("File takes no more bytes: 0 written");
    from += taken;
  }
}

export function codeOf(error: unknown): unknown {
  return (Object(error) as { readonly code?: unknown }).code;
}
