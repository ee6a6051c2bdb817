/**
 * Tools for tests without an API key: a fake CLI, a scripted model for the real CLI, a transport in memory, recordings, and a
 * fake clock. All of it speaks the real protocol.
 *
 * ```ts
 * import { query } from "@sluice/agent";
 * import { fakeCli } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { cliPath } = fakeCli("Hello, Ada!");
 * assert.equal(await query("Say hello", { cliPath }).text(), "Hello, Ada!");
 * ```
 *
 * @module
 */
export type { Clock } from "../ports/clock.ts";
export type {
  Channel,
  ChannelOrigin,
  ExitReport,
  Launch,
  StopPlan,
  StopReason,
  Transport,
} from "../ports/transport.ts";
export type {
  StoredTranscript,
  TranscriptEntry,
  TranscriptKey,
  TranscriptStore,
  TranscriptSummary,
} from "../transcripts/store.ts";
export type { JsonObject, JsonValue } from "../types/json.ts";
export { approvalStoreCases } from "./approval_store_cases.ts";
export type {
  Approval,
  ApprovalDecision,
  ApprovalRequest,
  ApprovalStore,
} from "../approvals/store.ts";
export { fakeCli } from "./fake_cli.ts";
export type {
  DecisionRecord,
  FakeCli,
  FakeCliRun,
  FakeDecision,
  HookRecord,
  PermissionRecord,
} from "./fake_cli_record.ts";
export type {
  AnswerStep,
  CancelStep,
  ExitStep,
  FakeAnswer,
  FakeCliPlan,
  FakeCliScript,
  FakeMatch,
  FakeRefusal,
  FakeStep,
  FakeTurn,
  HookStep,
  LineStep,
  MessageStep,
  RequestStep,
  ResultStep,
  SayStep,
  StderrStep,
  ThinkStep,
  ToolStep,
  WaitStep,
} from "./fake_cli_script.ts";
export { FakeClock } from "./fake_clock.ts";
export {
  type MemoryPair,
  type MemoryPeer,
  memoryTransport,
  type MemoryTransportOptions,
  type PeerItem,
} from "./memory_transport.ts";
export type {
  ModelAnswer,
  ModelError,
  ModelMatch,
  ModelMatchFields,
  ModelRequest,
  ModelToolCall,
  ModelTurn,
  ScriptedModelOptions,
} from "./model_script.ts";
export { record } from "./record.ts";
export { RECORDING_VERSION } from "./recording.ts";
export type { RecordingSink, RecordOptions } from "./recording_writer.ts";
export { replay, type ReplayOptions } from "./replay.ts";
export { type ScriptedModel, scriptedModel } from "./scripted_model.ts";
export type { StoreCase } from "./store_cases.ts";
export { transcriptStoreCases } from "./transcript_cases.ts";
export type { WaitOptions } from "./watch.ts";
