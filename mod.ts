/**
 * Drives the Claude Code CLI: typed messages, control callbacks and MCP tools over web streams, the same on Deno, Bun
 * and Node. This entry loads no npm package.
 *
 * ```ts
 * import { query, textOf } from "@sluice/agent";
 * import { fakeCli } from "@sluice/agent/testing";
 *
 * // A stand-in, so that this runs anywhere; leave the option out for the real CLI.
 * const { cliPath } = fakeCli("A README and a license.");
 * for await (const message of query("Which files are here?", { cliPath })) {
 *   if (message.type === "assistant") console.log(textOf(message));
 * }
 * ```
 *
 * @module
 */
export { query } from "./src/query.ts";
export {
  type CallSettings,
  Client,
  type ClientConstructor,
  type ClientState,
} from "./src/client.ts";
export { Pool } from "./src/pool.ts";
export type {
  PoolJob,
  PoolOptions,
  PoolOverrides,
  PoolProgress,
  PoolResult,
  PoolRunOptions,
  PoolStats,
} from "./src/types/pool.ts";
export { discoverCli, localTransport } from "./src/local_cli.ts";
export { ControlMethods } from "./src/conversation/controls.ts";
export { HOOK_EVENTS } from "./src/options/hook_fields.ts";
export {
  isActiveGoal,
  isAssistant,
  isAuthStatus,
  isCommandLifecycle,
  isConversationReset,
  isInit,
  isPromptSuggestion,
  isRateLimit,
  isReplay,
  isResult,
  isStreamEvent,
  isSystem,
  isToolProgress,
  isToolUseSummary,
  isUnknown,
  isUser,
} from "./src/parse/guards.ts";
export {
  isToolUse,
  textOf,
  toolResultsOf,
  toolUsesOf,
  wasInterrupted,
} from "./src/parse/read.ts";
export {
  directoryApprovals,
  memoryApprovals,
  type PendingPermission,
  type PermissionQueue,
  permissionQueue,
  promptPerson,
  type PromptPersonOptions,
} from "./src/permissions.ts";
export type {
  Approval,
  ApprovalDecision,
  ApprovalRequest,
  ApprovalStore,
} from "./src/approvals/store.ts";
export { textStream } from "./src/text_stream.ts";
export {
  AgentError,
  type AgentErrorInit,
  isAgentError,
} from "./src/errors/base.ts";
export { isRetryable } from "./src/errors/retryable.ts";
export { ConfigError } from "./src/errors/config.ts";
export {
  type CliContext,
  CliError,
  type CliErrorInit,
  CliExitError,
  CliNotFoundError,
  type CliStage,
  CliStalledError,
  MessageTooLargeError,
  type ProcessInfo,
} from "./src/errors/cli.ts";
export {
  ControlError,
  ParseError,
  type ProtocolCategory,
  ProtocolError,
} from "./src/errors/protocol.ts";
export {
  AlreadyConnectedError,
  ClosedError,
  NotConnectedError,
  NotPendingError,
  PromptError,
} from "./src/errors/state.ts";
export {
  PoolBudgetError,
  ResultError,
  StructuredOutputError,
} from "./src/errors/result.ts";
export {
  DeliveryUnknownError,
  InvalidNameError,
  McpInitError,
  McpProtocolError,
  ServerUnavailableError,
  UnknownServerError,
  UnknownToolError,
} from "./src/errors/mcp.ts";
export {
  BudgetError,
  SessionFormatError,
  type SessionHolder,
  SessionLockedError,
} from "./src/errors/session.ts";
export type {
  ContentBlock,
  ContentBlockInput,
  DocumentBlock,
  DocumentBlockInput,
  DocumentSource,
  ImageBlock,
  ImageBlockInput,
  ImageSource,
  McpToolResultBlock,
  McpToolUseBlock,
  RedactedThinkingBlock,
  ServerToolUseBlock,
  TextBlock,
  TextBlockInput,
  ThinkingBlock,
  ToolResultBlock,
  ToolResultBlockInput,
  ToolUseBlock,
  UnknownBlock,
  WebSearchToolResultBlock,
} from "./src/protocol/content.ts";
export type {
  ContentBlockType,
  MessageOf,
  MessageType,
  ResultSubtype,
  SystemMessageOf,
  SystemSubtype,
} from "./src/types/message.ts";
export type {
  ActiveGoalMessage,
  AuthStatusMessage,
  CommandLifecycleMessage,
  ConversationResetMessage,
  Message,
  OverageDisabledReason,
  PromptSuggestionMessage,
  RateLimitInfo,
  RateLimitMessage,
  RateLimitStatus,
  RateLimitType,
  ToolProgressMessage,
  ToolUseSummaryMessage,
  UnknownMessage,
} from "./src/protocol/messages_other.ts";
export type { UserMessageInput } from "./src/protocol/lines.ts";
export type {
  ApiMessage,
  AssistantError,
  AssistantMessage,
  ContentDelta,
  MessageIdentity,
  MessageOrigin,
  PermissionDenial,
  PromptLink,
  QueuePriority,
  ResultFailure,
  ResultFailureSubtype,
  ResultFields,
  ResultMessage,
  ResultSuccess,
  StartupFailureReason,
  StreamEvent,
  StreamEventMessage,
  SubagentMark,
  SubagentStats,
  TerminalReason,
  ToolResultMeta,
  ToolUseMeta,
  UserMessage,
  UserMessageFields,
  UserMessageReplay,
} from "./src/protocol/messages_turn.ts";
export type {
  ApiKeySource,
  ApiRetryMessage,
  BackgroundTasksChangedMessage,
  CommandsChangedMessage,
  CompactBoundaryMessage,
  ControlRequestProgressMessage,
  ElicitationCompleteMessage,
  FilesPersistedMessage,
  HookProgressMessage,
  HookResponseMessage,
  HookRunFields,
  HookStartedMessage,
  InformationalMessage,
  InitMessage,
  LoadedPlugin,
  LocalCommandOutputMessage,
  McpResourceLink,
  MemoryRecallMessage,
  MirrorErrorMessage,
  ModelFallbackMessage,
  ModelRefusalFallbackMessage,
  ModelRefusalNoFallbackMessage,
  NotificationMessage,
  PermissionDeniedMessage,
  PluginError,
  PluginInstallMessage,
  SessionStateMessage,
  SessionTitleChangedMessage,
  SessionWritesLostMessage,
  StatusMessage,
  SystemFields,
  SystemMessage,
  TaskFields,
  TaskNotificationMessage,
  TaskProgressMessage,
  TaskStartedMessage,
  TaskStatus,
  TaskUpdatedMessage,
  TaskUsage,
  ThinkingTokensMessage,
  WorkerShuttingDownMessage,
} from "./src/protocol/messages_system.ts";
export type {
  CacheCreation,
  ContextCategoryKind,
  ContextUsageShort,
  ExtraUsage,
  ModelUsage,
  OutputTokensDetails,
  ResultUsage,
  ServerToolUsage,
  SessionUsage,
  Usage,
  UsageReport,
  UsageReportLimit,
} from "./src/protocol/usage.ts";
export type {
  Conversation,
  MessageStream,
  Prompt,
  UserInput,
} from "./src/types/conversation.ts";
export type {
  CallMcpToolOptions,
  ContextUsageOptions,
  ControlOptions,
  Controls,
  InterruptOptions,
  MaxThinkingTokensOptions,
  ReadFileOptions,
  RegisterRepoRootOptions,
  ReloadPluginsOptions,
  RenameSessionOptions,
  RewindFilesOptions,
  UsageOptions,
} from "./src/types/controls.ts";
export type {
  BackgroundTasksReply,
  BinaryVersionReply,
  CancelQueuedReply,
  ContextCategoryId,
  ContextItem,
  ContextUsage,
  FileSuggestionsReply,
  HookEventSummary,
  HooksListing,
  InterruptReceipt,
  ListModelsReply,
  McpCallReply,
  McpCallStaging,
  McpPermissionModeReply,
  McpServerStatus,
  McpStatusReply,
  PermissionRuleSource,
  PermissionRulesReply,
  PermissionRulesState,
  RateLimitWindow,
  ReadFileReply,
  ReadMcpResourceReply,
  RegisterRepoRootReply,
  ReloadOutputStylesReply,
  ReloadPluginsReply,
  ReloadSkillsReply,
  RewindFilesReply,
  SessionCostReply,
  SetMcpServersReply,
  SetModelReply,
  SetPermissionModeReply,
  SettingsParseError,
  SettingsReply,
  SettingsSource,
  TaskOutputReply,
  UsageBehaviors,
  UsageReply,
  UsageShare,
} from "./src/protocol/control_host.ts";
export type {
  AccountInfo,
  AgentDefinition,
  AgentInfo,
  Effort,
  FastModeDisabledReason,
  FastModeState,
  ManifestOutcome,
  McpToolPolicy,
  ModelInfo,
  PluginConfig,
  SessionInfo,
  SessionState,
  SlashCommand,
  WireMcpServerConfig,
} from "./src/protocol/session.ts";
export type {
  AgentOptions,
  CallbackContext,
  ElicitationRequest,
  ElicitationResult,
  SystemPromptOptions,
  SystemPromptText,
  ThinkingOptions,
  ToolConfig,
  UserDialogRequest,
  UserDialogResult,
} from "./src/types/options.ts";
export type {
  HealthOptions,
  LimitOptions,
  ShutdownOptions,
  TimeoutOptions,
} from "./src/types/limits.ts";
export type {
  ApprovalOptions,
  CanUseTool,
  PermissionContext,
  PermissionOptions,
} from "./src/types/permissions.ts";
export type {
  PermissionDecision,
  PermissionDestination,
  PermissionMode,
  PermissionRule,
  PermissionUpdate,
} from "./src/protocol/permissions.ts";
export type {
  AdditionalContext,
  AsyncHookOutput,
  ConfigChangeHookInput,
  CwdChangedHookInput,
  DirectoryAddedHookInput,
  ElicitationHookInput,
  ElicitationOutput,
  ElicitationResultHookInput,
  FileChangedHookInput,
  HookBackgroundTask,
  HookEvent,
  HookInputBase,
  HookInputs,
  HookMcpServer,
  HookModelSwitchInput,
  HookPermissionDecision,
  HookSessionCron,
  HookStopInput,
  HookTeamTaskInput,
  HookToolInput,
  InstructionsLoadedHookInput,
  MessageDisplayHookInput,
  NotificationHookInput,
  PermissionDeniedHookInput,
  PermissionRequestHookInput,
  PostCompactHookInput,
  PostModelSwitchHookInput,
  PostToolBatchHookInput,
  PostToolUseFailureHookInput,
  PostToolUseHookInput,
  PreCompactHookInput,
  PreModelSwitchHookInput,
  PreToolUseHookInput,
  SessionEndHookInput,
  SessionStartHookInput,
  SetupHookInput,
  StopFailureHookInput,
  StopHookInput,
  SubagentStartHookInput,
  SubagentStopHookInput,
  TaskCompletedHookInput,
  TaskCreatedHookInput,
  TeammateIdleHookInput,
  UserPromptExpansionHookInput,
  UserPromptSubmitHookInput,
  WatchOutput,
  WorktreeCreateHookInput,
  WorktreeRemoveHookInput,
} from "./src/protocol/hooks.ts";
export type {
  HookCallback,
  HookContext,
  HookInput,
  HookMatcher,
} from "./src/types/hooks.ts";
export type {
  HookOutput,
  HookOutputFields,
  HookSpecificOutput,
  NoSpecificOutput,
  SyncHookOutput,
} from "./src/types/hook_output.ts";
export type {
  Infer,
  JsonSchemaType,
  Schema,
  StandardResult,
  StandardSchema,
  TypeBoxSchema,
} from "./src/types/schema.ts";
export type {
  CliPermissionSettings,
  CliSandboxSettings,
  CliSettings,
  CliSettingsChange,
  CliSettingsFields,
  CommandHookMatcher,
  McpServerRule,
} from "./src/types/cli_settings.ts";
export type { AskedQuestion, BuiltinToolInputs } from "./src/protocol/tools.ts";
export type { BuiltinToolName } from "./src/types/tool_inputs.ts";
export type { JsonInput, JsonObject, JsonValue } from "./src/types/json.ts";
export type {
  AttemptOutcome,
  CliDiscovery,
  CliSource,
  DiscoverOptions,
  DiscoveryAttempt,
  ProcessHealth,
  ProcessState,
} from "./src/types/health.ts";
export type {
  Activity,
  BackgroundTask,
  Cost,
  ModelCost,
  Observed,
  SettledOptions,
  TokenUse,
  WaitingFor,
} from "./src/types/activity.ts";
export type { LogFields, Logger } from "./src/types/logger.ts";
export type {
  Metrics,
  ParserMetrics,
  ProtocolMetrics,
  TransportMetrics,
} from "./src/types/metrics.ts";
export type {
  CallToolResult,
  DialOffer,
  ForeignMcpServer,
  HubRequestOptions,
  LocalMcpServer,
  McpRemoteConfig,
  McpSdkConfig,
  McpServerCommon,
  McpServerConfig,
  McpServerDefinition,
  McpServerInput,
  McpServerInstance,
  McpStdioConfig,
  ServerItem,
  ToolAnnotations,
} from "./src/types/mcp.ts";
export type { Terminal } from "./src/ports/terminal.ts";
export type { Clock } from "./src/ports/clock.ts";
export type {
  Channel,
  ChannelOrigin,
  ExitReport,
  Launch,
  StopPlan,
  StopReason,
  Transport,
} from "./src/ports/transport.ts";
export type {
  McpConnection,
  McpDirectCall,
  McpRequestOptions,
  McpServeContext,
  McpServeHandler,
  McpServerInfo,
} from "./src/ports/mcp.ts";
