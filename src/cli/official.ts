import type { Host } from "../ports/host.ts";
import { resolvePath } from "../process/paths.ts";
import {
  directoriesAbove,
  officialPath,
  type SearchPlace,
} from "./candidates.ts";
import { examine } from "./examine.ts";
import { libcOf, prepareSearch } from "./search.ts";

/**
 * The CLI that npm installs along with the official SDK; `undefined` if none can be started.
 *
 * @param module URL of a module that is installed beside it, or below
 */
export async function officialCli(
  host: Host,
  module: string = import.meta.url,
): Promise<string | undefined> {
  const { named, place } = await prepareSearch(host, {});
  // A CLI named in the environment is used alone.
  if (named !== undefined) return undefined;
  const own = folderOf(module, host.platform);
  const roots = [...own === undefined ? [] : [own], ...place.roots];
  const libc = await libcOf(host);
  const paths = officialPaths({ ...place, libc, roots });
  for (const path of paths) {
    const candidate = { path, source: "node_modules" } as const;
    const { program } = await examine(host, place, candidate);
    if (program !== undefined) return path;
  }
  return undefined;
}

function folderOf(module: string, platform: string): string | undefined {
  const { pathname, protocol } = new URL(".", module);
  if (protocol !== "file:") return undefined;
  const path = decodeURIComponent(pathname);
  return platform === "win32" ? path.replace(/^\/(?=[a-z]:)/i, "") : path;
}

/** Where the one for this C library is missing, the other one may be there, as that package has it. */
function officialPaths(place: SearchPlace): string[] {
  const { libc, platform } = place;
  const other = libc === "musl" ? "glibc" : "musl";
  const places = platform === "linux"
    ? [place, { ...place, libc: other }] as const
    : [place];
  const directories = directoriesAbove(place);
  return places.flatMap((one) =>
    directories.map((directory) =>
      resolvePath(directory, officialPath(one), platform)
    )
  );
}
