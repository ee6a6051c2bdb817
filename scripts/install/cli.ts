// Installs the pinned Claude Code CLI into .cli/, for the demo and for the tests that run it.
import { TESTED_VERSION } from "../../src/options/versions.ts";
import { exists, npm, remove, ROOT, ROOT_PATH, say } from "../project.ts";
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

/** Path of the CLI of a version: the pinned one, or a release that is installed into a folder under the root for it. */
export async function cliOf(
  version: string,
  folder: string,
  report: (line: string) => void = say,
): Promise<string> {
  if (version === TESTED_VERSION) {
    const installed = await installCli(report);
    if ("path" in installed) return installed.path;
    throw new Error(installed.problem);
  }
  const path = `${folder}/node_modules/.bin/claude`;
  if (!await exists(path)) {
    report(`Installing ${CLI_PACKAGE}@${version} into ${folder}/`);
    await installRelease(version, folder);
  }
  return ROOT_PATH + path;
}

/** Installs any release into a folder under the root: aside and then renamed, so that a cancelled or a second install harms nothing. */
async function installRelease(
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
