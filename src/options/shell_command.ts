import { LEADING } from "../tools/command_words.ts";
import { trimBlanks } from "./tool_spec.ts";

/** A separator, or what belongs together: an escaped character, a quoted text without expansions, a character that does nothing. */
const PIECE =
  /(\n|;(?![;&|])|&&|\|\||\|(?!&))|\\[^\n\r]|'[^']*'|"[^"\\$`]*(?:\\[^][^"\\$`]*)*"|[^$`<>()\r\n;&|\\'"]/gy;

/**
 * Cuts a command line at `;`, `&&`, `||`, `|` and line ends, so that each command can be looked at by itself.
 *
 * Knows quotes and backslashes. Whatever could run or write more than the words show gives `undefined` and not a guess:
 * expansions, substitutions, redirections, subshells, background jobs, comments, unfinished quotes.
 */
export function commandParts(command: string): readonly string[] | undefined {
  const parts: string[] = [];
  let part = "";
  let read = 0;
  for (const [piece, separator] of command.matchAll(PIECE)) {
    read += piece.length;
    if (separator !== undefined) {
      parts.push(part);
      part = "";
      continue;
    }
    const startsWord = part === "" || /[ \t]$/.test(part);
    // A comment, a group.
    if (startsWord && (piece === "#" || piece === "{")) return undefined;
    part += piece;
  }
  parts.push(part);
  return read < command.length
    ? undefined
    : parts.map(trimBlanks).filter((one) => one !== "");
}

/** A word after which another command may begin. */
const LEADS_ON = new RegExp(`(?:^|[\\s;&|])(?:${LEADING})(?=\\s)`);

/**
 * The commands of a line for rules that deny, without the variables in front of them. A line that cannot be taken apart
 * is cut wherever one could begin: that gives rather more than there are.
 */
export function possibleCommands(command: string): readonly string[] {
  const split = commandParts(command);
  const bare = command.replace(/["'\\]/g, "");
  if (split !== undefined && !LEADS_ON.test(bare)) {
    return split.map((piece) =>
      piece.replace(/^(?:[A-Za-z_]\w*=[^ \t]*[ \t]+)+/, "").replace(
        /^[^ \t]+/,
        (word) => word.replace(/["'\\]/g, ""),
      )
    );
  }
  // Any word could be where a command begins.
  return bare.split(/[;&|<>(){}$`,=!\r\n]+/).flatMap((piece) =>
    [...piece.matchAll(/[^ \t]+/g)].map(({ index }) =>
      trimBlanks(piece.slice(index))
    )
  );
}
