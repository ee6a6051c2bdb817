import { verdict } from "../cli/verdict.ts";
import type { AgentError } from "../errors/base.ts";
import { CliError } from "../errors/cli.ts";
import { textOfError } from "../errors/text.ts";
import { planOf } from "../ports/process.ts";
import type { ExitReport } from "../ports/transport.ts";
import type { Session } from "./running.ts";
import { shownNames } from "./user_line.ts";
import { unanswered } from "./work.ts";

/** Decides how the start or the conversation ends, when the output of the CLI has ended or broke. */
export async function judgeEnd(
  session: Session,
  readError: unknown,
): Promise<void> {
  const { life, turns, cli, meter, settings, reporter } = session;
  const report = await reportOf(session);
  // Before anybody hears of the end; close() tells what comes of it.
  await cli.removeFiles().catch(() => {});
  const lost = await session.transcripts?.finish();
  reporter.log.info("Conversation ended", {
    exitCode: report.code,
    signal: report.signal,
    runtimeMs: settings.clock.monotonic() - (meter.startedMs ?? 0),
    messages: meter.messagesReceived,
  });
  const failure = () => failureOf(session, report, readError);
  if (!turns.state.isReady) {
    const early = failure();
    if (early !== undefined) session.ended.reject(early);
    // It may have answered just before.
    await life.started.promise;
  }
  if (life.reason !== undefined) return;
  const fatal = lost?.fatal ? lost : undefined;
  const failed = failure();
  if (fatal !== undefined && failed !== undefined) reporter.report(fatal);
  const error = failed ?? fatal;
  // close() reports failures of closing to its caller.
  (error === undefined ? life.finish() : life.fail(error)).catch(() => {});
}

function failureOf(
  { turns, cli, input, reporter: { context, redact }, settings: { options } }:
    Session,
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
    unanswered: shownNames(unanswered(turns.state), redact),
    version: cli.version,
    resume: options.resume,
  }, context);
}

/** A prompt was lost: the end of the CLI tells why, and one that lives on without input is at its end too. */
export async function failOnLostPrompt(
  { cli, life, timeouts, reporter, channel }: Session,
  cause: unknown,
): Promise<void> {
  await timeouts.withTimeout("lastWords", channel.gone);
  if (cli.hasExited || life.reason !== undefined) return;
  await life.fail(
    new CliError({
      stage: "write",
      message: `Prompt could not be written: ${textOfError(cause)}`,
      cause,
      context: reporter.context(),
    }),
  );
}

/** Stops a CLI that stays when its work is over. Bounded, whatever a transport does. */
export async function stopFinished(
  { settings, timeouts, channel }: Omit<Session, "stalls">,
): Promise<ExitReport> {
  const plan = planOf("finished", settings.shutdown);
  const stop = async () => {
    await channel.stop(plan);
    return await channel.exited;
  };
  // close() tries again, and reports one that cannot be stopped.
  const report = await timeouts.withTimeout("reap", stop(), plan.killMs)
    .catch(() => undefined);
  const { stderrTail = "" } = report ?? {};
  // The way it ends says nothing.
  return { code: null, signal: null, reason: "finished", stderrTail };
}

/** Exit report of the CLI: a running one is stopped, the last output of an ended one is read. */
async function reportOf(session: Session): Promise<ExitReport> {
  const { cli, timeouts, channel } = session;
  await timeouts.withTimeout("linger", channel.gone);
  const report = cli.hasExited
    ? await timeouts.withTimeout("lateOutput", channel.exited)
    : undefined;
  return report ?? await stopFinished(session);
}
