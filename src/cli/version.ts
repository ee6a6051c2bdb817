import { type CliContext, CliError } from "../errors/cli.ts";
import {
  isOlder,
  MINIMUM_VERSION,
  named,
  UPDATE,
} from "../options/versions.ts";
import type { Host } from "../ports/host.ts";
import { parentOf, resolvePath } from "../process/paths.ts";
import type { Program } from "./program.ts";

/** What is said of a CLI that is too old. */
export function oldCli(path: string | undefined, version: string): string {
  return `CLI is too old: ${
    named(path)
  } is ${version}, the oldest that works is ${MINIMUM_VERSION}; ${UPDATE}`;
}

/** The error of a conversation with a CLI that is too old. */
export function tooOld(
  path: string | undefined,
  version: string,
  context: CliContext,
): CliError {
  const message = oldCli(path, version);
  return new CliError({ stage: "connect", message, context });
}

/** Whether no conversation works with a CLI of this version. */
export function isTooOld(version: string | undefined): version is string {
  return isOlder(version, MINIMUM_VERSION);
}

const PACKAGES = /^@anthropic-ai\/claude-code(?:-|$)/;
/** How native installers and casks call a folder or a file: `versions/2.1.330`. */
const NUMBERS = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;

/** The version of a CLI by what lies around it: its path, or its `package.json`; starts nothing, and never rejects. */
export async function installedVersion(
  host: Host,
  { args, command }: Program,
): Promise<string | undefined> {
  const script = args.find((one) => /\.[cm]?js$/.test(one)) ?? command;
  try {
    const real = await host.files.realPath(script);
    const folder = parentOf(real, host.platform);
    const names = real.split(/[\\/]/).slice(-2).reverse();
    const inPath = names.find((name) => NUMBERS.test(name));
    if (inPath !== undefined) return inPath;
    for (const place of [folder, parentOf(folder, host.platform)]) {
      const version = await packageVersion(host, place);
      if (version !== undefined) return version;
    }
  } catch {
    // Then it is a current one, until it says something else.
  }
  return undefined;
}

async function packageVersion(
  { files, platform }: Host,
  folder: string,
): Promise<string | undefined> {
  const path = resolvePath(folder, "package.json", platform);
  const text = await files.readText(path).catch(() => undefined);
  if (text === undefined) return undefined;
  const { name, version } = JSON.parse(text) ?? {};
  return typeof version === "string" && PACKAGES.test(name)
    ? version
    : undefined;
}
