import { AgentError, type AgentErrorInit } from "./base.ts";
import { cut, endOf, show, showFacts, textOfError } from "./text.ts";
import { lastWords } from "./last_words.ts";
import type { CliDiscovery, ProcessHealth } from "../types/activity.ts";

/** Hundreds of unread errors may be kept, so one that is not fatal keeps only this many characters of stderr. */
const KEPT_OF_STDERR = 4_096;

/** Stage at which the CLI process failed. */
export type CliStage =
  /** No CLI was found: a `CliNotFoundError`, `cli_not_found`. */
  | "discovery"
  /** The CLI was found, but did not start, or did not answer its first request in time. */
  | "connect"
  /** Writing to stdin failed, or took too long. */
  | "write"
  /** Reading the output of the CLI failed. */
  | "read"
  /** The CLI exited: a `CliExitError`, `cli_exit`. */
  | "exit";

/** Facts about the process: its health when the error was made, if there was one. */
export interface ProcessInfo extends Partial<ProcessHealth> {
  /** Run time of the process, in milliseconds. */
  readonly runtimeMs?: number;
  /** JavaScript runtime that started it, with its version. */
  readonly host?: string;
}

/** Facts that every {@link CliError} may carry. */
export interface CliContext {
  /** Path of the CLI. */
  readonly cliPath?: string | undefined;
  /** The command line, secrets redacted. */
  readonly command?: readonly string[] | undefined;
  /** Names of the CLI's environment variables, without their values. */
  readonly environment?: readonly string[] | undefined;
  /** Facts about the process. */
  readonly processInfo?: ProcessInfo;
  /** Newest stderr text. */
  readonly stderrTail?: string;
  /** Report of the search for the CLI. */
  readonly discovery?: CliDiscovery | undefined;
}

/** Arguments of {@link CliError}. */
export interface CliErrorInit extends AgentErrorInit {
  /** Stage at which the process failed. */
  readonly stage: CliStage;
  /** Facts about the CLI. */
  readonly context?: CliContext;
}

/**
 * The CLI could not be started, written to, or read from.
 *
 * Fix: Read `stderrTail` and `cause`. If the CLI was only slow, raise `timeouts.connectMs` or `timeouts.writeMs`.
 */
export class CliError extends AgentError<{ readonly stage: CliStage }> {
  /** Name of the class. */
  override readonly name: string = "CliError";
  /** Error code: `cli_` and the stage, or the literal of a subclass. */
  override readonly code: string;
  /** Stage at which the process failed. */
  declare readonly stage: CliStage;
  /** Path of the CLI; `undefined` before it was found. */
  readonly cliPath: string | undefined;
  /** The command line, with secrets redacted; empty before it was built. */
  readonly command: readonly string[];
  /** Names of the CLI's environment variables, without their values. */
  readonly environment: readonly string[];
  /** Facts about the process: `pid`, `state`, `runtimeMs`, counts of bytes and messages, and `host`, the JavaScript runtime that started it. */
  readonly processInfo: ProcessInfo;
  /** End of the stderr text, up to `limits.stderrTailBytes`. */
  readonly stderrTail: string;
  /** Report of the search for the CLI; `undefined` if there was no search. */
  readonly discovery: CliDiscovery | undefined;

  /** Creates the error from the stage and facts about the CLI; the text contains both. */
  constructor(init: CliErrorInit) {
    const { context = {}, ...facts } = init;
    const { stderrTail = "" } = context;
    const message = init.message + showContext(init);
    super({ fatal: true, ...facts, message });
    this.code = `cli_${init.stage}`;
    this.cliPath = context.cliPath;
    this.command = context.command ?? [];
    this.environment = context.environment ?? [];
    this.processInfo = context.processInfo ?? {};
    this.stderrTail = this.fatal
      ? stderrTail
      : endOf(stderrTail, KEPT_OF_STDERR);
    this.discovery = context.discovery;
    hide(this, "environment");
    hide(this, "discovery");
  }
}

/**
 * No CLI was found, or the CLI named by `cliPath` or `CLAUDE_CLI_PATH` does not work.
 *
 * Fix: Install the CLI, or set `cliPath`. `discovery.attempts` lists the places where Sluice searched.
 */
export class CliNotFoundError extends CliError {
  /** Name of the class. */
  override readonly name = "CliNotFoundError";
  /** Error code, a literal. */
  override readonly code = "cli_not_found";
  /** Report of the search for the CLI. */
  declare readonly discovery: CliDiscovery;

  /** Creates the error from the trace of the search. */
  constructor(
    { discovery, ...init }: Omit<CliErrorInit, "stage"> & {
      readonly discovery: CliDiscovery;
    },
  ) {
    const context = { ...init.context, discovery };
    super({ ...init, context, stage: "discovery" });
  }
}

/**
 * The CLI is older than the oldest supported version.
 *
 * Fix: Run `claude update`.
 */
