import type { JsonObject } from "../types/json.ts";
import { type GuardPlace, pathTest } from "./path_pattern.ts";
import { commandParts, possibleCommands } from "./shell_words.ts";
import { type ToolSpec, trimBlanks } from "./tool_spec.ts";

/** Whether the input of a call is covered. */
type InputTest = (input: JsonObject) => boolean;

/** What the specs of one tool cover together. */
export interface Coverage {
  /** Whether they cover a call. */
  readonly covers: InputTest;
  /** The specs whose pattern is not understood: they cover nothing. */
  readonly unclear: readonly string[];
}

/** Patterns as good as none; for paths they mean "below the working directory". */
const ANYTHING: ReadonlySet<string> = new Set(["*", ":*"]);

/** Where the tools that work on one file keep its path. */
const PATH_FIELD: ReadonlyMap<string, string> = new Map([
  ["Edit", "file_path"],
  ["MultiEdit", "file_path"],
  ["NotebookEdit", "notebook_path"],
  ["Read", "file_path"],
  ["Write", "file_path"],
]);

/** The tools that search a directory, the working directory unless they name one. */
const SEARCHES: ReadonlySet<string> = new Set(["Glob", "Grep", "LS"]);

/** Makes one test of all specs of a tool. */
export function coverageOf(
  tool: string,
  specs: readonly ToolSpec[],
  place: GuardPlace,
): Coverage {
  if (specs.some((spec) => isWhole(tool, spec))) {
    return { covers: () => true, unclear: [] };
  }
  if (tool === "Bash") {
    const patterns = specs.map(({ pattern = "" }) => pattern);
    return { covers: commandLineTest(patterns), unclear: [] };
  }
  const tests: InputTest[] = [];
  const unclear: string[] = [];
  for (const spec of specs) {
    const test = inputTest(tool, spec.pattern ?? "", place);
    if (test === undefined) unclear.push(spec.text);
    else tests.push(test);
  }
  return { covers: (input) => tests.some((test) => test(input)), unclear };
}

/** Whether a spec is about every call of a tool. */
function isWhole(tool: string, { pattern }: ToolSpec): boolean {
  const isPath = PATH_FIELD.has(tool) || SEARCHES.has(tool);
  return pattern === undefined || (ANYTHING.has(pattern) && !isPath);
}

/**
 * Whether what a spec denies is part of a call: as far as it can be told, since the CLI reads its rules itself.
 *
 * Unlike for {@link coverageOf}, one command of a line is enough.
 */
export function touches(
  tool: string,
  spec: ToolSpec,
  place: GuardPlace,
): InputTest {
  if (isWhole(tool, spec)) return () => true;
  const { pattern = "" } = spec;
  if (tool === "Bash" || tool === "PowerShell") {
    const test = commandTest(pattern);
    return ({ command }) =>
      typeof command === "string" &&
      (command === pattern || possibleCommands(command).some(test));
  }
  return inputTest(tool, pattern, place) ?? (() => false);
}

function inputTest(
  tool: string,
  pattern: string,
  place: GuardPlace,
): InputTest | undefined {
  if (tool === "PowerShell") return powerShellTest(pattern);
  if (tool === "WebFetch") return domainTest(pattern);
  if (tool === "Skill") return nameTest("skill", pattern);
  if (tool === "Agent") return nameTest("subagent_type", pattern);
  if (SEARCHES.has(tool)) return searchTest(tool, pattern, place);
  const field = PATH_FIELD.get(tool);
  return field === undefined ? undefined : fileTest(field, pattern, place);
}

/**
 * The line as a pattern has it, or every command in it covered by one of the patterns.
 *
 * A line that cannot be taken apart safely is not covered.
 */
function commandLineTest(patterns: readonly string[]): InputTest {
  const tests = patterns.map(commandTest);
  return ({ command }) => {
    if (typeof command !== "string" || command.includes("\0")) return false;
    const line = trimBlanks(command);
    if (patterns.includes(line)) return true;
    const parts = commandParts(line);
    return parts !== undefined && parts.length > 0 &&
      parts.every((part) => tests.some((test) => test(part)));
  };
}

/** `git:*` and `git *` cover `git` and whatever follows it; `*` elsewhere covers any text; the rest is literal. */
function commandTest(pattern: string): (command: string) => boolean {
  const isPrefix = pattern.endsWith(":*") || pattern.endsWith(" *");
  const fixed = isPrefix ? pattern.slice(0, -2).trimEnd() : pattern;
  const source = fixed.split(/(\\\*|\*+)/).map((piece) => {
    if (piece === "\\*") return "\\*";
    if (piece.startsWith("*")) return ".*";
    return piece.replace(/[\\^$.+?()[\]{}|]/g, "\\$&");
  }).join("");
  const test = new RegExp(`^${source}${isPrefix ? "(?:[ \\t].*)?" : ""}$`, "s");
  return (command) => test.test(command);
}

/** The other shell has other quotes: only lines of plain words are understood. */
function powerShellTest(pattern: string): InputTest {
  const test = commandTest(pattern);
  return ({ command }) => {
    if (typeof command !== "string") return false;
    const line = trimBlanks(command);
    return line === pattern || (/^[\w ./\\:=+-]+$/.test(line) && test(line));
  };
}

function fileTest(
  field: string,
  pattern: string,
  place: GuardPlace,
): InputTest | undefined {
  const test = pathTest(pattern, place);
  return test && ((input) => {
    const path = input[field];
    return typeof path === "string" && test(path);
  });
}

/** The path that a search is given may lead out of the directory again. */
const LEADS_OUT = /^[~/\\]|[A-Za-z]:[/\\]|(?:^|[/\\{,])\.\.(?:$|[/\\},])/;

/** A search sees all that is inside its directory, so that has to be covered: whatever it is called. */
function searchTest(
  tool: string,
  pattern: string,
  place: GuardPlace,
): InputTest | undefined {
  const test = pathTest(pattern, place);
  // No word of the pattern is that name, and no row of question marks is that long.
  const anything = "\x01".repeat(pattern.length + 1);
  return test && ((input) => {
    const { path = "." } = input;
    // What Grep calls its pattern is a regular expression for contents.
    const wanted = (tool === "Grep" ? input.glob : input.pattern) ?? "";
    if (typeof path !== "string" || typeof wanted !== "string") return false;
    return !LEADS_OUT.test(wanted) &&
      (test(path) || test(`${path}/${anything}`));
  });
}

/** `domain:example.com` is that host alone, `domain:*.example.com` those below it. */
function domainTest(pattern: string): InputTest | undefined {
  const domain = /^domain:((?:\*\.)?[a-z0-9.-]+)$/i.exec(pattern)?.[1]
    ?.toLowerCase();
  if (domain === undefined) return undefined;
  return ({ url }) => {
    if (typeof url !== "string" || !URL.canParse(url)) return false;
    const { hostname, protocol } = new URL(url);
    if (protocol !== "https:" && protocol !== "http:") return false;
    return domain.startsWith("*.")
      ? hostname.endsWith(domain.slice(1))
      : hostname === domain;
  };
}

/** A name, or a beginning: `docs:*`. */
function nameTest(field: string, pattern: string): InputTest {
  const test = commandTest(pattern);
  return (input) => {
    const name = input[field];
    return typeof name === "string" && test(name.replace(/^\//, ""));
  };
}
