import { AgentError, type AgentErrorInit } from "@sluice/agent";

/** The kind of a {@link FleetError}. */
export type FleetFault =
  /** The server cannot be reached, or did not answer in time. */
  | "unreachable"
  /** The version of the server, of a package or of the stored data is not supported. */
  | "version"
  /** The server rejects the credentials, or the user lacks a permission. */
  | "refused"
  /** A setting of the server or the fleet, or the state of the job, does not allow the call. */
  | "settings"
  /** A full disk, or a limit of the server. */
  | "full"
  /** Stored data was sealed with another key, or is damaged. */
  | "unreadable"
  /** No job has this id. */
  | "unknown_job"
  /** Any other error of the server. */
  | "server";

/**
 * A request to the fleet failed; `fault` gives the reason.
 *
 * Fix: Read `fault` and the message.
 */
export class FleetError extends AgentError {
  /** Name of the class. */
  override readonly name = "FleetError";
  /** Error code, a literal. */
  override readonly code = "fleet";
  /** The kind of the failure. */
  readonly fault: FleetFault;

  /** Creates the error from the kind of the failure. */
  constructor(init: AgentErrorInit & Pick<FleetError, "fault">) {
    super({ fatal: false, ...init });
    this.fault = init.fault;
  }
}

/**
 * The job ended without a result. Its last attempt failed, its deadline passed, or it was cancelled.
 *
 * Fix: Read `details.history`. To run the job again, call `job.retry()`.
 */
export class JobError extends AgentError {
  /** Name of the class. */
  override readonly name = "JobError";
  /** Error code, a literal. */
  override readonly code = "job";
  /** Id of the job. */
  readonly jobId: string;
  /** Final state: `"cancelled"`, or `"dead"` after the last attempt or the deadline. */
  readonly state: "dead" | "cancelled";

  /** Creates the error from the job and its final state. */
  constructor(init: AgentErrorInit & Pick<JobError, "jobId" | "state">) {
    super({ fatal: false, ...init });
    this.jobId = init.jobId;
    this.state = init.state;
  }
}
