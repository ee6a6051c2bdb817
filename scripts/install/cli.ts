// Installs the pinned Claude Code CLI into .cli/, for the demo and for the tests that run it.
import { TESTED_VERSION } from "../../src/options/versions.ts";
import { mustRun, remove, ROOT, ROOT_PATH, run, say } from "../project.ts";

const PACKAGE = `@anthropic-ai/claude-code@${TESTED_VERSION}`;
const PROGRAM = ".cli/node_modules/@anthropic-ai/claude-code/bin/claude.exe";

/** The installed program, or why there is none. */
export type CliInstall =
  | { readonly path: string }
  | { readonly problem: string };

/** Installs the CLI unless it is there, with a line about what takes so long. */
export async function installCli(
  report: (line: string) => void = say,
): Promise<CliInstall> {
  const path = ROOT_PATH + PROGRAM;
  if (await isRightVersion(path)) return { path };
  report(`Installing ${PACKAGE} into .cli/ (about 360 MB, once)`);
  try {
    await install();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { problem: `Cannot install ${PACKAGE}: ${text}` };
  }
  if (await isRightVersion(path)) return { path };
  return { problem: `Installed ${PACKAGE}, but "${path}" does not run` };
}

/** In a folder of its own that is then renamed, so that a cancelled or a second install harms nothing. */
async function install(): Promise<void> {
  const staging = `.cli/install-${Deno.pid}`;
  await Deno.mkdir(new URL(`${staging}/`, ROOT), { recursive: true });
  try {
    await mustRun(...npm("install", "--prefix", staging));
    await remove(".cli/node_modules");
    await Deno.rename(
      new URL(`${staging}/node_modules`, ROOT),
      new URL(".cli/node_modules", ROOT),
    );
  } finally {
    await remove(staging);
  }
}

/** npm is a .cmd file on Windows, which only a shell can start. */
function npm(...args: readonly string[]): [string, readonly string[]] {
  const all = [...args, "--no-save", "--no-audit", "--no-fund", PACKAGE];
  return Deno.build.os === "windows"
    ? ["cmd", ["/c", "npm", ...all]]
    : ["npm", all];
}

async function isRightVersion(path: string): Promise<boolean> {
  try {
    const { code, stdout } = await run(path, ["--version"]);
    return code === 0 && stdout.startsWith(TESTED_VERSION);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

if (import.meta.main) {
  const installed = await installCli();
  say("path" in installed ? installed.path : installed.problem);
}
