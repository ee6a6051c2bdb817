import type { Host } from "../ports/host.ts";
import { moduleCandidates } from "./candidates.ts";
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
  const search = await prepareSearch(host, {});
  // A CLI named in the environment is used alone.
  if (search.named !== undefined) return undefined;
  const own = folderOf(module, host.platform);
  if (own !== undefined) search.roots.unshift(own);
  for await (const candidate of moduleCandidates(search)) {
    if (!/[\\/]claude-agent-sdk-/.test(candidate.path)) continue;
    const { program } = await examine(search, candidate);
    if (program !== undefined) return candidate.path;
  }
  return undefined;
}

function folderOf(module: string, platform: string): string | undefined {
  const { pathname, protocol } = new URL(".", module);
  if (protocol !== "file:") return undefined;
  const path = decodeURIComponent(pathname);
  return platform === "win32" ? path.replace(/^\/(?=[a-z]:)/i, "") : path;
}
