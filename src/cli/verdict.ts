import {
  type CliContext,
  CliExitError,
  SessionNotFoundError,
} from "../errors/cli.ts";
import { FEATURES } from "../options/features.ts";
import { isOlder, named, TESTED_VERSION, UPDATE } from "../options/versions.ts";
import { showExit } from "../errors/text.ts";
import type { ExitReport } from "../ports/transport.ts";

/** State of a conversation when the CLI ended. */
export interface Seen {
  /** Whether `initialize` was answered. */
  readonly ready: boolean;
  readonly results: number;
  /** Whether a result with `is_error` came; the CLI repeats it as exit code 1. */
  readonly lastIsError: boolean;
  /** Whether the model has said something in a turn that has no result yet. */
  readonly hasSpoken: boolean;
  /** Whether more prompts were to come. */
  readonly hasMore: boolean;
  /** Names of the prompts without an answer. */
  readonly unanswered: readonly string[];
  readonly version?: string | undefined;
  /** Session that the CLI was told to resume. */
  readonly resume?: string | undefined;
}

/** The error for an exit; `undefined` for an expected one. */
export function verdict(
  report: ExitReport,
  seen: Seen,
  contextOf: () => CliContext,
): CliExitError | undefined {
  const reason = reasonFor(report, seen);
  if (reason === undefined) return undefined;
  const context = { ...contextOf(), stderrTail: report.stderrTail };
  const { unanswered, resume } = seen;
  if (!seen.ready && resume !== undefined && isMissing(resume, report)) {
    return new SessionNotFoundError({
      sessionId: resume,
      exitCode: report.code,
      signal: report.signal,
      context,
    });
  }
  const help = helpFor(report, context.cliPath, seen);
  return new CliExitError({
    message: `CLI ${reason}: ${showExit(report)}${help}`,
    reason,
    exitCode: report.code,
    signal: report.signal,
    ...unanswered.length > 0 &&
      { details: { unansweredCount: unanswered.length, unanswered } },
    context,
  });
}

/** Whether the CLI says in a line of its own that the session does not exist. Source: tried on CLI 2.1.330. */
function isMissing(session: string, { stderrTail }: ExitReport): boolean {
  const said = `No conversation found with session ID: ${session}`;
  return stderrTail.split("\n").some((line) => line.trim() === said);
}

/** Hints for a program that is not the CLI, and for a CLI that rejected a flag. */
function helpFor(
  { code, stderrTail }: ExitReport,
  path: string | undefined,
  { ready, version }: Seen,
): string {
  const cli = named(path);
  if (!ready && code === 0 && version === undefined) {
    return `; ${cli} ended without speaking the protocol: look whether it is the Claude Code CLI`;
  }
  const [, flag] = /error: unknown option '(--[\w-]+)/.exec(stderrTail) ?? [];
  if (flag === undefined) return "";
  const feature = Object.values(FEATURES).find(({ sent }) => sent === flag);
  if (feature !== undefined) {
    const is = version ?? "older";
    return `; the flag ${flag} needs CLI ${feature.release} or later, and ${cli} is ${is}: ${UPDATE}`;
  }
  if (version === undefined) return "";
  const update = isOlder(version, TESTED_VERSION) ? `${UPDATE}, or ` : "";
  return `; ${cli} is ${version}, which does not know the flag ${flag}: ${update}leave it out`;
}

function reasonFor(
  { code, reason, signal }: ExitReport,
  { unanswered, lastIsError, ready, results, hasSpoken, hasMore }: Seen,
): string | undefined {
  // We stopped it ourselves.
  if (reason !== undefined && reason !== "finished") return undefined;
  if (!ready) return "exited before initialize was answered";
  // The way that one ends which stayed when its work was over says nothing.
  const isStopped = reason === "finished";
  if (signal !== null && !isStopped) {
    return "was ended by a signal that was not sent by this conversation";
  }
  const { length: count } = unanswered;
  if (count > 0) {
    if (results === 0) return "exited without a result";
    return `exited with ${count} ${
      count === 1 ? "prompt" : "prompts"
    } without an answer`;
  }
  if (hasSpoken && !isStopped && results > 0) {
    return "exited in the middle of a turn";
  }
  if (hasMore && code === 0 && !isStopped) {
    return "exited while more prompts were to come";
  }
  if (isStopped || code === null || code === 0 || code === 1 && lastIsError) {
    return undefined;
  }
  return results === 0
    ? "exited without a result"
    : "exited with a code that nothing explains";
}
