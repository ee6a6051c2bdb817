import type { Host } from "../ports/host.ts";
import type {
  ChildHandle,
  DirectStream,
  Helper,
  SpawnRequest,
  TextSink,
} from "../ports/process.ts";
import type { BunChild, BunGlobal } from "./globals.ts";
import { helperOf } from "./machine.ts";
import { directStream, type Read, systemOf } from "./system.ts";

export function bunHost(runtime: BunGlobal, nextTurn: Host["nextTurn"]): Host {
  return {
    ...systemOf(nextTurn),
    name: "bun",
    version: runtime.version,
    tuning: { reusesBuffer: false, wideLineBytes: 512 },
    spawn: (request) =>
      new Promise((resolve) => resolve(start(request, runtime))),
    startHelper: (request) => startHelper(request, runtime),
  };
}

function start(request: SpawnRequest, runtime: BunGlobal): ChildHandle {
  const child = spawn(request, runtime, "pipe");
  return {
    pid: child.pid,
    stdin: toSink(child),
    stdout: holdBack(child.stdout),
    stderr: holdBack(child.stderr),
    exited: child.exited.then(() =>
      child.signalCode === null
        ? { code: child.exitCode, signal: null }
        : { code: null, signal: child.signalCode }
    ),
    kill(signal) {
      if (isGone(child)) return false;
      child.kill(signal);
      return true;
    },
  };
}

function startHelper(request: SpawnRequest, runtime: BunGlobal): Helper {
  const child = spawn({ ...request, isDetached: true }, runtime, "ignore");
  return helperOf(child, toSink(child), child.exited);
}

function spawn(
  { command, args, cwd, env, isDetached = false, isVerbatim = false }:
    SpawnRequest,
  runtime: BunGlobal,
  output: "pipe" | "ignore",
): BunChild {
  return runtime.spawn([command, ...args], {
    cwd,
    env,
    stdin: "pipe",
    stdout: output,
    stderr: output,
    windowsHide: true,
    windowsVerbatimArguments: isVerbatim,
    detached: isDetached,
  });
}

/** Before the first read Bun buffers without a limit, so that read is made here. */
function holdBack(output: ReadableStream<Uint8Array>): DirectStream {
  const reader = output.getReader();
  let first: ReturnType<Read> | undefined = reader.read() as ReturnType<Read>;
  // The reader gets the same failure.
  first.catch(() => {});
  function read(): ReturnType<Read> {
    const result = first ?? reader.read() as ReturnType<Read>;
    first = undefined;
    return result;
  }
  return directStream(read, (reason) => reader.cancel(reason));
}

function toSink(child: BunChild): TextSink {
  let isEnded = false;
  return {
    async write(text) {
      // The sink of a dead process swallows text without an error.
      if (isEnded || isGone(child)) {
        const error = new Error("Process is gone: EPIPE");
        throw Object.assign(error, { code: "EPIPE" });
      }
      // A small text meets a closed or a full pipe in flush(), a large one in write().
      await child.stdin.write(text);
      await child.stdin.flush();
    },
    async end() {
      isEnded = true;
      try {
        await child.stdin.end();
      } catch {
        // The reader is gone, so there is nothing to end.
      }
    },
  };
}

function isGone({ exitCode, signalCode }: BunChild): boolean {
  return exitCode !== null || signalCode !== null;
}
