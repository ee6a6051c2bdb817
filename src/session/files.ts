import { ConfigError } from "../errors/config.ts";
import { SessionFormatError } from "../errors/session.ts";
import { show } from "../errors/text.ts";
import type { Files, OpenFile } from "../ports/files.ts";
import type { Host } from "../ports/host.ts";

const CHUNK_BYTES = 64 * 1024;
/** Folders of sessions are for this user alone: chats hold secrets. */
const PRIVATE_FOLDER = 0o700;

/** The runtime, loaded when the first file is touched. */
export async function loadHost(): Promise<Host> {
  const { host } = await import("../runtime/host.ts");
  return await host();
}

/** A path as the system wants it. */
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
  throw new ConfigError({
    message: `Option "path" ${why}: ${show(url.href)}`,
    key: "path",
    value: url,
    fatal: false,
  });
}

/** The folder that a path lies in. */
export function folderOf(path: string): string {
  const [folder] = /^.*[/\\]/s.exec(path) ?? [];
  return folder ?? "./";
}

/** A name for a file that is about to become another one; it begins with a dot, as no session's does. */
export function temporaryIn(folder: string): string {
  return `${folder.replace(/[/\\]$/, "")}/.${crypto.randomUUID()}.tmp`;
}

/** The file that a path leads to, links followed, or the path itself where nothing is yet; throws when something else is there. */
export async function realFile(files: Files, path: string): Promise<string> {
  const status = await files.status(path);
  if (status === undefined) return path;
  if (status.kind !== "file") {
    throw new SessionFormatError({
      message: `Session file is no file: ${show(path)}`,
      line: 1,
    });
  }
  return await files.realPath(path);
}

/** Makes a folder for sessions. */
export async function makeFolder(files: Files, path: string): Promise<void> {
  await files.makeDirectory(path, PRIVATE_FOLDER);
}

/** Hands a file over in chunks; each is valid during the call only. Gives the last byte, if there is one. */
export async function readChunks(
  file: OpenFile,
  take: (chunk: Uint8Array) => void,
): Promise<number | undefined> {
  const buffer = new Uint8Array(CHUNK_BYTES);
  let last: number | undefined;
  for (let position = 0;;) {
    const length = await file.read(buffer, position);
    if (length === 0) return last;
    take(buffer.subarray(0, length));
    last = buffer[length - 1];
    position += length;
  }
}

/** Writes all bytes; a system may take fewer at once. */
export async function writeAll(
  file: OpenFile,
  bytes: Uint8Array,
): Promise<void> {
  for (let from = 0; from < bytes.length;) {
    const taken = await file.write(bytes.subarray(from));
    if (taken === 0) throw new Error("File takes no more bytes: 0 written");
    from += taken;
  }
}

/** The `code` of a system's error. */
export function codeOf(error: unknown): unknown {
  return (Object(error) as { readonly code?: unknown }).code;
}
