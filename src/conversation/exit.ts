import { settleWithin } from "../async/deadline.ts";
import type { Deferred } from "../async/deferred.ts";
import { verdict } from "../cli/verdict.ts";
import type { AgentError } from "../errors/base.ts";
import { CliError, CliStalledError } from "../errors/cli.ts";
import { textOfError } from "../errors/text.ts";
import type { Settings } from "../options/settings.ts";
import { planOf } from "../ports/process.ts";
import type { ExitReport } from "../ports/transport.ts";
import type { Meter } from "../observe/metrics.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { Queue } from "../stream/queue.ts";
import type { ActivityFeed } from "./activity.ts";
import type { CliChannel, OpenChannel } from "./cli_channel.ts";
import type { Ending } from "./ending.ts";
import type { ErrorFeed } from "./error_feed.ts";
import type { Reporter } from "./reporter.ts";
import type { TranscriptCopy } from "./transcripts.ts";
import type { Deadlines } from "../async/deadline.ts";
import { limitOf, within } from "./waits.ts";
import { shownNames } from "./user_line.ts";
import type { Engine } from "../engine/engine.ts";
import { dueSign, unanswered } from "./work.ts";
import type { Turns } from "./turns.ts";

/** A conversation that may stall. */
interface Watched {
  readonly settings: Settings;
  readonly deadlines: Deadlines;
  readonly turns: Turns;
  readonly meter: Meter;
  readonly cli: CliChannel;
  readonly activity: ActivityFeed;
}

/** What is told of a stall, and where. */
interface Stalled {
  readonly settings: Settings;
  readonly turns: Turns;
  readonly queue: Queue<Message>;
  readonly errors: ErrorFeed;
  readonly ending: Ending;
  readonly reporter: Reporter;
  readonly channel: OpenChannel;
  readonly engine: Pick<Engine, "stopReading">;
}

/** A conversation that ends with its output. */
interface Finishing {
  readonly settings: Settings;
  readonly turns: Turns;
  readonly cli: CliChannel;
  readonly meter: Meter;
  readonly reporter: Reporter;
  readonly ending: Ending;
  /** The copy of the session, where one is kept. */
  readonly transcripts?: TranscriptCopy;
  /** Resolves when the start has succeeded or failed. */
  readonly decided: Promise<void>;
}

/** What has ended. */
interface Ended {
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
  { settings, deadlines, turns, meter, cli, activity }: Watched,
  isWorking: () => boolean,
  onStall: (silenceMs: number) => void,
): IdleWatch {
  const { clock, health } = settings;
  /** When the silence began that was told last. */
  let toldSinceMs: number | undefined;
  let check = deadlines.add(health.checkMs, look);

  /** When the silence of the moment began, and how long it may last; `undefined` while there is nothing to worry about. */
  function silence() {
    const due = dueSign(turns.state);
    // The start has its own limit, and what is gone owes nothing.
    if (
      due === undefined || isWorking() || !turns.state.isReady || cli.hasExited
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
    onStall(silenceMs);
  }

  return {
    get isStalled() {
      return toldSinceMs !== undefined && silence()?.sinceMs === toldSinceMs;
    },
    close: () => check.cancel(),
  };
}

/** Tells of a stall, and ends the conversation if that is wanted, or else the CLI that does not exit. */
export function tellStall(
  { settings, turns, queue, errors, ending, reporter, channel, engine }:
    Stalled,
  silenceMs: number,
): void {
  const { log, shown, context, count } = reporter;
  const isEnd = settings.health.onIdle === "fail";
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
    void stopFinished(settings, channel).then(() => engine.stopReading());
  }
  // Nothing will come of prompts that wait for an answer: a reader by turns gets what takes its place.
  const gap = turns.giveUp();
  if (gap !== undefined) queue.put([gap], 0);
}

/** Judges how the CLI ended, once its output has, or broke: that decides how the start or the conversation does. */
export async function judgeEnd(
  finishing: Finishing,
  ended: Ended,
  readError: unknown,
): Promise<void> {
  const { ending, turns, cli, meter, settings, reporter } = finishing;
  const { log } = reporter;
  const report = await reportOf(finishing, ended.channel);
  // Before anybody hears of the end; close() tells what comes of it.
  await cli.removeFiles().catch(() => {});
  const lost = await finishing.transcripts?.finish();
  log.info("Conversation ended", {
    exitCode: report.code,
    signal: report.signal,
    runtimeMs: settings.clock.monotonic() - (meter.startedMs ?? 0),
    messages: meter.messagesReceived,
  });
  if (!turns.state.isReady) {
    const failure = failureOf(finishing, ended, report, readError);
    if (failure !== undefined) ended.fault.reject(failure);
    // It may have answered just before.
    await finishing.decided;
  }
  if (ending.reason !== undefined) return;
  const failure = failureOf(finishing, ended, report, readError);
  const fatal = lost?.fatal ? lost : undefined;
  if (fatal !== undefined && failure !== undefined) reporter.report(fatal);
  const error = failure ?? fatal;
  // Closing reports its own failures to whoever calls close().
  (error === undefined ? ending.finish() : ending.fail(error)).catch(() => {});
}

function failureOf(
  { turns, cli, reporter: { context, shown }, settings: { options } }:
    Finishing,
  { input }: Ended,
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
export interface Unheard {
  readonly settings: Settings;
  readonly cli: CliChannel;
  readonly ending: Ending;
  readonly reporter: Reporter;
}

/** A prompt was lost: the end of the CLI is the story, and one that lives on without hearing is at its end too. */
export async function endUnheard(
  { cli, ending, settings, reporter }: Unheard,
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
      context: reporter.context(),
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
  { cli, settings }: Finishing,
  channel: OpenChannel,
): Promise<ExitReport> {
  await within("linger", channel.gone, settings);
  const report = cli.hasExited
    ? await within("lateOutput", channel.exited, settings)
    : undefined;
  return report ?? await stopFinished(settings, channel);
}
