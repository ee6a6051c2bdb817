import { show } from "../errors/text.ts";
import type { Files, OpenFile } from "../ports/files.ts";
import type { Host } from "../ports/host.ts";
import { optionError } from "./option_error.ts";

/** Ending of a session file's name, after the id. */
export const SESSION_SUFFIX = ".jsonl";

/** Mode of folders with sessions, for this user alone: chats hold secrets. */
export const PRIVATE_FOLDER = 0o700;

/** A file of a session, as far as it is known without being read. */
export interface SessionFile {
  readonly id: string;
  readonly path: string;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modifiedMs: number;
}

/** The session files among the names in a folder; `toId` returns `undefined` for names that are no session's. */
export async function sessionFilesIn(
  files: Files,
  folder: string,
  toId: (name: string) => string | undefined,
): Promise<readonly SessionFile[]> {
  const found = await Promise.all(
    (await files.list(folder)).map(async (name) => {
      const id = name.endsWith(SESSION_SUFFIX)
        ? toId(name.slice(0, -SESSION_SUFFIX.length))
        : undefined;
      return id === undefined
        ? undefined
        : await sessionFileAt(files, `${folder}/${name}`, id);
    }),
  );
  return found.filter((file) => file !== undefined);
}

/** The file of a session; `undefined` if it is missing. */
export async function sessionFileAt(
  files: Files,
  path: string,
  id: string,
): Promise<SessionFile | undefined> {
  const status = await files.status(path);
  if (status?.kind !== "file") return undefined;
  const { modifiedMs, size } = status;
  return { id, path, size, modifiedMs };
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
 * Writes a file that is there as a whole, for this user alone, or not at all: in place of another by `"rename"`, while `"link"`
 * fails with `EEXIST` then. Until it gets its name it is a file in the same folder whose name begins with a dot, as no session's does.
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

/** Writes a whole text; a system may take fewer bytes at once. */
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
