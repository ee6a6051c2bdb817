import { show } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import type { GuardPlace } from "./path_pattern.ts";
import type { Settings } from "./resolve.ts";
import { type Coverage, coverageOf } from "./tool_pattern.ts";
import { currentName, mcpName, parseSpec, type ToolSpec } from "./tool_spec.ts";

/** The tool through which structured output comes; the CLI adds it for `outputSchema`. */
const OUTPUT_TOOL = "StructuredOutput";

/** Values of the CLI's three flags about tools. */
export interface ToolFlags {
  /** Names of `--tools`: which built-in tools exist; `"default"` = all, absent = no flag. */
  readonly tools?: readonly string[];
  /** Rules of `--allowedTools`: what runs unasked. */
  readonly approved: readonly string[];
  /** Rules of `--disallowedTools`: what does not exist or run. */
  readonly denied: readonly string[];
}

/** A refusal in words, or `undefined`: the call may go on. */
export type ToolGuard = (
  tool: string,
  input: JsonObject,
) => string | undefined;

/** Turns what the options say about tools into flags of the CLI. */
export function toolFlags(settings: Settings): ToolFlags {
  const { allowedTools, deniedTools, options } = settings;
  const servers = Object.keys(options.mcpServers ?? {}).map(mcpName);
  const allowed = allowedTools?.map(toSpec);
  const approve = (options.permissions?.approve ?? []).map(toSpec);
  const isAsked = options.permissions?.canUseTool !== undefined;
  const approved = [...approve, ...(isAsked ? [] : allowed ?? [])];
  const tools = builtins(settings, allowed);
  return {
    ...(tools === undefined ? {} : { tools }),
    approved: unique([
      ...approved.flatMap((spec) => approvalRules(spec, servers)),
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

/** The CLI drops an approval of every MCP tool at once, so that one becomes one rule a server. */
function approvalRules(
  spec: ToolSpec,
  servers: readonly string[],
): readonly string[] {
  return spec.tool === "mcp__*"
    ? servers.map((name) => `mcp__${name}`)
    : ruleTexts(spec);
}

/** The rules of a spec: under both names where there are two, as the CLI spells them. */
function ruleTexts(spec: ToolSpec): readonly string[] {
  const pattern = /\(.*$/s.exec(spec.text)?.[0] ?? "";
  const names = spec.tool.startsWith("mcp__") ? [spec.tool] : bothNames(spec);
  return names.map((name) => name + pattern);
}

function skillRules({ options: { skills = [] } }: Settings): string[] {
  return skills === "all" ? ["Skill"] : skills.map((name) => `Skill(${name})`);
}

/**
 * The guard behind `allowedTools`: refuses every call outside of the list; `undefined` when there is no list.
 *
 * It runs before each tool call, so that patterns, MCP tools and tools that came later are refused as well. What it
 * does not understand it refuses. A command line is taken apart, and each command in it must be covered; a line with
 * redirections, expansions, substitutions, subshells, comments or background jobs is refused, unless a pattern has
 * exactly that line. Paths are compared as text after `..` was resolved; `place` is asked at the first call of a tool,
 * when the working directory is known.
 */
export function toolGuard(
  settings: Settings,
  place: () => GuardPlace = () => ({}),
): ToolGuard | undefined {
  const { allowedTools, options } = settings;
  if (allowedTools === undefined) return undefined;
  const specs = [...allowedTools, ...skillRules(settings)].map(toSpec);
  const servers = Object.keys(options.mcpServers ?? {}).map(mcpName);
  const known = new Map<string, Coverage>();
  const hasOutput = options.outputSchema !== undefined;
  return (name, input) => {
    if (name === OUTPUT_TOOL && hasOutput) return undefined;
    const tool = currentName(name);
    const about = specs.filter((spec) => isAbout(spec, tool, servers));
    if (about.length === 0) {
      return `Tool ${show(name)} is not in allowedTools`;
    }
    let coverage = known.get(tool);
    if (coverage === undefined) {
      coverage = coverageOf(tool, about, place());
      known.set(tool, coverage);
    }
    if (coverage.covers(input)) return undefined;
    return refusal(tool, input, about, coverage);
  };
}

function refusal(
  tool: string,
  input: JsonObject,
  about: readonly ToolSpec[],
  { unclear }: Coverage,
): string {
  const covered = about.map(({ text }) => text).join(", ");
  const why = unclear.length === 0
    ? ""
    : ` (not understood, so refused: ${unclear.join(", ")})`;
  const subject = tool === "Bash" && typeof input.command === "string"
    ? `Command ${show(input.command)}`
    : `This call of ${tool}`;
  return `${subject} is not covered by allowedTools: ${covered}${why}`;
}

/** Whether a spec names a tool: by its name, its server, or a wildcard. */
function isAbout(
  { tool: wanted }: ToolSpec,
  tool: string,
  servers: readonly string[],
): boolean {
  if (wanted === tool) return true;
  if (!wanted.startsWith("mcp__") || !tool.startsWith("mcp__")) return false;
  if (wanted.includes("*")) return wildcard(wanted).test(tool);
  const server = wanted.slice("mcp__".length);
  const namesTool = server.includes("__") && !servers.includes(server);
  if (namesTool || !tool.startsWith(`${wanted}__`)) return false;
  // "mcp__a" is not about the tools of a server that is called "a__b".
  return !servers.some((other) =>
    other.startsWith(`${server}__`) && tool.startsWith(`mcp__${other}__`)
  );
}

function wildcard(pattern: string): RegExp {
  return new RegExp(`^${pattern.replace(/\*+/g, ".*")}$`, "s");
}

/** Every list was checked before, so that an entry without a meaning cannot come. */
function toSpec(text: string): ToolSpec {
  return parseSpec(text) ?? { text, tool: text };
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
