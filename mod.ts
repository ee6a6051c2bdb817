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
export { Client, type ClientConstructor } from "./src/client.ts";
export { Pool, type PoolConstructor } from "./src/pool.ts";
export type * from "./src/types/pool.ts";
export type * from "./src/types/pool_stats.ts";
export { discoverCli, localTransport } from "./src/local_cli.ts";
export { ControlMethods } from "./src/conversation/generated/controls.ts";
export { HOOK_EVENTS } from "./src/options/hooks.ts";
export * from "./src/parse/generated/guards.ts";
export { isInit, isReplay, isSystem } from "./src/parse/guards.ts";
export {
  isToolUse,
  textOf,
  toolResultsOf,
  toolUsesOf,
  wasInterrupted,
} from "./src/parse/read.ts";
export { directoryApprovals, memoryApprovals } from "./src/approval_stores.ts";
export {
  type PendingPermission,
  type PermissionQueue,
  permissionQueue,
} from "./src/permission_queue.ts";
export { promptPerson, type PromptPersonOptions } from "./src/prompt_person.ts";
export type {
  Approval,
  ApprovalDecision,
  ApprovalRequest,
  ApprovalStore,
} from "./src/approvals/store.ts";
export { textStream } from "./src/text_stream.ts";
export * from "./src/errors/base.ts";
export { CapacityError } from "./src/errors/capacity.ts";
export * from "./src/errors/session.ts";
export { isRetryable } from "./src/errors/retryable.ts";
export * from "./src/errors/cli.ts";
export * from "./src/errors/protocol.ts";
export * from "./src/errors/mcp.ts";
export type * from "./src/protocol/content.ts";
export type * from "./src/types/conversation.ts";
export type * from "./src/protocol/messages_other.ts";
export type { UserMessageInput } from "./src/protocol/lines.ts";
export type * from "./src/protocol/messages_turn.ts";
export type * from "./src/protocol/messages_system.ts";
export type * from "./src/protocol/usage.ts";
export type { ControlFields, ControlOptions } from "./src/types/controls.ts";
export type * from "./src/types/generated/controls.ts";
export type * from "./src/protocol/control_replies.ts";
export type * from "./src/protocol/session.ts";
export type {
  CallbackContext,
  ElicitationRequest,
  ElicitationResult,
  SystemPromptOptions,
  SystemPromptText,
  ThinkingOptions,
  ToolConfig,
  UserDialogRequest,
  UserDialogResult,
} from "./src/types/option_values.ts";
export type * from "./src/types/options.ts";
export type * from "./src/types/permissions.ts";
export type * from "./src/protocol/permissions.ts";
export type * from "./src/protocol/hook_inputs.ts";
export type {
  AdditionalContext,
  AsyncHookOutput,
  ElicitationOutput,
  HookEvent,
  HookInputs,
  HookPermissionDecision,
  WatchOutput,
} from "./src/protocol/hooks.ts";
export type * from "./src/types/hooks.ts";
export type * from "./src/types/schema.ts";
export type * from "./src/types/cli_settings.ts";
export type * from "./src/protocol/tools.ts";
export type * from "./src/types/json.ts";
export type * from "./src/types/activity.ts";
export type * from "./src/types/observe.ts";
export type * from "./src/types/observer.ts";
export type {
  CallToolResult,
  McpServerDefinition,
  ToolAnnotations,
} from "./src/types/mcp_tool.ts";
export type {
  DialOffer,
  HubRequestOptions,
  ServerItem,
} from "./src/types/mcp_hub.ts";
export type * from "./src/types/mcp.ts";
export type * from "./src/ports/terminal.ts";
export type { Clock } from "./src/ports/clock.ts";
export type * from "./src/ports/transport.ts";
export type * from "./src/ports/mcp.ts";
