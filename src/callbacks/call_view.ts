import { parsedJson } from "../errors/text.ts";
import type { ReadText } from "../ports/read_text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { PermissionContext } from "../types/permissions.ts";
import type { ChangeView } from "./change_parts.ts";
import { changeOf } from "./change_view.ts";
import { mixedWords } from "./letters.ts";
import { BEYOND_ASCII, linesOf, spelledOut, visible } from "./visible.ts";

/** All that a person has to know of a tool call; lines are as they came, odd characters included. */
export interface CallView {
  readonly title: string;
  readonly facts: readonly Fact[];
  readonly fields: readonly FieldView[];
  readonly change: ChangeView | undefined;
}

/** A statement about a call. */
export interface Fact {
  /** Its words, in which everything can be seen. */
  readonly words: string;
  /** A text of the CLI that it names, which may be one of the model, the project or a server; lines are as they came. */
  readonly lines?: readonly string[];
}

/** A field of an input. */
export interface FieldView {
  readonly name: string;
  readonly lines: readonly string[];
  /** Whether the lines stand below the name. */
  readonly isBlock: boolean;
}

/** Deeper values stand in one line: such indentation is unreadable. */
const MOST_LEVELS = 12;

/** Facts of the CLI about a call. */
export type CallFacts = Pick<
  PermissionContext,
  | "agentId"
  | "blockedPath"
  | "decisionReason"
  | "description"
  | "mcpServer"
  | "title"
>;

/** Collects all that a person has to know of a tool call. */
export async function callView(
  tool: string,
  input: JsonObject,
  context: CallFacts,
  readText: ReadText,
): Promise<CallView> {
  const change = await changeOf(tool, input, readText);
  return {
    title: `May the agent use ${tool}?`,
    facts: factsOf(tool, input, context),
    fields: Object.entries(input)
      .filter(([name]) => change?.uses.includes(name) !== true)
      .map(([name, value]) => fieldView(name, value)),
    change,
  };
}

/** The CLI does not tell which tools the file of a skill names. */
const SKILL_NOTE =
  "note: tools that this skill allows run unasked until the turn ends";

/** Redirections that the CLI rewrites in commands of Bash (2.1.330), and a few that it leaves as they are. */
const WINDOWS_NULL = />[\s|]*nul\b/i;
const NULL_NOTE =
  "note: the CLI turns >nul into >/dev/null, also inside of quotes";

/** Statements about the call, beside its input. */
function factsOf(
  tool: string,
  input: JsonObject,
  {
    agentId,
    blockedPath,
    decisionReason,
    description,
    mcpServer,
    title,
  }: CallFacts,
): readonly Fact[] {
  const server = mcpServer?.source === undefined
    ? mcpServer?.name
    : `${mcpServer.name} (${mcpServer.source})`;
  const mixed = mixedWords(input);
  const { command } = input;
  const isRewritten = (tool === "Bash" || tool === "Monitor") &&
    typeof command === "string" && WINDOWS_NULL.test(command);
  return [
    // Letters of other scripts may look like those of a known tool.
    ...BEYOND_ASCII.test(tool)
      ? [{ words: `not only plain letters: ${spelledOut(visible(tool))}` }]
      : [],
    ...named("title", title),
    // The model's own words, which stand among the fields as well.
    ...named(
      "about",
      description === input.description ? undefined : description,
    ),
    ...named("reason", decisionReason),
    ...tool === "Skill" ? [{ words: SKILL_NOTE }] : [],
    ...isRewritten ? [{ words: NULL_NOTE }] : [],
    ...named("blocked path", blockedPath),
    ...named("MCP server", server),
    ...named("subagent", agentId),
    ...mixed.length === 0
      ? []
      : [{ words: `letters of two scripts in one word: ${mixed.join(" ")}` }],
  ];
}

function named(words: string, text: string | undefined): readonly Fact[] {
  return text === undefined ? [] : [{ words, lines: linesOf(text) }];
}

/** A field of an input, in one row or as a block. */
export function fieldView(
  name: string,
  value: JsonValue | undefined,
): FieldView {
  // A text that reads like another value stands in quotes.
  const isPosing = typeof value === "string" &&
    parsedJson(value) !== undefined;
  const lines = typeof value === "string" && !isPosing
    ? linesOf(value)
    : treeOf(value, 0);
  const isStructure = typeof value === "object" && value !== null;
  // Lines of a text may look like those of a structure.
  const kind = !isStructure
    ? ""
    : Array.isArray(value)
    ? " (list)"
    : " (object)";
  return {
    // An odd key could pass for a part of the value above it, or for an option with its number.
    name: (/^[A-Za-z_][\w .$-]*$/.test(name) ? name : `"${name}"`) + kind,
    lines,
    isBlock: lines.length !== 1 || isStructure,
  };
}

/** JSON with a line for each part; a text of several lines stays one. */
function treeOf(
  value: JsonValue | undefined,
  level: number,
): readonly string[] {
  const indent = "  ".repeat(level);
  if (!isBranch(value, level)) {
    const lines = typeof value === "string" && value.includes("\n")
      ? linesOf(value)
      : [JSON.stringify(value)];
    return lines.map((line) => `${indent}${line}`);
  }
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, part]) => {
    const lines = treeOf(part, level + 1);
    const isTree = isBranch(part, level + 1);
    // Lines of a text may look like those of a structure.
    const kind = !isTree && lines.length > 1 ? " (text)" : "";
    const name = isList ? `-${kind}` : `${JSON.stringify(key)}${kind}:`;
    const [only = ""] = lines;
    return isTree || lines.length > 1
      ? [`${indent}${name}`, ...lines]
      : [`${indent}${name} ${only.trimStart()}`];
  });
}

/** Whether a value has lines of its own for its parts. */
function isBranch(
  value: JsonValue | undefined,
  level: number,
): value is JsonObject {
  return typeof value === "object" && value !== null && level < MOST_LEVELS &&
    Object.keys(value).length > 0;
}
