import { type CliContext, CliExitError } from "../errors/cli.ts";
import { showExit } from "../errors/text.ts";
import type { ExitReport } from "../ports/transport.ts";

/** What was seen of a conversation before the CLI ended. */
export interface Seen {
  /** Whether `initialize` was answered. */
  readonly ready: boolean;
  /** How many results came. */
  readonly results: number;
  /** Whether a result with `is_error` came; the CLI repeats it as exit code 1. */
  readonly lastIsError: boolean;
  /** Whether an end without a result is fine: nothing was ever asked. */
  readonly expectedEnd: boolean;
}

/** What an exit means: `undefined` when something explains it. */
export function verdict(
  report: ExitReport,
  seen: Seen,
  context: CliContext,
): CliExitError | undefined {
  const reason = reasonFor(report, seen);
  if (reason === undefined) return undefined;
  return new CliExitError({
    message: `CLI ${reason}: ${showExit(report)}`,
    reason,
    exitCode: report.code,
    signal: report.signal,
    context: { ...context, stderrTail: report.stderrTail },
  });
}

function reasonFor(
  { code, reason, signal }: ExitReport,
  { expectedEnd, lastIsError, ready, results }: Seen,
): string | undefined {
  // We stopped it ourselves.
  if (reason !== undefined) return undefined;
  if (!ready) return "exited before initialize was answered";
  if (signal !== null) {
    return "was ended by a signal that was not sent by this conversation";
  }
  if (code === 1 && lastIsError) return undefined;
  if (code !== null && code !== 0) {
    return results === 0
      ? "exited without a result"
      : "exited with a code that nothing explains";
  }
  return results > 0 || expectedEnd ? undefined : "exited without a result";
}
