/**
 * Agents on many machines: jobs that outlive whoever submitted them, workers that may be lost, messages that can be read
 * from anywhere. Over a NATS server with JetStream, 2.10.27 or later, and the package `@nats-io/transport-node`.
 *
 * ```ts ignore
 * import { Fleet } from "@sluice/agent/fleet";
 *
 * const fleet = await Fleet.connect({ servers: "nats://127.0.0.1:4222", name: "reviews" });
 * await fleet.work({ concurrency: 4 });
 * const job = await fleet.submit("Which files are here?");
 * console.log((await job.result()).result);
 * await fleet.close();
 * ```
 *
 * @module
 */
export type {
  Approval,
  ApprovalDecision,
  ApprovalRequest,
  ApprovalStore,
} from "../approvals/store.ts";
export {
  FleetError,
  type FleetErrorInit,
  type FleetFault,
  JobError,
  type JobErrorInit,
} from "../errors/fleet.ts";
export type {
  StoredTranscript,
  TranscriptEntry,
  TranscriptKey,
  TranscriptOptions,
  TranscriptStore,
  TranscriptSummary,
} from "../transcripts/store.ts";
export type {
  FleetCredentials,
  FleetMetrics,
  FleetOptions,
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
} from "../types/fleet.ts";
export { Fleet } from "./fleet.ts";
export type { Job } from "./job.ts";
export type { Worker } from "./worker.ts";
