import { textOfError } from "../errors/text.ts";
import type { Log } from "../observe/log.ts";
import type { Timer } from "../ports/clock.ts";
import type { FileStatus } from "../ports/files.ts";
import type { Host } from "../ports/host.ts";
import type {
  ChildHandle,
  ExitStatus,
  SpawnFailure,
  SpawnRequest,
  TextSink,
} from "../ports/process.ts";
import type { StopPlan, StopReason } from "../ports/transport.ts";
import { Shutdown } from "./stop.ts";
import { Family } from "./family.ts";
import { hostWatch } from "./host_watch.ts";
import { isPath } from "./paths.ts";
import { type StderrOptions, StderrTail } from "./stderr.ts";

export interface ChildOptions {
  readonly stderr: StderrOptions;
  /** Whether signals that tell the host to end reach it. */
  readonly forwardSignals: boolean;
  /** Milliseconds from SIGTERM to SIGKILL after the host was killed; unset = no watchdog. */
  readonly watchdogMs?: number | undefined;
  readonly clock: Timer;
  /** For what the runtime refused, and floods on stderr. */
  readonly log: Log;
}

/** Why a process could not be started, in words that are the same on every runtime. */
export type StartFailure = SpawnFailure | "cwd";

/** A process could not be started; the caller makes its own error from this. */
export class SpawnError extends Error {
  override readonly name = "SpawnError";
  readonly failure: StartFailure;

  constructor(failure: StartFailure, message: string, cause: unknown) {
    super(message, { cause });
    this.failure = failure;
  }
}

/** Starts a process and looks after it until it is gone; rejects with a {@link SpawnError}. */
export async function startChild(
  host: Host,
  request: SpawnRequest,
  options: ChildOptions,
): Promise<Child> {
  const watch = hostWatch(host);
  const family = new Family(host, watch.nextMark(options.watchdogMs));
  const env = family.marked(request.env);
  const release = request.isDetached ? watch.hold() : undefined;
  try {
    const handle = await spawn(host, { ...request, env });
    for (const warning of handle.warnings ?? []) options.log.warn(warning);
    const child = new Child(handle, family, host, options);
    // Not waited for: the end of the child takes as long.
    release?.();
    return child;
  } catch (error) {
    await release?.();
    throw error;
  }
}

export class Child {
  readonly pid: number;
  /** Its input; what is stuck in it rejects when the process is gone. */
  readonly stdin: TextSink;
  /** Its output, as bytes; the reader ends it some time after {@link exited}, since a grandchild may hold it forever. */
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: StderrTail;
  /** Resolves when it is gone, even if its pipes are still held open; never rejects. */
  readonly exited: Promise<ExitStatus>;
  readonly #shutdown: Shutdown;
  readonly #release: () => Promise<void>;
  #reason: StopReason | undefined;

  constructor(
    handle: ChildHandle,
    family: Family,
    host: Host,
    options: ChildOptions,
  ) {
    const { clock, log, watchdogMs } = options;
    this.pid = handle.pid;
    const stdin = this.stdin = inputOf(handle.stdin);
    this.stdout = handle.stdout;
    this.stderr = new StderrTail(handle.stderr, options.stderr, {
      pid: handle.pid,
      reusesBuffer: host.tuning.reusesBuffer,
      clock,
      log,
    });
    const shutdown = this.#shutdown = new Shutdown({
      handle,
      family,
      host,
      clock,
      endInput: () => void stdin.end(),
    });
    const release = hostWatch(host).add({
      pid: handle.pid,
      takesSignals: options.forwardSignals,
      watchdogMs,
      shutdown,
    }, log);
    let released: Promise<void> | undefined;
    this.#release = () => released ??= release();
    this.exited = handle.exited.then(async (status) => {
      const left = shutdown.noteGone();
      stdin.close();
      this.stderr.giveUpSoon();
      await left;
      // Processes it left behind are still guarded.
      if (shutdown.isOver) await this.#release();
      return status;
    });
  }

  /** Reason of its stop; `undefined` if it ended on its own. */
  get reason(): StopReason | undefined {
    return this.#reason;
  }

  /** Stops it and its descendants by the plan; resolves when all are gone and its pipes are closed. A later call waits as well, and can only bring a step forward. */
  async stop(plan: StopPlan): Promise<void> {
    if (!this.#shutdown.isGone) {
      this.#reason ??= plan.reason;
      this.#shutdown.begin(plan);
    }
    await this.exited;
    await this.#shutdown.endRest(plan);
    await this.#release();
    await this.stderr.ended;
    // A reader sees the end; without one it is closed here.
    if (!this.stdout.locked) await this.stdout.cancel().catch(() => {});
  }
}

/** The input of a process; a write that is stuck rejects when that is gone, since a grandchild may hold the pipe without reading. */
function inputOf(sink: TextSink): TextSink & { close(): void } {
  let ending: Promise<void> | undefined;
  let giveUp: ((error: Error) => void) | undefined;
  const end = () => ending ??= sink.end();
  return {
    write(text) {
      if (ending !== undefined) return Promise.reject(brokenPipe());
      return new Promise((resolve, reject) => {
        giveUp = reject;
        sink.write(text).then(resolve, reject);
      });
    },
    end,
    close() {
      giveUp?.(brokenPipe());
      end();
    },
  };
}

function brokenPipe(): Error {
  const text = "Input of the process is closed: EPIPE";
  return Object.assign(new Error(text), { code: "EPIPE" });
}

async function spawn(host: Host, request: SpawnRequest): Promise<ChildHandle> {
  try {
    return await host.spawn(request);
  } catch (cause) {
    const [failure, text] = await diagnose(host, request, cause);
    throw new SpawnError(failure, text, cause);
  }
}

const FACTS = {
  "permission": "may not be executed",
  "not-allowed": "may not be started by this program",
  "other": "cannot be started",
} as const;

/** Looks only after a failure, so that a start which works costs nothing. */
async function diagnose(
  host: Host,
  { command, cwd }: SpawnRequest,
  cause: unknown,
): Promise<readonly [StartFailure, string]> {
  // Node and Bun report a missing working directory as a missing program.
  const directory = await kindOf(host, cwd);
  if (directory === undefined) {
    return ["cwd", `Working directory does not exist: "${cwd}"`];
  }
  if (directory === "file" || directory === "other") {
    return ["cwd", `Working directory is not a directory: "${cwd}"`];
  }
  const said = host.failureOf(cause);
  const program =
    said === "missing" || said === "other" && isPath(command, host.platform)
      ? await kindOf(host, command)
      : "hidden";
  if (said === "missing" && program === "file") {
    // A script without its interpreter, or a binary for another C library.
    return [
      "other",
      `Interpreter or C library of the program is missing: "${command}"`,
    ];
  }
  // Deno on Windows says in its text alone that a path leads nowhere.
  if (said === "missing" || program === undefined) {
    return ["missing", `Program does not exist: "${command}"`];
  }
  const reason = textOfError(cause);
  return [said, `Program ${FACTS[said]}: "${command}" (${reason})`];
}

async function kindOf(
  { files }: Host,
  path: string,
): Promise<FileStatus["kind"] | "hidden" | undefined> {
  try {
    return (await files.status(path))?.kind;
  } catch {
    return "hidden";
  }
}
