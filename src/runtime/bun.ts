import type { Host } from "../ports/host.ts";
import {
  type ChildHandle,
  DIRECT_READ,
  type DirectStream,
  type SpawnRequest,
  type TextSink,
} from "../ports/process.ts";
import { bun, type BunChild, type BunGlobal } from "./globals.ts";
import { system } from "./system.ts";

/** Bun as a host. */
export function bunHost(): Host {
  if (bun === undefined) throw new Error("This adapter runs on Bun only");
  const runtime = bun;
  return {
    ...system,
    name: "bun",
    version: runtime.version,
    tuning: { reusesBuffer: false, wideLineBytes: 512 },
    spawn: (request) =>
      new Promise((resolve) => resolve(start(request, runtime))),
  };
}

function start(
  { command, args, cwd, env }: SpawnRequest,
  runtime: BunGlobal,
): ChildHandle {
  const child = runtime.spawn([command, ...args], {
    cwd,
    env,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
    windowsHide: true,
  });
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

/**
 * Until somebody has read once, Bun reads on without a limit, so the first read is made here. The stream round it costs
 * 5 to 10 % of the time of small messages, hence the direct way.
 */
function holdBack(output: ReadableStream<Uint8Array>): DirectStream {
  const reader = output.getReader();
  let first: ReturnType<typeof reader.read> | undefined = reader.read();
  // Whoever reads gets the same failure.
  first.catch(() => {});
  function read(): ReturnType<typeof reader.read> {
    const result = first ?? reader.read();
    first = undefined;
    return result;
  }
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
  return Object.assign(stream, { [DIRECT_READ]: read });
}

function toSink(child: BunChild): TextSink {
  let isEnded = false;
  return {
    async write(text) {
      // The sink of a dead process swallows text without an error.
      if (isEnded || isGone(child)) throw brokenPipe();
      // A small text meets a closed or a full pipe in flush(), a large one in write().
      await child.stdin.write(text);
      await child.stdin.flush();
    },
    async end() {
      isEnded = true;
      try {
        await child.stdin.end();
      } catch {
        // Nobody reads any more, so there is nothing to end.
      }
    },
  };
}

function isGone({ exitCode, signalCode }: BunChild): boolean {
  return exitCode !== null || signalCode !== null;
}

function brokenPipe(): Error {
  return Object.assign(new Error("Process is gone: EPIPE"), { code: "EPIPE" });
}
