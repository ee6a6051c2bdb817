import { trimBlanks } from "./tool_spec.ts";

/** The simple commands of a shell command line, or why it cannot be taken apart safely. */
type CommandParts =
  | { readonly parts: readonly string[]; readonly problem?: undefined }
  | { readonly problem: string };

/** What a character does outside of quotes that makes a line more than words. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ["$", "an expansion"],
  ["`", "a command substitution"],
  ["<", "a redirection"],
  [">", "a redirection"],
  ["(", "a bracket"],
  [")", "a bracket"],
  ["\r", "a carriage return"],
]);

/**
 * Cuts a command line at `;`, `&&`, `||`, `|` and line ends, so that each command can be looked at by itself.
 *
 * Knows quotes and backslashes. Whatever could run or write more than the words show is a problem and not a guess:
 * expansions, substitutions, redirections, subshells, background jobs, comments, unfinished quotes.
 */
export function commandParts(command: string): CommandParts {
  const parts: string[] = [];
  let part = "";
  let at = 0;
  while (at < command.length) {
    const char = command.charAt(at);
    const next = command.charAt(at + 1);
    const refused = REFUSED.get(char);
    if (refused !== undefined) return { problem: refused };
    const separator = separatorAt(char, next);
    if (separator === undefined) {
      return { problem: `the operator "${(char + next).trim()}"` };
    }
    if (separator > 0) {
      parts.push(part);
      part = "";
      at += separator;
      continue;
    }
    const startsWord = part === "" || /[ \t]$/.test(part);
    if (char === "#" && startsWord) return { problem: "a comment" };
    if (char === "{" && startsWord) return { problem: "a group" };
    const length = wordLength(command, at);
    if (typeof length !== "number") return length;
    part += command.slice(at, at + length);
    at += length;
  }
  parts.push(part);
  return { parts: parts.map(trimBlanks).filter((one) => one !== "") };
}

/** A word after which another command may begin. */
const LEADS_ON =
  /(?:^|[\s;&|])(?:!|if|then|elif|else|do|while|until|time|coproc|alias|command|builtin|eval|exec|env|nice|nohup|sudo|doas|timeout|xargs|sh|bash|zsh|-exec|-execdir|-ok|-okdir)(?=\s)/;

/**
 * The commands of a line for rules that deny, without the variables in front of them. A line that cannot be taken apart
 * is cut wherever one could begin: that gives rather more than there are.
 */
export function possibleCommands(command: string): readonly string[] {
  const split = commandParts(command);
  const bare = command.replace(/["'\\]/g, "");
  if (split.problem === undefined && !LEADS_ON.test(bare)) {
    return split.parts.map((piece) =>
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

/** How long a separator is; 0 = none; `undefined` = one that is not known. */
function separatorAt(char: string, next: string): 0 | 1 | 2 | undefined {
  switch (char) {
    case "\n":
      return 1;
    case ";":
      return next === ";" || next === "&" || next === "|" ? undefined : 1;
    case "&":
      return next === "&" ? 2 : undefined;
    case "|":
      if (next === "&") return undefined;
      return next === "|" ? 2 : 1;
    default:
      return 0;
  }
}

/** How many characters from here on belong together: one, or a quoted or escaped piece. */
function wordLength(
  command: string,
  at: number,
): number | { readonly problem: string } {
  switch (command.charAt(at)) {
    case "\\": {
      const next = command.charAt(at + 1);
      const joins = next === "" || next === "\n" || next === "\r";
      return joins ? { problem: "a line that goes on" } : 2;
    }
    case "'": {
      const end = command.indexOf("'", at + 1);
      return end < 0 ? { problem: "an open quote" } : end - at + 1;
    }
    case '"':
      return doubleQuoted(command, at);
    default:
      return 1;
  }
}

function doubleQuoted(
  command: string,
  start: number,
): number | { readonly problem: string } {
  for (let at = start + 1; at < command.length; at++) {
    const char = command.charAt(at);
    if (char === '"') return at - start + 1;
    if (char === "\\") at++;
    if (char === "$" || char === "`") return { problem: "an expansion" };
  }
  return { problem: "an open quote" };
}
