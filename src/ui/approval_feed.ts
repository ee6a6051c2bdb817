import { systemClock } from "../async/system_clock.ts";
import { asObject } from "../errors/text.ts";
import {
  type Approval,
  type ApprovalStore,
  readAsked,
} from "../approvals/store.ts";

/** Time between two looks at a store that reports no changes, in milliseconds. */
const POLL_MS = 250;

/** Questions of one session: each is reported when it is asked, and when it is answered. */
export interface ApprovalFeed {
  /** Follows a store until the signal is aborted; may be called again after that. */
  follow(store: ApprovalStore, signal: AbortSignal): Promise<void>;
  /** Looks for open questions, and for answers to those that were reported. */
  look(): Promise<void>;
  /** Looks for answers, if a reported question has none. */
  settle(): Promise<void>;
}

/** Makes a feed for a session, whose set of ids may grow. */
export function approvalFeed(
  sessions: ReadonlySet<string>,
  report: (approval: Approval) => void,
): ApprovalFeed {
  /** Questions that were reported, and whether with their answer. */
  const reported = new Map<string, boolean>();
  let store: ApprovalStore | undefined;

  async function see(row: unknown): Promise<void> {
    const asked = asObject(asObject(row).request);
    if (!sessions.has(String(asked.sessionId))) return;
    let approval: Approval;
    try {
      approval = await readAsked(row, String(asked.id));
    } catch {
      // Shows another call than the one that runs: the conversation denies it.
      return;
    }
    const { request: { id }, decision } = approval;
    const isAnswered = decision !== undefined;
    if (reported.get(id) === true || reported.get(id) === isAnswered) return;
    reported.set(id, isAnswered);
    report(approval);
  }

  async function look(): Promise<void> {
    try {
      for (const row of await store?.list() ?? []) {
        const isNews = row.decision === undefined ||
          reported.get(row.request.id) === false;
        if (isNews) await see(row);
      }
    } catch {
      // The conversation reports a store that fails; it may recover.
    }
  }

  return {
    look,
    async settle() {
      if ([...reported.values()].includes(false)) await look();
    },
    async follow(given, signal) {
      store = given;
      await look();
      try {
        // An async function without types returns a promise of the stream.
        const rows = await given.watch?.(signal) ?? [];
        for await (const row of rows) await see(row);
      } catch {
        // Polling replaces a watch that fails.
      }
      while (!signal.aborted) {
        await look();
        await systemClock.sleep(POLL_MS, signal).catch(() => {});
      }
    },
  };
}
