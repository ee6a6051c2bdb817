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
import { helperOf } from "./machine.ts";
import { directStream, process, systemOf } from "./system.ts";

const { spawn } = process.getBuiltinModule("node:child_process");
const { once } = process.getBuiltinModule("node:events");

export function nodeHost(nextTurn: Host["nextTurn"]): Host {
  return {
    ...systemOf(nextTurn),
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
  try {
    await once(child, "spawn");
  } catch (error) {
    // Arguments may hold secrets, and errors are shown.
    if (error instanceof Error && "spawnargs" in error) delete error.spawnargs;
    throw error;
  }
  // A failure from here on is one of sending a signal, which `kill()` tells.
  child.on("error", ignore);
  return {
    // There is a process, so it has an id.
    pid: child.pid as number,
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
  // A pipe is a socket here, which the types do not tell.
  (stdin as Writable & { unref?(): void }).unref?.();
  return helperOf(Object.assign(child, { pid }), toSink(stdin), exited);
}

function toSink(stdin: Writable): TextSink {
  // The callbacks below deliver the same errors to the writer.
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

type Chunk = ReadableStreamReadResult<Uint8Array>;

interface Taker {
  readonly resolve: (chunk: Chunk) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Output of a child of Node, chunk by chunk.
 *
 * By hand, because `Readable.toWeb()` reads ahead and takes a millisecond more for the first chunk. What flows goes straight
 * to a pending read; a chunk without one is held, and pauses the flow. More than one is held after the exit, when
 * Node sets the flow going by itself.
 */
class NodeOutput {
  readonly #output: Readable;
  readonly #held: Uint8Array[] = [];
  #taker: Taker | undefined;

  constructor(output: Readable) {
    this.#output = output;
    output.pause();
    // Views of a Buffer are Buffers, which cost three times as much to make.
    output.on(
      "data",
      ({ buffer, byteOffset, byteLength }: Uint8Array) =>
        this.#take(new Uint8Array(buffer, byteOffset, byteLength)),
    );
    for (const event of ["end", "error", "close"]) {
      output.on(event, () => this.#end());
    }
  }

  /** The next chunk; calls come one after the other. */
  read(): Promise<Chunk> {
    return new Promise((resolve, reject) => {
      this.#taker = { resolve, reject };
      const value = this.#held.shift();
      if (value !== undefined) this.#take(value);
      else if (this.#isOver) this.#end();
      else this.#output.resume();
    });
  }

  cancel(): void {
    this.#held.length = 0;
    this.#output.destroy();
  }

  get #isOver(): boolean {
    return this.#output.readableEnded || this.#output.destroyed;
  }

  #take(value: Uint8Array): void {
    if (this.#taker === undefined) {
      this.#held.push(value);
      this.#output.pause();
      return;
    }
    const { resolve } = this.#taker;
    this.#taker = undefined;
    resolve({ done: false, value });
  }

  #end(): void {
    const taker = this.#taker;
    this.#taker = undefined;
    const { errored } = this.#output;
    if (errored) taker?.reject(errored);
    else taker?.resolve({ done: true });
  }
}
