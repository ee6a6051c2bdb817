import type { Host } from "../ports/host.ts";
import { resolvePath } from "../process/paths.ts";
import {
  directoriesAbove,
  libcOf,
  nativeProgram,
  officialPath,
} from "./candidates.ts";
import { examine } from "./examine.ts";
import { prepareSearch } from "./search.ts";

/**
 * The CLI that npm installs along with the official SDK; `undefined` if none can be started.
 *
 * @param module URL of a module that is installed beside it, or below
 */
export async function officialCli(
  host: Host,
  module: string = import.meta.url,
): Promise<string | undefined> {
  const { platform } = host;
  const search = await prepareSearch(host, {});
  // A CLI named in the environment is used alone.
  if (search.named !== undefined) return undefined;
  const own = folderOf(module, platform);
  const roots = [...own === undefined ? [] : [own], ...search.roots];
  const libc = await libcOf(host);
  // The one for the other C library may be there alone, as that package has it.
  const kinds = libc === "musl"
    ? ["musl", "glibc"] as const
    : ["glibc", "musl"] as const;
  for (const kind of platform === "linux" ? kinds : kinds.slice(0, 1)) {
    for (const folder of directoriesAbove({ platform, roots })) {
      const official = officialPath(nativeProgram(host, kind));
      const path = resolvePath(folder, official, platform);
      const { program } = await examine(search, {
        path,
        source: "node_modules",
      });
      if (program !== undefined) return path;
    }
  }
  return undefined;
}

function folderOf(module: string, platform: string): string | undefined {
  const { pathname, protocol } = new URL(".", module);
  if (protocol !== "file:") return undefined;
  const path = decodeURIComponent(pathname);
  return platform === "win32" ? path.replace(/^\/(?=[a-z]:)/i, "") : path;
}