export class CliVersionError extends CliError {
  /** Name of the class. */
  override readonly name = "CliVersionError";
  /** Error code, a literal. */
  override readonly code = "cli_version";
  /** Version of the CLI that was found. */
  declare readonly version: string;
  /** The oldest supported version. */
  declare readonly minimum: string;

  /** Creates the error from the version found and the minimum. */
  constructor(
    init:
      & Omit<CliErrorInit, "stage">
      & Pick<CliVersionError, "version" | "minimum">,
  ) {
    super({ ...init, stage: "connect" });
  }
}

/**
 * The CLI ended unexpectedly.
 *
 * Fix: Read `reason` and `stderrTail`. Continue the session with `resume`.
 */
export class CliExitError extends CliError {
  /** Name of the class. */
  override readonly name: "CliExitError" | "SessionNotFoundError" =
    "CliExitError";
  /** Error code, a literal. */
  override readonly code: "cli_exit" | "session_not_found" = "cli_exit";
  /** Exit code; `null` when a signal ended the CLI. */
  declare readonly exitCode: number | null;
  /** Signal; `null` when the CLI exited on its own. */
  declare readonly signal: string | null;
  /** Why the end counts as a failure. For example, the exit code is not 0, or a prompt has no answer. */
  declare readonly reason: string;

  /** Creates the error from the exit and the reason why it is a failure. */
  constructor(
    init:
      & Omit<CliErrorInit, "stage">
      & Pick<CliExitError, "exitCode" | "signal" | "reason">,
  ) {
    super({ ...init, stage: "exit" });
  }
}

/**
 * The CLI found no session for `resume`.
 *
 * Fix: Check the id and `CLAUDE_CONFIG_DIR`, or leave `resume` out to start a new session.
 */
export class SessionNotFoundError extends CliExitError {
  /** Name of the class. */
  override readonly name = "SessionNotFoundError";
  /** Error code, a literal. */
  override readonly code = "session_not_found";
  /** The id that `resume` named. */
  declare readonly sessionId: string;

  /** Creates the error from the session id and the exit of the CLI. */
  constructor(
    init:
      & Omit<CliErrorInit, "stage" | "message">
      & Pick<SessionNotFoundError, "exitCode" | "signal" | "sessionId">,
  ) {
    const { sessionId } = init;
    super({
      ...init,
      reason: "found no session to resume",
      message: `Session not found: ${
        show(sessionId)
      }; check the id and CLAUDE_CONFIG_DIR, or leave "resume" out to begin a new session`,
    });
  }
}

/**
 * The CLI wrote nothing for `health.idleMs` although an answer was due. The error is fatal only with `health.onIdle: "fail"`.
 *
 * Fix: Raise `health.idleMs`. If the error was fatal, continue the session with `resume`.
 */
export class CliStalledError extends CliError {
  /** Name of the class. */
  override readonly name = "CliStalledError";
  /** Error code, a literal. */
  override readonly code = "cli_stalled";
  /** Length of the silence, in milliseconds. */
  declare readonly idleMs: number;

  /** Creates the error from the length of the silence. */
  constructor(init: Omit<CliErrorInit, "stage"> & { readonly idleMs: number }) {
    super({ ...init, stage: "read" });
  }
}

/**
 * A line of the CLI was longer than `limits.maxMessageBytes`. Sluice skipped the line. If it was a request, Sluice denied it.
 *
 * Fix: Raise the limit if you need such messages.
 */
export class MessageTooLargeError extends CliError {
  /** Name of the class. */
  override readonly name = "MessageTooLargeError";
  /** Error code, a literal. */
  override readonly code = "message_too_large";
  /** Full length of the line in bytes. */
  declare readonly bytes: number;
  /** The limit in bytes. */
  declare readonly limit: number;

  /** Creates the error from length and limit. */
  constructor(
    init: { readonly bytes: number; readonly limit: number } & {
      readonly context?: CliContext;
    },
  ) {
    const message =
      `Message was skipped because it is too large: ${init.bytes} bytes, "limits.maxMessageBytes" is ${init.limit}`;
    super({ ...init, stage: "read", fatal: false, message });
  }
}

/** A list of hundreds of lines stays out of what a console prints of the error; it is read by its name. */
function hide(error: CliError, name: string): void {
  Object.defineProperty(error, name, { enumerable: false });
}

function showContext(
  { stage, message, cause, context = {} }: CliErrorInit,
): string {
  const { pid, runtimeMs, host } = context.processInfo ?? {};
  const reason = cause === undefined ? "" : textOfError(cause);
  const said = lastWords(context.stderrTail ?? "");
  return showFacts({
    stage,
    pid,
    runtime: runtimeMs === undefined ? undefined : `${runtimeMs} ms`,
    host,
    cli: context.cliPath === undefined ? undefined : `"${context.cliPath}"`,
    // Most texts say it already.
    cause: message.includes(reason) ? undefined : cut(reason),
    stderr: said === "" ? undefined : `"${said}"`,
  });
}
