import { BUILTIN_TOOLS } from "./names.ts";

/**
 * Joins tool names with commas, for flags of the CLI.
 *
 * @param tools Names, in the order wanted
 * @returns `"Read,Write"`; the empty text for an empty list
 *
 * @example Names as one text
 * ```ts
 * import { toolsToString } from "@sluice/agent/tools";
 * import assert from "node:assert/strict";
 *
 * assert.equal(toolsToString(["Read", "Write"]), "Read,Write");
 * assert.equal(toolsToString([]), "");
 * ```
 */
export function toolsToString(tools: readonly string[]): string {
  return tools.join(",");
}

/**
 * Joins tool names and patterns with commas, for `allowedTools`.
 *
 * Patterns stay as they are. Without specs it returns the empty string, which as `allowedTools` allows no tool.
 *
 * @param specs Names or patterns
 * @returns The specs in the order given
 *
 * @example A name and a pattern
 * ```ts
 * import { allowTools } from "@sluice/agent/tools";
 * import assert from "node:assert/strict";
 *
 * assert.equal(allowTools("Read", "Bash(git:*)"), "Read,Bash(git:*)");
 * ```
 */
export function allowTools(...specs: readonly string[]): string {
  return toolsToString(specs);
}

/**
 * Joins tool names and patterns with commas, for `deniedTools`; the same as {@link allowTools}.
 *
 * @param specs Names or patterns
 * @returns The specs in the order given
 *
 * @example Deny two tools
 * ```ts
 * import { denyTools } from "@sluice/agent/tools";
 * import assert from "node:assert/strict";
 *
 * assert.equal(denyTools("WebFetch", "Bash(rm:*)"), "WebFetch,Bash(rm:*)");
 * ```
 */
export function denyTools(...specs: readonly string[]): string {
  return allowTools(...specs);
}

/**
 * Returns the {@link BUILTIN_TOOLS} without some of them, for `allowedTools`.
 *
 * @param tools Names to leave out; other names than the 18 change nothing
 * @returns A new array in the order of `BUILTIN_TOOLS`
 *
 * @example Everything but the shell and the web
 * ```ts
 * import { allToolsExcept } from "@sluice/agent/tools";
 * import assert from "node:assert/strict";
 *
 * const tools = allToolsExcept("Bash", "WebFetch");
 * assert.equal(tools.length, 16);
 * assert.ok(!tools.includes("Bash"));
 * ```
 */
export function allToolsExcept(...tools: readonly string[]): string[] {
  const excluded = new Set(tools);
  return BUILTIN_TOOLS.filter((tool) => !excluded.has(tool));
}

/**
 * Narrows a tool to the calls that a pattern matches.
 *
 * The result is a spec for `allowedTools`, `deniedTools` and `permissions.approve`, not a tool name. Nothing is
 * escaped: write a bracket of the pattern as `\(` or `\)`.
 *
 * @param tool Name of the tool
 * @param pattern Pattern of the calls, such as `git:*` or `src/**`
 * @returns `"Bash(git:*)"`
 *
 * @example Only git
 * ```ts
 * import { allowTools, withMatcher } from "@sluice/agent/tools";
 * import assert from "node:assert/strict";
 *
 * assert.equal(withMatcher("Bash", "git:*"), "Bash(git:*)");
 * assert.equal(allowTools("Read", withMatcher("Bash", "git:*")), "Read,Bash(git:*)");
 * ```
 */
export function withMatcher(tool: string, pattern: string): string {
  return `${tool}(${pattern})`;
}
