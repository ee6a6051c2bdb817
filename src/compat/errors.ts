import { textOfError } from "../errors/text.ts";
import type { ExitReport } from "../ports/transport.ts";

/** The query was aborted by its `abortController`. */
export class AbortError extends Error {}

/** The error that ends an aborted query; its cause is the reason of the abort. */
export function abortedByUser(cause: unknown): AbortError {
  return new AbortError(ENDED.aborted, { cause });
}

/** Error of a call on an aborted query. */
export function operationAborted(): AbortError {
  return new AbortError(ENDED.operationAborted);
}

/** Error of a prompt for a CLI that has exited; its cause is the failure that ended it. */
export function notReady(cause: Error | undefined): Error {
  return new Error(ENDED.notReady, cause && { cause });
}

/** Error of lines that the CLI did not take; its cause is the failed write. */
export function notWritten(cause: unknown): Error {
  return new Error(`${ENDED.notWritten} ${textOfError(cause)}`, { cause });
}

/**
 * Texts that programs match on. Source: behaviour of the official SDK 0.3.330.
 */
export const ENDED = {
  aborted: "Claude Code process aborted by user",
  operationAborted: "Operation aborted",
  closed: "Query closed before response received",
  notSent: "Query closed before initialize was sent",
  notReady: "ProcessTransport is not ready for writing",
  exited: "Claude Code process exited with code",
  killed: "Claude Code process terminated by signal",
  livedOn:
    "Claude Code process was ended: it closed its output and did not exit within 10 minutes",
  errorResult: "Claude Code returned an error result:",
  terminated: "Cannot write to terminated process",
  closedOutput: "Claude Code had closed its output",
  notWritten: "Failed to write to process stdin:",
  notStarted: "Failed to spawn Claude Code process:",
  noBinary: "Claude Code native binary not found at",
  noScript: "Claude Code executable not found at",
  binary: "Claude Code native binary at",
  script: "Claude Code executable at",
  notLaunched: "exists but failed to launch",
  nothingFound:
    "Claude CLI not found. Install it (npm install -g @anthropic-ai/claude-code; for @sluice/claude-agent-sdk, npm install without --omit=optional), or set options.pathToClaudeCodeExecutable or CLAUDE_CLI_PATH. The places that were looked at are in the error's cause.",
} as const;

/** Version of the official SDK that this behaves like; the CLI gets it. */
export const SDK_VERSION = "0.3.332";

/** The failure that an exit means, in the words of the official SDK. */
export function exitFailure(
  { code, signal, stderrTail }: ExitReport,
): Error | undefined {
  const tail = stderrTail.trim().slice(-2_048);
  const said = tail === "" ? "" : `. stderr: ${tail}`;
  if (code) {
    const error = new Error(`${ENDED.exited} ${code}${said}`);
    return Object.assign(error, { exitCode: code });
  }
  if (signal === null) return undefined;
  const error = new Error(`${ENDED.killed} ${signal}${said}`);
  return Object.assign(error, { signal });
}
