import { systemClock } from "../async/system_clock.ts";
import { addCosts } from "../observe/cost.ts";
import type { Activity } from "../types/activity.ts";
import type { Conversation } from "../types/conversation.ts";
import type { JobRecord } from "./record.ts";

/** What an agent does is told so often at most, in milliseconds; what it costs, with each result. */
const ACTIVITY_MS = 1_000;

/** The same, at a time of the server's clock. */
type At<T extends { readonly since: Date }> =
  & Omit<T, "since">
  & { readonly since: number };

/** What an agent does, as it is stored. */
export type StoredActivity =
  & Omit<At<Activity>, "waitingFor" | "tasks">
  & {
    readonly waitingFor: readonly At<Activity["waitingFor"][number]>[];
    readonly tasks: readonly At<Activity["tasks"][number]>[];
  };

/** An activity of this machine, by the server's clock. */
function stored(
  { since, waitingFor, tasks, ...rest }: Activity,
  aheadMs: number,
): StoredActivity {
  const at = (when: Date) => Math.round(when.getTime() + aheadMs);
  return {
    ...rest,
    since: at(since),
    waitingFor: waitingFor.map((one) => ({ ...one, since: at(one.since) })),
    tasks: tasks.map((one) => ({ ...one, since: at(one.since) })),
  };
}

/** An activity as others see it. */
export function activityOf(
  { since, waitingFor, tasks, ...rest }: StoredActivity,
): Activity {
  return {
    ...rest,
    since: new Date(since),
    waitingFor: waitingFor.map((one) => ({
      ...one,
      since: new Date(one.since),
    })),
    tasks: tasks.map((one) => ({ ...one, since: new Date(one.since) })),
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
    const news: Pick<JobRecord, "session" | "cost" | "activity"> = {
      ...sessionId !== undefined && { session: sessionId },
      activity: stored(this.#conversation.activity(), this.#aheadMs()),
      cost: addCosts(this.#before.cost, this.#conversation.cost()),
    };
    const text = JSON.stringify(news);
    if (text === this.#told) return;
    await this.#change((now) => ({ ...now, ...news }));
    this.#told = text;
  }
}
