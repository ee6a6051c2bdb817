import { parentOf, resolvePath } from "../process/paths.ts";

/** What is started: the CLI, or what runs it. */
export interface Program {
  /** The CLI as it was found, for people. */
  readonly cliPath: string;
  /** The program handed to the system. */
  readonly command: string;
  /** Arguments that come before those of the CLI. */
  readonly args: readonly string[];
}

/** What a Windows command file starts. */
interface ShimTarget {
  /** The program or script behind it. */
  readonly path: string;
  /** Whether it is a script, which Node runs. */
  readonly isScript: boolean;
}

/** Whether a path is a Windows command file, which only a shell can start. */
export function isShim(path: string, platform: string): boolean {
  return platform === "win32" && /\.(?:cmd|bat)$/i.test(path);
}

/**
 * What the command file of a package manager starts; `undefined` for any other command file.
 *
 * It is read, never run: a shell would take arguments apart again, and whoever controls one of them would run commands.
 */
export function readShim(
  path: string,
  text: string,
  platform: string,
): ShimTarget | undefined {
  // "%dp0%\..\x\cli.js" %* (npm), "%~dp0\..\x\cli.js" %* (pnpm, yarn)
  const call =
    /"%(?:dp0%|~dp0)[\\/]*([^"%]+\.(exe|[cm]?js))"[ \t]+(?:%\*|\$args)/gi;
  for (const [, target = "", ending = ""] of text.matchAll(call)) {
    if (/(?:^|[\\/])node\.exe$/i.test(target)) continue;
    const directory = parentOf(path, platform);
    return {
      path: resolvePath(directory, target, platform),
      isScript: ending.toLowerCase() !== "exe",
    };
  }
  return undefined;
}
