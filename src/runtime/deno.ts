import type { Host } from "../ports/host.ts";
import { attempt, startChild, startHelper } from "./deno_child.ts";
import { denoFiles } from "./deno_files.ts";
import { denoProcesses } from "./deno_processes.ts";
import { denoSignals } from "./deno_signals.ts";
import { failureOf } from "./error_codes.ts";
import { deno, type DenoGlobal } from "./globals.ts";

/** What Node calls them. */
const PLATFORMS: Readonly<Record<string, string>> = { windows: "win32" };
const ARCHITECTURES: Readonly<Record<string, string>> = {
  x86_64: "x64",
  aarch64: "arm64",
};

/** A loop gets through so much in a millisecond. */
const MUCH_BYTES = 256 * 1024;

/** Deno as a host. Modules of Node are left alone where that can be, since they take up to 20 ms to load. */
export function denoHost(): Host {
  if (deno === undefined) throw new Error("This adapter runs on Deno only");
  const runtime = deno;
  const { os, arch } = runtime.build;
  const table = denoProcesses(runtime, PLATFORMS[os] ?? os);
  return {
    name: "deno",
    version: runtime.version.deno,
    tuning: { reusesBuffer: true, wideLineBytes: 512 },
    platform: PLATFORMS[os] ?? os,
    arch: ARCHITECTURES[arch] ?? arch,
    pid: runtime.pid,
    get execPath() {
      return runtime.execPath();
    },
    files: denoFiles(runtime),
    env: () => readEnvironment(runtime),
    cwd: () => runtime.cwd(),
    home: () => homeOf(runtime),
    machine: () => machineOf(runtime),
    spawn: (request) =>
      new Promise((resolve) => resolve(startChild(request, runtime))),
    failureOf,
    killPid: (pid, signal) => attempt(() => runtime.kill(pid, signal)),
    isRunning: (pid) => table.isRunning(pid),
    beginningOf: (pid) => table.beginningOf(pid),
    processes: (pids) => table.processes(pids),
    processIds: () => table.processIds(),
    environmentOf: (pid) => table.environmentOf(pid),
    killTree: (pid) => table.killTree(pid),
    startHelper: (request) => startHelper(request, runtime),
    onExit(listener) {
      // Deno.exit() skips the `exit` event of `process`, while `unload` comes in every case that has either.
      globalThis.addEventListener("unload", listener);
      return () => globalThis.removeEventListener("unload", listener);
    },
    ...denoSignals(runtime),
    raise: (signal) => runtime.kill(runtime.pid, signal),
    isAscii: (bytes) => isAscii(bytes),
    nextTurn: (callback) => void setImmediate(callback),
  };
}

let looked = 0;

/** That of `node:buffer` is many times as fast as a loop and takes 5 ms to load: it is fetched when there is much to look at. */
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

function homeOf({ env, build }: DenoGlobal): string | undefined {
  try {
    return env.get(build.os === "windows" ? "USERPROFILE" : "HOME") ||
      undefined;
  } catch {
    return undefined;
  }
}

/** Asked for only where it is allowed: nobody expects a prompt about it. */
function machineOf({ permissions, hostname }: DenoGlobal): string | undefined {
  const asked = permissions.querySync({ name: "sys", kind: "hostname" });
  return asked.state === "granted" ? hostname() : undefined;
}

function readEnvironment({ env }: DenoGlobal): Record<string, string> {
  try {
    return env.toObject();
  } catch (cause) {
    throw new Error("Environment cannot be read: Deno needs --allow-env", {
      cause,
    });
  }
}
