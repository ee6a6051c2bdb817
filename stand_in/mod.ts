/**
 * The official SDK's entry `.`, by way of `@sluice/agent/compat`.
 *
 * @module
 */
import { type Query, query as compatQuery } from "../src/compat/mod.ts";
import { NotInThisPackageError, UNDECLARED } from "./absent.ts";

// By name: loaders that instrument modules stumble over a star.
export {
  AbortError,
  archiveSession,
  BUILTIN_TOOL_NAMES,
  createSdkMcpServer,
  deleteSession,
  EXIT_REASONS,
  filterEscalatingDefaultMode,
  foldSessionSummary,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  HOOK_EVENTS,
  importSessionToStore,
  InMemorySessionStore,
  LEGACY_TOOL_NAME_ALIASES,
  listSessions,
  listSubagents,
  matchDeniedModels,
  ORG_POLICY_LIMIT_PREFIXES,
  prewarm,
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
export { NotInThisPackageError } from "./absent.ts";

/**
 * Asks the agent. Declared in this file, where the instrumentation of Braintrust looks for it.
 *
 * @param params The prompt, or prompts as they come, and options
 * @returns The messages, and what can be done meanwhile
 */
export function query(params: Parameters<typeof compatQuery>[0]): Query {
  return compatQuery(params);
}

/** Not here: it has no declaration in the official package. */
export class CommandMatcher {
  /** @throws {NotInThisPackageError} Always */
  constructor() {
    throw new NotInThisPackageError("CommandMatcher", UNDECLARED);
  }
}

/** Not here: it has no declaration in the official package. */
export class FileIndex {
  /** @throws {NotInThisPackageError} Always */
  constructor() {
    throw new NotInThisPackageError("FileIndex", UNDECLARED);
  }
}

/** Not here: it has no declaration in the official package. */
export class DirectConnectTransport {
  /** @throws {NotInThisPackageError} Always */
  constructor() {
    throw new NotInThisPackageError("DirectConnectTransport", UNDECLARED);
  }
}

/** Thrown by nothing here: programs may ask whether an error is one. */
export class DirectConnectError extends Error {}

/**
 * Not here: it has no declaration in the official package.
 *
 * @throws {NotInThisPackageError} Always
 */
export function parseDirectConnectUrl(): never {
  throw new NotInThisPackageError("parseDirectConnectUrl()", UNDECLARED);
}
