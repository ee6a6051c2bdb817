import type { Conversation } from "@sluice/agent";
import { addCosts, systemClock } from "@sluice/agent/extend";
import { storedActivity } from "./activity.ts";
import type { JobRecord } from "./record.ts";

/** The least time between two reports of an activity, in milliseconds. */
const ACTIVITY_MS = 1_000;

export interface Report {
  /** Writes the news, if there are any; one call after the other. */
  readonly write: () => Promise<void>;
  readonly end: () => Promise<void>;
}

/**
 * Keeps session, activity and cost in the row of a job up to date.
 *
 * @param conversation The agent
 * @param before The job as its attempt began
 * @param aheadMs How far the server's clock is ahead of this machine's: one number, so that equal times stay equal
 * @param change Changes the row
 */
export function reportOn(
  conversation: Conversation,
  before: JobRecord,
  aheadMs: number,
  change: (next: (record: JobRecord) => JobRecord) => Promise<unknown>,
): Report {
  const ended = new AbortController();
  const { signal } = ended;
  let written = "";
  let writing: Promise<void> = Promise.resolve();

  async function writeNow(): Promise<void> {
    if (signal.aborted) return;
    const { sessionId = before.session } = conversation;
    const news: Pick<JobRecord, "session" | "cost" | "activity"> = {
      ...sessionId !== undefined && { session: sessionId },
      activity: storedActivity(conversation.activity(), aheadMs),
      cost: addCosts(before.cost, conversation.cost()),
    };
    const text = JSON.stringify(news);
    if (text === written) return;
    await change((now) => ({ ...now, ...news }));
    written = text;
  }

  function write(): Promise<void> {
    const next = writing.catch(() => {}).then(writeNow);
    next.catch(() => {});
    return writing = next;
  }

  async function follow(): Promise<void> {
    for await (const _ of conversation.watch({ signal })) {
      await systemClock.sleep(ACTIVITY_MS, signal);
      await write();
    }
  }

  // A failure here repeats with the next result.
  follow().catch(() => {});
  return {
    write,
    async end() {
      ended.abort();
      await writing.catch(() => {});
    },
  };
}
