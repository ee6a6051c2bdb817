import { open, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import type { Unread } from "../ports/read_text.ts";
import { isGranted } from "./host.ts";
import { sharedPath } from "./shared_path.ts";

/** No person compares more, in bytes. */
const LARGEST = 2_000_000;
/** Longest wait for a file, in milliseconds: that of a server may never come. */
const LONGEST_MS = 2_000;
const UNREADABLE: Unread = { why: "not readable for this program" };

/**
 * The text of a file for a person to read: `undefined` where it is missing, the reason where it is too large, no plain file, no text, slow,
 * may not be read, or may be another one in the CLI. A relative path is that of the CLI, whose directory is not known. Read `leniently`,
 * bytes that are no text are replaced, as the CLI replaces them.
 */
export async function shownFile(
  path: string,
  how?: "leniently",
): Promise<string | undefined | Unread> {
  if (!isAbsolute(path)) return { why: "its path is relative" };
  if (!isGranted({ name: "read", path })) return UNREADABLE;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<Unread>((resolve) => {
    timer = setTimeout(() => resolve({ why: "too slow to read" }), LONGEST_MS);
  });
  try {
    return await Promise.race([textOf(path, how === undefined), late]);
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    return code === "ENOENT" ? undefined : UNREADABLE;
  } finally {
    clearTimeout(timer);
  }
}

async function textOf(
  given: string,
  fatal: boolean,
): Promise<string | Unread> {
  const path = await sharedPath(given);
  if (path === undefined) return { why: "the CLI may find another file" };
  const found = await stat(path);
  const { size } = found;
  if (!found.isFile()) return { why: "no plain file" };
  if (size > LARGEST) return { why: "larger than 2 MB" };
  const file = await open(path);
  try {
    const bytes = new Uint8Array(size + 1);
    let length = 0;
    for (let read = 1; read > 0;) {
      const left = bytes.length - length;
      read = (await file.read(bytes, length, left, length)).bytesRead;
      length += read;
    }
    // It grows while it is read, or the system makes it up.
    if (length > size) return { why: "it grows" };
    return decoded(bytes.subarray(0, length), fatal);
  } finally {
    await file.close();
  }
}

function decoded(bytes: Uint8Array, fatal: boolean): string | Unread {
  try {
    return new TextDecoder("utf-8", { fatal, ignoreBOM: true }).decode(bytes);
  } catch {
    return { why: "not UTF-8" };
  }
}
