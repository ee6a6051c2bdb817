import { ConfigError } from "../errors/config.ts";
import type { AgentOptions } from "../types/options.ts";
import { excessOf } from "./command_length.ts";
import { guards } from "./guarded.ts";
import { fieldsOfStart } from "./initialize.ts";
import { parseSettings } from "./json.ts";
import type { Settings } from "./resolve.ts";
import { toolFlags } from "./rules.ts";
import { FEATURES, isOlder, knows } from "./versions.ts";

/** So many characters of a Windows command line are kept for the CLI itself. */
const RESERVED_CHARACTERS = 767;

/** What every conversation needs. Source: protocol reference, section Spawn. */
export const STREAMING_FLAGS: readonly string[] = [
  "--output-format",
  "stream-json",
  "--verbose",
  "--input-format",
  "stream-json",
];

/** Asks the host before a tool runs: over stdin and stdout where its value is `stdio`. */
export const PROMPT_TOOL_FLAG = "--permission-prompt-tool";

/** An argument and the option that it comes from. */
interface Argument {
  readonly key: string;
  readonly text: string;
}

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
  const all = [
    ...modelArguments(settings.options, older),
    ...sessionArguments(settings.options),
    ...toolArguments(settings, older),
    ...messageArguments(settings.options),
    ...placeArguments(settings, platform, older),
    ...extraArguments(settings.options),
  ];
  checkLength(all, platform);
  return [...STREAMING_FLAGS, ...all.map(({ text }) => text)];
}

/** Whether the command line depends on how old the CLI is. */
export function asksForVersion(settings: Settings): boolean {
  const { options } = settings;
  return options.thinking !== undefined ||
    options.permissions?.canUseTool !== undefined ||
    guards(options).length > 0 ||
    fieldsOfStart(settings).length > 0 ||
    Object.values(FEATURES).some(({ sent, option }) =>
      sent.startsWith("--") && option?.(options) !== undefined
    );
}

function modelArguments(
  options: AgentOptions,
  { version }: Older,
): Argument[] {
  const { betas, thinking } = options;
  return [
    ...valued("model", "--model", options.model),
    ...valued("fallbackModel", "--fallback-model", options.fallbackModel),
    ...valued("effort", "--effort", options.effort),
    ...thinkingArguments(thinking, version),
    ...valued("maxTurns", "--max-turns", options.maxTurns),
    ...valued("maxBudgetUsd", "--max-budget-usd", options.maxBudgetUsd),
    ...valued("taskBudget", "--task-budget", options.taskBudget?.total),
    ...valued("betas", "--betas", joined(betas)),
    ...valued("agent", "--agent", options.agent),
  ];
}

function thinkingArguments(
  thinking: AgentOptions["thinking"],
  version: string | undefined,
): Argument[] {
  if (thinking === undefined) return [];
  const { type } = thinking;
  if (type === "disabled" && !knows(version, "thinkingOff")) {
    return [{ key: "thinking", text: "--max-thinking-tokens=0" }];
  }
  const kind = type === "enabled"
    ? `--max-thinking-tokens=${thinking.budgetTokens}`
    : `--thinking=${type}`;
  const display = type === "disabled" ? undefined : thinking.display;
  return [
    { key: "thinking", text: kind },
    ...valued("thinking.display", "--thinking-display", display),
  ];
}

function sessionArguments(options: AgentOptions): Argument[] {
  const { persistSession } = options;
  return [
    ...valued("resume", "--resume", options.resume),
    ...bare("continue", "--continue", options.continue),
    ...bare("forkSession", "--fork-session", options.forkSession),
    ...valued("sessionId", "--session-id", options.sessionId),
    ...valued(
      "resumeSessionAt",
      "--resume-session-at",
      options.resumeSessionAt,
    ),
    ...valued(
      "resumeDropsTurn",
      "--resume-drops-turn",
      options.resumeDropsTurn,
    ),
    ...bare(
      "persistSession",
      "--no-session-persistence",
      persistSession === false,
    ),
    ...bare("transcripts", "--session-mirror", options.transcripts && true),
  ];
}

/** The first release of those that begin in mode "auto", in which nobody is asked. */
const AUTO_MODE = "2.1.271";

