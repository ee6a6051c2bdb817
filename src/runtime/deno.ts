import { isAscii } from "node:buffer";
import type { Host } from "../ports/host.ts";
import type { ChildHandle, SpawnRequest, TextSink } from "../ports/process.ts";
import { denoFiles } from "./deno_files.ts";
import { deno, type DenoChild, type DenoGlobal } from "./globals.ts";
import { ProcessTable } from "./process_table.ts";
import { failureOf } from "./spawn_failure.ts";

/** Variables that load code into a program; with a limited `--allow-run` Deno refuses to set them. */
const LOADER_VARIABLE = /^(LD|DYLD)_/i;

/** What Node calls them. */
const PLATFORMS: Readonly<Record<string, string>> = { windows: "win32" };
const ARCHITECTURES: Readonly<Record<string, string>> = {
  x86_64: "x64",
  aarch64: "arm64",
};

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Deno as a host. Modules of Node are left alone where that can be, since they take up to 20 ms to load. */
export function denoHost(): Host {
  if (deno === undefined) throw new Error("This adapter runs on Deno only");
  const runtime = deno;
  const { os, arch } = runtime.build;
  const table = tableOf(runtime);
  return {
    name: "deno",
    version: runtime.version.deno,
    tuning: { reusesBuffer: true, wideLineBytes: 512 },
    platform: PLATFORMS[os] ?? os,
    arch: ARCHITECTURES[arch] ?? arch,
    get execPath() {
      return runtime.execPath();
    },
    files: denoFiles(runtime),
    env: () => readEnvironment(runtime),
    cwd: () => runtime.cwd(),
    home: () => homeOf(runtime),
    spawn: (request) =>
      new Promise((resolve) => resolve(start(request, runtime))),
    failureOf,
    killPid: (pid, signal) => attempt(() => runtime.kill(pid, signal)),
    isRunning: (pid) => table.isRunning(pid),
    descendants: (pid) => table.descendants(pid),
    onExit(listener) {
      // Deno.exit() skips the `exit` event of `process`, while `unload` comes in every case that has either.
      globalThis.addEventListener("unload", listener);
      return () => globalThis.removeEventListener("unload", listener);
    },
    ...signalsOf(runtime),
    raise: (signal) => runtime.kill(runtime.pid, signal),
    isAscii,
    nextTurn: (callback) => void setImmediate(callback),
  };
}

/** Deno calls signal listeners in the order of their coming, so those for one time that came before ours are gone when ours is called. */
function signalsOf(
  runtime: DenoGlobal,
): Pick<Host, "onSignal" | "otherSignalListeners"> {
  const earlier = new Map<string, number>();
  return {
    onSignal(signal, listener) {
      runtime.addSignalListener(signal, listener);
      earlier.set(signal, 0);
      // Not at once, since the first look loads a module of Node, while the child that is to get the signals starts.
      setImmediate(() => {
        if (earlier.has(signal)) earlier.set(signal, processListeners(signal));
      });
      return () => {
        runtime.removeSignalListener(signal, listener);
        earlier.delete(signal);
      };
    },
    otherSignalListeners: (signal) =>
      Math.max(processListeners(signal), earlier.get(signal) ?? 0),
  };
}

/** Those of `process`, which ours are none of; of `Deno.addSignalListener()` Deno tells nothing. */
function processListeners(signal: string): number {
  const { process } = globalThis as unknown as {
    readonly process?: { listenerCount(event: string): number };
  };
  return process?.listenerCount(signal) ?? 0;
}

function tableOf(runtime: DenoGlobal): ProcessTable {
  return new ProcessTable({
    list: (path) => Array.from(runtime.readDirSync(path), ({ name }) => name),
    read: (path) => runtime.readTextFileSync(path),
    run(command, args) {
      const { stdout } = new runtime.Command(command, {
        args,
        stdin: "null",
        stdout: "piped",
        stderr: "null",
      }).outputSync();
      return decoder.decode(stdout);
    },
    takesSignals() {
      throw new Error("Deno cannot ask without sending one");
    },
  });
}

function homeOf({ env, build }: DenoGlobal): string | undefined {
  try {
    return env.get(build.os === "windows" ? "USERPROFILE" : "HOME") ||
      undefined;
  } catch {
    return undefined;
  }
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

function start(
  { command, args, cwd, env }: SpawnRequest,
  runtime: DenoGlobal,
): ChildHandle {
  const refused = isRunLimited(runtime)
    ? Object.keys(env).filter((name) => LOADER_VARIABLE.test(name))
    : [];
  const child = new runtime.Command(command, {
    args,
    cwd,
    env: without(env, refused),
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  return {
    pid: child.pid,
    stdin: toSink(child),
    stdout: child.stdout,
    stderr: child.stderr,
    exited: child.status.then(({ code, signal }) =>
      signal === null ? { code, signal } : { code: null, signal }
    ),
    kill: (signal) => attempt(() => child.kill(signal)),
    warnings: refused.map((name) =>
      `Environment variable "${name}" was left out: Deno sets it only with an unlimited --allow-run`
    ),
  };
}

/** False when the process is gone, or when Deno allows to kill none but children. */
function attempt(kill: () => void): boolean {
  try {
    kill();
    return true;
  } catch {
    return false;
  }
}

function isRunLimited({ permissions }: DenoGlobal): boolean {
  const { state, partial } = permissions.querySync({ name: "run" });
  return state !== "granted" || partial === true;
}

function without(
  env: Readonly<Record<string, string>>,
  names: readonly string[],
): Readonly<Record<string, string>> {
  if (names.length === 0) return env;
  const kept = Object.entries(env).filter(([name]) => !names.includes(name));
  return Object.fromEntries(kept);
}

function toSink({ stdin }: DenoChild): TextSink {
  const writer = stdin.getWriter();
  // Whoever writes gets the same failure.
  writer.closed.catch(() => {});
  return {
    write: (text) => writer.write(encoder.encode(text)),
    // It is closed already when a write has failed.
    end: () => writer.close().catch(() => {}),
  };
}
