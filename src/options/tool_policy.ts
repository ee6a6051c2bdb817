import { show } from "../errors/text.ts";
import { isText } from "./fields.ts";
import type { JsonObject } from "../types/json.ts";
import { hasToolPolicy, skillRules, toSpec } from "./tool_lists.ts";
import { commandParts, possibleCommands } from "./shell_command.ts";
import { type PathBases, pathTest } from "./path_pattern.ts";
import type { Settings } from "./settings.ts";
import { literal } from "./wildcards.ts";
import {
  currentName,
  mcpName,
  namesTool,
  type ToolSpec,
  trimBlanks,
} from "./tool_spec.ts";

/** The tool through which structured output comes; the CLI adds it for `outputSchema`. */
const OUTPUT_TOOL = "StructuredOutput";

/**
 * Returns a refusal in words, or `undefined` if the call may continue. The third argument is the MCP server behind the
 * tool, the fourth the directory in which the tool runs.
 */
export type ToolPolicy = (
  tool: string,
  input: JsonObject,
  server?: string,
  cwd?: string,
) => string | undefined;

/**
 * The guard behind `allowedTools` and `deniedTools`: refuses every call that is outside of the one or covered by the
 * other; `undefined` when there is neither.
 *
 * It judges each input that is to run, so that patterns, MCP tools, tools that came later and inputs that were changed
 * are refused as well. What it does not understand `allowedTools` does not cover. A command line is taken apart, and
 * each command in it must be covered; a line with redirections, expansions, substitutions, subshells, comments or
 * background jobs is refused, unless a pattern has exactly that line. Paths are compared as text after `..` was
 * resolved: those of patterns from `place`, which is asked at the first call of a tool, and those of a call from the
 * directory in which it runs. Where a question does not name that directory, every one that was named may be it.
 */
export function toolPolicy(
  settings: Settings,
  place: () => PathBases = () => ({}),
): ToolPolicy | undefined {
  if (!hasToolPolicy(settings)) return undefined;
  const { allowedTools, deniedTools, options } = settings;
  const servers = Object.keys(options.mcpServers ?? {});
  // The CLI knows these rules as well; it does not look at every input that is changed before it runs.
  const denied = deniedTools.map(toSpec);
  const allowed = allowedTools &&
    [...allowedTools, ...skillRules(settings)].map(toSpec);
  const hasOutput = options.outputSchema !== undefined;
  // Patterns are read once for each tool.
  const known = new Map<string, Rule>();
  // The first is that of the start.
  const directories = new Set<string | undefined>([undefined]);

  function ruleOf(tool: string, spec: ToolSpec): Rule {
    const key = `${tool}\0${spec.text}`;
    const rule = known.get(key) ?? readRule(tool, spec, place());
    known.set(key, rule);
    return rule;
  }

  function judge(
    name: string,
    input: JsonObject,
    server: string | undefined,
    cwd: string | undefined,
  ): string | undefined {
    const tool = currentName(name);
    const denying = denied.find((spec) =>
      (isAbout(spec, tool, server, servers) !== false ||
        // The CLI applies rules of the one to the other. Source: tried on CLI 2.1.330.
        spec.tool === "Bash" && tool === "Monitor") &&
      ruleOf(tool, spec).denies(input, cwd)
    );
    if (denying !== undefined) {
      return `This call of ${
        show(name)
      } is not allowed by deniedTools: ${denying.text}`;
    }
    if (allowed === undefined || (name === OUTPUT_TOOL && hasOutput)) return;
    const rules = allowed
      .filter((spec) => isAbout(spec, tool, server, servers) === true)
      .map((spec) => ruleOf(tool, spec));
    if (rules.length === 0) return `Tool ${show(name)} is not in allowedTools`;
    return areCovering(rules, tool, input, cwd)
      ? undefined
      : refusal(rules, tool, input);
  }

  return (name, input, server, cwd) => {
    if (cwd !== undefined) directories.add(cwd);
    for (const one of cwd === undefined ? directories : [cwd]) {
      const reason = judge(name, input, server, one);
      if (reason !== undefined) return reason;
    }
    return undefined;
  };
}

