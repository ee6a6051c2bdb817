/**
 * Agents on many machines: jobs that outlive their submitters, workers that may be lost, messages that can be read from
 * anywhere. Over a NATS server with JetStream, 2.10.27 or later, and the package `@nats-io/transport-node`.
 *
 * ```ts
 * import { Fleet } from "@sluice/fleet";
 * import assert from "node:assert/strict";
 *
 * async function review(commit: string) {
 *   const fleet = await Fleet.connect({ servers: "nats://10.0.0.5:4222", name: "reviews" });
 *   const job = await fleet.submit(`Review ${commit}.`, { id: commit, deadlineMs: 3_600_000 });
 *   try {
 *     return (await job.result()).result;
 *   } finally {
 *     await fleet.close();
 *   }
 * }
 * assert.equal(review.length, 1);
 * ```
 *
 * @module
 */
export type {
  Approval,
  ApprovalDecision,
  ApprovalRequest,
  ApprovalStore,
} from "@sluice/agent";
export type {
  StoredTranscript,
  TranscriptEntry,
  TranscriptKey,
  TranscriptOptions,
  TranscriptStore,
  TranscriptSummary,
} from "@sluice/agent/transcripts";
export { FleetError, type FleetFault, JobError } from "./errors.ts";
export type {
  FleetCredentials,
  FleetMetrics,
  FleetOptions,
  FleetServerOptions,
  FleetTls,
  JobAgentOptions,
  JobAttempt,
  JobFilter,
  JobInfo,
  JobMessage,
  JobPriority,
  JobPrompt,
  JobResult,
  JobState,
  JobStatus,
  SubmitOptions,
  WorkOptions,
} from "./types.ts";
export { Fleet } from "./fleet.ts";
export { fleetServerConfig } from "./server_config.ts";
export type { Job } from "./job.ts";
export type { Worker } from "./worker.ts";
