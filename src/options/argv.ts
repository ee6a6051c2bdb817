import { ConfigError } from "../errors/base.ts";
import { byteLength } from "../stream/byte_length.ts";
import type { PermissionOptions } from "../types/permissions.ts";
import { parseSettings } from "./settings_layer.ts";
import { valueAt } from "./fields.ts";
import { type FlagName, FLAGS } from "./flags.ts";
import { deniesAllReads, needsNoMentions } from "./guarded.ts";
import { fieldsOfStart } from "./initialize.ts";
import type { Settings } from "./resolve.ts";
import { STREAMING_FLAGS } from "./launch.ts";
import { mcpName, parseSpec, type ToolSpec } from "./tool_spec.ts";
import { isOlder, knows } from "./versions.ts";

/** So many characters of a Windows command line are kept for the CLI itself. */
const RESERVED_CHARACTERS = 767;

/** An argument and the option that it comes from. */
interface Argument {
  readonly key: string;
  readonly text: string;
}

/** The value of a flag: `true` = the flag alone, `undefined` or `false` = none. */
type FlagValue = string | number | boolean | readonly string[] | undefined;

/** What the command line depends on beside the options. */
export interface Older {
  /** The version of the CLI, as far as that is known. */
  readonly version: string | undefined;
  /** Private files for what older ones do not read from `initialize`. */
  readonly files: {
    readonly settings?: string | undefined;
    readonly mcpConfig?: string | undefined;
  };
}

const CURRENT: Older = { version: undefined, files: {} };

/**
 * The arguments of the CLI, without the CLI itself; each value is one argument and reaches the CLI as it is.
 *
 * @param older The version of a CLI that may be an old one; a current one unless given
 * @throws {ConfigError} If the system cannot start a process with that much text
 */
export function toArgv(
  settings: Settings,
  platform: string,
  older: Older = CURRENT,
): string[] {
  const { options } = settings;
  const made = madeValues(settings, platform, older);
  const all = [
    ...FLAGS.flatMap(([name, key]) =>
      toArguments(
        key === "tools" && options.allowedTools ? "allowedTools" : key,
        name,
        name in made ? made[name] : valueAt(options, key) as FlagValue,
      )
    ),
    ...Object.entries(options.extraArgs ?? {}).flatMap(([name, value]) =>
      toArguments(`extraArgs.${name}`, name, value ?? value === null)
    ),
  ];
  checkLength(all, platform);
  return [...STREAMING_FLAGS, ...all.map(({ text }) => text)];
}

/** Whether the command line depends on how old the CLI is. */
export function asksForVersion(settings: Settings): boolean {
  const { options } = settings;
  return options.permissions?.canUseTool !== undefined ||
    options.projectConfigRoot !== undefined ||
    deniesAllReads(options) || needsNoMentions(options) !== undefined ||
    Object.keys(fieldsOfStart(settings)).length > 0;
}

/** The values of flags whose option says it in another way; a list becomes one argument for each item. */
function madeValues(
  settings: Settings,
  platform: string,
  { version, files }: Older,
): { readonly [Name in FlagName]?: FlagValue } {
  const { options } = settings;
  const { permissions = {}, projectConfigRoot, thinking } = options;
  const budget = thinking?.type === "enabled"
    ? thinking.budgetTokens
    : undefined;
  const fields = fieldsOfStart(settings, version);
  const file = parseSettings(options.settings);
  const slashed = (path: string) =>
    platform === "win32" ? path.replaceAll("\\", "/") : path;
  return {
    "max-thinking-tokens": budget,
    "thinking": budget === undefined ? thinking?.type : undefined,
    "task-budget": options.taskBudget?.total,
    "betas": options.betas?.join(",") || undefined,
    "no-session-persistence": options.persistSession === false,
    "session-mirror": options.transcripts !== undefined,
    ...toolFlags(settings, version),
    "permission-mode": permissions.mode ?? firstMode(permissions, version),
    "permission-prompt-tool": permissions.canUseTool && "stdio",
    "permission-prompts": permissions.prompts === "none" && "none",
    "project-config-root": projectConfigRoot && slashed(projectConfigRoot),
    "add-dir": options.additionalDirectories?.map(slashed),
    "setting-sources": options.settingSources?.join(","),
    "settings": typeof file === "string" ? file : files.settings,
    "mcp-config": files.mcpConfig,
    "await-initialize": Object.keys(fields).length > 0,
    // Not published, and the only way for settings that leaves no file behind and does not show them to everybody.
    "initialize-fields": "settings" in fields && "settings",
    "managed-settings-in-initialize": "managedSettings" in fields,
  };
}

