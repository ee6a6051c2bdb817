import { AgentError, type AgentErrorInit } from "@sluice/agent";

/** What a {@link FleetError} is about, as a word for programs. */
export type FleetFault =
  /** The server cannot be reached, or did not answer in time. */
  | "unreachable"
  /** The server, a package or the stored data is of a version that does not fit. */
  | "version"
  /** The server does not let this program in, or not do this. */
  | "refused"
  /** Something that is there is set up otherwise. */
  | "settings"
  /** There is no room: a full disk, or a limit of the server. */
  | "full"
  /** What was stored cannot be read: it was sealed with another key, or is damaged. */
  | "unreadable"
  /** No job has this id. */
  | "unknown_job"
  /** Anything else that the server said. */
  | "server";

/** A fleet cannot do what it was asked for; `fault` says why. */
export class FleetError extends AgentError {
  /** Name of the class. */
  override readonly name = "FleetError";
  /** Family. */
  override readonly code = "fleet";
  /** What it is about. */
  readonly fault: FleetFault;

  /** Takes what it is about. */
  constructor(init: AgentErrorInit & Pick<FleetError, "fault">) {
    super({ fatal: false, ...init });
    this.fault = init.fault;
  }
}

/** A job has no result and will have none: it is a dead letter, or was cancelled; `details.history` tells its attempts. */
export class JobError extends AgentError {
  /** Name of the class. */
  override readonly name = "JobError";
  /** Family. */
  override readonly code = "job";
  /** Id of the job. */
  readonly jobId: string;
  /** How it ended: given up after its last attempt or its deadline, or cancelled. */
  readonly state: "dead" | "cancelled";

  /** Takes the job, and how it ended. */
  constructor(init: AgentErrorInit & Pick<JobError, "jobId" | "state">) {
    super({ fatal: false, ...init });
    this.jobId = init.jobId;
    this.state = init.state;
  }
}
