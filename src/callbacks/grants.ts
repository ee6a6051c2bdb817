import { isObject } from "../errors/text.ts";
import type { Terminal } from "../ports/terminal.ts";
import type {
  PermissionDestination,
  PermissionMode,
  PermissionRule,
  PermissionUpdate,
} from "../protocol/permissions.ts";
import { columnsOf, pagesOf } from "./pages.ts";
import { blockRows, linesOf, toRows } from "./visible.ts";

/** One thing that can be allowed from now on. */
interface Grant {
  /** The first line is a sentence; those below belong to the rule. */
  readonly text: string;
  /** The change of permissions; `isSaved` keeps it where the CLI suggested. */
  readonly update: (isSaved: boolean) => PermissionUpdate;
  /** The file that keeps it when the person says so. */
  readonly file: string | undefined;
  /** Whether Enter alone takes it. */
  readonly isUsual: boolean;
}

/** Where a change that outlives the session is kept. */
const FILES: Readonly<Partial<Record<PermissionDestination, string>>> = {
  localSettings: ".claude/settings.local.json (this project, you alone)",
  projectSettings: ".claude/settings.json (this project, everybody)",
  userSettings: "~/.claude/settings.json (all your projects)",
};

const MODES: Readonly<Partial<Record<PermissionMode, string>>> = {
  default: "the usual questions are asked",
  acceptEdits: "every edit of a file here runs without asking",
  bypassPermissions: "everything runs without asking",
  dontAsk: "what would be asked is denied",
  plan: "the agent plans and changes nothing",
  auto: "a model decides what runs without asking",
};

/** Programs that run a script; a rule that names none allows any. */
const INTERPRETERS =
  /^(?:\S*\/)?(?:(?:ba|da|z|k|c|tc|fi)?sh|pwsh|powershell|python[\d.]*|node|deno|bun|perl|ruby|php|lua|osascript|awk|sed|npx|uvx?|bunx)\b/;
/** Programs that run another one, with what it reads. */
const WRAPPERS =
  /^(?:\S*\/)?(?:sudo|doas|su|env|xargs|ssh|eval|exec|source|nohup|time|timeout|nice|watch)\b/;
/** Text of a script, or its file. */
const NAMES_SCRIPT = /\s-\w*[ce]\s+\S|\s[^\s-]\S*\.\w+/;

/** The suggestions of the CLI, each rule, directory and mode on its own; malformed ones are left out. */
export function grantsOf(
  suggestions: readonly PermissionUpdate[],
  command?: unknown,
): readonly Grant[] {
  return suggestions.filter(isSound).flatMap((update): readonly Grant[] => {
    const file = FILES[update.destination];
    const kept = (isSaved: boolean): PermissionDestination =>
      isSaved ? update.destination : "session";
    switch (update.type) {
      case "addRules":
        return update.rules.map((rule) => ({
          text: `${update.behavior} ${ruleInWords(rule, command)}`,
          update: (isSaved) => ({
            ...update,
            rules: [rule],
            destination: kept(isSaved),
          }),
          file,
          isUsual: update.behavior === "allow" && !isWide(rule, command),
        }));
      case "addDirectories":
        return update.directories.map((directory) => ({
          text: `let tools work in the directory ${directory} as well`,
          update: (isSaved) => ({
            ...update,
            directories: [directory],
            destination: kept(isSaved),
          }),
          file,
          isUsual: false,
        }));
      case "setMode":
        return [{
          text: `switch to the mode ${update.mode}: ${
            MODES[update.mode] ?? "see the documents of the CLI"
          }`,
          update: (isSaved) => ({ ...update, destination: kept(isSaved) }),
          file,
          isUsual: false,
        }];
      default: {
        // It changes what is kept already, there and nowhere else.
        const place = file ?? "this session";
        return [{
          text: `${withdrawn(update)}, in ${place}`,
          update: () => update,
          file: undefined,
          isUsual: false,
        }];
      }
    }
  });
}

function withdrawn(
  update: Exclude<PermissionUpdate, { type: "setMode" }>,
): string {
  switch (update.type) {
    case "removeDirectories":
      return `take back the directories ${update.directories.join(", ")}`;
    case "replaceRules":
      return `replace all rules that ${update.behavior} by: ${
        update.rules.map((one) => ruleInWords(one)).join("; ")
      }`;
    case "removeRules":
      return `take back the rules that ${update.behavior}: ${
        update.rules.map((one) => ruleInWords(one)).join("; ")
      }`;
    default:
      return `change permissions by ${JSON.stringify(update)}`;
  }
}

