import type { AgentOptions } from "../types/options.ts";
import { parseSettings } from "./json.ts";

/** Keeps shell lines in skills and commands from running: no hook and no permission sees those. */
export const NO_SKILL_SHELL = "disableSkillShellExecution";

/** What the settings say of shell lines in skills; `undefined` for nothing, and for settings in a file. */
export function skillShell({ settings }: AgentOptions): unknown {
  const parsed = parseSettings(settings);
  return typeof parsed === "object" ? parsed[NO_SKILL_SHELL] : undefined;
}

/** The option that relies on shell lines of skills not to run. */
export function needsNoSkillShell(options: AgentOptions): string | undefined {
  const said = skillShell(options);
  if (said === true) return `settings.${NO_SKILL_SHELL}`;
  return options.allowedTools !== undefined && said === undefined
    ? "allowedTools"
    : undefined;
}

/** Whether the CLI reads skills and commands of anybody else. */
export function mayHoldSkills(
  { settingSources, plugins = [], additionalDirectories = [] }: AgentOptions,
): boolean {
  return settingSources?.length !== 0 || plugins.length > 0 ||
    additionalDirectories.length > 0;
}
