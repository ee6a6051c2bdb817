/**
 * An agent behind a web page: server-sent events, streams for the AI SDK and AG-UI, and the answers of a person.
 *
 * ```ts
 * import { query } from "@sluice/agent";
 * import { fakeCli } from "@sluice/agent/testing";
 * import { sseResponse } from "@sluice/agent/ui";
 *
 * // A stand-in, so that this runs anywhere; leave the option out for the real CLI.
 * const { cliPath } = fakeCli("Hello.");
 * const response = sseResponse(query("Say hello.", { cliPath }));
 * console.log(response.headers.get("content-type"), (await response.text()).length > 0);
 * ```
 *
 * @module
 */
export { sse, type SseOptions } from "./sse.ts";
export { sseResponse, type SseResponseOptions } from "./sse_response.ts";
export type { StreamFormat } from "./formats.ts";
export type { StreamFailure } from "./failure.ts";
export type { UiSource } from "./source.ts";
export { aiSdkChunks } from "./ai_sdk_chunks.ts";
export type {
  AiSdkApprovalChunk,
  AiSdkChunk,
  AiSdkDataChunk,
  AiSdkFinishReason,
  AiSdkFrameChunk,
  AiSdkMetadata,
  AiSdkTextChunk,
  AiSdkToolCall,
  AiSdkToolChunk,
  AiSdkUsage,
} from "./ai_sdk_types.ts";
export { agUiEvents } from "./ag_ui_events.ts";
export type {
  AgUiApprovalEvent,
  AgUiAttributed,
  AgUiEvent,
  AgUiInterrupt,
  AgUiOutcome,
  AgUiRunEvent,
  AgUiRunMetadata,
  AgUiSubagentEvent,
  AgUiTextEvent,
  AgUiToolEvent,
  AgUiUsage,
} from "./ag_ui_types.ts";
export type { AgUiRunIds } from "./ag_ui_run.ts";
export {
  approvalResponse,
  type ApprovalResponseOptions,
} from "./approval_response.ts";
export {
  type ClientKey,
  type ClientOptions,
  type Clients,
  clients,
  type ClientsSettings,
  type ClientStats,
  type UserThread,
} from "./clients.ts";
