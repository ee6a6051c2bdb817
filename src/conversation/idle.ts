import { CliStalledError } from "../errors/cli.ts";
import type { Incoming } from "../wire/incoming.ts";
import { limitOf } from "./endings.ts";
import type { Services } from "./services.ts";
import type { Turns } from "./turns.ts";
import { shownNames } from "./user_line.ts";

/** The watch over a CLI that says nothing while it owes something. */
export interface IdleWatch {
  /** Whether the silence that lasts has been told. */
  readonly isStalled: boolean;
  /** Stops looking. */
  close(): void;
}

/** Looks now and then whether the CLI is silent for too long, and tells each stall once; `stop` ends one that does not exit. */
export function watchIdle(
  services: Services & { readonly incoming: Incoming; readonly turns: Turns },
  stop: () => Promise<void>,
): IdleWatch {
  const { settings, window, ending, turns, meter, cli, activity } = services;
  const { incoming, deadlines, log, errors, count, context, shown } = services;
  const { clock, health } = settings;
  /** When the silence began that was told last. */
  let toldSinceMs: number | undefined;
  let check = deadlines.add(health.checkMs, look);

  /** When the silence of the moment began, and how long it may last; empty while there is nothing to worry about. */
  function silence(): { readonly sinceMs?: number; readonly limitMs?: number } {
    const due = turns.isDue;
    if (due === undefined || incoming.size > 0 || !window.isEmpty) return {};
    // The start has its own limit, and what is gone owes nothing.
    if (!turns.isReady || cli.hasExited) return {};
    // Whatever else it says is no exit.
    const sinceMs = due === "exit" ? meter.lastWorkMs : meter.lastSignMs;
    return sinceMs === undefined
      ? {}
      : { sinceMs, limitMs: limitOf(due, settings) };
  }

  function look(): void {
    check = deadlines.add(health.checkMs, look);
    // A stall that was told may be over.
    activity.changed();
    const { sinceMs, limitMs } = silence();
    if (sinceMs === undefined || limitMs === undefined) return;
    const silenceMs = clock.now() - sinceMs;
    if (sinceMs === toldSinceMs || silenceMs < limitMs) return;
    toldSinceMs = sinceMs;
    activity.changed();
    tellStall(silenceMs);
  }

  function tellStall(silenceMs: number): void {
    const isEnd = health.onIdle === "fail";
    const unanswered = shownNames(turns.unanswered, shown);
    const what = turns.isStdinClosed
      ? "and does not exit"
      : "while it owes an answer";
    log.warn(`CLI has been silent ${what}`, { silenceMs });
    const error = new CliStalledError({
      message: `CLI has been silent for ${silenceMs} ms ${what}`,
      idleMs: silenceMs,
      fatal: isEnd,
      details: { unanswered },
      context: context(),
    });
    if (isEnd) return void ending.fail(error, "stalled");
    count(error);
    errors.push(error);
    if (turns.isStdinClosed) void stop();
    const gap = turns.giveUp();
    if (gap !== undefined) window.put([gap], 0);
  }

  return {
    get isStalled() {
      const { sinceMs } = silence();
      return sinceMs !== undefined && sinceMs === toldSinceMs;
    },
    close: () => check.cancel(),
  };
}
