import { CliStalledError } from "../errors/cli.ts";
import { stopFinished } from "./exit.ts";
import type { Session } from "./running.ts";
import { shownNames } from "./user_line.ts";
import { dueSign, unanswered } from "./work.ts";

/** Checks now and then whether the CLI has been silent for too long, and reports each stall once. */
export function watchForStalls(
  session: Omit<Session, "stalls">,
): Session["stalls"] {
  const { settings: { clock, health }, deadlines, timeouts, life, cli } =
    session;
  const { turns, meter, activity, engine: { incoming } } = session;
  /** When the silence began that was reported last. */
  let toldSinceMs: number | undefined;
  let check = deadlines.add(health.checkMs, look);

  /** When the current silence began, and how long it may last; `undefined` while there is nothing to worry about. */
  function silence() {
    const due = dueSign(turns.state);
    // The start has its own timeout.
    if (due === undefined || !turns.state.isReady) return undefined;
    if (incoming.size > 0 || !life.queue.isEmpty || cli.hasExited) {
      return undefined;
    }
    // Whatever else the CLI writes is no exit.
    const sinceMs = due === "exit" ? meter.lastWorkMs : meter.lastSignMs;
    return sinceMs === undefined
      ? undefined
      : { sinceMs, limitMs: timeouts.ms(due) };
  }

  function look(): void {
    check = deadlines.add(health.checkMs, look);
    // A stall that was reported may be over.
    activity.changed();
    const stall = silence();
    if (stall === undefined || stall.sinceMs === toldSinceMs) return;
    const silenceMs = clock.monotonic() - stall.sinceMs;
    if (silenceMs < stall.limitMs) return;
    toldSinceMs = stall.sinceMs;
    activity.changed();
    reportStall(session, silenceMs);
  }

  life.scope.own("timers", () => check.cancel());
  return {
    get isStalled() {
      return toldSinceMs !== undefined && silence()?.sinceMs === toldSinceMs;
    },
  };
}

/** Reports a stall, and ends the conversation if that is wanted, or else a CLI that does not exit. */
function reportStall(
  session: Omit<Session, "stalls">,
  silenceMs: number,
): void {
  const { settings, life, reporter, turns, engine } = session;
  const { log, redact, context, count } = reporter;
  const { isStdinClosed } = turns.state;
  const isEnd = settings.health.onIdle === "fail";
  const what = isStdinClosed ? "and does not exit" : "while it owes an answer";
  log.warn(`CLI has been silent ${what}`, { silenceMs });
  const error = new CliStalledError({
    message: `CLI has been silent for ${silenceMs} ms ${what}`,
    idleMs: silenceMs,
    fatal: isEnd,
    details: { unanswered: shownNames(unanswered(turns.state), redact) },
    context: context(),
  });
  if (isEnd) return void life.fail(error, "stalled").catch(() => {});
  count(error);
  life.errors.push(error);
  if (isStdinClosed) {
    void stopFinished(session).then(() => engine.stopReading());
  }
  // Nothing will come of prompts that wait for an answer: a reader by turns gets what takes its place.
  const gap = turns.giveUp();
  if (gap !== undefined) life.queue.put([gap], 0);
}
