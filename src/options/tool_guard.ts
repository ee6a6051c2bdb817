import { show } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import type { GuardPlace } from "./path_pattern.ts";
import type { Settings } from "./resolve.ts";
import { hasToolGuard, skillRules, toSpec } from "./rules.ts";
import { type Coverage, coverageOf, touches } from "./tool_pattern.ts";
import { currentName, mcpName, type ToolSpec } from "./tool_spec.ts";

/** The tool through which structured output comes; the CLI adds it for `outputSchema`. */
const OUTPUT_TOOL = "StructuredOutput";

/** A refusal in words, or `undefined`: the call may go on. The third is the MCP server behind the tool. */
export type ToolGuard = (
  tool: string,
  input: JsonObject,
  server?: string,
) => string | undefined;

/**
 * The guard behind `allowedTools` and `deniedTools`: refuses every call that is outside of the one or covered by the
 * other; `undefined` when there is neither.
 *
 * It judges each input that is to run, so that patterns, MCP tools, tools that came later and inputs that were changed
 * are refused as well. What it does not understand `allowedTools` does not cover. A command line is taken apart, and
 * each command in it must be covered; a line with redirections, expansions, substitutions, subshells, comments or
 * background jobs is refused, unless a pattern has exactly that line. Paths are compared as text after `..` was
 * resolved; `place` is asked at the first call of a tool, when the working directory is known.
 */
export function toolGuard(
  settings: Settings,
  place: () => GuardPlace = () => ({}),
): ToolGuard | undefined {
  if (!hasToolGuard(settings)) return undefined;
  const { allowedTools, deniedTools, options } = settings;
  const servers = Object.keys(options.mcpServers ?? {});
  // The CLI knows these rules as well; it does not look at every input that is changed before it runs.
  const denied = deniedTools.map(toSpec);
  const allowed = allowedTools &&
    [...allowedTools, ...skillRules(settings)].map(toSpec);
  const hasOutput = options.outputSchema !== undefined;
  // Patterns are read once for each tool.
  const known = new Map<string, Coverage>();
  return (name, input, server) => {
    const tool = currentName(name);
    const called: CalledTool = { tool, server, servers };
    const denying = denied.find((spec) =>
      isAbout(spec, called) !== false && touches(tool, spec, place())(input)
    );
    if (denying !== undefined) {
      return `This call of ${
        show(name)
      } is not allowed by deniedTools: ${denying.text}`;
    }
    if (allowed === undefined || (name === OUTPUT_TOOL && hasOutput)) return;
    const about = allowed.filter((spec) => isAbout(spec, called) === true);
    if (about.length === 0) return `Tool ${show(name)} is not in allowedTools`;
    const key = `${tool}\0${server ?? ""}`;
    const coverage = known.get(key) ?? coverageOf(tool, about, place());
    known.set(key, coverage);
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

/** A tool as the CLI names it, and what is known of its MCP server. */
interface CalledTool {
  /** Its whole name: of one of a server `mcp__server__tool`. */
  readonly tool: string;
  /** Name of its server as it was configured; older CLIs do not say it. */
  readonly server: string | undefined;
  /** Names of the servers of the options, as they were configured. */
  readonly servers: readonly string[];
}

/**
 * Whether an entry of a tool list is about a tool: by its name, and one of an MCP server by its server or a wildcard.
 *
 * The whole name alone does not always tell where the server ends: `mcp__files___read` is `read` of `files_` or `_read`
 * of `files`. Where the CLI does not say it either, the answer is `"doubt"`.
 */
function isAbout(
  { tool: wanted }: ToolSpec,
  { tool, server, servers }: CalledTool,
): boolean | "doubt" {
  if (wanted === tool) return true;
  if (!wanted.startsWith("mcp__") || !tool.startsWith("mcp__")) return false;
  const star = wanted.indexOf("*");
  if (star >= 0 && !wildcard(wanted).test(tool)) return false;
  // What a wildcard leaves open of the server is meant to be open.
  const fixed = star < 0 ? wanted : fixedServer(wanted.slice(0, star));
  if (fixed === undefined) return true;
  if (!tool.startsWith(`${fixed}__`)) return false;
  const name = fixed.slice("mcp__".length);
  const same = servers.filter((one) => mcpName(one) === name);
  if (server !== undefined) {
    return mcpName(server) === name &&
      (same.length === 0 || same.includes(server));
  }
  if (star < 0 && name.includes("__") && same.length === 0) {
    // That is a tool of another server.
    return false;
  }
  const rest = tool.slice(fixed.length + "__".length);
  return rest.startsWith("_") || rest.includes("__") ? "doubt" : true;
}

/** The server in the beginning of a wildcard: `mcp__files__` has one, `mcp__fi` has none. */
function fixedServer(beginning: string): string | undefined {
  const end = beginning.lastIndexOf("__");
  return end > "mcp__".length ? beginning.slice(0, end) : undefined;
}

function wildcard(pattern: string): RegExp {
  const source = pattern.split(/\*+/).map((piece) =>
    piece.replace(/[^A-Za-z0-9_-]/g, "\\$&")
  ).join(".*");
  return new RegExp(`^${source}$`, "s");
}