/** The first release of those that begin in mode "auto", in which nobody is asked. */
const AUTO_MODE = "2.1.271";

function firstMode(
  { canUseTool }: PermissionOptions,
  version: string | undefined,
): "default" | undefined {
  const isAuto = version !== undefined && !knows(version, "defaultMode") &&
    !isOlder(version, AUTO_MODE);
  return canUseTool !== undefined && isAuto ? "default" : undefined;
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
  // Those in front of a quote are doubled, and those at the end.
  const escaping = text.match(/(?<!\\)\\*(?:"|$)/g) ?? [];
  return text.length + 3 + escaping.join("").length;
}

/** What the options say about tools as the values of three flags; an empty list is no flag, but for that of all tools. */
function toolFlags(settings: Settings, version: string | undefined): {
  readonly tools: string | undefined;
  readonly allowedTools: string | undefined;
  readonly disallowedTools: string | undefined;
} {
  const { allowedTools, deniedTools, approvedTools, options } = settings;
  const servers = Object.keys(options.mcpServers ?? {}).map(mcpName);
  const allowed = allowedTools?.map(toSpec);
  const isAsked = options.permissions?.canUseTool !== undefined;
  const approved = [
    ...approvedTools.map(toSpec),
    ...isAsked ? [] : allowed ?? [],
  ].flatMap((spec) =>
    // The CLI drops an approval of every MCP tool at once, so that one becomes one rule a server.
    spec.tool === "mcp__*"
      ? servers.map((name) => `mcp__${name}`)
      : ruleTexts(spec)
  );
  const denied = deniedTools.map(toSpec).flatMap(ruleTexts);
  // An allow-list without MCP tools takes all of them away, so that the model is not shown any.
  if (allowed?.every(({ tool }) => !tool.startsWith("mcp__"))) {
    denied.push("mcp__*");
  }
  // Mentions of files in prompts, commands and skills read past hooks.
  if (!knows(version, "fileMentions") && deniesAllReads(options)) {
    denied.push("Read(//**)");
  }
  return {
    tools: builtins(settings, allowed)?.join(","),
    allowedTools: unique([...approved, ...skillRules(settings)]).join(",") ||
      undefined,
    disallowedTools: unique(denied).join(",") || undefined,
  };
}

/** Which built-in tools exist: those of `tools` that `allowedTools` does not take away. */
function builtins(
  { options: { tools, skills } }: Settings,
  allowed: readonly ToolSpec[] | undefined,
): readonly string[] | undefined {
  const base = Array.isArray(tools)
    ? unique(tools.flatMap((name: string) => bothNames(toSpec(name))))
    : undefined;
  if (allowed === undefined) {
    return base ?? (tools === undefined ? undefined : ["default"]);
  }
  const names = unique([
    ...allowed.filter(({ tool }) => !tool.startsWith("mcp__"))
      .flatMap(bothNames),
    ...(skills === undefined ? [] : ["Skill"]),
  ]);
  return base === undefined ? names : names.filter((one) => base.includes(one));
}

/** The name as written and the current one: older CLIs know only the first. */
function bothNames({ text, tool }: ToolSpec): readonly string[] {
  return unique([text.replace(/\(.*$/s, ""), tool]);
}

/** The rules of a spec: under both names where there are two, as the CLI spells them. */
function ruleTexts({ text, tool }: ToolSpec): readonly string[] {
  const rule = tool + (/\(.*$/s.exec(text)?.[0] ?? "");
  return tool.startsWith("mcp__") ? [rule] : unique([text, rule]);
}

/** What approves the skills that were named. */
export function skillRules({ options: { skills = [] } }: Settings): string[] {
  return skills === "all" ? ["Skill"] : skills.map((name) => `Skill(${name})`);
}

/** Whether the lists of tools need a guard. */
export function hasToolGuard({ allowedTools, deniedTools }: Settings): boolean {
  return allowedTools !== undefined || deniedTools.length > 0;
}

/** A spec of an entry: every list was checked before, so that one without a meaning cannot come. */
export function toSpec(text: string): ToolSpec {
  return parseSpec(text) ?? { text, tool: text };
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
