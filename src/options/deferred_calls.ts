import type { AgentOptions } from "../types/options.ts";
import { isResumed } from "./session_options.ts";

/**
 * Keeps the CLI from running the deferred call of a session that it resumes. The session keeps the call until it gets a prompt. Source: named by
 * CLI 2.1.328, tried on 2.1.330.
 */
const NO_DEFERRED_CALL = "CLAUDE_CODE_DISABLE_DEFERRED_TOOL_RESUME";

/** The variable that keeps a deferred call from running where only rules, a mode and `canUseTool` would decide about it. */
export function deferredCallVariables(
  options: AgentOptions,
): Readonly<Record<string, string>> {
  const { permissions, hooks } = options;
  const isHooked =
    hooks?.PreToolUse?.some((matcher) => matcher.hooks.length > 0) ?? false;
  const isDecided = permissions?.approvals !== undefined || isHooked;
  return isResumed(options) && !isDecided ? { [NO_DEFERRED_CALL]: "1" } : {};
}

/** Why a conversation without a prompt has no result. */
export function whyNothingRan(options: AgentOptions): string {
  if (!isResumed(options)) return "it got no prompt";
  const { [NO_DEFERRED_CALL]: own } = options.env ?? {};
  const isOff = own === undefined &&
    NO_DEFERRED_CALL in deferredCallVariables(options);
  return isOff
    ? 'it got no prompt, and without "permissions.approvals" no deferred call of the session runs; set the option, or resume with a prompt'
    : "it got no prompt, and no deferred call of the session waits; resume with a prompt";
}
