/**
 * Tool names and small builders for tool lists and system prompts.
 *
 * Their results go into `allowedTools`, `deniedTools`, `permissions.approve` and `systemPrompt`.
 *
 * ```ts
 * import { allToolsExcept, appendSystemPrompt } from "@sluice/agent/tools";
 * import type { AgentOptions } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const options: AgentOptions = {
 *   allowedTools: allToolsExcept("Bash", "WebFetch"),
 *   systemPrompt: appendSystemPrompt("You review code.", "Be short."),
 * };
 * assert.equal(options.allowedTools?.length, 16);
 * ```
 *
 * @module
 */
export {
  allowTools,
  allToolsExcept,
  denyTools,
  toolsToString,
  withMatcher,
} from "./lists.ts";
export { BUILTIN_TOOLS, type BuiltinTool, KNOWN_TOOLS } from "./names.ts";
export {
  appendSystemPrompt,
  buildSystemPrompt,
  SYSTEM_PROMPT_BOUNDARY,
} from "./prompts.ts";
