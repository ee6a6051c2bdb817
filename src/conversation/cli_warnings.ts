import { settleWithin } from "../async/deadline.ts";
import { isTooOld, oldCli } from "../cli/version.ts";
import type { SessionInfo } from "../protocol/session.ts";
import type { Services } from "./services.ts";

/** An end waits so long for the look, in milliseconds. */
const LOOK_MS = 1_000;

/** Tells the logger of a CLI that is too old, and of others beside it; nothing waits for it. */
export function warnOfCli(
  { log, scope, host, cli, settings: { options, clock } }: Services,
  { claude_code_version: version }: SessionInfo,
): void {
  // Behind a transport of the user's it is somebody else's to look after.
  const { cliPath, discovery } = cli.origin;
  if (!log.isOn || discovery === undefined) return;
  if (typeof version === "string" && isTooOld(version)) {
    log.warn(oldCli(cliPath ?? "", version));
  }
  const ending = new AbortController();
  const looking = lookAround();
  // A short conversation may be over before the look is; a disk that does not answer holds nobody up.
  scope.own("look for other CLIs", async () => {
    await settleWithin(looking, LOOK_MS, clock);
    ending.abort();
  });

  async function lookAround(): Promise<void> {
    try {
      const { installedPaths, severalClis } = await import(
        "../cli/installations.ts"
      );
      const { cliPath, cwd, env } = options;
      const all = await installedPaths(
        host,
        { cliPath, cwd, env },
        ending.signal,
      );
      if (all.length > 1) log.warn(severalClis(all.map((one) => `"${one}"`)));
    } catch {
      // It was only a look.
    }
  }
}
