import { byteLength } from "../stream/byte_length.ts";

/** Longest command line of Windows, in characters, the program included. Source: CreateProcess. */
const LONGEST_WINDOWS_COMMAND = 32_767;

/** Longest argument of Linux, in bytes. Source: MAX_ARG_STRLEN of its kernel. */
const LONGEST_LINUX_ARGUMENT = 131_071;

interface Excess {
  /** Its length and the maximum, for a message. */
  readonly fact: string;
  /** Index of the longest argument. */
  readonly at: number;
}

/** The excess that a system would report as "not found" or "bad argument"; `undefined` when it can start the command. */
export function excessOf(
  command: readonly string[],
  platform: string,
): Excess | undefined {
  const isWindows = platform === "win32";
  if (!isWindows && platform !== "linux") return undefined;
  const lengths = command.map(isWindows ? windowsLength : byteLength);
  const longest = Math.max(...lengths);
  const at = lengths.indexOf(longest);
  const sum = lengths.reduce((sum, one) => sum + one, 0);
  const [size, most, text] = isWindows
    ? [sum, LONGEST_WINDOWS_COMMAND, "Command line is too long for Windows"]
    : [longest, LONGEST_LINUX_ARGUMENT, "Argument is too long for Linux"];
  const unit = isWindows ? "characters" : "bytes";
  return size <= most
    ? undefined
    : { at, fact: `${text}: ${size} ${unit}, at most ${most}` };
}

/** Maximum characters of an argument in a Windows command line: a blank, quotes, and the backslashes that escape quotes in it. Source: CommandLineToArgvW. */
function windowsLength(text: string): number {
  // Those in front of a quote are doubled, and those at the end.
  const escaping = text.match(/(?<!\\)\\*(?:"|$)/g) ?? [];
  return text.length + 3 + escaping.join("").length;
}
