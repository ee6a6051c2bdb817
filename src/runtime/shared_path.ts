import { readlink } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { isGranted } from "./host.ts";
import { NO_LINK, orUndefined } from "./machine.ts";

/** Places where each process finds other files, or the kernel makes them up. */
const OWN = ["/proc", "/sys", "/dev/fd"];
/** More links than a system follows. */
const MOST_LINKS = 40;

/**
 * An absolute path with its links resolved one by one, the same for every process; `undefined` for one that may be another file in
 * another process, as `/proc/self/cwd/a` and all links there.
 */
export async function sharedPath(path: string): Promise<string | undefined> {
  // Windows has no such places.
  if (sep !== "/") return path;
  let at = "/";
  let links = 0;
  const left = resolve(path).split("/").filter(Boolean).reverse();
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    const next = resolve(at, name);
    if (OWN.includes(next.toLowerCase())) return undefined;
    const mayRead = isGranted({ name: "read", path: next });
    // A folder above all that this program may read is no choice of a repository.
    if (!mayRead && links > 0) return undefined;
    const target = mayRead
      ? await orUndefined(readlink(next), NO_LINK)
      : undefined;
    if (target === undefined) {
      at = next;
      continue;
    }
    if (++links > MOST_LINKS) return undefined;
    if (target.startsWith("/")) at = "/";
    left.push(...target.split("/").filter(Boolean).reverse());
  }
  return at;
}
