import type { Host } from "../ports/host.ts";
import type { DenoGlobal } from "./globals.ts";
import { attempt, failureOf } from "./machine.ts";
import { denoFiles } from "./deno_files.ts";
import {
  denoProcesses,
  mayRun,
  startChild,
  startHelper,
} from "./deno_processes.ts";

const ARCHITECTURES: Readonly<Record<string, string>> = {
  x86_64: "x64",
  aarch64: "arm64",
};

/** Deno handles messages of other threads, such as signals, at least after every 31 tasks. */
const TURNS_OF_SIGNAL = 40;

/** A loop scans this much in a millisecond. */
const MUCH_BYTES = 256 * 1024;

/** Deno as a host. Modules of Node are left alone where that can be, since they take up to 20 ms to load. */
export function denoHost(
  runtime: DenoGlobal,
  nextTurn: Host["nextTurn"],
): Host {
  const { os, arch } = runtime.build;
  const platform = os === "windows" ? "win32" : os;
  return {
    name: "deno",
    version: runtime.version.deno,
    tuning: { reusesBuffer: true, wideLineBytes: 512 },
    platform,
    arch: ARCHITECTURES[arch] ?? arch,
    pid: runtime.pid,
    get execPath() {
      return runtime.execPath();
    },
    files: denoFiles(runtime),
    env() {
      try {
        return runtime.env.toObject();
      } catch (cause) {
        const text = "Environment cannot be read: Deno needs --allow-env";
        throw new Error(text, { cause });
      }
    },
    cwd: () => runtime.cwd(),
    home() {
      try {
        const name = os === "windows" ? "USERPROFILE" : "HOME";
        return runtime.env.get(name) || undefined;
      } catch {
        return undefined;
      }
    },
    machine() {
      // Only where already allowed: the user would not expect a prompt for it.
      const wanted = { name: "sys", kind: "hostname" } as const;
      const { state } = runtime.permissions.querySync(wanted);
      return state === "granted" ? runtime.hostname() : undefined;
    },
    spawn: (request) =>
      new Promise((resolve) => resolve(startChild(request, runtime))),
    failureOf,
    killPid: (pid, signal) => attempt(() => runtime.kill(pid, signal)),
    ...denoProcesses(runtime, platform),
    startHelper: (request) => startHelper(request, runtime),
    mayStart: (command) => mayRun(runtime, command),
    onExit(listener) {
      // Deno.exit() skips the `exit` event of `process`, while `unload` comes in every case that has either.
      globalThis.addEventListener("unload", listener);
      return () => globalThis.removeEventListener("unload", listener);
    },
    ...denoSignals(runtime, nextTurn),
    async signalsTold() {
      for (let turn = 0; turn < TURNS_OF_SIGNAL; turn++) {
        await new Promise<void>(nextTurn);
      }
    },
    raise: (signal) => runtime.kill(runtime.pid, signal),
    isAscii: (bytes) => isAscii(bytes),
    nextTurn,
  };
}

let looked = 0;

/** `isAscii()` of `node:buffer` is far faster than a loop but takes 5 ms to load, so it is loaded for large input only. */
let isAscii = (bytes: Uint8Array): boolean => {
  looked += bytes.length;
  if (looked > MUCH_BYTES) {
    isAscii = hasNoHighByte;
    import("node:buffer").then((buffer) => isAscii = buffer.isAscii);
  }
  return hasNoHighByte(bytes);
};

function hasNoHighByte(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte > 127) return false;
  return true;
}

/** Deno calls signal listeners in order, so one-time listeners added before ours are gone when ours runs. */
function denoSignals(
  runtime: DenoGlobal,
  nextTurn: Host["nextTurn"],
): Pick<Host, "onSignal" | "otherSignalListeners"> {
  const earlier = new Map<string, number>();
  // Not at once, since the first look loads a module of Node, while the child that is to get the signals starts.
  const lookSoon = (signal: string) =>
    nextTurn(() => {
      if (earlier.has(signal)) earlier.set(signal, processListeners(signal));
    });
  return {
    onSignal(signal, listener) {
      // Windows has none of the others, and Deno throws when they are asked for there.
      if (runtime.build.os === "windows" && signal !== "SIGINT") {
        return () => {};
      }
      const hear = () => {
        listener();
        lookSoon(signal);
      };
      runtime.addSignalListener(signal, hear);
      earlier.set(signal, 0);
      lookSoon(signal);
      return () => {
        runtime.removeSignalListener(signal, hear);
        earlier.delete(signal);
      };
    },
    otherSignalListeners: (signal) =>
      Math.max(processListeners(signal), earlier.get(signal) ?? 0),
  };
}

/** Foreign listeners on `process`; those of `Deno.addSignalListener()` cannot be counted. */
function processListeners(signal: string): number {
  const { process } = globalThis as unknown as {
    readonly process?: { listenerCount(event: string): number };
  };
  return process?.listenerCount(signal) ?? 0;
}
