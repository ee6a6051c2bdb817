import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import type { Readable, Writable } from "node:stream";
import type { Host } from "../ports/host.ts";
import type {
  ChildHandle,
  DirectStream,
  ExitStatus,
  Helper,
  SpawnRequest,
  TextSink,
} from "../ports/process.ts";
import { directStream } from "./direct_stream.ts";
import { NodeOutput } from "./node_output.ts";
import { system } from "./system.ts";

/** Node as a host. */
export function nodeHost(): Host {
  return {
    ...system,
    name: "node",
    version: process.versions.node,
    tuning: { reusesBuffer: false, wideLineBytes: 0 },
    spawn: start,
    startHelper,
  };
}

async function start(
  { command, args, cwd, env, isDetached = false, isVerbatim = false }:
    SpawnRequest,
): Promise<ChildHandle> {
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: "pipe",
    detached: isDetached,
    windowsHide: true,
    windowsVerbatimArguments: isVerbatim,
  });
  const exited = new Promise<ExitStatus>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  const { pid } = await started(child);
  return {
    pid,
    stdin: toSink(child.stdin),
    stdout: toStream(child.stdout),
    stderr: toStream(child.stderr),
    exited,
    kill: (signal) => child.kill(signal),
  };
}

function startHelper({ command, args, cwd, env }: SpawnRequest): Helper {
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  const { pid, stdin } = child;
  if (pid === undefined) throw new Error(`Cannot be started: "${command}"`);
  stdin.on("error", ignore);
  child.unref();
  // A pipe is a socket here, which the types do not tell.
  (stdin as Writable & { unref?(): void }).unref?.();
  return {
    pid,
    write: (text) => void stdin.write(text),
    kill: () => void child.kill("SIGKILL"),
    exited,
  };
}

/** Resolves when the program runs; rejects with the system's error when it could not be started. */
async function started(
  child: ChildProcess,
): Promise<{ readonly pid: number }> {
  try {
    await once(child, "spawn");
  } catch (error) {
    // Arguments may hold secrets, and errors are shown.
    if (error instanceof Error && "spawnargs" in error) delete error.spawnargs;
    throw error;
  }
  // A failure from here on is one of sending a signal, which `kill()` tells.
  child.on("error", ignore);
  // There is a process, so it has an id.
  return { pid: child.pid as number };
}

function toSink(stdin: Writable): TextSink {
  // The callbacks below deliver the same errors to whoever writes.
  stdin.on("error", ignore);
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        stdin.write(text, (error) => error ? reject(error) : resolve());
      }),
    end: () =>
      new Promise((resolve) => {
        // It would never call back: the process was gone first.
        if (stdin.destroyed) resolve();
        else stdin.end(() => resolve());
      }),
  };
}

function toStream(readable: Readable): DirectStream {
  const output = new NodeOutput(readable);
  return directStream(() => output.read(), () => output.cancel());
}

function ignore(): void {}
