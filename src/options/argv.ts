import { ConfigError } from "../errors/base.ts";
import { byteLength } from "../stream/byte_length.ts";
import { valueAt } from "./fields.ts";
import { startFields } from "./initialize.ts";
import { STREAMING_FLAGS } from "./launch.ts";
import type { FlagValue, StartFiles } from "./option.ts";
import type { Settings } from "./settings.ts";
import { OPTION_ROWS } from "./table.ts";
import { targetOf } from "./target.ts";

/** Characters of a Windows command line that are kept for the CLI itself. */
const RESERVED_CHARACTERS = 767;

/** An argument and the option that it comes from. */
interface Argument {
  readonly key: string;
  readonly text: string;
}

/**
 * The arguments of the CLI, without the CLI itself; each value is one argument and reaches the CLI as it is.
 *
 * @param version Of a CLI that may be an old one; a current one unless given
 * @param files What an older one reads in place of fields of `initialize`
 * @throws {ConfigError} If the system cannot start a process with that much text
 */
export function toArgv(
  settings: Settings,
  platform: string,
  version?: string,
  files?: StartFiles,
): string[] {
  const { options } = settings;
  const target = targetOf(settings, { platform, version, files });
  const isAwaiting = Object.keys(startFields(target)).length > 0;
  const all = [
    ...OPTION_ROWS.flatMap(([key, { flag, flags = {} }]) => {
      const value = valueAt(options, key) as never;
      return [
        ...flag === undefined ? [] : toArguments(key, flag, value),
        ...Object.entries(flags).flatMap(([name, write]) =>
          toArguments(key, name, write(value, target))
        ),
      ];
    }),
    ...toArguments("plugins", "await-initialize", isAwaiting),
    ...Object.entries(options.extraArgs ?? {}).flatMap(([name, value]) =>
      toArguments(`extraArgs.${name}`, name, value ?? value === null)
    ),
  ];
  checkLength(all, platform);
  return [...STREAMING_FLAGS, ...all.map(({ text }) => text)];
}

/** One token, so that a value that begins with a dash stays a value. */
function toArguments(key: string, name: string, value: FlagValue): Argument[] {
  if (value === undefined || value === false) return [];
  if (value === true) return [{ key, text: `--${name}` }];
  const values = Array.isArray(value) ? value : [value];
  return values.map((one) => ({ key, text: `--${name}=${one}` }));
}

function checkLength(all: readonly Argument[], platform: string): void {
  const texts = all.map(({ text }) => text);
  const excess = excessOf(texts, platform, RESERVED_CHARACTERS);
  const argument = excess && all[excess.at];
  if (excess === undefined || argument === undefined) return;
  const { key, text } = argument;
  const fact = excess.of === "line"
    ? `Command line is too long for Windows: ${excess.length} characters`
    : `Argument is too long for Linux: ${excess.length} bytes`;
  throw new ConfigError({
    message:
      `${fact}, at most ${excess.limit}; shorten "${key}", which takes ${text.length} characters of it`,
    key,
    details: { length: text.length },
  });
}

/** Longest command line of Windows, in characters, the program included. Source: CreateProcess. */
const LONGEST_WINDOWS_COMMAND = 32_767;

/** Longest argument of Linux, in bytes. Source: MAX_ARG_STRLEN of its kernel. */
const LONGEST_LINUX_ARGUMENT = 131_071;

/** The part of a command line that is too long for the system. */
interface Excess {
  /** Of Windows the whole line, of Linux one argument. */
  readonly of: "line" | "argument";
  /** How long that is: characters of Windows, bytes of Linux. */
  readonly length: number;
  /** How long it may be. */
  readonly limit: number;
  /** The longest argument: its place. */
  readonly at: number;
  readonly longest: number;
}

/**
 * The excess that a system would report as "not found" or "bad argument"; `undefined` when it can start the command.
 *
 * @param reserved What is still to come before it, in characters
 */
export function excessOf(
  command: readonly string[],
  platform: string,
  reserved: number = 0,
): Excess | undefined {
  const isWindows = platform === "win32";
  if (!isWindows && platform !== "linux") return undefined;
  const lengths = command.map(isWindows ? windowsLength : byteLength);
  const longest = Math.max(...lengths);
  const length = isWindows
    ? lengths.reduce((sum, one) => sum + one, 0)
    : longest;
  const limit = isWindows
    ? LONGEST_WINDOWS_COMMAND - reserved
    : LONGEST_LINUX_ARGUMENT;
  if (length <= limit) return undefined;
  const at = lengths.indexOf(longest);
  return { of: isWindows ? "line" : "argument", length, limit, at, longest };
}

/** How many characters an argument takes of a Windows command line, at most: a blank, quotes, and the backslashes that escape quotes in it. Source: CommandLineToArgvW. */
function windowsLength(text: string): number {
  // Those in front of a quote are doubled, and those at the end.
  const escaping = text.match(/(?<!\\)\\*(?:"|$)/g) ?? [];
  return text.length + 3 + escaping.join("").length;
}
