import { nearest } from "../errors/nearest.ts";
import { BUILTIN_TOOLS, KNOWN_TOOLS } from "../tools/names.ts";
import { refuse } from "./refuse.ts";
import { wildcard } from "./wildcards.ts";

/** Tools that the CLI does not publish, or that older ones have. Source: named by CLI 2.1.330. */
const OTHER_TOOLS: readonly string[] = [
  "AgentOutputTool",
  "Brief",
  "KillBash",
  "LS",
  "MultiEdit",
  "NotebookRead",
  "StructuredOutput",
  "TaskOutput",
  "TeamCreate",
  "TeamDelete",
];

const KNOWN: ReadonlySet<string> = new Set([
  ...BUILTIN_TOOLS,
  ...KNOWN_TOOLS,
  ...OTHER_TOOLS,
]);

/** An unknown name in an entry of a tool list, and the nearest known tool; `undefined` for a known one. */
export function unknownTool(
  entry: string,
  own: readonly string[] = [],
): { readonly name: string; readonly near: string | undefined } | undefined {
  const name = entry.replace(/\(.*$/s, "");
  if (name.startsWith("mcp__")) return undefined;
  const all = [...KNOWN, ...own];
  const isKnown = name.includes("*")
    ? all.some((one) => wildcard(name).test(one))
    : KNOWN.has(name) || own.includes(name);
  return isKnown ? undefined : { name, near: nearest(name, all) };
}

/**
 * Refuses an entry of a list that would guard nothing: a mistyped tool.
 *
 * A name in the manner of the CLI's own (`NewTool`) that is close to none may be one of a newer CLI, and passes.
 *
 * @param own Further names that are tools here: those of `toolAliases`
 *
 * @example A mistyped tool
 * ```ts
 * import { refuseUnknownTools } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * refuseUnknownTools("approvals", ["Bash", "mcp__git__*"]);
 * assert.throws(() => refuseUnknownTools("approvals", ["Bsah"]), /did you mean "Bash"/);
 * ```
 */
export function refuseUnknownTools(
  key: string,
  entries: readonly string[],
  own: readonly string[] = [],
): void {
  for (const entry of entries) {
    const unknown = unknownTool(entry, own);
    if (unknown === undefined) continue;
    const { name, near } = unknown;
    if (near === undefined && /^[A-Z][a-z]+(?:[A-Z][a-z0-9]*)*$/.test(name)) {
      continue;
    }
    const meant = near === undefined
      ? 'such as "Bash", or of an MCP server: "mcp__SERVER__TOOL"'
      : `did you mean "${near}"?`;
    refuse(key, entry, `the name of a known tool, ${meant}`);
  }
}
