import { settleWithin } from "../async/deadline.ts";
import { Deferred } from "../async/deferred.ts";
import { verdict } from "../cli/verdict.ts";
import type { AgentError } from "../errors/base.ts";
import { CliError } from "../errors/cli.ts";
import { ProtocolError } from "../errors/protocol.ts";
import { textOfError } from "../errors/text.ts";
import type { Host } from "../ports/host.ts";
import { type ExitReport, planOf } from "../ports/transport.ts";
import { ByteReader } from "../stream/byte_reader.ts";
import { type EndingName, limitOf } from "./endings.ts";
import type { Composed, OpenChannel } from "./parts.ts";
import { joinStages } from "./pipeline.ts";
import { Pump } from "./pump.ts";
import { shownNames } from "./user_line.ts";

/** What a start waits for beside the answer. */
export interface Reading {
  /** Rejects when the CLI ends before the conversation is ready; stays open otherwise. */
  readonly fault: Promise<never>;
}

/** Starts to read what the CLI says, and takes care of its end. */
export function startReading(
  parts: Composed,
  host: Host,
  channel: OpenChannel,
): Reading {
  const { settings, window, pending, live, ending } = parts;
  const { clock, limits } = settings;
  const fault = new Deferred<never>().quiet();
  const reader = new ByteReader(channel.readable, host.tuning.reusesBuffer);
  const pipeline = joinStages(parts, host, reader.isReused);
  const pump = new Pump({
    reader,
    pipeline,
    window,
    pending,
    readAheadBytes: limits.readAheadBytes,
    maxBufferedBytes: limits.maxBufferedBytes,
    onFull: () => pending.rejectAll((request) => tooFull(parts, request)),
    now: () => clock.now(),
    nextTurn: (callback) => host.nextTurn(callback),
    onEnd: (error) => {
      live.ended = onOutputEnd(parts, channel, { fault, readError: error });
    },
  });
  live.pump = pump;
  live.stop = async () => {
    await stopFinished(parts, channel);
    await reader.cancel();
  };
  // A grandchild may hold the pipe, and write to it.
  channel.gone.then(() => {
    const quietMs = limitOf("quietOutput", settings);
    reader.endAfterSilence(quietMs, clock, limitOf("lateOutput", settings));
  });
  if (ending.reason === undefined) pump.watch();
  return { fault: fault.promise };
}

/** The output has ended: how the CLI ended decides how the start or the conversation does. */
async function onOutputEnd(
  parts: Composed,
  channel: OpenChannel,
  { fault, readError }: {
    readonly fault: Deferred<never>;
    readonly readError: unknown;
  },
): Promise<void> {
  const { ending, live } = parts;
  const report = await reportOf(parts, channel);
  const broken = readError === undefined
    ? undefined
    : brokenPipe(parts, readError);
  logEnd(parts, report);
  if (!live.isReady) {
    const failure = broken ?? judge(parts, report);
    if (failure !== undefined) fault.reject(failure);
    // It may have answered just before.
    await live.decided.promise;
  }
  if (ending.reason !== undefined) return;
  const failure = broken ?? judge(parts, report);
  // Closing reports its own failures to whoever calls close().
  (failure === undefined ? ending.finish() : ending.fail(failure))
    .catch(() => {});
}

/** How the CLI ended: one that stays is stopped, one that is gone has its last words read. */
async function reportOf(
  parts: Composed,
  channel: OpenChannel,
): Promise<ExitReport> {
  const { live, settings } = parts;
  const within = <T>(promise: Promise<T>, name: EndingName) =>
    settleWithin(promise, limitOf(name, settings), settings.clock);
  await within(channel.gone, "linger");
  const report = live.hasExited === true
    ? await within(channel.exited, "lateOutput")
    : undefined;
  return report ?? await stopFinished(parts, channel);
}

/** Its work is over and it stays: so is its life. Bounded, whatever a transport does. */
async function stopFinished(
  { settings }: Composed,
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

function judge(
  { turns, input, live, context, shown }: Composed,
  report: ExitReport,
): AgentError | undefined {
  return verdict(report, {
    ready: live.isReady === true,
    results: turns.results,
    lastIsError: turns.hasErrorResult,
    hasSpoken: turns.hasSpoken,
    hasMore: input.hasMore,
    unanswered: shownNames(turns.unanswered, shown),
  }, context());
}

function brokenPipe({ context }: Composed, cause: unknown): CliError {
  return new CliError({
    stage: "read",
    message: `Cannot read from the CLI: ${textOfError(cause)}`,
    cause,
    context: context(),
  });
}

function tooFull(
  { settings }: Composed,
  { id, subtype, data }: {
    id: string;
    subtype: string;
    data: ProtocolError["requestData"] & object;
  },
): ProtocolError {
  return new ProtocolError({
    message:
      `Answer is behind too many unread messages: "limits.maxBufferedBytes" is ${settings.limits.maxBufferedBytes}`,
    category: "transport",
    requestId: id,
    subtype,
    requestData: data,
  });
}

function logEnd({ log, meter, settings }: Composed, report: ExitReport): void {
  log.info("Conversation ended", {
    exitCode: report.code,
    signal: report.signal,
    runtimeMs: settings.clock.now() - (meter.startedMs ?? 0),
    messages: meter.messagesReceived,
  });
}
