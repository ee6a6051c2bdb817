import {
  type CliContext,
  CliNotFoundError,
  CliVersionError,
} from "../errors/cli.ts";
import { textOfError } from "../errors/text.ts";
import type { Host } from "../ports/host.ts";
import { SpawnError } from "../process/child.ts";
import type {
  AttemptOutcome,
  CliDiscovery,
  CliSource,
  DiscoveryAttempt,
} from "../types/activity.ts";
import { isOlder, MINIMUM_VERSION } from "../options/versions.ts";

const OUTCOMES: Readonly<Record<AttemptOutcome, string>> = {
  "found": "works",
  "missing": "does not exist",
  "not-executable": "cannot be executed",
  "broken-link": "is a broken link",
  "failed": "does not work",
  "timeout": "did not answer",
  "skipped": "was skipped",
};

/** Names of the sources that replace a search. */
const NAMES: Partial<Record<CliSource, string>> = {
  option: 'option "cliPath"',
  environment: "CLAUDE_CLI_PATH",
};

const INSTALL =
  `install it (npm install -g @anthropic-ai/claude-code), or name it in option "cliPath" or CLAUDE_CLI_PATH`;

/** The error for a search that found nothing, with the whole trace. */
export function notFound(
  discovery: CliDiscovery,
  context: CliContext = {},
): CliNotFoundError {
  return new CliNotFoundError({
    message: notFoundText(discovery),
    details: { tried: discovery.attempts.map(({ path }) => path) },
    discovery,
    context,
  });
}

function notFoundText({ attempts }: CliDiscovery): string {
  const problems = attempts.filter(({ outcome }) => outcome !== "missing");
  const missing = attempts.filter(({ outcome }) => outcome === "missing");
  const name = NAMES[attempts[0]?.source ?? "path"];
  if (name !== undefined) {
    const facts = [...problems, ...missing].map(showAttempt).join(", ");
    return `Claude CLI not found: ${name} does not lead to one, ${facts}`;
  }
  const facts = problems.map((attempt) => `${showAttempt(attempt)}; `).join("");
  const tried = missing.map(({ path }) => `\n  "${path}"`).join("");
  return `Claude CLI not found: ${facts}${INSTALL}; places without one:${tried}\n`;
}

/** `"/opt/bin/claude" cannot be executed (run chmod +x ...)`. */
function showAttempt(
  { outcome, path, reason }: DiscoveryAttempt,
): string {
  const fact = `"${path}" ${OUTCOMES[outcome]}`;
  return reason === undefined ? fact : `${fact} (${reason})`;
}

/** Why a program that is there could not be started, and what helps. */
export function explainStart(host: Host, error: unknown, path: string): string {
  if (!(error instanceof SpawnError)) return textOfError(error);
  if (error.failure === "cwd") return error.message;
  const reason = textOfError(error.cause);
  switch (host.failureOf(error.cause)) {
    case "missing":
      return `the file exists, but its interpreter or C library is missing (a program for musl does not start on glibc, nor the other way round)`;
    case "permission":
      return `permission denied: ${reason}; run chmod +x "${path}"`;
    case "not-allowed":
      return `this program has no permission to start it: run it with --allow-run="${path}" (${reason})`;
    case "other":
      return reason;
  }
}

/** The text for a CLI that is too old. */
export function oldCli(path: string | undefined, version: string): string {
  const where = path === undefined ? "" : ` at "${path}"`;
  return `CLI ${version}${where} is older than ${MINIMUM_VERSION}: run claude update`;
}

/** The error of a conversation with a CLI that is too old. */
export function tooOld(
  path: string | undefined,
  version: string,
  context: CliContext,
): CliVersionError {
  return new CliVersionError({
    message: oldCli(path, version),
    version,
    minimum: MINIMUM_VERSION,
    context,
  });
}

/** Whether a CLI is older than the oldest supported one. */
export function isTooOld(version: string | undefined): version is string {
  return isOlder(version, MINIMUM_VERSION);
}
