import type { JsonObject } from "../types/json.ts";
import type { CliDiscovery } from "../types/activity.ts";

/** A command to start. */
export interface Launch {
  /** Arguments for the CLI, without the CLI itself. */
  readonly args: readonly string[];
  /** The whole environment of the CLI. */
  readonly env: Readonly<Record<string, string>>;
  /** Working directory. */
  readonly cwd: string;
  /** Further values for a custom transport. */
  readonly extra?: JsonObject;
}

/** Why a channel is stopped. */
export type StopReason =
  | "finished"
  | "failed"
  | "aborted"
  | "closed"
  | "stalled";

/** Plan for stopping a channel. */
export interface StopPlan {
  /** Why it is stopped. */
  readonly reason: StopReason;
  /** From the end of input to SIGTERM, in milliseconds; 0 = SIGTERM at once. */
  readonly graceMs: number;
  /** From the end of input to SIGKILL, in milliseconds. */
  readonly killMs: number;
}

/** Exit of the CLI. */
export interface ExitReport {
  /** Exit code; `null` when a signal ended it or without a process. */
  readonly code: number | null;
  /** Name of the signal; `null` when none. */
  readonly signal: string | null;
  /** Reason of the stop; absent when it ended on its own. */
  readonly reason?: StopReason | undefined;
  /** Newest stderr text, from the beginning of a line on: half of a secret is not recognized. */
  readonly stderrTail: string;
}

/** Opens a connection to a CLI: a local process, a container, a recording. May be opened again after a failure. */
export interface Transport {
  /** Opens; rejects with the signal's reason when it is aborted first, and leaves nothing behind then. */
  open(launch: Launch, signal: AbortSignal): Promise<Channel>;
}

/** An open connection to a CLI. */
export interface Channel {
  /** Process id, if there is a process. */
  readonly pid?: number | undefined;
  /** Facts about the started program, for logs and errors; secrets are redacted. */
  readonly origin?: ChannelOrigin | undefined;
  /** Bytes as they come; framing is done by the reader. */
  readonly readable: ReadableStream<Uint8Array>;
  /** Writes whole lines; never called twice at once. */
  write(text: string): Promise<void>;
  /** Ends the input. */
  end(): Promise<void>;
  /**
   * Resolves when the CLI has ended, if that is known before all of its output is read; never rejects. Optional:
   * {@link exited} is used by default.
   */
  readonly gone?: Promise<unknown>;
  /** Resolves when the CLI has ended and all of its output is read; never rejects. */
  readonly exited: Promise<ExitReport>;
  /** Stops the CLI as planned; resolves when it has ended. A second call waits for the first. */
  stop(plan: StopPlan): Promise<void>;
}

/** Facts about a channel for logs and errors; holds no secret. */
export interface ChannelOrigin {
  /** Path of the CLI. */
  readonly cliPath?: string | undefined;
  /** The command line, secrets redacted. */
  readonly command?: readonly string[] | undefined;
  /** Names of the environment variables given. */
  readonly environment?: readonly string[] | undefined;
  /** Runtime that started it, with its version. */
  readonly runtime?: string | undefined;
  /** Report of the search for the CLI. */
  readonly discovery?: CliDiscovery | undefined;
  /** Lines read from stderr so far. */
  stderrLines?(): number;
  /** Newest stderr text so far. */
  stderrTail?(): string;
}
