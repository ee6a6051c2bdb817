import { settleWithin } from "../async/deadline.ts";
import { verdict } from "../cli/verdict.ts";
import type { AgentError } from "../errors/base.ts";
import { CliError } from "../errors/cli.ts";
import { textOfError } from "../errors/text.ts";
import type { Settings } from "../options/resolve.ts";
import { planOf } from "../ports/process.ts";
import type { ExitReport } from "../ports/transport.ts";
import type { OpenChannel } from "./cli_channel.ts";
import { type EndingName, limitOf } from "./endings.ts";
import type { Open } from "./parts.ts";
import type { Services } from "./services.ts";
import { shownNames } from "./user_line.ts";

/** Judges how the CLI ended, once its output has, or broke: that decides how the start or the conversation does. */
export async function judgeEnd(open: Open, readError: unknown): Promise<void> {
  const { ending, turns, cli, log, meter, settings, fault } = open;
  const report = await reportOf(open);
  // Before anybody hears of the end; close() tells what comes of it.
  await cli.removeFiles().catch(() => {});
  const lost = await open.transcripts?.finish();
  log.info("Conversation ended", {
    exitCode: report.code,
    signal: report.signal,
    runtimeMs: settings.clock.now() - (meter.startedMs ?? 0),
    messages: meter.messagesReceived,
  });
  if (!turns.isReady) {
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
  { turns, input, cli, context, shown }: Open,
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
    ready: turns.isReady,
    results: turns.results,
    lastIsError: turns.hasErrorResult,
    hasSpoken: turns.hasSpoken,
    hasMore: input.hasMore,
    unanswered: shownNames(turns.unanswered, shown),
    version: cli.version,
  }, context);
}

/** A prompt was lost: the end of the CLI is the story, and one that lives on without hearing is at its end too. */
export async function endUnheard(
  { cli, ending, settings, context }: Services,
  channel: OpenChannel,
  cause: unknown,
): Promise<void> {
  const limitMs = limitOf("lastWords", settings);
  await settleWithin(channel.gone, limitMs, settings.clock);
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
export async function stopFinished(
  settings: Settings,
  channel: OpenChannel,
): Promise<ExitReport> {
  const plan = planOf("finished", settings.shutdown);
  const limitMs = plan.killMs + limitOf("reap", settings);
  const stopped = channel.stop(plan).then(() => channel.exited);
  const { stderrTail = "" } =
    await settleWithin(stopped, limitMs, settings.clock) ?? {};
  // The way it ends says nothing.
  return { code: null, signal: null, reason: "finished", stderrTail };
}

/** How the CLI ended: one that stays is stopped, one that is gone has its last words read. */
async function reportOf({ cli, settings, channel }: Open): Promise<ExitReport> {
  const within = <T>(promise: Promise<T>, name: EndingName) =>
    settleWithin(promise, limitOf(name, settings), settings.clock);
  await within(channel.gone, "linger");
  const report = cli.hasExited
    ? await within(channel.exited, "lateOutput")
    : undefined;
  return report ?? await stopFinished(settings, channel);
}
