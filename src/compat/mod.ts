/**
 * The API of the official SDK on the engine of this package: a program written for
 * `@anthropic-ai/claude-agent-sdk` runs after changing one import.
 *
 * ```ts
 * import { query } from "@sluice/agent/compat";
 * import { fakeCli } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { cliPath: [pathToClaudeCodeExecutable = "", ...executableArgs] } = fakeCli("Hello, Ada!");
 * const options = { pathToClaudeCodeExecutable, executableArgs };
 * for await (const message of query({ prompt: "Say hello", options })) {
 *   if (message.type === "result" && message.subtype === "success") {
 *     assert.equal(message.result, "Hello, Ada!");
 *   }
 * }
 * ```
 *
 * @module
 */
export {
  EXIT_REASONS,
  HOOK_EVENTS,
  LEGACY_TOOL_NAME_ALIASES,
  ORG_POLICY_LIMIT_PREFIXES,
  USAGE_LIMIT_ERROR_PREFIXES,
  USAGE_TRANSITION_PREFIXES,
  USAGE_WARNING_PREFIXES,
} from "./generated/values.ts";
export { AbortError } from "./errors.ts";
export { createSdkMcpServer, tool } from "./mcp_server.ts";
export { query } from "./query.ts";
export {
  archiveSession,
  deleteSession,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  importSessionToStore,
  listSessions,
  listSubagents,
  renameSession,
  tagSession,
  unarchiveSession,
} from "./sessions.ts";
export { matchDeniedModels } from "./denied_models.ts";
export { filterEscalatingDefaultMode, resolveSettings } from "./settings.ts";
export { foldSessionSummary, InMemorySessionStore } from "./store.ts";
export { prewarm } from "./spare.ts";
export { startup } from "./warm.ts";
export { PUBLISHED_TOOLS as BUILTIN_TOOL_NAMES } from "../tools/names.ts";
export { SYSTEM_PROMPT_BOUNDARY as SYSTEM_PROMPT_DYNAMIC_BOUNDARY } from "../tools/prompts.ts";
export type * from "./generated/api.ts";
export type * from "./generated/official.ts";
export type { Options } from "./generated/options.ts";
export type * from "./generated/types.ts";
export type * from "../runtime/node_types.ts";
export type * from "./mutable.ts";
