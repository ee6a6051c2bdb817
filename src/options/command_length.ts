import { byteLength } from "../stream/byte_length.ts";

/** Longest command line of Windows, in characters, the program included. Source: CreateProcess. */
const LONGEST_WINDOWS_COMMAND = 32_767;

/** Longest argument of Linux, in bytes. Source: MAX_ARG_STRLEN of its kernel. */
const LONGEST_LINUX_ARGUMENT = 131_071;

/** What of a command line is too long for the system. */
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
 * What a system would answer with "not found" or "bad argument"; `undefined` when it can start that.
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
  let length = text.length + 3;
  let backslashes = 0;
  for (const character of text) {
    if (character === "\\") {
      backslashes++;
      continue;
    }
    // Those in front of a quote are doubled.
    if (character === '"') length += backslashes + 1;
    backslashes = 0;
  }
  return length + backslashes;
}
