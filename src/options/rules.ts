import type { Settings } from "./resolve.ts";
import { mcpName, parseSpec, type ToolSpec } from "./tool_spec.ts";

/** Values of the CLI's three flags about tools. */
interface ToolFlags {
  /** Names of `--tools`: which built-in tools exist; `"default"` = all, absent = no flag. */
  readonly tools?: readonly string[];
  /** Rules of `--allowedTools`: what runs unasked. */
  readonly approved: readonly string[];
  /** Rules of `--disallowedTools`: what does not exist or run. */
  readonly denied: readonly string[];
}

/** Turns what the options say about tools into flags of the CLI. */
export function toolFlags(settings: Settings): ToolFlags {
  const { allowedTools, deniedTools, approvedTools, options } = settings;
  const servers = Object.keys(options.mcpServers ?? {}).map(mcpName);
  const allowed = allowedTools?.map(toSpec);
  const approve = approvedTools.map(toSpec);
  const isAsked = options.permissions?.canUseTool !== undefined;
  const approved = [...approve, ...(isAsked ? [] : allowed ?? [])];
  const tools = builtins(settings, allowed);
  return {
    ...(tools === undefined ? {} : { tools }),
    approved: unique([
      // The CLI drops an approval of every MCP tool at once, so that one becomes one rule a server.
      ...approved.flatMap((spec) =>
        spec.tool === "mcp__*"
          ? servers.map((name) => `mcp__${name}`)
          : ruleTexts(spec)
      ),
      ...skillRules(settings),
    ]),
    denied: unique([
      ...deniedTools.map(toSpec).flatMap(ruleTexts),
      // An allow-list without MCP tools takes all of them away, so that the model is not shown any.
      ...(allowed?.every(({ tool }) => !tool.startsWith("mcp__"))
        ? ["mcp__*"]
        : []),
    ]),
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
function bothNames({ text, tool }: ToolSpec): string[] {
  const written = text.replace(/\(.*$/s, "");
  return written === tool ? [tool] : [written, tool];
}

/** The rules of a spec: under both names where there are two, as the CLI spells them. */
function ruleTexts(spec: ToolSpec): readonly string[] {
  const pattern = /\(.*$/s.exec(spec.text)?.[0] ?? "";
  const names = spec.tool.startsWith("mcp__") ? [spec.tool] : bothNames(spec);
  return names.map((name) => name + pattern);
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
