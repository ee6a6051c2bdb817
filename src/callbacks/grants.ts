import { isObject } from "../errors/text.ts";
import type {
  PermissionDestination,
  PermissionMode,
  PermissionUpdate,
} from "../protocol/permissions.ts";
import { codesIn } from "./letters.ts";
import { isMaybe } from "./questions.ts";
import { ruleInWords } from "./rule_words.ts";

/** One thing that can be allowed from now on. */
export interface Grant {
  /** The first line is a sentence; those below belong to the rule. */
  readonly text: string;
  /** The change of permissions; `isSaved` keeps it where the CLI suggested. */
  readonly update: (isSaved: boolean) => PermissionUpdate;
  /** The file that keeps it when the person says so. */
  readonly file: string | undefined;
}

/** Shown with several grants: which of them a call needs is up to the CLI. */
export const MAY_ASK_AGAIN =
  "These may not be enough for this very call: the CLI then asks about it again.";

/** Files for changes that outlive the session. */
const FILES: Readonly<Partial<Record<PermissionDestination, string>>> = {
  // The CLI keeps it in the main worktree of a repository (2.1.330).
  localSettings:
    ".claude/settings.local.json (this folder, or the whole git repository with all its worktrees; you alone)",
  projectSettings: ".claude/settings.json (this project, everybody)",
  userSettings: "~/.claude/settings.json (all your projects)",
};

const MODES: ReadonlyMap<string, string> = new Map(Object.entries(
  {
    default: "the usual questions are asked",
    acceptEdits:
      "edits of files and shell commands that change files here (rm, mv, cp, mkdir, touch, sed -i, redirections ...) run without asking",
    bypassPermissions: "everything runs without asking",
    dontAsk: "what would be asked is denied",
    plan: "the agent plans, and changes are still asked about",
    auto: "a model decides what runs without asking",
  } satisfies Partial<Record<PermissionMode, string>>,
));

/** The suggestions of the CLI, each rule, directory and mode on its own; malformed ones, those that take something back and those without an exact sentence are left out. */
export function grantsOf(
  suggestions: readonly PermissionUpdate[],
): readonly Grant[] {
  return suggestions.filter(isSound).flatMap((update): readonly Grant[] => {
    const file = FILES[update.destination];
    const kept = (isSaved: boolean): PermissionDestination =>
      isSaved ? update.destination : "session";
    switch (update.type) {
      case "addRules":
        return update.rules.flatMap((rule): readonly Grant[] => {
          const words = ruleInWords(rule);
          return words === undefined ? [] : [{
            text: withCodes(`${update.behavior} ${words}`),
            update: (isSaved) => ({
              ...update,
              rules: [rule],
              destination: kept(isSaved),
            }),
            file,
          }];
        });
      case "addDirectories":
        // The CLI cuts blanks at the end, and allows another directory.
        return update.directories.filter(hasNoBlankEnd).map((directory) => ({
          text: withCodes(
            `let tools and shell commands read in the directory ${directory} without asking, and change files there as they may here`,
          ),
          update: (isSaved) => ({
            ...update,
            directories: [directory],
            destination: kept(isSaved),
          }),
          file,
        }));
      case "setMode":
        return [{
          text: `switch to the mode ${update.mode}: ${
            MODES.get(update.mode) ?? "see the documents of the CLI"
          }`,
          update: (isSaved) => ({ ...update, destination: kept(isSaved) }),
          file,
        }];
      default:
        // A change of what a file keeps is no permission for calls like this one.
        return [];
    }
  });
}

/** Letters of other scripts may look like plain ones. */
function withCodes(sentence: string): string {
  const codes = codesIn(sentence);
  if (codes.length === 0) return sentence;
  return `${sentence}, not only plain letters: ${codes.join(" ")}`;
}

const BEHAVIORS: readonly unknown[] = ["allow", "deny", "ask"];

function isSound(update: unknown): boolean {
  if (!isObject<unknown>(update)) return false;
  const { type, behavior, rules, directories, mode } = update;
  switch (type) {
    case "addRules":
      return BEHAVIORS.includes(behavior) && Array.isArray(rules) &&
        rules.every(isRule);
    case "addDirectories":
      return Array.isArray(directories) &&
        directories.every((one) => typeof one === "string");
    case "setMode":
      return typeof mode === "string";
    default:
      return false;
  }
}

function isRule(rule: unknown): boolean {
  if (!isObject<unknown>(rule)) return false;
  const { ruleContent, toolName } = rule;
  return typeof toolName === "string" && isMaybe(ruleContent, "string");
}

function hasNoBlankEnd(path: string): boolean {
  return path === path.trimEnd();
}

/** The changes that a person chose, by their places; `undefined` for none, or for a place that does not exist. */
export function chosenUpdates(
  grants: readonly Grant[],
  places: readonly number[],
  isSaved: boolean,
): readonly PermissionUpdate[] | undefined {
  const updates = places.map((at) => grants[at]?.update(isSaved));
  if (updates.length === 0 || updates.includes(undefined)) return undefined;
  return merged(updates.filter((one) => one !== undefined));
}

/** Rules and directories that only differ in what they name, in one change as the CLI suggested them. */
function merged(
  updates: readonly PermissionUpdate[],
): readonly PermissionUpdate[] {
  const all: PermissionUpdate[] = [];
  for (const update of updates) {
    const last = all.at(-1);
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
