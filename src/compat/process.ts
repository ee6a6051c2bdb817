import { Deferred, quiet } from "../async/deferred.ts";
import type { Host } from "../ports/host.ts";
import type { Channel, StopPlan } from "../ports/transport.ts";
import { ENDED, exitFailure } from "./errors.ts";
import { commandOf, environmentOf } from "./launch.ts";
import { spawnFailure, startFailure } from "./start_failure.ts";
import type { Options } from "./generated/options.ts";
import type { SpawnedProcess } from "./generated/types.ts";

/** From the end of input to SIGTERM and from there to SIGKILL, in milliseconds. Source: official SDK 0.3.330. */
const TERMINATE_MS = 2_000;
const KILL_MS = 5_000;
/** Wait after SIGKILL, in milliseconds: the process may be on another machine. */
const GIVE_UP_MS = 1_000;

export const STOP: StopPlan = {
  reason: "closed",
  graceMs: TERMINATE_MS,
  killMs: TERMINATE_MS + KILL_MS,
};

/** Lines of stderr per second; `stderr` gets all. */
const STDERR_LINES = Number.MAX_SAFE_INTEGER;

/** Starts the CLI, on its own or by the user's function. */
export async function openChannel(
  options: Options,
  args: readonly string[],
  directory: () => string,
  host: Host,
  signal: AbortSignal,
): Promise<Channel> {
  const env = environmentOf(options, host);
  let command = commandOf(options, host);
  if (command === undefined) {
    // As in the official SDK, the CLI of its package takes precedence over one in PATH.
    const { officialCli } = await import("../cli/official.ts");
    const path = await officialCli(host);
    command = path === undefined ? undefined : [path];
  }
  const { spawnClaudeCodeProcess: spawn, stderr } = options;
  if (spawn !== undefined) {
    const [first = "claude", ...rest] = command ?? [];
    const grace = new AbortController();
    const child = spawn({
      command: first,
      args: [...rest, ...args],
      ...options.cwd !== undefined && { cwd: options.cwd },
      env,
      signal: grace.signal,
    });
    return spawnedChannel(child, grace);
  }
  const cwd = directory();
  const { localTransport } = await import("../local_cli.ts");
  const transport = localTransport({
    ...command && { cliPath: command },
    cwd,
    limits: { stderrLinesPerSecond: STDERR_LINES },
    shutdown: {
      graceMs: STOP.graceMs,
      killMs: STOP.killMs,
      // As in the official SDK.
      forwardSignals: false,
    },
    ...stderr && {
      // In a turn of its own: it may take long, and what it throws is uncaught, as in the official SDK.
      onStderr: (line: string) => queueMicrotask(() => stderr(`${line}\n`)),
    },
  });
  try {
    return await transport.open({ args, env, cwd }, signal);
  } catch (error) {
    const { pathToClaudeCodeExecutable: path } = options;
    const found = path && await host.files.status(path).catch(() => {});
    throw startFailure(error, options, Boolean(found));
  }
}

