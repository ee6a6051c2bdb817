import type { Host } from "../ports/host.ts";
import {
  DIRECT_READ,
  type DirectStream,
  type HostSignal,
} from "../ports/process.ts";
import { process } from "./builtins.ts";
import { failureOf } from "./error_codes.ts";
import { files } from "./files.ts";
import { processTable } from "./process_table.ts";

const { isAscii } = process.getBuiltinModule("node:buffer");
const { readdirSync, readFileSync } = process.getBuiltinModule("node:fs");
const { homedir, hostname } = process.getBuiltinModule("node:os");
const { setImmediate } = process.getBuiltinModule("node:timers");

/** Marks listeners of this package, so that several loaded copies of it know each other's. */
const OURS: symbol = Symbol.for("@sluice/agent/signal");

/** Windows sends these to nobody, or ends the program whoever listens. */
const NOT_ON_WINDOWS: ReadonlySet<HostSignal> = new Set(["SIGHUP", "SIGQUIT"]);

const isWindows = process.platform === "win32";

const table = processTable({
  platform: process.platform,
  systemRoot: process.env["SystemRoot"],
  list: (path) => readdirSync(path),
  read: (path) => readFileSync(path, "latin1"),
  run(command, args, env) {
    // Rarely needed, and then at once: the last moments of a program know no promise.
    const { spawnSync } = process.getBuiltinModule("node:child_process");
    const { error, stdout } = spawnSync(command, args, {
      encoding: "utf8",
      env,
      windowsHide: true,
    });
    if (error !== undefined) throw error;
    return stdout;
  },
  probe: (pid) => void process.kill(pid, 0),
});

/** What Bun and Node tell alike; Deno has its own, since its copies of these modules take 20 ms to load. */
export const system: Omit<
  Host,
  "name" | "version" | "tuning" | "spawn" | "startHelper"
> = {
  platform: process.platform,
  arch: process.arch,
  pid: process.pid,
  execPath: process.execPath,
  files,
  // No value of a copy is undefined.
  env: () => ({ ...process.env }) as Record<string, string>,
  cwd: () => process.cwd(),
  home() {
    try {
      return homedir() || undefined;
    } catch {
      // Neither the variable nor an entry in the list of users.
      return undefined;
    }
  },
  machine: () => hostname(),
  failureOf,
  killPid: send,
  ...table,
  onExit(listener) {
    process.on("exit", listener);
    return () => void process.removeListener("exit", listener);
  },
  onSignal(signal, listener) {
    if (isWindows && NOT_ON_WINDOWS.has(signal)) return () => {};
    const marked = Object.assign(() => listener(), { [OURS]: true });
    // In front, so that listeners for one time are still there to be counted.
    process.prependListener(signal, marked);
    return () => void process.removeListener(signal, marked);
  },
  async signalsTold() {
    // The first turn may be that of now, which has looked for signals before.
    await nextTurn();
    await nextTurn();
  },
  otherSignalListeners: (signal) =>
    process.listeners(signal).filter((one) => !(OURS in one)).length,
  raise: (signal) => void process.kill(process.pid, signal),
  isAscii,
  nextTurn: (callback) => void setImmediate(callback),
};

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

function send(pid: number, signal: string): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

export type Read = () => Promise<ReadableStreamReadResult<Uint8Array>>;

/** A stream over a function that reads; whoever knows of that one is spared the stream, which costs 5 to 10 % of the time of small messages. */
export function directStream(
  read: Read,
  cancel: (reason: unknown) => void | Promise<void>,
): DirectStream {
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel,
  }, { highWaterMark: 0 });
  return Object.assign(stream, { [DIRECT_READ]: read });
}
