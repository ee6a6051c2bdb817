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

/** Tells the row of a job what its agent does, in which session, and what it has cost. */
export class Report {
  readonly #conversation: Conversation;
  readonly #before: JobRecord;
  readonly #aheadMs: () => number;
  readonly #change: (
    next: (record: JobRecord) => JobRecord,
  ) => Promise<unknown>;
  readonly #ended = new AbortController();
  #told = "";
  #telling: Promise<void> = Promise.resolve();

  /**
   * @param conversation The agent
   * @param before The job as its attempt began
   * @param aheadMs How far the server's clock is ahead of this machine's
   * @param change Changes the row
   */
  constructor(
    conversation: Conversation,
    before: JobRecord,
    aheadMs: () => number,
    change: (next: (record: JobRecord) => JobRecord) => Promise<unknown>,
  ) {
    this.#conversation = conversation;
    this.#before = before;
    this.#aheadMs = aheadMs;
    this.#change = change;
    // Who cannot be told now is told with the next result, or found out to be gone.
    this.#follow().catch(() => {});
  }

  /** Tells how it is now, unless that is known; one call after the other. */
  tell(): Promise<void> {
    const telling = this.#telling.catch(() => {}).then(() => this.#tell());
    telling.catch(() => {});
    return this.#telling = telling;
  }

  /** Nothing more is told. */
  async end(): Promise<void> {
    this.#ended.abort();
    await this.#telling.catch(() => {});
  }

  async #follow(): Promise<void> {
    const { signal } = this.#ended;
    for await (const _ of this.#conversation.watch({ signal })) {
      // Short jobs need no more writes than their own.
      await systemClock.sleep(ACTIVITY_MS, signal);
      await this.tell();
    }
  }

  async #tell(): Promise<void> {
    if (this.#ended.signal.aborted) return;
    const { sessionId = this.#before.session } = this.#conversation;
    const aheadMs = this.#aheadMs();
    const news: Pick<JobRecord, "session" | "cost" | "activity"> = {
      ...sessionId !== undefined && { session: sessionId },
      activity: timed(
        this.#conversation.activity(),
        (since) => Math.round(since.getTime() + aheadMs),
      ),
      cost: addCosts(this.#before.cost, this.#conversation.cost()),
    };
    const text = JSON.stringify(news);
    if (text === this.#told) return;
    await this.#change((now) => ({ ...now, ...news }));
    this.#told = text;
  }
}
