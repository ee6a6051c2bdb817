import type { Files, OpenFile, OpenMode } from "../ports/files.ts";
import type { Host } from "../ports/host.ts";
import type {
  ChildHandle,
  Helper,
  SpawnRequest,
  TextSink,
} from "../ports/process.ts";
import type { DenoChild, DenoGlobal, DenoOpenOptions } from "./globals.ts";
import {
  attempt,
  failureOf,
  helperOf,
  NO_DIRECTORY_SYNC,
  NO_LINK,
  NOTHING_THERE,
  orUndefined,
  PRIVATE_FILE,
  type ProcessTable,
  processTable,
  statusOf,
} from "./machine.ts";

/** What Node calls them. */
const ARCHITECTURES: Readonly<Record<string, string>> = {
  x86_64: "x64",
  aarch64: "arm64",
};

/** Deno looks for what other threads tell, as that of the signals does, after every 31 tasks at the latest. */
const TURNS_OF_SIGNAL = 40;

/** A loop gets through so much in a millisecond. */
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
      // Asked for only where it is allowed: nobody expects a prompt about it.
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

/** Deno calls signal listeners in the order of their coming, so those for one time that came before ours are gone when ours is called. */
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

/** Those of `process`, which ours are none of; of `Deno.addSignalListener()` Deno tells nothing. */
function processListeners(signal: string): number {
  const { process } = globalThis as unknown as {
    readonly process?: { listenerCount(event: string): number };
  };
  return process?.listenerCount(signal) ?? 0;
}

const OPTIONS: Readonly<Record<OpenMode, DenoOpenOptions>> = {
  read: { read: true },
  append: { read: true, append: true },
  new: { read: true, append: true, createNew: true, mode: PRIVATE_FILE },
};

const ANYBODY_MAY_EXECUTE = 0o111;
/** `Deno.SeekMode.Start`. */
const FROM_START = 0;

/** The files of this machine through Deno itself: its copy of `node:fs` takes 20 ms to load. */
export function denoFiles(deno: DenoGlobal): Files {
  return {
    async status(path) {
      const found = await orUndefined(deno.stat(path), NOTHING_THERE);
      return found && statusOf(deno.build.os, {
        isFile: found.isFile,
        isDirectory: found.isDirectory,
        size: found.size,
        modifiedMs: found.mtime?.getTime() ?? 0,
        mode: found.mode ?? 0,
      });
    },
    linkTarget: (path) => orUndefined(deno.readLink(path), NO_LINK),
    realPath: (path) => deno.realPath(path),
    async isExecutable(path) {
      const found = await orUndefined(deno.stat(path), NOTHING_THERE);
      if (found === undefined || !found.isFile) return false;
      // Windows has no such bit, and what Deno tells there instead says nothing.
      if (deno.build.os === "windows") return true;
      // Deno does not say whose turn it is, so anybody's counts; the start tells the rest.
      return ((found.mode ?? 0) & ANYBODY_MAY_EXECUTE) !== 0;
    },
    async list(path) {
      const names: string[] = [];
      for await (const { name } of deno.readDir(path)) names.push(name);
      return names;
    },
    readText: (path) => deno.readTextFile(path),
    writeText: (path, text) => deno.writeTextFile(path, text),
    appendText: (path, text) =>
      deno.writeTextFile(path, text, { append: true }),
    rename: (from, to) => deno.rename(from, to),
    remove: (path) =>
      orUndefined(deno.remove(path, { recursive: true }), NOTHING_THERE),
    removeNow(path) {
      try {
        deno.removeSync(path, { recursive: true });
      } catch (error) {
        const { code } = error as { readonly code?: unknown };
        if (!NOTHING_THERE.has(code)) throw error;
      }
    },
    makeDirectory: (path, mode) =>
      deno.mkdir(path, { recursive: true, ...(mode && { mode }) }),
    open: (path, mode) => openFile(deno, path, mode),
    link: (path, name) => deno.link(path, name),
    syncDirectory: (path) =>
      orUndefined(syncNames(deno, path), NO_DIRECTORY_SYNC),
    makeTemporaryDirectory: (prefix) => deno.makeTempDir({ prefix }),
  };
}

