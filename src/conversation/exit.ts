import { settleWithin } from "../async/deadline.ts";
import type { Deferred } from "../async/deferred.ts";
import { verdict } from "../cli/verdict.ts";
import type { AgentError } from "../errors/base.ts";
import { CliError, CliStalledError } from "../errors/cli.ts";
import { textOfError } from "../errors/text.ts";
import type { Settings } from "../options/resolve.ts";
import { planOf } from "../ports/process.ts";
import type { ExitReport } from "../ports/transport.ts";
import type { OpenChannel } from "./cli_channel.ts";
import type { Services } from "./services.ts";
import { limitOf, within } from "./waits.ts";
import { shownNames } from "./user_line.ts";
import type { ByteReader } from "../stream/byte_reader.ts";
import { dueSign, unanswered } from "./work.ts";
import type { Turns } from "./turns.ts";

/** What the CLI may owe something to. */
interface Owing {
  readonly turns: Turns;
  /** Requests of the CLI without an answer. */
  readonly incoming: { readonly size: number };
}

/** A conversation whose output has ended. */
interface Ended {
  readonly turns: Turns;
  readonly channel: OpenChannel;
  readonly input: { readonly hasMore: boolean };
  /** Is rejected when that is the end of the start. */
  readonly fault: Deferred<never>;
}

/** The watch over a CLI that says nothing while it owes something. */
export interface IdleWatch {
  /** Whether the silence that lasts has been told. */
  readonly isStalled: boolean;
  /** Stops looking. */
  close(): void;
}

/** Looks now and then whether the CLI is silent for too long, tells each stall once, and stops one that does not exit. */
export function watchIdle(
  parts: Services & Owing,
  channel: OpenChannel,
  reader: ByteReader,
): IdleWatch {
  const { settings, window, ending, turns, meter, cli, activity } = parts;
  const { incoming, deadlines, log, errors, count, context, shown } = parts;
  const { clock, health } = settings;
  /** When the silence began that was told last. */
  let toldSinceMs: number | undefined;
  let check = deadlines.add(health.checkMs, look);

  /** When the silence of the moment began, and how long it may last; `undefined` while there is nothing to worry about. */
  function silence() {
    const due = dueSign(turns.state);
    const isWorking = incoming.size > 0 || !window.isEmpty;
    // The start has its own limit, and what is gone owes nothing.
    if (
      due === undefined || isWorking || !turns.state.isReady || cli.hasExited
    ) {
      return undefined;
    }
    // Whatever else it says is no exit.
    const sinceMs = due === "exit" ? meter.lastWorkMs : meter.lastSignMs;
    return sinceMs === undefined
      ? undefined
      : { sinceMs, limitMs: limitOf(due, settings) };
  }

  function look(): void {
    check = deadlines.add(health.checkMs, look);
    // A stall that was told may be over.
    activity.changed();
    const stall = silence();
    if (stall === undefined || stall.sinceMs === toldSinceMs) return;
    const silenceMs = clock.monotonic() - stall.sinceMs;
    if (silenceMs < stall.limitMs) return;
    toldSinceMs = stall.sinceMs;
    activity.changed();
    tellStall(silenceMs);
  }

  function tellStall(silenceMs: number): void {
    const isEnd = health.onIdle === "fail";
    const names = shownNames(unanswered(turns.state), shown);
    const what = turns.state.isStdinClosed
      ? "and does not exit"
      : "while it owes an answer";
    log.warn(`CLI has been silent ${what}`, { silenceMs });
    const error = new CliStalledError({
      message: `CLI has been silent for ${silenceMs} ms ${what}`,
      idleMs: silenceMs,
      fatal: isEnd,
      details: { unanswered: names },
      context: context(),
    });
    if (isEnd) return void ending.fail(error, "stalled");
    count(error);
    errors.push(error);
    if (turns.state.isStdinClosed) {
      void stopFinished(settings, channel).then(() => reader.cancel());
    }
    giveUp(parts);
  }

  return {
    get isStalled() {
      return toldSinceMs !== undefined && silence()?.sinceMs === toldSinceMs;
    },
    close: () => check.cancel(),
  };
}

