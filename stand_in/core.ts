/**
 * The official SDK's entry `./core`: the same as `.`, without what reads sessions in bulk.
 *
 * @module
 */
export {
  AbortError,
  archiveSession,
  BUILTIN_TOOL_NAMES,
  createSdkMcpServer,
  deleteSession,
  EXIT_REASONS,
  filterEscalatingDefaultMode,
  getSessionInfo,
  HOOK_EVENTS,
  LEGACY_TOOL_NAME_ALIASES,
  matchDeniedModels,
  ORG_POLICY_LIMIT_PREFIXES,
  prewarm,
  query,
  renameSession,
  resolveSettings,
  startup,
  SYSTEM_PROMPT_DYNAMIC_BOUNDARY,
  tagSession,
  tool,
  unarchiveSession,
  USAGE_LIMIT_ERROR_PREFIXES,
  USAGE_TRANSITION_PREFIXES,
  USAGE_WARNING_PREFIXES,
} from "../src/compat/mod.ts";
export type * from "../src/compat/mod.ts";
