import { AgentError, type AgentErrorInit } from "../errors/base.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { ApprovalStore } from "../approvals/store.ts";
import type { Activity, Cost } from "../types/activity.ts";
import type { Logger } from "../types/observe.ts";
import type { AgentOptions } from "../types/options.ts";
import { textOfError } from "../errors/text.ts";
import type { JobState } from "./job_state.ts";

/** A variable: a literal would make the package a dependency of this one, which it depends on itself. */
const PACKAGE: string = "@sluice/fleet";

/** The package `@sluice/fleet`, as far as `sluice` uses it; `tests/command/fleet_test.ts` holds it to the package. */
export interface FleetPackage {
  readonly Fleet: { connect(options: FleetOptions): Promise<Fleet> };
  readonly FleetError: new (
    init: AgentErrorInit & { readonly fault: FleetFault },
  ) => AgentError & { readonly fault: FleetFault };
  fleetServerConfig(options: FleetServerOptions): string;
}

export type FleetFault =
  | "unreachable"
  | "version"
  | "refused"
  | "settings"
  | "full"
  | "unreadable"
  | "unknown_job"
  | "server";

export interface FleetOptions {
  readonly servers: readonly string[];
  readonly name: string;
  readonly leaseMs?: number | undefined;
  readonly credentials?:
    | { readonly credsFile: string }
    | { readonly user: string; readonly password: string }
    | undefined;
  readonly tls?: {
    readonly caFile?: string;
    readonly certFile?: string;
    readonly keyFile?: string;
  };
  readonly key?: string | undefined;
}

export interface FleetServerOptions {
  readonly fleets: readonly {
    readonly name: string;
    readonly password: string;
  }[];
  readonly storeDir: string;
  readonly listen?: string;
  readonly tls?: {
    readonly certFile: string;
    readonly keyFile: string;
    readonly caFile?: string;
  };
}

export interface Fleet {
  readonly approvals: ApprovalStore;
  work(options: WorkOptions): Promise<Worker>;
  job(id: string): Promise<Job>;
  jobs(filter: {
    readonly state?: JobState | readonly JobState[] | undefined;
    readonly name?: string | undefined;
  }): AsyncIterable<JobStatus>;
  limit(name: string, most: number | undefined): Promise<void>;
  limits(): Promise<ReadonlyMap<string, number>>;
  close(): Promise<void>;
}

export interface WorkOptions {
  readonly concurrency?: number | undefined;
  readonly drainOnSignal?: boolean;
  readonly signal?: AbortSignal;
  readonly options?: AgentOptions;
  readonly metrics?: {
    attemptStart(job: string, attempt: number, waitedMs: number): void;
    attemptEnd(
      job: string,
      attempt: number,
      outcome: string,
      durationMs: number,
    ): void;
  };
  readonly logger?: Logger;
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
  readonly activity?: Activity;
  readonly cost: Cost;
  readonly reason?: string;
}

/** The package is missing, or does not load. */
class FleetPackageError extends AgentError {
  override readonly name = "FleetPackageError";
  override readonly code = "fleet_package";
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
    throw new FleetPackageError({
      message:
        `Cannot load ${PACKAGE}: install it beside @sluice/agent, by "npm install ${PACKAGE}", "bun add ${PACKAGE}" or "deno add jsr:${PACKAGE}": ${
          textOfError(cause)
        }`,
      cause,
    });
  }
}
