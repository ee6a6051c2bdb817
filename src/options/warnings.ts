import { asObject, show } from "../errors/text.ts";
import type { HookEvent } from "../protocol/hooks.ts";
import type { PermissionMode } from "../protocol/permissions.ts";
import { RARE_HOOKS } from "../protocol/values.ts";
import { letsMentionsRead } from "./file_mentions.ts";
import { letsSkillsRun } from "./required_hooks.ts";
import { checkTools } from "./known_tools.ts";
import type { AgentOptions } from "../types/options.ts";
import type { Settings } from "./settings.ts";
import { parseSettings } from "./settings_layer.ts";
import { isOfCli } from "./server_configs.ts";

/** Modes in which the CLI decides nearly all calls by itself. Source: tried on CLI 2.1.330. */
const RARELY_ASKS: { readonly [M in PermissionMode]?: string } = {
  dontAsk: "never asked",
  bypassPermissions:
    "asked only about questions, plans and calls that a rule asks about",
};

/** A rule such as `Bash(rm:*)` or `Read(src/**)`: as a pattern of names it fits none. */
const RULE = /^\w+\(.*[: /*]\*\)$/s;

/** Options that are valid and have no effect, each with what to do, for the log. */
export function optionWarnings(settings: Settings): readonly string[] {
  const { hooks = {}, permissions = {}, mcpServers = {} } = settings.options;
  const warnings: string[] = [];
  checkTools(settings.options, (text) => warnings.push(text));
  for (const event of Object.keys(hooks) as HookEvent[]) {
    for (const { matcher = "" } of hooks[event] ?? []) {
      if (!RULE.test(matcher)) continue;
      warnings.push(
        `Hooks of ${event} with the matcher ${
          show(matcher)
        } are never called: a matcher is a pattern of names, such as "Bash|Edit"; check the input in the hook`,
      );
    }
    if (RARE_HOOKS[event] === undefined) continue;
    warnings.push(
      `Hooks of ${event} are called ${
        RARE_HOOKS[event]
      } by the CLI in this kind of session: use a command hook in the settings`,
    );
  }
  const { mode, canUseTool } = permissions;
  const rarely = mode === undefined ? undefined : RARELY_ASKS[mode];
  if (canUseTool !== undefined && rarely !== undefined) {
    warnings.push(
      `permissions.canUseTool is ${rarely} in mode "${mode}": use a PreToolUse hook to see every call`,
    );
  }
  for (const [name, config] of Object.entries(mcpServers)) {
    if (isOfCli(config) && config.connectTimeoutMs !== undefined) {
      warnings.push(
        `mcpServers.${name}.connectTimeoutMs has no effect with via "cli": set MCP_TIMEOUT in "env"`,
      );
    }
  }
  if (letsSkillsRun(settings.options)) {
    warnings.push(
      "settings.disableSkillShellExecution is false: shell lines in skills and commands run past allowedTools",
    );
  }
  if (letsMentionsRead(settings.options)) {
    warnings.push(
      "CLAUDE_CODE_DISABLE_FILE_MENTIONS is off: files that prompts, commands and skills mention are read past lists and callbacks",
    );
  }
  return warnings;
}

/**
 * A mode in which the CLI starts although no option sets it, and in which calls run without a question; for the log.
 *
 * @param mode As the CLI reports it
 */
export function modeWarning(
  { permissions = {}, settings }: AgentOptions,
  mode: PermissionMode | undefined,
): string | undefined {
  const { allowBypass, canUseTool, mode: chosen } = permissions;
  if (mode === undefined || chosen !== undefined) return undefined;
  const rarely = canUseTool && RARELY_ASKS[mode];
  const isBypass = mode === "bypassPermissions" && allowBypass !== true;
  if (rarely === undefined && !isBypass) return undefined;
  const own = asObject(asObject(parseSettings(settings)).permissions);
  const source = own.defaultMode === mode
    ? "settings.permissions.defaultMode"
    : "permissions.defaultMode of a settings file";
  const effect = rarely === undefined
    ? "calls run without a permission prompt"
    : `permissions.canUseTool is ${rarely}`;
  return `CLI starts in mode "${mode}", by ${source}: ${effect}; set permissions.mode, such as "default"`;
}
