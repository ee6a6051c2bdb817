import type { PermissionRule } from "../protocol/permissions.ts";
import { SHELLS, WRAPPERS } from "../tools/command_words.ts";

/** A rule of Bash also covers its command behind these (CLI 2.1.330). */
const BEHIND =
  "also after variables such as NODE_ENV and behind timeout, time, nice, nohup, stdbuf, command, builtin, noglob";
/** Tools whose rules name commands, and what else a command may begin with. */
const SHELL_TOOLS: Readonly<Partial<Record<string, string>>> = {
  Bash: BEHIND,
  Monitor: BEHIND,
  PowerShell: "also by its aliases",
};
/** Programs that run a script; a rule that names none allows any. No list of them is complete. */
const INTERPRETERS = new RegExp(
  `^(?:\\S*/)?(?:${SHELLS}|i?python[\\d.]*|pypy[\\d.]*|node|deno|bun|tsx|ts-node|perl|ruby|irb|php|lua|julia|Rscript|R|osascript|awk|sed|m4|ed|ex|vim?|gdb|tclsh|expect|make|psql|mysql|sqlite3?|ghci|groovy|erl|iex|elixir|jshell|npx|uvx?|bunx)\\b`,
);
/** Programs that run another one, with what it reads. */
const RUNS_ANOTHER = new RegExp(`^(?:\\S*/)?(?:${WRAPPERS})(?=\\s|$)`);
/** Variables that are set for the command alone; its parts exclude each other, so that no text takes long. */
const ASSIGNMENTS =
  /^(?:\w+=(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])*\s+)+/s;
/** A star that stands for any text: before it, no backslash or pairs of them. */
const ANY_TEXT = /(?<!\\)(?:\\\\)*\*/;
/** `\*` and `\\` in a pattern. */
const ESCAPED = /\\([*\\])/g;
/** `git:*` and `git *`. */
const BEGINNING = /^(.*?)(?::\*| \*)$/s;
/** Text of a script, or its file. */
const NAMES_SCRIPT = /\s-\w*[ce]\s+\S|\s[^\s-]\S*\.\w+/;

/** `> out.txt`, `2>&1`, `< in.txt`: no script of the command. */
const REDIRECTIONS = /(?<![<>])[<>]+[&|]?\s*[^\s<>]+/g;

/** A rule of a shell by its parts; `undefined` for one of another tool, or of every use. */
function shellRule({ toolName, ruleContent }: PermissionRule) {
  const behind = SHELL_TOOLS[toolName];
  if (behind === undefined) return undefined;
  if (!ruleContent || isEverything(ruleContent)) return undefined;
  const begin = BEGINNING.exec(ruleContent)?.[1];
  const text = begin ?? ruleContent;
  // Behind the beginning stands `:*`, which makes all before it literal, or ` *`.
  const isLiteral = ruleContent.endsWith(":*");
  const isPattern = !isLiteral && ANY_TEXT.test(text);
  return {
    text: isLiteral || isPattern || begin === undefined
      ? text
      : text.replace(ESCAPED, "$1"),
    isPrefix: begin !== undefined,
    isPattern,
    behind,
  };
}

function isEverything(ruleContent: string): boolean {
  return /^\s*(?:\*|\*?:\*)$/.test(ruleContent);
}

type ShellRule = NonNullable<ReturnType<typeof shellRule>>;

