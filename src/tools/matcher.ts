/**
 * Narrows a tool to what a pattern covers.
 *
 * The text is a spec for `allowedTools`, `deniedTools` and `permissions.approve`, no tool name any more. Nothing is
 * escaped: a bracket that belongs to the pattern is written `\(` or `\)`.
 *
 * @param tool Name of the tool
 * @param pattern What it may be used for, such as `git:*` or `src/**`
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