/** Nothing will come of prompts that wait for an answer: whoever reads by turns gets what takes its place. */
function giveUp(
  { turns, window }: Pick<Services, "window"> & Pick<Owing, "turns">,
): void {
  const gap = turns.giveUp();
  if (gap !== undefined) window.put([gap], 0);
}

/** Judges how the CLI ended, once its output has, or broke: that decides how the start or the conversation does. */
export async function judgeEnd(
  open: Services & Ended,
  readError: unknown,
): Promise<void> {
  const { ending, turns, cli, log, meter, settings, fault } = open;
  const report = await reportOf(open);
  // Before anybody hears of the end; close() tells what comes of it.
  await cli.removeFiles().catch(() => {});
  const lost = await open.transcripts?.finish();
  log.info("Conversation ended", {
    exitCode: report.code,
    signal: report.signal,
    runtimeMs: settings.clock.monotonic() - (meter.startedMs ?? 0),
    messages: meter.messagesReceived,
  });
  if (!turns.state.isReady) {
    const failure = failureOf(open, report, readError);
    if (failure !== undefined) fault.reject(failure);
    // It may have answered just before.
    await open.decided;
  }
  if (ending.reason !== undefined) return;
  const failure = failureOf(open, report, readError);
  const fatal = lost?.fatal ? lost : undefined;
  if (fatal !== undefined && failure !== undefined) open.report(fatal);
  const error = failure ?? fatal;
  // Closing reports its own failures to whoever calls close().
  (error === undefined ? ending.finish() : ending.fail(error)).catch(() => {});
}

function failureOf(
  { turns, input, cli, context, shown, settings: { options } }:
    & Services
    & Ended,
  report: ExitReport,
  readError: unknown,
): AgentError | undefined {
  if (readError !== undefined) {
    return new CliError({
      stage: "read",
      message: `Cannot read from the CLI: ${textOfError(readError)}`,
      cause: readError,
      context: context(),
    });
  }
  return verdict(report, {
    ready: turns.state.isReady,
    results: turns.state.results,
    lastIsError: turns.state.hasErrorResult,
    hasSpoken: turns.state.hasSpoken,
    hasMore: input.hasMore,
    unanswered: shownNames(unanswered(turns.state), shown),
    version: cli.version,
    wanted: options,
  }, context);
}

/** What a prompt that cannot be written ends. */
export type Unheard = Pick<
  Services,
  "cli" | "ending" | "settings" | "context"
>;

/** A prompt was lost: the end of the CLI is the story, and one that lives on without hearing is at its end too. */
export async function endUnheard(
  { cli, ending, settings, context }: Unheard,
  channel: OpenChannel,
  cause: unknown,
): Promise<void> {
  await within("lastWords", channel.gone, settings);
  if (cli.hasExited || ending.reason !== undefined) return;
  await ending.fail(
    new CliError({
      stage: "write",
      message: `Prompt could not be written: ${textOfError(cause)}`,
      cause,
      context: context(),
    }),
  );
}

/** Stops a CLI that stays when its work is over: so is its life. Bounded, whatever a transport does. */
async function stopFinished(
  settings: Settings,
  channel: OpenChannel,
): Promise<ExitReport> {
  const plan = planOf("finished", settings.shutdown);
  const limitMs = plan.killMs + limitOf("reap", settings);
  const stop = async () => {
    await channel.stop(plan);
    return await channel.exited;
  };
  // One that cannot be stopped is told by close(), which tries again.
  const report = await settleWithin(stop(), limitMs, settings.clock)
    .catch(() => undefined);
  const { stderrTail = "" } = report ?? {};
  // The way it ends says nothing.
  return { code: null, signal: null, reason: "finished", stderrTail };
}

/** How the CLI ended: one that stays is stopped, one that is gone has its last words read. */
async function reportOf(
  { cli, settings, channel }: Services & Ended,
): Promise<ExitReport> {
  await within("linger", channel.gone, settings);
  const report = cli.hasExited
    ? await within("lateOutput", channel.exited, settings)
    : undefined;
  return report ?? await stopFinished(settings, channel);
}