/** `bash`, `python3 -`, `sudo:*`, `xargs rm`: the script or its arguments come from elsewhere. */
function runsAnyScript({ text, isPrefix }: ShellRule): boolean {
  const words = text.trim().replace(ASSIGNMENTS, "").replace(/['"\\]/g, "")
    .replace(REDIRECTIONS, "");
  return RUNS_ANOTHER.test(words) ||
    INTERPRETERS.test(words) && (isPrefix || !NAMES_SCRIPT.test(words));
}

/** The calls that a rule covers, as the CLI applies it; `undefined` if no sentence is exact. */
export function ruleInWords(rule: PermissionRule): string | undefined {
  const { toolName, ruleContent } = rule;
  if (!ruleContent || isEverything(ruleContent)) {
    return `every use of ${toolName}`;
  }
  const shell = shellRule(rule);
  if (shell !== undefined) {
    const { behind, text, isPrefix, isPattern } = shell;
    // One sentence cannot hold stars of both kinds.
    if (isPattern && text.search(ESCAPED) >= 0) return undefined;
    const commands = isPattern
      ? `commands that match \`${text}${
        isPrefix ? " *" : ""
      }\`, where each * stands for any text`
      : isPrefix
      ? `commands that begin with \`${text}\`${
        text.includes("*") ? ", where * stands for itself, quoted or not" : ""
      }`
      // The CLI lets pipes, redirections and heredocs into it pass as well.
      : `command \`${text}\` with any input`;
    return [
      `${isPattern || isPrefix ? "" : "the "}${toolName} ${commands}`,
      // After `cd` a path may lead to another program.
      "in any folder",
      ...runsAnyScript(shell)
        ? [
          // An exact command may run nothing else, such as `sudo ls`.
          isPrefix || isPattern
            ? "which can run any script they are given"
            : "which may run any script it is given",
        ]
        : [],
      behind,
      ...behind === BEHIND && isPrefix && !isPattern ? ["xargs"] : [],
    ].join(", ");
  }
  const [, host] = /^domain:(.*)$/s.exec(ruleContent) ?? [];
  if (host && toolName === "WebFetch") {
    return host.includes("*")
      ? `WebFetch of every host that matches \`${host}\`, where * stands for any text`
      : `WebFetch of the host ${host}`;
  }
  if (toolName === "Skill") {
    // A pattern is compared with the name; no rule looks at the arguments.
    const [, begin] = BEGINNING.exec(ruleContent) ?? [];
    return begin === undefined
      ? `the skill \`${ruleContent}\` with any arguments`
      : `every skill whose name begins with \`${begin}\`, with any arguments`;
  }
  const files = FILE_TOOLS[toolName];
  if (files === undefined) return `${toolName} for \`${ruleContent}\``;
  const words = filesInWords(ruleContent);
  return words && `${files[0]} ${words}, ${files[1]}`;
}

/** Tools whose rules name files: what the CLI lets pass, also by others. */
const FILE_TOOLS: Readonly<Partial<Record<string, readonly [string, string]>>> =
  {
    Read: ["reading", "by Read, by searches and by shell commands"],
    Edit: [
      "changing",
      "by Edit, Write, NotebookEdit and shell commands, and reading them by Read",
    ],
  };

/** Signs that gitignore gives a meaning. */
const GLOB = /(?<!\\)(?:\\\\)*[*?[]/;
/** The backslash of a star at the end, which the CLI ignores: the star stands for any text (CLI 2.1.330). */
const IGNORED_ESCAPE = /(?=\\\*$)(?<=(?<!\\)(?:\\\\)*)\\/;

/** The files of a pattern as the CLI resolves it: by the rules of gitignore; `undefined` for escaped signs in a pattern and blanks at the end, where no text is exact. */
function filesInWords(pattern: string): string | undefined {
  const [, folder] = /^(.*)\/\*\*$/s.exec(absolute(pattern)) ?? [];
  const path = (folder ?? absolute(pattern)).replace(IGNORED_ESCAPE, "");
  if (path !== path.trimEnd()) return undefined;
  const isPattern = GLOB.test(path);
  if (path.includes("\\") && (isPattern || folder === undefined)) {
    return undefined;
  }
  if (folder === undefined) {
    return `files that match \`${path}\`, and files below folders that match`;
  }
  const shown = path.replace(/\\(.)/gs, "$1");
  return `files below ${isPattern ? "folders that match " : ""}\`${
    shown === "" ? "/" : shown
  }\``;
}

/** A rule of the session begins at the project. */
function absolute(pattern: string): string {
  if (pattern.startsWith("//")) return pattern.slice(1);
  if (pattern.startsWith("~/")) return pattern;
  // Without a folder it holds in all of them.
  const isName = !/\/./.test(pattern) && !pattern.startsWith("**");
  return `<project>/${isName ? "**/" : ""}${pattern.replace(/^\//, "")}`;
}
