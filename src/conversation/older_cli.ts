import { toArgv } from "../options/argv.ts";
import { startFiles } from "../options/initialize.ts";
import type { Settings } from "../options/settings.ts";
import { checkKnown } from "../options/features.ts";
import type { Host } from "../ports/host.ts";
import { resolvePath } from "../process/paths.ts";
import type { JsonValue } from "../types/json.ts";
import { isTooOld, tooOld } from "../cli/report.ts";

/** The command line of an older CLI, whose files this user alone may read; `removedBy` is given what removes them, before there are any. */
export async function fitOlder(
  settings: Settings,
  host: Host,
  path: string,
  version: string | undefined,
  removedBy: (remove: () => Promise<void>) => void,
): Promise<readonly string[]> {
  if (isTooOld(version)) throw tooOld(path, version, { cliPath: path });
  checkKnown(settings.options, version, path);
  const { files, platform } = host;
  let folder: string | undefined;

  async function write(
    name: string,
    content: JsonValue | undefined,
  ): Promise<string | undefined> {
    if (content === undefined) return undefined;
    folder ??= await makeFolder();
    const place = resolvePath(folder, name, platform);
    const file = await files.open(place, "new");
    try {
      let bytes = new TextEncoder().encode(JSON.stringify(content));
      while (bytes.length > 0) bytes = bytes.subarray(await file.write(bytes));
    } finally {
      await file.close();
    }
    return place;
  }

  async function makeFolder(): Promise<string> {
    const made = await files.makeTemporaryDirectory("sluice-");
    const stopWatchingExit = host.onExit(() => files.removeNow(made));
    removedBy(async () => {
      await files.remove(made);
      stopWatchingExit();
    });
    return made;
  }

  const content = startFiles(settings, version);
  return toArgv(settings, platform, version, {
    settings: await write("settings.json", content.settings),
    mcpConfig: await write("mcp.json", content.mcpConfig),
  });
}