function toolArguments(settings: Settings, { version }: Older): Argument[] {
  const { tools, approved, denied } = toolFlags(settings);
  const { permissions = {}, allowedTools } = settings.options;
  const { canUseTool } = permissions;
  const isAuto = version !== undefined && !knows(version, "asking") &&
    !isOlder(version, AUTO_MODE);
  const first = canUseTool !== undefined && isAuto ? "default" : undefined;
  const toolsKey = allowedTools === undefined ? "tools" : "allowedTools";
  return [
    ...valued(toolsKey, "--tools", tools?.join(",")),
    ...valued("permissions.approve", "--allowedTools", joined(approved)),
    ...valued("deniedTools", "--disallowedTools", joined(denied)),
    ...valued(
      "permissions.mode",
      "--permission-mode",
      permissions.mode ?? first,
    ),
    ...bare(
      "permissions.allowBypass",
      "--allow-dangerously-skip-permissions",
      permissions.allowBypass,
    ),
    ...(canUseTool === undefined ? [] : [{
      key: "permissions.canUseTool",
      text: `${PROMPT_TOOL_FLAG}=stdio`,
    }]),
    ...(permissions.prompts === "none"
      ? [{ key: "permissions.prompts", text: "--permission-prompts=none" }]
      : []),
  ];
}

function messageArguments(options: AgentOptions): Argument[] {
  const { includePartialMessages, includeHookEvents } = options;
  return [
    ...bare(
      "includePartialMessages",
      "--include-partial-messages",
      includePartialMessages,
    ),
    ...bare("includeHookEvents", "--include-hook-events", includeHookEvents),
  ];
}

function placeArguments(
  settings: Settings,
  platform: string,
  { version, files }: Older,
): Argument[] {
  const { options } = settings;
  const { additionalDirectories = [], settingSources, strictMcpConfig } =
    options;
  const { debug, debugFile, projectConfigRoot } = options;
  const file = parseSettings(options.settings);
  const fields = fieldsOfStart(settings, version);
  const slashed = (path: string) =>
    platform === "win32" ? path.replaceAll("\\", "/") : path;
  return [
    ...valued(
      "projectConfigRoot",
      "--project-config-root",
      projectConfigRoot && slashed(projectConfigRoot),
    ),
    ...additionalDirectories.map((directory) => ({
      key: "additionalDirectories",
      text: `--add-dir=${slashed(directory)}`,
    })),
    ...valued("settingSources", "--setting-sources", settingSources?.join(",")),
    ...valued(
      "settings",
      "--settings",
      typeof file === "string" ? file : files.settings,
    ),
    ...bare("strictMcpConfig", "--strict-mcp-config", strictMcpConfig),
    ...valued("mcpServers", "--mcp-config", files.mcpConfig),
    ...pluginArguments(options, version),
    ...bare("plugins", "--await-initialize", fields.length > 0),
    // Not published, and the only way for settings that leaves no file behind and does not show them to everybody.
    ...(fields.includes("settings")
      ? [{ key: "settings", text: "--initialize-fields=settings" }]
      : []),
    ...bare(
      "managedSettings",
      "--managed-settings-in-initialize",
      fields.includes("managedSettings"),
    ),
    ...(typeof debug === "string"
      ? valued("debug", "--debug", debug)
      : bare("debug", "--debug", debug)),
    ...valued("debugFile", "--debug-file", debugFile),
  ];
}

function pluginArguments(
  { plugins = [] }: AgentOptions,
  version: string | undefined,
): Argument[] {
  if (knows(version, "plugins")) return [];
  return plugins.map(({ path }) => ({
    key: "plugins",
    text: `--plugin-dir=${path}`,
  }));
}

function extraArguments({ extraArgs = {} }: AgentOptions): Argument[] {
  return Object.entries(extraArgs)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ({
      key: `extraArgs.${name}`,
      text: value === null ? `--${name}` : `--${name}=${value}`,
    }));
}

/** One token, so that a value that begins with a dash stays a value. */
function valued(
  key: string,
  name: string,
  value: string | number | undefined,
): Argument[] {
  return value === undefined ? [] : [{ key, text: `${name}=${value}` }];
}

function bare(
  key: string,
  name: string,
  isSet: boolean | undefined,
): Argument[] {
  return isSet === true ? [{ key, text: name }] : [];
}

/** An empty list is no flag. */
function joined(items: readonly string[] = []): string | undefined {
  return items.length === 0 ? undefined : items.join(",");
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
