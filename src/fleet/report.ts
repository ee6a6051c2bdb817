import { systemClock } from "../async/system_clock.ts";
import { addCosts } from "../observe/cost.ts";
import type { Activity } from "../types/activity.ts";
import type { Conversation } from "../types/conversation.ts";
import type { JobRecord } from "./record.ts";

/** What an agent does is told so often at most, in milliseconds; what it costs, with each result. */
const ACTIVITY_MS = 1_000;

/** The same with times of another kind. */
type At<T, Time> = Omit<T, "since"> & { readonly since: Time };
type ActivityAt<Time> =
  & Omit<At<Activity, Time>, "waitingFor" | "tasks">
  & {
    readonly waitingFor: readonly At<Activity["waitingFor"][number], Time>[];
    readonly tasks: readonly At<Activity["tasks"][number], Time>[];
  };

/** What an agent does, as it is stored: by the server's clock. */
export type StoredActivity = ActivityAt<number>;

/** An activity as others see it. */
export function activityOf(stored: StoredActivity): Activity {
  return timed(stored, (since) => new Date(since));
}

function timed<From, To>(
  { since, waitingFor, tasks, ...rest }: ActivityAt<From>,
  at: (time: From) => To,
): ActivityAt<To> {
  return {
    ...rest,
    since: at(since),
    waitingFor: waitingFor.map((one) => ({ ...one, since: at(one.since) })),
    tasks: tasks.map((one) => ({ ...one, since: at(one.since) })),
  };
}

/** What tells the row of a job. */
export interface Report {
  /** Tells how it is now, unless that is known; one call after the other. */
  readonly tell: () => Promise<void>;
  /** Nothing more is told. */
  readonly end: () => Promise<void>;
}

/**
 * Tells the row of a job what its agent does, in which session, and what it has cost.
 *
 * @param conversation The agent
 * @param before The job as its attempt began
 * @param aheadMs How far the server's clock is ahead of this machine's
 * @param change Changes the row
 */
export function reportOn(
  conversation: Conversation,
  before: JobRecord,
  aheadMs: () => number,
  change: (next: (record: JobRecord) => JobRecord) => Promise<unknown>,
): Report {
  const ended = new AbortController();
  const { signal } = ended;
  let told = "";
  let telling: Promise<void> = Promise.resolve();

  async function tellNow(): Promise<void> {
    if (signal.aborted) return;
    const { sessionId = before.session } = conversation;
    const ms = aheadMs();
    const news: Pick<JobRecord, "session" | "cost" | "activity"> = {
      ...sessionId !== undefined && { session: sessionId },
      activity: timed(
        conversation.activity(),
        (since) => Math.round(since.getTime() + ms),
      ),
      cost: addCosts(before.cost, conversation.cost()),
    };
    const text = JSON.stringify(news);
    if (text === told) return;
    await change((now) => ({ ...now, ...news }));
    told = text;
  }

  function tell(): Promise<void> {
    const next = telling.catch(() => {}).then(tellNow);
    next.catch(() => {});
    return telling = next;
  }

  async function follow(): Promise<void> {
    for await (const _ of conversation.watch({ signal })) {
      // Short jobs need no more writes than their own.
      await systemClock.sleep(ACTIVITY_MS, signal);
      await tell();
    }
  }

  // Who cannot be told now is told with the next result, or found out to be gone.
  follow().catch(() => {});
  return {
    tell,
    async end() {
      ended.abort();
      await telling.catch(() => {});
    },
  };
}