function isSound(update: unknown): boolean {
  if (!isObject<unknown>(update)) return false;
  const { type, rules, directories, mode } = update;
  switch (type) {
    case "addRules":
    case "replaceRules":
    case "removeRules":
      return Array.isArray(rules) &&
        rules.every((one) => isObject<unknown>(one) && isText(one.toolName));
    case "addDirectories":
    case "removeDirectories":
      return Array.isArray(directories) && directories.every(isText);
    case "setMode":
      return isText(mode);
    default:
      return isText(type);
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** A rule of a shell by its parts; `undefined` for one of another tool, or of every use. */
function shellRule({ toolName, ruleContent }: PermissionRule) {
  if (toolName !== "Bash" && toolName !== "PowerShell") return undefined;
  if (!ruleContent || isEverything(ruleContent)) return undefined;
  const begin = /^(.*?)(?::\*| \*)$/s.exec(ruleContent)?.[1];
  const text = begin ?? ruleContent;
  return {
    text,
    isPrefix: begin !== undefined,
    isPattern: text.includes("*"),
  };
}

function isEverything(ruleContent: string): boolean {
  return /^(?:\*|\*?:\*)$/.test(ruleContent);
}

/** Whether a rule allows more than its own text and what begins with it. */
function isWide(rule: PermissionRule, command: unknown): boolean {
  const shell = shellRule(rule);
  if (shell === undefined) return false;
  return shell.isPattern || runsAnyScript(shell) ||
    takesHeredoc(shell, command);
}

type ShellRule = NonNullable<ReturnType<typeof shellRule>>;

/** `bash`, `python3 -`, `sudo:*`, `xargs rm`: the script or its arguments come from elsewhere. */
function runsAnyScript({ text, isPrefix }: ShellRule): boolean {
  const words = text.trim();
  return WRAPPERS.test(words) ||
    INTERPRETERS.test(words) && (isPrefix || !NAMES_SCRIPT.test(words));
}

/** The CLI leaves heredocs out of the rules that it suggests. */
function takesHeredoc(
  { text, isPrefix }: ShellRule,
  command: unknown,
): boolean {
  return !isPrefix && isText(command) && command.includes("<<") &&
    command.trim() !== text.trim();
}

function ruleInWords(rule: PermissionRule, command?: unknown): string {
  const { toolName, ruleContent } = rule;
  if (!ruleContent || isEverything(ruleContent)) {
    return `every use of ${toolName}`;
  }
  const shell = shellRule(rule);
  if (shell !== undefined) {
    const { text, isPrefix, isPattern } = shell;
    const commands = isPattern
      ? `commands that match \`${text}${
        isPrefix ? " *" : ""
      }\`, where each * stands for any text`
      : isPrefix
      ? `commands that begin with \`${text}\``
      : `command \`${text}\``;
    return [
      `${isPattern || isPrefix ? "" : "the "}${toolName} ${commands}`,
      ...takesHeredoc(shell, command) ? ["with any heredoc after it"] : [],
      ...runsAnyScript(shell) ? ["which can run any script it is given"] : [],
    ].join(", ");
  }
  const host = /^domain:(.*)$/s.exec(ruleContent);
  return host && toolName === "WebFetch"
    ? `WebFetch of the host ${host[1]}`
    : `${toolName} for \`${ruleContent}\``;
}

/** Lets the person choose what is allowed from now on; `[]` for nothing, `undefined` when there will be no answer. */
export async function chooseGrants(
  terminal: Terminal,
  grants: readonly Grant[],
  signal: AbortSignal,
): Promise<readonly PermissionUpdate[] | undefined> {
  const columns = columnsOf(terminal);
  const usual = grants.flatMap(({ isUsual }, at) => isUsual ? [at + 1] : []);
  const canSave = grants.some(({ file }) => file !== undefined);
  const rows = [
    "Allow from now on, in this session:",
    ...grants.flatMap(({ text, file }, at) => {
      const [first = "", ...rest] = linesOf(text);
      return [
        ...toRows(first, columns, `  ${at + 1}  `),
        ...blockRows(rest, columns),
        ...file === undefined
          ? []
          : toRows(`with "save": written to ${file}`, columns, "       "),
      ];
    }),
  ];
  const choices = [
    `${usual.length > 0 ? `Enter = ${usual.join(" ")}, or n` : "N"}umbers`,
    ...canSave ? ["save = keep them beyond the session"] : [],
    "b = back: ",
  ].join(", ");
  const pages = pagesOf(terminal, rows, signal);
  for (;;) {
    const answer = await pages.ask(choices, isBack, "b = back: ");
    if (answer === undefined) return undefined;
    if (isBack(answer)) return [];
    const read = /^((?:\d+[\s,]*)*)(save)?$/i.exec(answer);
    if (read === null) continue;
    const named = (read[1] ?? "").match(/\d+/g)?.map(Number) ?? [];
    const numbers = named.length > 0 ? [...new Set(named)] : usual;
    const chosen = numbers.map((number) => grants[number - 1]);
    if (chosen.length === 0 || chosen.includes(undefined)) continue;
    const isSaved = read[2] !== undefined;
    return merged(chosen.map((one) => one?.update(isSaved)));
  }
}

function isBack(answer: string): boolean {
  return /^(?:b|back|n|no)$/i.test(answer);
}

/** Rules and directories that only differ in what they name, in one change as the CLI suggested them. */
function merged(
  updates: readonly (PermissionUpdate | undefined)[],
): readonly PermissionUpdate[] {
  const all: PermissionUpdate[] = [];
  for (const update of updates) {
    const last = all.at(-1);
    if (update === undefined) continue;
    if (
      update.type === "addRules" && last?.type === "addRules" &&
      update.behavior === last.behavior &&
      update.destination === last.destination
    ) {
      all[all.length - 1] = {
        ...last,
        rules: [...last.rules, ...update.rules],
      };
    } else all.push(update);
  }
  return all;
}
