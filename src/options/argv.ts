import { ConfigError } from "../errors/config.ts";
import type { AgentOptions } from "../types/options.ts";
import { excessOf } from "./command_length.ts";
import { needsFirstLine, settingsObject } from "./initialize.ts";
import { parseSettings } from "./json.ts";
import type { Settings } from "./resolve.ts";
import { toolFlags } from "./rules.ts";

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

/**
 * The arguments of the CLI, without the CLI itself; each value is one argument and reaches the CLI as it is.
 *
 * @throws {ConfigError} If the system cannot start a process with that much text
 */
export function toArgv(settings: Settings, platform: string): string[] {
  const all = [
    ...modelArguments(settings.options),
    ...sessionArguments(settings.options),
    ...toolArguments(settings),
    ...messageArguments(settings.options),
    ...placeArguments(settings, platform),
    ...extraArguments(settings.options),
  ];
  checkLength(all, platform);
  return [...STREAMING_FLAGS, ...all.map(({ text }) => text)];
}

function modelArguments(options: AgentOptions): Argument[] {
  const { betas, thinking } = options;
  return [
    ...valued("model", "--model", options.model),
    ...valued("fallbackModel", "--fallback-model", options.fallbackModel),
    ...valued("effort", "--effort", options.effort),
    ...thinkingArguments(thinking),
    ...valued("maxTurns", "--max-turns", options.maxTurns),
    ...valued("maxBudgetUsd", "--max-budget-usd", options.maxBudgetUsd),
    ...valued("taskBudget", "--task-budget", options.taskBudget?.total),
    ...valued("betas", "--betas", joined(betas)),
    ...valued("agent", "--agent", options.agent),
  ];
}

function thinkingArguments(thinking: AgentOptions["thinking"]): Argument[] {
  if (thinking === undefined) return [];
  const { type } = thinking;
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
  ];
}

function toolArguments(settings: Settings): Argument[] {
  const { tools, approved, denied } = toolFlags(settings);
  const { permissions = {}, allowedTools } = settings.options;
  const { canUseTool } = permissions;
  const toolsKey = allowedTools === undefined ? "tools" : "allowedTools";
  return [
    ...valued(toolsKey, "--tools", tools?.join(",")),
    ...valued("permissions.approve", "--allowedTools", joined(approved)),
    ...valued("deniedTools", "--disallowedTools", joined(denied)),
    ...valued("permissions.mode", "--permission-mode", permissions.mode),
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

function placeArguments(settings: Settings, platform: string): Argument[] {
  const { options } = settings;
  const { additionalDirectories = [], settingSources, strictMcpConfig } =
    options;
  const { debug, debugFile, managedSettings, projectConfigRoot } = options;
  const file = parseSettings(options.settings);
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
    ...(typeof file === "string"
      ? [{ key: "settings", text: `--settings=${file}` }]
      : []),
    ...bare("strictMcpConfig", "--strict-mcp-config", strictMcpConfig),
    ...bare("plugins", "--await-initialize", needsFirstLine(settings)),
    // Not published, and the only way for settings that does not show them to everybody on this machine.
    ...(settingsObject(settings) === undefined
      ? []
      : [{ key: "settings", text: "--initialize-fields=settings" }]),
    ...bare(
      "managedSettings",
      "--managed-settings-in-initialize",
      managedSettings !== undefined,
    ),
    ...(typeof debug === "string"
      ? valued("debug", "--debug", debug)
      : bare("debug", "--debug", debug)),
    ...valued("debugFile", "--debug-file", debugFile),
  ];
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
