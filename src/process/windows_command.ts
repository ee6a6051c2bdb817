import type { Host } from "../ports/host.ts";
import type { SpawnRequest } from "../ports/process.ts";
import { SpawnError } from "./child.ts";
import {
  isPath,
  isWindows,
  pathDirectories,
  resolvePath,
  variable,
} from "./paths.ts";

/** Endings of programs on Windows where PATHEXT is unset. */
const ENDINGS = ".COM;.EXE;.BAT;.CMD";
/** Longest command line of cmd.exe, in characters. Source: its limit since Windows XP. */
const LONGEST_SHELL_COMMAND = 8_191;

/**
 * A program as Windows can start it: a name without an ending means one that is in PATH with an ending, and a command file,
 * as `npx` is one, is run by cmd.exe. What is no such thing, or is not found, stays as it is; so does everything elsewhere.
 *
 * @throws {SpawnError} If an argument cannot be handed to a command file
 */
export async function windowsCommand(
  { env: hostEnv, files, platform }: Pick<Host, "env" | "files" | "platform">,
  request: SpawnRequest,
): Promise<SpawnRequest> {
  if (!isWindows(platform)) return request;
  for (const path of pathsOf(request, platform)) {
    const status = await files.status(path).catch(() => undefined);
    if (status?.kind !== "file") continue;
    if (!/\.(?:cmd|bat)$/i.test(path)) return { ...request, command: path };
    const root = variable(hostEnv(), "SystemRoot", platform) ?? "C:\\Windows";
    return {
      ...request,
      // By its path: a bare name would also be looked for in the working directory.
      command: `${root}\\System32\\cmd.exe`,
      args: [shellLine(path, request.args)],
      isVerbatim: true,
    };
  }
  return request;
}

/** Paths of the program. Unlike on Windows the working directory is not searched. */
function pathsOf(
  { command, cwd, env }: SpawnRequest,
  platform: string,
): readonly string[] {
  const bases = isPath(command, platform)
    ? [resolvePath(cwd, command, platform)]
    : pathDirectories({ directory: cwd, env, platform })
      .map((directory) => resolvePath(directory, command, platform));
  const known = ENDINGS.toLowerCase().split(";");
  const endings = (variable(env, "PATHEXT", platform) ?? ENDINGS)
    .toLowerCase().split(";").filter((one) => known.includes(one));
  const isWhole = known.some((one) => command.toLowerCase().endsWith(one));
  // A file without an ending may lie beside it, for other systems.
  return isWhole
    ? bases
    : bases.flatMap((base) => endings.map((ending) => base + ending));
}

/**
 * Flags for cmd.exe: no start commands of the user, no `!`, strip the outer quotes and run the rest.
 *
 * A command file hands its arguments on as text that is taken apart once more, so they must mean the same however often
 * that is done: quotes are doubled rather than escaped, so that nothing ever stands outside of them.
 */
function shellLine(path: string, args: readonly string[]): string {
  const words = [
    `"${withoutVariables(path)}"`,
    ...args.map((arg) => shellArgument(arg, path)),
  ];
  const line = `/d /e:on /v:off /s /c "${words.join(" ")}"`;
  if (line.length > LONGEST_SHELL_COMMAND) {
    const length = `${line.length} characters of ${LONGEST_SHELL_COMMAND}`;
    refuse(`Command line is too long for a command file: ${length}`, path);
  }
  return line;
}

function shellArgument(arg: string, path: string): string {
  // cmd.exe takes it for the end of the command, in quotes too.
  if (/[\0\r\n]/.test(arg)) {
    refuse("A command file takes no argument with a line break in it", path);
  }
  if (/^[\w#$*+./:?@\\-]*[\w#$*+./:?@-]$/.test(arg)) return arg;
  const quoted = arg.replaceAll(
    /(\\*)("|$)/g,
    (_, slashes: string, quote: string) =>
      slashes + slashes + (quote === "" ? "" : '""'),
  );
  return `"${withoutVariables(quoted)}"`;
}

/** A text in which cmd.exe finds no variable: each sign is followed by one that ends in it, of which nothing is cut out. */
function withoutVariables(text: string): string {
  return text.replaceAll("%", "%%cd:~,%");
}

function refuse(fact: string, path: string): never {
  const text = `${fact}: "${path}"; name the program behind it`;
  throw new SpawnError("other", text, undefined);
}
