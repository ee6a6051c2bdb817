import type { AgentOptions } from "../types/options.ts";
import { deniesAllReads } from "./file_mentions.ts";
import { checkTools } from "./known_tools.ts";
import type { FlagValue, Target } from "./option.ts";
import { contradict, refuse } from "./refuse.ts";
import type { Settings } from "./settings.ts";
import { mcpName, parseSpec, splitSpecs, type ToolSpec } from "./tool_spec.ts";

/** The built-in tools that `tools` names, or what `allowedTools` leaves of them. */
export function builtins(_value: unknown, { settings }: Target): FlagValue {
  const { allowedTools, options: { tools, skills } } = settings;
  const base = Array.isArray(tools)
    ? unique(tools.flatMap((name: string) => bothNames(toSpec(name))))
    : undefined;
  if (allowedTools === undefined) {
    return base?.join(",") ?? (tools && "default");
  }
  return unique([
    ...allowedTools.map(toSpec).filter((spec) => !isMcp(spec))
      .flatMap(bothNames),
    ...(skills === undefined ? [] : ["Skill"]),
  ]).filter((one) => base?.includes(one) ?? true).join(",");
}

/** Rules of tools that run without prompting; an empty list is no flag. */
export function approvedRules(
  _value: unknown,
  { settings }: Target,
): FlagValue {
  const { allowedTools = [], approvedTools, options } = settings;
  const servers = Object.keys(options.mcpServers ?? {}).map(mcpName);
  const isAsked = options.permissions?.canUseTool !== undefined;
  const rules = [...approvedTools, ...isAsked ? [] : allowedTools].map(toSpec)
    .flatMap((spec) =>
      // The CLI drops an approval of every MCP tool at once, so that one becomes one rule a server.
      spec.tool === "mcp__*"
        ? servers.map((name) => `mcp__${name}`)
        : ruleTexts(spec)
    );
  return unique([...rules, ...skillRules(settings)]).join(",") || undefined;
}

/** Rules of tools that may not be used; an empty list is no flag. */
export function deniedRules(
  _value: unknown,
  { settings, knows }: Target,
): FlagValue {
  const { allowedTools, deniedTools, options } = settings;
  const denied = deniedTools.map(toSpec).flatMap(ruleTexts);
  // An allow-list without MCP tools takes all of them away, so that the model is not shown any.
  if (allowedTools?.every((one) => !isMcp(toSpec(one)))) denied.push("mcp__*");
  // Mentions of files in prompts, commands and skills read past hooks.
  if (!knows("fileMentions") && deniesAllReads(options)) {
    denied.push("Read(//**)");
  }
  return unique(denied).join(",") || undefined;
}

function isMcp({ tool }: ToolSpec): boolean {
  return tool.startsWith("mcp__");
}

/** The name as written and the current one: older CLIs know only the first. */
function bothNames({ text, tool }: ToolSpec): readonly string[] {
  return unique([text.replace(/\(.*$/s, ""), tool]);
}

/** The rules of a spec: under both names where there are two, as the CLI spells them. */
function ruleTexts(spec: ToolSpec): readonly string[] {
  const { text, tool } = spec;
  const rule = tool + (/\(.*$/s.exec(text)?.[0] ?? "");
  return isMcp(spec) ? [rule] : unique([text, rule]);
}

export function skillRules({ options: { skills = [] } }: Settings): string[] {
  return skills === "all" ? ["Skill"] : skills.map((name) => `Skill(${name})`);
}

/** Whether the lists of tools need a guard. */
export function hasToolPolicy(
  { allowedTools, deniedTools }: Settings,
): boolean {
  return allowedTools !== undefined || deniedTools.length > 0;
}

/** A spec of an entry; every list was checked before. */
export function toSpec(text: string): ToolSpec {
  return parseSpec(text) ?? { text, tool: text };
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}

/** Refuses lists that contradict each other, or name an unknown tool: they would guard nothing. */
export function checkLists(options: AgentOptions): void {
  const { allowedTools = [], deniedTools = [], permissions } = options;
  const allowed = splitSpecs(allowedTools);
  if (allowed.length > 0 && splitSpecs(deniedTools).length > 0) {
    const why =
      'must be left out when "deniedTools" is set: an allow-list already denies the rest';
    contradict("allowedTools", allowed.join(","), why);
  }
  refuseWide("allowedTools", allowed, "left out to allow every tool");
  const approved = splitSpecs(permissions?.approve ?? []);
  const mode =
    'a name: for everything use mode "bypassPermissions" with "allowBypass"';
  refuseWide("permissions.approve", approved, mode);
  checkTools(options);
}

/** Only names of MCP tools may hold a wildcard: the CLI does not expand others. */
function refuseWide(
  key: string,
  specs: readonly string[],
  must: string,
): void {
  for (const text of specs) {
    const tool = parseSpec(text)?.tool ?? "";
    if (tool === "*") refuse(key, text, must);
    if (tool.includes("*") && !tool.startsWith("mcp__")) {
      refuse(key, text, "the name of a tool, without a wildcard");
    }
  }
}
