/** What `src` tells once, as data; `check_house.ts` holds the source to it. */

/** A text that stands in the files that own it, and nowhere else. */
export interface GuardedWord {
  readonly word: string;
  /** One file under the root; further ones wait for their end. */
  readonly owners: readonly [string, ...string[]];
}

/** Definitions that were told twice once, and had come apart. */
export const GUARDED_WORDS: readonly GuardedWord[] = [
  { word: "function isObject", owners: ["src/errors/clean.ts"] },
];

/** What is exported for nobody, as `file name`: it only gets shorter. */
export const UNUSED_TODAY: readonly string[] = [
  "async/scope.ts CloseFailure",
  "cli/report.ts notFoundText",
  "cli/report.ts showAttempt",
  "cli/version.ts MINIMUM_VERSION",
  "conversation/endings.ts Bound",
  "conversation/endings.ts ENDINGS",
  "conversation/error_feed.ts Ring",
  "conversation/pipeline.ts PipelineInit",
  "conversation/pipeline.ts Pipeline",
  "mcp/attached.ts Attached",
  "mcp/connect.ts isLocal",
  "mcp/handshake.ts CLIENT_INFO",
  "mcp/linked.ts linkedPair",
  "mcp/pages.ts LISTS",
  "mcp/pages.ts readPages",
  "options/fields.ts refuseUnknown",
  "options/path_pattern.ts absolutePath",
  "options/read_output.ts outputProblem",
  "process/guard.ts Guarded",
  "process/guard.ts Guard",
  "runtime/globals.ts RuntimeGlobals",
  "runtime/host.ts runtimeName",
  "session/records.ts FORMAT_VERSION",
  "types/control.ts ControlRequest",
  "types/control.ts PendingRequests",
  "types/control.ts ControlSuccess",
  "types/control.ts ControlFailure",
  "types/control.ts ControlResponse",
  "types/control.ts ControlCancelRequest",
  "types/control.ts KeepAlive",
  "types/control.ts ControlLine",
  "types/control.ts DecisionReasonType",
  "types/control.ts CanUseToolRequest",
  "types/control.ts DecisionClassification",
  "types/control.ts PermissionResult",
  "types/control.ts HookCallbackRequest",
  "types/control.ts McpMessageRequest",
  "types/control.ts McpMessageAnswer",
  "types/control.ts ElicitationControlRequest",
  "types/control.ts UserDialogControlRequest",
  "types/control.ts CliRequests",
  "types/control.ts CliRequest",
  "wire/ids.ts RequestIdParts",
  "wire/ids.ts parseRequestId",
];