async function openFile(
  deno: DenoGlobal,
  path: string,
  mode: OpenMode,
): Promise<OpenFile> {
  const file = await deno.open(path, OPTIONS[mode]);
  return {
    async read(buffer, position) {
      await file.seek(position, FROM_START);
      return await file.read(buffer) ?? 0;
    },
    write: (bytes) => file.write(bytes),
    isRemoved: async () => (await file.stat()).nlink === 0,
    syncData: () => file.syncData(),
    close: () => new Promise((resolve) => resolve(file.close())),
  };
}

async function syncNames(deno: DenoGlobal, path: string): Promise<void> {
  const directory = await deno.open(path, OPTIONS.read);
  try {
    await directory.sync();
  } finally {
    directory.close();
  }
}

/** Variables that load code into a program; with a limited `--allow-run` Deno refuses to set them. */
const LOADER_VARIABLE = /^(LD|DYLD)_/i;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Starts a process with `Deno.Command`. */
function startChild(
  request: SpawnRequest,
  runtime: DenoGlobal,
): ChildHandle {
  const env = { ...request.env };
  const refused = isRunLimited(runtime)
    ? Object.keys(env).filter((name) => LOADER_VARIABLE.test(name))
    : [];
  for (const name of refused) delete env[name];
  const child = spawn({ ...request, env }, runtime, "piped");
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

/** Starts a helper, if that may be done without a question to the user. */
function startHelper(
  request: SpawnRequest,
  runtime: DenoGlobal,
): Helper {
  const { command } = request;
  if (!mayRun(runtime, command)) {
    throw new Error(`Deno needs --allow-run=${command}`);
  }
  const child = spawn({ ...request, isDetached: true }, runtime, "null");
  return helperOf(child, toSink(child), child.status);
}

function spawn(
  { command, args, cwd, env, isDetached = false, isVerbatim = false }:
    SpawnRequest,
  { Command }: DenoGlobal,
  output: "piped" | "null",
): DenoChild {
  return new Command(command, {
    args,
    cwd,
    env,
    clearEnv: true,
    stdin: "piped",
    stdout: output,
    stderr: output,
    detached: isDetached,
    windowsRawArguments: isVerbatim,
  }).spawn();
}

/** The processes of this machine through Deno. Nothing here asks the user for a permission: nobody expects such a question while something ends. */
export function denoProcesses(
  runtime: DenoGlobal,
  platform: string,
): ProcessTable {
  const mayRead = (path: string) => {
    const asked = runtime.permissions.querySync({ name: "read", path });
    if (asked.state !== "granted") throw new Error("May not be read");
  };
  return processTable({
    platform,
    get systemRoot() {
      return platform === "win32" ? runtime.env.get("SystemRoot") : undefined;
    },
    list(path) {
      mayRead(path);
      return Array.from(runtime.readDirSync(path), ({ name }) => name);
    },
    read(path) {
      mayRead(path);
      return runtime.readTextFileSync(path);
    },
    run(command, args, env) {
      if (!mayRun(runtime, command)) throw new Error("May not be started");
      const { stdout } = new runtime.Command(command, {
        args,
        env,
        clearEnv: true,
        stdin: "null",
        stdout: "piped",
        stderr: "null",
      }).outputSync();
      return decoder.decode(stdout);
    },
    probe(pid) {
      if (isRunLimited(runtime)) throw new Error("May not be asked");
      // Deno's own cannot ask without sending one.
      const { process } = globalThis as unknown as {
        readonly process: { kill(pid: number, signal: 0): void };
      };
      process.kill(pid, 0);
    },
  });
}

/** Whether a program may be started without a question to the user. */
function mayRun({ permissions }: DenoGlobal, command: string): boolean {
  return permissions.querySync({ name: "run", command }).state === "granted";
}

/** Whether no process but children may be signalled without a question to the user. */
function isRunLimited({ permissions }: DenoGlobal): boolean {
  const { state, partial } = permissions.querySync({ name: "run" });
  return state !== "granted" || partial === true;
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
