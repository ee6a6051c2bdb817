import type { Files } from "./files.ts";
import type {
  ChildHandle,
  Helper,
  HostSignal,
  ProcessEntry,
  SpawnFailure,
  SpawnRequest,
  StopSignal,
} from "./process.ts";

/** The runtimes this package runs on. */
export type RuntimeName = "deno" | "bun" | "node";

/** The running program and its machine. */
export interface ProgramHost {
  /** Process id of this program. */
  readonly pid: number;
  /** A copy of the environment. */
  env(): Record<string, string>;
  /** Name of this machine; `undefined` without the permission to read it. */
  machine(): string | undefined;
  /** Registers a listener for a termination signal to this program; the returned function removes it. */
  onSignal(
    signal: "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGQUIT",
    listener: () => void,
  ): () => void;
  /** Reads the text of a file; rejects with the system's error. */
  readText(path: string): Promise<string>;
}

/** The runtime, as far as this package needs one. */
export interface Host extends Omit<ProgramHost, "readText"> {
  readonly name: RuntimeName;
  readonly version: string;
  /** Operating system: `linux`, `darwin`, `win32`, ... */
  readonly platform: string;
  /** Processor: `x64`, `arm64`, ... */
  readonly arch: string;
  /** Path of the runtime's own program. */
  readonly execPath: string;
  readonly files: Files;
  /** The working directory. */
  cwd(): string;
  /** The user's home; `undefined` when unknown. */
  home(): string | undefined;
  /** Starts a process; rejects with the system's error, see {@link failureOf}. */
  spawn(request: SpawnRequest): Promise<ChildHandle>;
  /** Says which of the neutral failures a rejection of {@link spawn} is: `missing`, `permission` or `other`. */
  failureOf(error: unknown): SpawnFailure;
  /** Sends a signal by process id, synchronously; false when the process is gone or may not be killed. */
  killPid(pid: number, signal: StopSignal): boolean;
  /** Whether a process runs; one that is over and waits to be reaped does not, where the system tells the difference. */
  isRunning(pid: number): boolean;
  /** Running processes, all or those given; `[]` where the system does not list them. */
  processes(pids?: readonly number[]): readonly ProcessEntry[];
  /** Ids of what runs on this machine, at little cost; `[]` where {@link environmentOf} tells nothing of them. */
  processIds(): readonly number[];
  /** The environment that a process began with, as one text; empty while it becomes another program, `undefined` where it has none or the system does not tell. */
  environmentOf(pid: number): string | undefined;
  /** Kills a process and all below it, at once, where the system has a program for that (Windows), and as far as that works. */
  killTree(pid: number): void;
  /** Starts a program in a session of its own, its output nowhere; throws where it cannot, or may not without a question to the user. */
  startHelper(request: SpawnRequest): Helper;
  /** Whether {@link startHelper} may start a program, by its path; Deno does not look whether it exists. */
  mayStart(command: string): boolean;
  /** Start time of a process in the system's own format, which tells it from a later one with its id; `undefined` when it is gone. */
  beginningOf(pid: number): string | undefined;
  /** Calls back, synchronously, when this program is about to end; the returned function takes it back. */
  onExit(listener: () => void): () => void;
  /** Resolves when every received signal has reached its listeners; removing a listener earlier could lose one. */
  signalsTold(): Promise<void>;
  /** Number of listeners for a signal besides those of this package, including one-time listeners that it has just used up; Deno does not report `Deno.addSignalListener()`. */
  otherSignalListeners(signal: HostSignal): number;
  /** Sends a signal to this program itself. */
  raise(signal: HostSignal): void;
  /** The fastest settings for this runtime, as measured. */
  readonly tuning: {
    /** Whether a process's output is best read into one buffer that is used again: Deno. */
    readonly reusesBuffer: boolean;
    /** From which average length on lines with wide characters are best decoded one by one: 0 in Node, 512 elsewhere. */
    readonly wideLineBytes: number;
  };
  isAscii(bytes: Uint8Array): boolean;
  /** Calls back in the next turn of the event loop, which it keeps alive for no longer than that. */
  nextTurn(callback: () => void): void;
}
