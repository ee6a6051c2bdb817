import { readFile, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { deno } from "./host.ts";

/** No person compares more, in bytes. */
const LARGEST = 2_000_000;

/**
 * The text of a file for a person to read: `undefined` where it is missing, `null` where it is too large, no plain file, no text, or
 * may not be read. A relative path is that of the CLI, whose directory is not known.
 */
export async function shownFile(
  path: string,
): Promise<string | undefined | null> {
  if (!isAbsolute(path)) return null;
  // Deno would ask, in the middle of another question.
  const asked = deno?.permissions.querySync({ name: "read", path });
  if (asked !== undefined && asked.state !== "granted") return null;
  try {
    const found = await stat(path);
    if (!found.isFile() || found.size > LARGEST) return null;
    const bytes = await readFile(path);
    // Made-up files have no size: one may be this program's own environment.
    if (bytes.length > found.size) return null;
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return decoder.decode(bytes);
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    return code === "ENOENT" ? undefined : null;
  }
}
