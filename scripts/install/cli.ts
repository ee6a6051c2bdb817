// Installs the pinned Claude Code CLI into .cli/, for the demo and for the tests that run it.
import { TESTED_VERSION } from "../../src/options/versions.ts";
import { npm, remove, ROOT } from "../project.ts";
import { provide, type Provided } from "./provide.ts";

/** The package of the CLI. */
export const CLI_PACKAGE = "@anthropic-ai/claude-code";

const PROGRAM = `.cli/node_modules/${CLI_PACKAGE}/bin/claude.exe`;

/** Installs the CLI unless it is there. */
export function installCli(
  report?: (line: string) => void,
): Promise<Provided> {
  return provide({
    name: `${CLI_PACKAGE}@${TESTED_VERSION}`,
    path: PROGRAM,
    size: "360 MB",
    version: TESTED_VERSION,
    get: () => installRelease(TESTED_VERSION, ".cli"),
  }, report);
}

/** Installs any release into a folder under the root: aside and then renamed, so that a cancelled or a second install harms nothing. */
export async function installRelease(
  version: string,
  folder: string,
): Promise<void> {
  const staging = `${folder}/install-${Deno.pid}`;
  await Deno.mkdir(new URL(`${staging}/`, ROOT), { recursive: true });
  try {
    const quiet = ["--no-save", "--no-audit", "--no-fund"];
    const what = `${CLI_PACKAGE}@${version}`;
    await npm(["install", "--prefix", staging, ...quiet, what]);
    await remove(`${folder}/node_modules`);
    await Deno.rename(
      new URL(`${staging}/node_modules`, ROOT),
      new URL(`${folder}/node_modules`, ROOT),
    );
  } finally {
    await remove(staging);
  }
}
