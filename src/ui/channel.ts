import type { ApprovalStore } from "../approvals/store.ts";
import type { Message } from "../protocol/messages_other.ts";
import { approvalFeed } from "./approval_feed.ts";
import { failureOf, type StreamFailure } from "./failure.ts";
import {
  type Cursor,
  type Journal,
  makeJournal,
  type Step,
} from "./journal.ts";
import { mapAll, type Mapping, type PageEvent } from "./mapping.ts";
import type { Reading } from "./source.ts";

/** One source behind any number of responses. */
export interface Channel {
  readonly journal: Journal;
  /** Opens the place of one response; `undefined` where it must not begin in the middle and would. */
  join(settings: JoinSettings): Cursor | undefined;
}

/** Settings of one response. */
export interface JoinSettings {
  readonly lastEventId?: string | undefined;
  readonly approvals?: ApprovalStore | undefined;
  /** Whether the events are of no use without those before them. */
  readonly isWhole: boolean;
  /** Called when its reader leaves early, and no other is left. */
  onLastLeft(): void;
}

/** Joins messages, approvals, format and journal. */
export function makeChannel(
  { reading, mapping, mostBytes, onOver = () => {} }: {
    readonly reading: Reading;
    readonly mapping: Mapping<PageEvent>;
    readonly mostBytes: number;
    readonly onOver?: () => void;
  },
): Channel {
  const sessions = new Set<string>();
  const feed = approvalFeed(sessions, (approval) => {
    journal.add(mapping.approval(approval));
  });
  const journal = makeJournal({ read, mostBytes });
  let watch: AbortController | undefined;

  async function read(): Promise<Step> {
    let messages: readonly Message[] | undefined;
    try {
      messages = await reading.messages.next();
    } catch (error) {
      return await end(failureOf(error));
    }
    if (messages === undefined) return await end();
    try {
      return { events: mapAll(messages, eventsOf), isLast: false };
    } catch (error) {
      reading.close();
      return await end(failureOf(error));
    }
  }

  function eventsOf(message: Message): readonly PageEvent[] {
    learnSession(message);
    return mapping.message(message);
  }

  async function end(failure?: StreamFailure): Promise<Step> {
    await feed.settle();
    watch?.abort();
    onOver();
    return { events: mapping.end(failure), isLast: true };
  }

  function learnSession(message: Message): void {
    for (const id of [reading.sessionId(), sessionOf(message)]) {
      if (id === undefined || sessions.has(id)) continue;
      sessions.add(id);
      void feed.look();
    }
  }

  return {
    journal,
    join({ lastEventId, approvals, isWhole, onLastLeft }) {
      const cursor = journal.open(lastEventId);
      if (isWhole && cursor.hasGap) {
        cursor.leave();
        return undefined;
      }
      if (approvals !== undefined && watch === undefined && !journal.isOver) {
        watch = new AbortController();
        void feed.follow(approvals, watch.signal);
      }
      return {
        ...cursor,
        leave() {
          cursor.leave();
          if (journal.readers > 0 || journal.isOver) return;
          watch?.abort();
          watch = undefined;
          onLastLeft();
        },
      };
    },
  };
}

function sessionOf(message: Message): string | undefined {
  const id: unknown = "session_id" in message ? message.session_id : undefined;
  return typeof id === "string" && id !== "" ? id : undefined;
}
