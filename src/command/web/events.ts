import { Deferred } from "../../async/deferred.ts";
import { systemClock } from "../../async/system_clock.ts";
import type { PageEvent } from "./data.ts";
import type { WebSession } from "./session.ts";

/** Pause after an event, in milliseconds: what changes meanwhile is one event. */
const PAUSE_MS = 30;

/** The events of one page: first all of the session, then what changed until the page has read the event before. */
export interface PageEvents {
  readonly events: AsyncGenerator<PageEvent>;
  /** Ends them; the page knows that it may ask for them again later. */
  pause(): void;
}

/** Makes the events of a page. */
export function pageEvents(session: WebSession): PageEvents {
  const ended = new Deferred<void>();
  return { events: changesOf(session, ended), pause: () => ended.resolve() };
}

async function* changesOf(
  session: WebSession,
  ended: Deferred<void>,
): AsyncGenerator<PageEvent> {
  const { story } = session;
  let changes = -1;
  let warnings: string | undefined;
  let asked: unknown;
  let doing: string | undefined;
  let live: { readonly id: number; readonly length: number } | undefined;
  while (!ended.isSettled) {
    const news = session.news();
    const event: { -readonly [Key in keyof PageEvent]: PageEvent[Key] } = {};
    const warned = story.head.warnings.join("\n");
    if (changes !== story.changes || warnings !== warned) {
      event.story = story.dataSince(changes);
      changes = story.changes;
      warnings = warned;
    }
    if (asked !== session.questions.asked) {
      asked = event.asked = session.questions.asked;
    }
    const { ms, ...now } = session.doing;
    if (doing !== JSON.stringify(now)) {
      doing = JSON.stringify(now);
      event.doing = { ...now, ms };
    }
    const block = session.live.now;
    if (block === undefined) {
      if (live !== undefined) event.live = null;
      live = undefined;
    } else {
      const { id, label, text } = block;
      const known = live?.id === id ? live.length : 0;
      if (known < text.length || live?.id !== id) {
        event.live = { id, label, text: text.slice(known) };
      }
      live = { id, length: text.length };
    }
    if (Object.keys(event).length > 0) yield event;
    await Promise.race([news, ended.promise]);
    if (!ended.isSettled) await systemClock.sleep(PAUSE_MS);
  }
  yield { isPaused: true };
}
