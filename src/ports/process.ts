import type { StopPlan, StopReason } from "./transport.ts";

/** The signals that tell a program to end, and that it may answer. */
export type HostSignal = "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGQUIT";

/** The signals a parent needs. */
export type StopSignal = HostSignal | "SIGKILL";

export interface SpawnRequest {
  /** Path or name of the program. */
  readonly command: string;
  /** Arguments, handed over without a shell. */
  readonly args: readonly string[];
  /** Working directory; must exist. */
  readonly cwd: string;
  /** The whole environment of the child. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether the arguments are parts of the command line as they are, without quotes around them; on Windows alone. */
  readonly isVerbatim?: boolean;
  /** Whether it gets a session of its own, without a terminal and out of reach of its signals; not on Windows. */
  readonly isDetached?: boolean;
}

/** Exit of a process: exactly one of the two is not `null`. */
export interface ExitStatus {
  /** Exit code; `null` when a signal ended it. */
  readonly code: number | null;
  /** Name of the signal; `null` when it exited by itself. */
  readonly signal: string | null;
}

/** The way into a process. Calls come one after the other, never two at once. */
export interface TextSink {
  /** Resolves when the pipe took all of it; rejects when its reader is gone. */
  write(text: string): Promise<void>;
  /** No more input. Never rejects: a process that is gone needs no end of input. */
  end(): Promise<void>;
}

/** Plan for a stop by its reason: a CLI that may not finish its work gets SIGTERM at once, since one whose input ends completes it. */
export function planOf(
  reason: StopReason,
  { graceMs, killMs }: Omit<StopPlan, "reason">,
): StopPlan {
  return reason === "closed" || reason === "finished"
    ? { reason, graceMs, killMs }
    : { reason, graceMs: 0, killMs: killMs - graceMs };
}

/** Key of a read that bypasses the stream's own queue; the caller must hold the lock. */
export const DIRECT_READ: unique symbol = Symbol("direct read");

/** A stream of bytes that may be read directly. */
export interface DirectStream extends ReadableStream<Uint8Array> {
  /** The next chunk, as a reader would give it. */
  readonly [DIRECT_READ]?: () => Promise<ReadableStreamReadResult<Uint8Array>>;
}

/** A running process, the same on every runtime. */
export interface ChildHandle {
  /** Process id. */
  readonly pid: number;
  readonly stdin: TextSink;
  /** Its output, as bytes; a byte stream where the runtime has one. */
  readonly stdout: ReadableStream<Uint8Array>;
  /** Its diagnostics, as bytes. */
  readonly stderr: ReadableStream<Uint8Array>;
  /** Resolves when it is gone, even if its pipes are still held open; never rejects. */
  readonly exited: Promise<ExitStatus>;
  /** Sends a signal, at once and without a promise; false when the process is gone. */
  kill(signal: StopSignal): boolean;
  /** Warnings about values that the runtime refused to pass on at the start. */
  readonly warnings?: readonly string[];
}

/** Why a program could not be started, in words that are the same on every runtime. */
export type SpawnFailure = "missing" | "permission" | "not-allowed" | "other";

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** When it began, in the system's own words, which tell it from a later one with its id; without blanks. */
  readonly began: string;
}

/** A program beside this one, in a session of its own; it does not keep this one alive, whose end is the end of its input. */
export interface Helper {
  /** Process id. */
  readonly pid: number;
  /** Hands text in; it is lost without an error when the reader is gone. */
  write(text: string): void;
  kill(): void;
  /** Resolves when it is gone; never rejects. */
  readonly exited: Promise<void>;
}
