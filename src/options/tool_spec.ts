import { isObject } from "../errors/text.ts";
import {
  type Check,
  either,
  fitting,
  isText,
  list,
  object,
  oneOf,
  stringWithoutNul,
} from "./fields.ts";
import { refuse } from "./refuse.ts";
import { wildcard } from "./wildcards.ts";

/** One entry of a tool list: a tool, and perhaps what it may be used for. */
export interface ToolSpec {
  /** The entry as written, blanks at the ends removed. */
  readonly text: string;
  /** Name of the tool under which the CLI knows it today. */
  readonly tool: string;
  /** The text in the brackets; absent = the whole tool. */
  readonly pattern?: string;
}

/** Names of the specification that the current CLI has replaced. Source: tried on CLI 2.1.328, published types. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ["KillShell", "TaskStop"],
  ["ListMcpResources", "ListMcpResourcesTool"],
  ["Mcp", "mcp__*"],
  ["ReadMcpResource", "ReadMcpResourceTool"],
  ["SlashCommand", "Skill"],
  ["Task", "Agent"],
]);

/** Entries of a tool list, one a spec; a text is cut at commas outside of brackets. */
export function splitSpecs(
  value: string | readonly string[],
): readonly string[] {
  const entries = typeof value === "string" ? [value] : value;
  return [...new Set(entries.flatMap(splitAtCommas))];
}

function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "\\") at++;
    else if (char === "(") depth++;
    else if (char === ")") depth--;
    else if (char === "," && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  // Other blanks are part of a word to a shell, and are refused here.
  return parts.map((part) => part.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, ""))
    .filter((part) => part !== "");
}

/** Parses an entry; `undefined` without a name, with blanks in it, or with unbalanced brackets. */
export function parseSpec(text: string): ToolSpec | undefined {
  const match = /^([^\s(),]+)(?:\((.*)\))?$/s.exec(text);
  const name = match?.[1];
  if (name === undefined || !isBalanced(text)) return undefined;
  const tool = currentName(name);
  const inside = match?.[2];
  const raw = inside === undefined ? undefined : trimBlanks(inside);
  if (raw === "") return undefined;
  const pattern = raw?.replace(/\\([()])/g, "$1");
  return pattern === undefined ? { text, tool } : { text, tool, pattern };
}

/** Whether an entry names a tool: by its name, or by a wildcard, which only rules that deny may have for tools of the CLI. */
export function namesTool({ tool: wanted }: ToolSpec, tool: string): boolean {
  return wanted === tool || wanted.includes("*") && wildcard(wanted).test(tool);
}

/** A text without the blanks at its ends: to a shell others than these are part of a word. */
export function trimBlanks(text: string): string {
  return /[^ \t\n](?:[^]*[^ \t\n])?/.exec(text)?.[0] ?? "";
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const char of text.replace(/\\./gs, "")) {
    if (char === "(") depth++;
    if (char === ")" && --depth < 0) return false;
  }
  return depth === 0;
}

/**
 * Returns the current name of a tool that the CLI has renamed; other names stay as they are.
 *
 * @example The current name of a renamed tool
 * ```ts
 * import { currentName } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * assert.equal(currentName("Bash"), "Bash");
 * assert.equal(currentName("mcp__my server__run"), "mcp__my_server__run");
 * ```
 */
export function currentName(name: string): string {
  return RENAMED.get(name) ??
    // A star is a pattern's.
    (name.startsWith("mcp__") ? name.split("*").map(mcpName).join("*") : name);
}

/** Names of MCP servers and tools reach the model with every other character replaced. Source: tried on CLI 2.1.328. */
export function mcpName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_");
}

const SPEC = 'the name of a tool, or a name and a pattern: "Bash(git:*)"';

/** The name of a tool as `tool()` makes one; `undefined` for anything else. */
export function toolName(value: unknown): string | undefined {
  return isObject<unknown>(value) && typeof value.call === "function" &&
      typeof value.name === "string"
    ? value.name
    : undefined;
}

/** One entry, or a text with several. */
const spec: Check = (value, key) => {
  const tool = toolName(value);
  if (tool !== undefined) {
    // A tool of the program goes elsewhere.
    const must = key.startsWith("tools")
      ? "the name of a tool of the CLI; tools of this program go into a server: mcpServers: { calc: createMcpServer({ name, tools }) }"
      : `a name, such as "mcp__SERVER__${tool}"`;
    refuse(key, value, must);
  }
  stringWithoutNul(value, key);
  const wrong = splitAtCommas(String(value)).find((one) => !parseSpec(one));
  if (wrong !== undefined) refuse(key, wrong, SPEC);
};

const entry: Check = (value, key) => {
  spec(value, key);
  if (String(value).trim() === "") refuse(key, value, SPEC);
};

const entries = fitting(
  "a list of names, or one text with commas",
  Array.isArray,
  list(entry),
);

/** A list of names and patterns, as a list or as one text with commas. */
export const toolSpecs: Check = either(isText, spec, entries);

const plainName = fitting(
  'the name of a tool; patterns go into "allowedTools"',
  (name) => !/[(*,]/.test(String(name)),
);

/** A list of plain tool names, or the CLI's own. */
export const toolNames: Check = either(
  isObject,
  object<{ preset: string }>({ preset: oneOf("claude_code") }, ["preset"]),
  (value, key) => {
    entries(value, key);
    list(plainName)(value, key);
  },
);
