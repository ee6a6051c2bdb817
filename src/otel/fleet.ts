import type { AgentOptions } from "../types/options.ts";
import type { TraceContext } from "../types/observer.ts";
import { both } from "./merge.ts";
import { ATTRIBUTE as A, SPAN } from "./names.ts";
import type { Setting } from "./setting.ts";
import { KIND, Span } from "./spans.ts";

/** Settings of a worker of `@sluice/fleet`, as far as telemetry is about them. */
export interface WorkerSettings {
  /** Options of its agents. */
  readonly options?:
    | AgentOptions
    | ((job: never) => AgentOptions | Promise<AgentOptions>)
    | undefined;
  /** Receives its metrics. */
  readonly metrics?: object | undefined;
}

/** A job that a worker is about to run. */
interface Job {
  readonly id: string;
  readonly attempt: number;
  readonly name?: string;
  readonly trace?: TraceContext;
}

/** An attempt that runs. */
interface Attempt {
  readonly beganMs: number;
  /** Absent until the worker has read the job. */
  span?: Span;
}

/** Outcomes that are failures of the agent or the worker. */
const FAILURES: ReadonlySet<string> = new Set(["failed", "lost"]);

/**
 * Makes a span for each attempt of a worker, below the span in which its job was submitted, and above its conversation.
 *
 * @param withParent Adds the telemetry of a conversation to the options of an agent
 */
export function observeWorker(
  setting: Setting,
  withParent: (options: AgentOptions | undefined, parent: Span) => AgentOptions,
  given: WorkerSettings,
): WorkerSettings {
  const { record } = setting;
  const attempts = new Map<string, Attempt>();
  const keyOf = (id: string, attempt: number) => `${attempt} ${id}`;

  function spanOf({ id, attempt, name, trace }: Job, atMs?: number): Span {
    return new Span(setting.tracer(), {
      name: name === undefined ? SPAN.job : `${SPAN.job} ${name}`,
      kind: KIND.consumer,
      remote: trace,
      atMs,
      attributes: {
        [A.job]: id,
        [A.jobAttempt]: attempt,
        ...name !== undefined && { [A.jobName]: name },
      },
    });
  }

  const metrics = {
    attemptStart(id: string, attempt: number, waitedMs: number) {
      attempts.set(keyOf(id, attempt), { beganMs: Date.now() });
      record("jobWait", waitedMs / 1_000);
    },
    attemptEnd(
      id: string,
      attempt: number,
      outcome: string,
      durationMs: number,
    ) {
      const key = keyOf(id, attempt);
      const running = attempts.get(key);
      attempts.delete(key);
      const span = running?.span ?? spanOf({ id, attempt }, running?.beganMs);
      span.set({ [A.outcome]: outcome });
      if (FAILURES.has(outcome)) span.fail(outcome);
      span.end();
      record("jobDuration", durationMs / 1_000, { [A.outcome]: outcome });
    },
    load(queued: number, running: number, asking: number) {
      for (
        const [state, count] of Object.entries({ queued, running, asking })
      ) {
        record("jobLoad", count, { [A.state]: state });
      }
    },
  };
  return {
    ...given,
    metrics: both(metrics, given.metrics, Object.keys(metrics)),
    async options(job: Job): Promise<AgentOptions> {
      const running = attempts.get(keyOf(job.id, job.attempt));
      const span = spanOf(job, running?.beganMs);
      if (running !== undefined) running.span = span;
      const { options } = given;
      const own = typeof options === "function"
        ? await options(job as never)
        : options;
      return withParent(own, span);
    },
  };
}
