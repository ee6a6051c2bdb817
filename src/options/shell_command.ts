import { SHELLS, WRAPPERS } from "../tools/command_words.ts";
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
  let last = "";
  let read = 0;
  for (const [piece, separator] of command.matchAll(PIECE)) {
    read += piece.length;
    if (separator !== undefined) {
      parts.push(part);
      part = "";
      continue;
    }
    const startsWord = part === "" || /[ \t]$/.test(last);
    // A comment, a group.
    if (startsWord && (piece === "#" || piece === "{")) return undefined;
    part += piece;
    last = piece;
  }
  parts.push(part);
  return read < command.length
    ? undefined
    : parts.map(trimBlanks).filter((one) => one !== "");
}

/** A word after which another command may begin, or of which it is the script: `... | sh`. */
const LEADS_ON = new RegExp(
  `(?:^|[\\s;&|])(?:(?:[^\\s;&|]*/)?(?:${SHELLS}|${WRAPPERS})(?:\\.exe)?|-exec|-execdir|-ok|-okdir)(?=[\\s;&|]|$)`,
);

/** A piece of a word; a line that was cut has no unfinished quotes. */
const LETTER = String.raw`(?:\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"|[^ \t"'\\])`;
const FIRST_WORD = new RegExp(`^${LETTER}+`);
const VARIABLES = new RegExp(
  String.raw`^(?:[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=${LETTER}*(?:[ \t]+|$))+`,
);
/** Redirections and variables, without quotes. */
const BESIDE =
  /(?:\d|&)?[<>]+[&|]?[ \t]*[^\s;&|<>(){}`]+|(?<![\w-])[A-Za-z_]\w*\+?=[^\s;&|<>(){}`]*/g;

/**
 * The commands of a line for rules that deny, without the variables in front of them, also by the names of their programs
 * alone, as the CLI compares them. A line that cannot be taken apart is cut wherever one could begin: that gives rather
 * more than there are.
 */
export function possibleCommands(line: string): readonly string[] {
  // A backslash before a line end may join words, or belong to a quoted text.
  return [...new Set([line, line.replaceAll("\\\n", "")])].flatMap(commandsOf);
}

function commandsOf(command: string): readonly string[] {
  const split = commandParts(command);
  const bare = withoutQuotes(command);
  if (split !== undefined && !LEADS_ON.test(bare)) {
    return split.flatMap((piece) => spellings(piece.replace(VARIABLES, "")));
  }
  // Any word could be where a command begins.
  const tails = bare.split(/[;&|<>(){}$`,=!\r\n]+/).flatMap((piece) =>
    wordsOf(piece).map(({ tail }) => tail)
  );
  // A path is an argument more often: only where a command is likely does it stand for its program.
  const programs = bare.replace(BESIDE, " ").split(/[;&|(){}`\r\n]+/).flatMap(
    (piece) => {
      const lead = piece.search(LEADS_ON);
      return wordsOf(piece)
        .filter(({ index }, nth) => nth === 0 || lead >= 0 && index > lead)
        .map(({ word, tail }) => byProgram(tail, word.length));
    },
  );
  return [...tails, ...programs];
}

function withoutQuotes(text: string): string {
  return text.replace(/["'\\]/g, "");
}

/** Each word of a text, with what follows it. */
function wordsOf(text: string) {
  const trimmed = trimBlanks(text);
  return [...trimmed.matchAll(/[^ \t]+/g)].map(({ 0: word, index }) => (
    { word, index, tail: trimmed.slice(index) }
  ));
}

/** `/bin/rm x` and `rm.exe x` are `rm x`: a command whose first word has this end. */
function byProgram(command: string, end: number): string {
  const word = command.slice(0, end);
  const start = word.lastIndexOf("/") + 1;
  return /\.exe$/i.test(word)
    ? word.slice(start, -".exe".length) + command.slice(end)
    : command.slice(start);
}

/** A command as a rule may have it: with and without quotes, with and without the folder of its program. */
function spellings(command: string): readonly string[] {
  const [first = ""] = FIRST_WORD.exec(command) ?? [];
  const rest = command.slice(first.length);
  const word = withoutQuotes(first);
  return [word + rest, word + withoutQuotes(rest)].flatMap((
    one,
  ) => [one, byProgram(one, word.length)]);
}