function refusal(
  rules: readonly Rule[],
  tool: string,
  input: JsonObject,
): string {
  const covered = rules.map(({ text }) => text).join(", ");
  const unclear = rules.flatMap(({ text, covers }) => covers ? [] : [text]);
  const why = unclear.length === 0
    ? ""
    : ` (not understood, so refused: ${unclear.join(", ")})`;
  const subject = tool === "Bash" && isText(input.command)
    ? `Command ${show(input.command)}`
    : `This call of ${tool}`;
  return `${subject} is not covered by allowedTools: ${covered}${why}`;
}

/**
 * Whether an entry of a tool list is about a tool: by its name, and one of an MCP server by its server or a wildcard.
 *
 * The whole name alone does not always tell where the server ends: `mcp__files___read` is `read` of `files_` or `_read`
 * of `files`. Where the CLI does not say it either, the answer is `"doubt"`.
 *
 * @param tool Its name as the CLI gives it: of one of a server `mcp__server__tool`
 * @param server Name of its server as it was configured; older CLIs do not say it
 * @param servers Names of the servers of the options, as they were configured
 */
function isAbout(
  spec: ToolSpec,
  tool: string,
  server: string | undefined,
  servers: readonly string[],
): boolean | "doubt" {
  const { tool: wanted } = spec;
  const isNamed = namesTool(spec, tool);
  if (wanted === tool || !wanted.startsWith("mcp__")) return isNamed;
  if (!tool.startsWith("mcp__")) return false;
  const star = wanted.indexOf("*");
  if (star >= 0 && !isNamed) return false;
  // A wildcard may leave the server open on purpose.
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

/** The second argument is the directory in which the tool runs. */
type InputTest = (input: JsonObject, cwd?: string) => boolean;

/** An entry of a tool list, read for one tool. */
interface Rule {
  readonly text: string;
  /** Whether it allows a call as a whole; absent where its pattern is not understood. */
  readonly covers: InputTest | undefined;
  /** Whether it allows one command of a line. */
  readonly command: (command: string) => boolean;
  /** Whether a part of a call is denied by it: as far as it can be told, since the CLI reads its rules itself. */
  readonly denies: InputTest;
}

const PATH_FIELD: ReadonlyMap<string, string> = new Map([
  ["Edit", "file_path"],
  ["MultiEdit", "file_path"],
  ["NotebookEdit", "notebook_path"],
  ["Read", "file_path"],
  ["Write", "file_path"],
]);

/** The tools that search a directory, the working directory unless they name one. */
const SEARCHES: ReadonlySet<string> = new Set(["Glob", "Grep", "LS"]);

function readRule(tool: string, spec: ToolSpec, place: PathBases): Rule {
  const { text, pattern = "" } = spec;
  const command = commandTest(pattern);
  if (isWhole(tool, spec)) {
    return { text, command, covers: () => true, denies: () => true };
  }
  const covers = inputTest(tool, pattern, place);
  const isShell = /^(?:Bash|Monitor|PowerShell)$/.test(tool);
  const isDenied = commandTest(oneBlank(pattern));
  const findsCommand = textTest(
    "command",
    (line) =>
      line === pattern ||
      possibleCommands(line).some((one) => isDenied(oneBlank(one))),
  );
  const denies: InputTest = (input, cwd) =>
    covers?.(trimmedPaths(input), cwd) || isShell && findsCommand(input);
  return { text, command, covers, denies };
}

/** A command as the CLI compares it with a rule that denies, whatever blanks are between its words. Source: tried on CLI 2.1.332. */
function oneBlank(command: string): string {
  return command.replace(/[ \t]+/g, " ");
}

/** Whether a call is allowed: by one rule as a whole, or each command of its line by any of them. */
function areCovering(
  rules: readonly Rule[],
  tool: string,
  input: JsonObject,
  cwd: string | undefined,
): boolean {
  if (rules.some(({ covers }) => covers?.(input, cwd))) return true;
  const { command: line } = input;
  if (tool !== "Bash" || !isText(line) || line.includes("\0")) return false;
  const parts = commandParts(trimBlanks(line));
  return parts !== undefined && parts.length > 0 &&
    parts.every((part) => rules.some(({ command }) => command(part)));
}

function isWhole(tool: string, { pattern }: ToolSpec): boolean {
  const isPath = PATH_FIELD.has(tool) || SEARCHES.has(tool);
  // For paths these patterns mean "below the working directory".
  return pattern === undefined || !isPath && /^:?\*$/.test(pattern);
}

function inputTest(
  tool: string,
  pattern: string,
  place: PathBases,
): InputTest | undefined {
  if (tool === "Bash") {
    return textTest("command", (line) => trimBlanks(line) === pattern);
  }
  if (tool === "PowerShell") return powerShellTest(pattern);
  if (tool === "WebFetch") return domainTest(pattern);
  if (tool === "Skill") return nameTest("skill", pattern);
  if (tool === "Agent") return nameTest("subagent_type", pattern);
  if (SEARCHES.has(tool)) return searchTest(tool, pattern, place);
  const field = PATH_FIELD.get(tool);
  const test = field && pathTest(pattern, place);
  return field && test ? textTest(field, test) : undefined;
}

/** A test of one text of the input; an input without it is not covered. */
function textTest(
  field: string,
  test: (text: string, cwd?: string) => boolean,
): InputTest {
  return ({ [field]: text }, cwd) =>
    typeof text === "string" && test(text, cwd);
}

/** `git:*` and `git *` cover `git` and whatever follows it; `*` elsewhere covers any text; the rest is literal. */
function commandTest(pattern: string): (command: string) => boolean {
  const isPrefix = pattern.endsWith(":*") || pattern.endsWith(" *");
  const fixed = isPrefix ? pattern.slice(0, -2).trimEnd() : pattern;
  const source = fixed.split(/(\\\*|\*+)/).map((piece) => {
    if (piece === "\\*") return "\\*";
    if (piece.startsWith("*")) return ".*";
    return literal(piece);
  }).join("");
  const test = new RegExp(`^${source}${isPrefix ? "(?:[ \\t].*)?" : ""}$`, "s");
  return (command) => test.test(command);
}

/** The other shell has other quotes: only lines of plain words are understood. */
function powerShellTest(pattern: string): InputTest {
  const test = commandTest(pattern);
  return textTest("command", (command) => {
    const line = trimBlanks(command);
    return line === pattern || (/^[\w ./\\:=+-]+$/.test(line) && test(line));
  });
}

/** An input with its paths as the CLI reads them: it trims every white space. Source: tried on CLI 2.1.330. */
function trimmedPaths(input: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) =>
      [key, /path$/.test(key) && isText(value) ? value.trim() : value] as const
    ),
  );
}

