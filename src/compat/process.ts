import { quiet } from "../async/deferred.ts";
import type { Host } from "../ports/host.ts";
import type { Channel, StopPlan } from "../ports/transport.ts";
import { commandOf, environmentOf } from "./launch.ts";
import type { Options } from "./generated/options.ts";
import type { SpawnedProcess } from "./types_options.ts";

/** From the end of input to SIGTERM and from there to SIGKILL, in milliseconds. Source: official SDK 0.3.330. */
const TERMINATE_MS = 2_000;
const KILL_MS = 5_000;
/** A process that SIGKILL does not end is given up after this, in milliseconds: it may be on another machine. */
const GIVE_UP_MS = 1_000;

/** How the CLI is ended: what it still writes is read meanwhile. */
export const STOP: StopPlan = {
  reason: "closed",
  graceMs: TERMINATE_MS,
  killMs: TERMINATE_MS + KILL_MS,
};

/** So many lines of stderr a second are handed out: all, unless it floods. */
const STDERR_LINES = 100_000;

/** Starts the CLI, or has the user's function start it. */
export async function openChannel(
  options: Options,
  args: readonly string[],
  host: Host,
  signal: AbortSignal,
): Promise<Channel> {
  const env = environmentOf(options, host);
  let command = commandOf(options, host);
  if (command === undefined) {
    // The one that came with the official package, or in place of it, takes precedence over one in PATH, as there.
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
      // The official SDK hands over what it was given.
      ...options.cwd !== undefined && { cwd: options.cwd },
      env,
      signal: grace.signal,
    });
    return spawnedChannel(child, grace);
  }
  const cwd = options.cwd ?? host.cwd();
  const { localTransport } = await import("../local_cli.ts");
  const transport = localTransport({
    ...command && { cliPath: command },
    ...cwd && { cwd },
    limits: { stderrLinesPerSecond: STDERR_LINES },
    shutdown: {
      graceMs: STOP.graceMs,
      killMs: STOP.killMs,
      // The official SDK leaves them to the program.
      forwardSignals: false,
    },
    ...stderr && { onStderr: (line: string) => stderr(`${line}\n`) },
  });
  try {
    return await transport.open({ args, env, cwd }, signal);
  } catch (error) {
    const { startFailure } = await import("./start_failure.ts");
    throw startFailure(error, options.pathToClaudeCodeExecutable);
  }
}

/** The user's process as a channel; it is ended by the same ladder. */
function spawnedChannel(
  child: SpawnedProcess,
  grace: AbortController,
): Channel {
  if (typeof child?.once !== "function") {
    throw new TypeError(
      "spawnClaudeCodeProcess has to return a process, not a promise or undefined",
    );
  }
  if (typeof child.stdout?.on !== "function" || !child.stdin) {
    child.kill("SIGKILL");
    throw new TypeError(
      "spawnClaudeCodeProcess has to return a process with stdin and stdout as pipes",
    );
  }
  let failure: Error | undefined;
  let giveUp = () => {};
  // Custom spawners may tell both by the event alone.
  let told: { code?: number | null; signal?: string | null } = {};
  const gone = new Promise<void>((resolve) => {
    giveUp = resolve;
    child.once("exit", (code, signal) => {
      told = { code, signal };
      resolve();
    });
    child.on("error", (error) => {
      // Node reports the abort of its signal as an error; the process may live on.
      if (grace.signal.aborted) return;
      failure = error;
      resolve();
    });
    if (child.exitCode !== null) resolve();
  });
  // Told by the write that it breaks.
  child.stdin.on("error", () => {});
  let stopping: Promise<void> | undefined;
  const stop = async ({ graceMs, killMs }: StopPlan) => {
    child.stdin.end();
    const isAlive = () => child.exitCode === null && !child.signalCode;
    const terminate = setTimeout(() => {
      if (isAlive()) child.kill("SIGTERM");
      grace.abort();
    }, graceMs);
    const kill = setTimeout(() => isAlive() && child.kill("SIGKILL"), killMs);
    const end = setTimeout(giveUp, killMs + GIVE_UP_MS);
    await gone;
    for (const timer of [terminate, kill, end]) clearTimeout(timer);
  };
  const broken = new Promise<never>((_, reject) => {
    child.stdout.on("error", reject);
  });
  return {
    readable: readableOf(child),
    write: (text) =>
      new Promise((resolve, reject) => {
        child.stdin.write(text, (error) => error ? reject(error) : resolve());
      }),
    end() {
      child.stdin.end();
      return Promise.resolve();
    },
    gone,
    // Output that breaks is the failure, whatever the exit code says.
    exited: quiet(Promise.race([
      quiet(broken),
      gone.then(async () => {
        if (failure !== undefined) {
          const { startFailure } = await import("./start_failure.ts");
          throw startFailure(failure, undefined);
        }
        return {
          code: child.exitCode ?? told.code ?? null,
          signal: child.signalCode ?? told.signal ?? null,
          stderrTail: "",
        };
      }),
    ])),
    stop: (plan) => stopping ??= stop(plan),
  };
}

/** The events of a stream as a stream of bytes, which stops its source while nobody reads. */
function readableOf(
  { stdout }: SpawnedProcess,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let isOver = false;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const end = () => {
        if (isOver) return;
        isOver = true;
        controller.close();
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
      stdout.on("error", end);
    },
    pull: () => void stdout.resume?.(),
    cancel() {
      isOver = true;
      stdout.destroy?.();
    },
  }, { highWaterMark: 16 });
}
