import type { Message } from "../protocol/messages_other.ts";
import type { ApprovalStore } from "../approvals/store.ts";
import type { Activity, Cost } from "../types/activity.ts";
import { textOfError } from "../errors/text.ts";
import type { JOB_STATES } from "./flags.ts";

export type JobState = typeof JOB_STATES[number];

/** A variable: a literal would make the package a dependency of this one, which it depends on itself. */
const PACKAGE: string = "@sluice/fleet";

/** The package `@sluice/fleet`, as far as `sluice` uses it, which checks its options itself. */
export interface FleetPackage {
  readonly Fleet: { connect(options: object): Promise<Fleet> };
}

export interface Fleet {
  readonly approvals: ApprovalStore;
  work(options: object): Promise<Worker>;
  job(id: string): Promise<Job>;
  jobs(filter: {
    readonly state?: JobState | readonly JobState[] | undefined;
    readonly name?: string | undefined;
  }): AsyncIterable<JobStatus>;
  close(): Promise<void>;
}

export interface Worker {
  readonly name: string;
  readonly running: number;
  readonly ended: Promise<void>;
  drain(): Promise<void>;
}

export interface Job {
  readonly id: string;
  status(): Promise<JobStatus>;
  watch(options: {
    readonly signal: AbortSignal;
  }): AsyncIterable<JobStatus>;
  messages(options: {
    readonly signal: AbortSignal;
  }): AsyncIterable<{ readonly message: Message }>;
  cancel(reason?: string): Promise<void>;
  retry(): Promise<void>;
}

export interface JobStatus {
  readonly id: string;
  readonly state: JobState;
  readonly name?: string;
  readonly attempts: readonly {
    readonly attempt: number;
    readonly worker: string;
    readonly outcome?: string;
    readonly reason?: string;
  }[];
  readonly maxAttempts: number;
  readonly waitingFor: readonly string[];
  readonly activity?: Activity | undefined;
  readonly cost: Cost;
  readonly reason?: string;
}

/**
 * Loads `@sluice/fleet`, which is installed beside this package.
 *
 * @param load Imports a module by its name
 */
export async function fleetPackage(
  load: (name: string) => Promise<unknown> = (name) => import(name),
): Promise<FleetPackage> {
  try {
    return await load(PACKAGE) as FleetPackage;
  } catch (cause) {
    throw new Error(
      `Cannot load ${PACKAGE}: install it beside @sluice/agent, by "npm install ${PACKAGE}", "bun add ${PACKAGE}" or "deno add jsr:${PACKAGE}": ${
        textOfError(cause)
      }`,
      { cause },
    );
  }
}