/** The path that a search is given may lead out of the directory again. */
const LEADS_OUT =
  /^\s*[~/\\]|[A-Za-z]:[/\\]|(?:^|[\s/\\{,])\.\.(?:$|[\s/\\},])/;

/** A search sees all that is inside its directory, so that has to be covered: whatever it is called. */
function searchTest(
  tool: string,
  pattern: string,
  place: PathBases,
): InputTest | undefined {
  const test = pathTest(pattern, place);
  // No word of the pattern is that name, and no row of question marks is that long.
  const anything = "\x01".repeat(pattern.length + 1);
  return test && ((input, cwd) => {
    const { path = "." } = input;
    // The pattern of Grep is a regular expression for contents.
    const wanted = (tool === "Grep" ? input.glob : input.pattern) ?? "";
    if (typeof path !== "string" || typeof wanted !== "string") return false;
    return !LEADS_OUT.test(wanted) && path === path.trim() &&
      (test(path, cwd) || test(`${path}/${anything}`, cwd));
  });
}

/** `domain:example.com` is that host alone, `domain:*.example.com` those below it. */
function domainTest(pattern: string): InputTest | undefined {
  const domain = /^domain:((?:\*\.)?[a-z0-9.-]+)$/i.exec(pattern)?.[1]
    ?.toLowerCase();
  if (domain === undefined) return undefined;
  return textTest("url", (url) => {
    if (!URL.canParse(url)) return false;
    const { hostname, protocol } = new URL(url);
    if (protocol !== "https:" && protocol !== "http:") return false;
    return domain.startsWith("*.")
      ? hostname.endsWith(domain.slice(1))
      : hostname === domain;
  });
}

/** A name, or a beginning: `docs:*`. */
function nameTest(field: string, pattern: string): InputTest {
  const test = commandTest(pattern);
  return textTest(field, (name) => test(name.replace(/^\//, "")));
}