/** The user's process as a channel; it is ended by the same shutdown escalation. */
function spawnedChannel(
  child: SpawnedProcess,
  grace: AbortController,
): Channel {
  if (typeof child?.on !== "function") {
    throw new TypeError(
      "spawnClaudeCodeProcess has to return a process, not a promise or undefined",
    );
  }
  if (typeof child.stdout?.on !== "function" || !child.stdin) {
    attempt(() => child.kill("SIGKILL"));
    throw new TypeError(
      "spawnClaudeCodeProcess has to return a process with stdin and stdout as pipes",
    );
  }
  const exit = new Deferred<void>();
  /** It is gone, or has reported an error: then it may live on. */
  const over = new Deferred<void>();
  // The last reported failure, as in the official SDK; a clean exit clears none.
  let failure: Error | undefined;
  const onExit = (code: number | null, signal: string | null = null) => {
    failure = exitFailure({ code, signal, stderrTail: "" }) ?? failure;
    exit.resolve();
    over.resolve();
  };
  // A custom process may set its code without an event.
  const look = () => {
    if (exit.isSettled || typeof child.exitCode !== "number") return;
    onExit(child.exitCode, child.signalCode);
  };
  const output = outputOf(child, look);
  child.on("exit", onExit);
  // A custom process may emit this one alone.
  attempt(() =>
    child.on("close" as "exit", (code, signal) => {
      if (!exit.isSettled) onExit(code, signal);
    })
  );
  child.on("error", (error) => {
    // Node reports the abort of its signal as an error; the process may live on.
    if (grace.signal.aborted) return;
    failure = spawnFailure(error);
    // One of Node that could not be started has no id; any other may live on.
    if ("pid" in child && child.pid === undefined) exit.resolve();
    over.resolve();
    output.end();
  });
  if (typeof child.exitCode === "number") {
    look();
    failure ??= new Error(ENDED.terminated);
  }
  // Rejects the write in flight: a custom process may report its failure by the event alone.
  let loseWrite = (_: Error) => {};
  child.stdin.on("error", (error) => loseWrite(error));
  let stopping: Promise<void> | undefined;
  const stop = async ({ graceMs, killMs }: StopPlan) => {
    attempt(() => child.stdin.end());
    const signal = (name: "SIGTERM" | "SIGKILL") => {
      look();
      if (exit.isSettled || child.signalCode) return;
      attempt(() => child.kill(name));
    };
    const timers = [
      setTimeout(() => {
        signal("SIGTERM");
        grace.abort();
      }, graceMs),
      setTimeout(() => signal("SIGKILL"), killMs),
      setTimeout(() => over.resolve(), killMs + GIVE_UP_MS),
    ];
    exit.promise.then(() => timers.forEach((timer) => clearTimeout(timer)));
    await over.promise;
  };
  return {
    readable: output.readable,
    write: (text) =>
      new Promise((resolve, reject) => {
        if (exit.isSettled) throw new Error(ENDED.terminated);
        const { stdin } = child;
        loseWrite = reject;
        stdin.write(text, (error) => error ? reject(error) : resolve());
        // An object that only resembles a stream may never call back.
        if (stdin.writableLength === undefined) resolve();
      }),
    end() {
      attempt(() => child.stdin.end());
      return Promise.resolve();
    },
    exited: quiet(over.promise.then(() => {
      if (failure !== undefined) throw failure;
      return { code: 0, signal: null, stderrTail: "" };
    })),
    stop: (plan) => stopping ??= stop(plan),
  };
}

/** A custom process may throw where one of Node emits an event. */
function attempt(action: () => unknown): void {
  try {
    action();
  } catch {
    // The next step ends the process.
  }
}

/** Chunks that are read ahead. */
const MOST_CHUNKS = 16;

/** The output as a byte stream, with back-pressure, and how to end it early. */
function outputOf(
  { stdout }: SpawnedProcess,
  onEnd: () => void,
): { readonly readable: ReadableStream<Uint8Array>; end(): void } {
  const encoder = new TextEncoder();
  let isOver = false;
  let broken: Error | undefined;
  let end = () => {};
  const readable = new ReadableStream<Uint8Array>({
    start(controller) {
      end = () => {
        if (isOver) return;
        isOver = true;
        controller.close();
        onEnd();
      };
      stdout.on("data", (chunk: Uint8Array | string) => {
        if (isOver) return;
        controller.enqueue(
          typeof chunk === "string" ? encoder.encode(chunk) : chunk,
        );
        if ((controller.desiredSize ?? 1) <= 0) stdout.pause?.();
      });
      stdout.on("end", end);
      stdout.on("close", end);
      stdout.on("error", (error) => {
        if (isOver) return;
        isOver = true;
        broken = error;
        if (controller.desiredSize === MOST_CHUNKS) controller.error(error);
      });
      if (stdout.destroyed) end();
    },
    pull(controller) {
      // Earlier output is read first.
      if (broken === undefined) stdout.resume?.();
      else if (controller.desiredSize === MOST_CHUNKS) controller.error(broken);
    },
    cancel() {
      isOver = true;
      stdout.destroy?.();
    },
  }, { highWaterMark: MOST_CHUNKS });
  return { readable, end: () => end() };
}
