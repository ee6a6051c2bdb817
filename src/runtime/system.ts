import type { Stats } from "node:fs";
import type { Files, OpenFile, OpenMode } from "../ports/files.ts";
import type { Host } from "../ports/host.ts";
import {
  DIRECT_READ,
  type DirectStream,
  type HostSignal,
} from "../ports/process.ts";
import {
  attempt,
  failureOf,
  MAY_NOT,
  NO_DIRECTORY_SYNC,
  NO_LINK,
  NOTHING_THERE,
  orUndefined,
  PRIVATE_FILE,
  statusOf,
} from "./machine.ts";
import { processTable } from "./process_table.ts";

/**
 * `process` of Node and Bun, and through it the modules of Node that a start needs.
 *
 * Their ESM forms read each of their exports when they are loaded. That of `process` makes the three standard streams
 * that way: 4 ms of a start on Node.
 */
export const process: NodeJS.Process = globalThis.process;

const fs = process.getBuiltinModule("node:fs");
const disk = process.getBuiltinModule("node:fs/promises");
const { isAscii } = process.getBuiltinModule("node:buffer");
const { homedir, hostname, tmpdir } = process.getBuiltinModule("node:os");
const { join } = process.getBuiltinModule("node:path");
const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR } = fs.constants;

const FLAGS: Readonly<Record<OpenMode, number>> = {
  read: O_RDONLY,
  append: O_RDWR | O_APPEND,
  grow: O_RDWR | O_APPEND | O_CREAT,
  new: O_RDWR | O_APPEND | O_CREAT | O_EXCL,
};

const files: Files = {
  async status(path) {
    const found = await orUndefined(disk.stat(path), NOTHING_THERE);
    return found && statusOf(process.platform, {
      isFile: found.isFile(),
      isDirectory: found.isDirectory(),
      size: found.size,
      modifiedMs: found.mtimeMs,
      mode: found.mode,
      owner: found.uid,
    }, process.geteuid?.());
  },
  linkTarget: (path) => orUndefined(disk.readlink(path), NO_LINK),
  realPath: (path) => disk.realpath(path),
  async isExecutable(path) {
    const found = await files.status(path);
    if (found?.kind !== "file") return false;
    const answer = disk.access(path, fs.constants.X_OK).then(() => true);
    return await orUndefined(answer, MAY_NOT) ?? false;
  },
  list: (path) => disk.readdir(path),
  readText: (path) => disk.readFile(path, "utf8"),
  writeText: (path, text) => disk.writeFile(path, text),
  appendText: (path, text) => disk.appendFile(path, text),
  rename: (from, to) => disk.rename(from, to),
  remove: (path) => disk.rm(path, { recursive: true, force: true }),
  removeNow: (path) => fs.rmSync(path, { recursive: true, force: true }),
  async makeDirectory(path, mode) {
    await disk.mkdir(path, { recursive: true, ...(mode && { mode }) });
  },
  open: openFile,
  link: (path, name) => disk.link(path, name),
  syncDirectory: (path) => orUndefined(syncNames(path), NO_DIRECTORY_SYNC),
  makeTemporaryDirectory: (prefix) => disk.mkdtemp(join(tmpdir(), prefix)),
};

/** Opens a file by its descriptor: a `FileHandle` that is forgotten is an uncaught error in Bun. */
async function openFile(
  path: string,
  mode: OpenMode,
): Promise<OpenFile> {
  const file = await promised<number>((done) =>
    fs.open(path, FLAGS[mode], PRIVATE_FILE, done)
  );
  return {
    read: (buffer, position) =>
      promised<number>((done) =>
        fs.read(file, buffer, 0, buffer.length, position, done)
      ),
    write: (bytes) =>
      promised<number>((done) =>
        fs.write(file, bytes, 0, bytes.length, null, done)
      ),
    isRemoved: async () =>
      (await promised<Stats>((done) => fs.fstat(file, done))).nlink === 0,
    syncData: () => promised((done) => fs.fdatasync(file, done)),
    close: () => promised((done) => fs.close(file, done)),
  };
}

/** Resolves when the names in a directory are on the disk. */
async function syncNames(path: string): Promise<void> {
  const directory = await disk.open(path, O_RDONLY);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function promised<T = void>(
  call: (done: (error?: Error | null, value?: T) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) =>
    // A callback without an error has the value.
    call((error, value) => error ? reject(error) : resolve(value as T))
  );
}

/** Marks listeners of this package, so that several loaded copies of it know each other's. */
const OURS: symbol = Symbol.for("@sluice/agent/signal");

/** Windows never sends these, or ends the program regardless of listeners. */
const NOT_ON_WINDOWS: ReadonlySet<HostSignal> = new Set(["SIGHUP", "SIGQUIT"]);

const isWindows = process.platform === "win32";

/** The parts that Bun and Node share; Deno has its own, since its copies of these modules take 20 ms to load. */
export function systemOf(
  nextTurn: Host["nextTurn"],
): Omit<Host, "name" | "version" | "tuning" | "spawn" | "startHelper"> {
  return {
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
    killPid: (pid, signal) => attempt(() => process.kill(pid, signal)),
    ...processTable({
      platform: process.platform,
      systemRoot: process.env["SystemRoot"],
      list: (path) => fs.readdirSync(path),
      read: (path) => fs.readFileSync(path, "latin1"),
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
    }),
    mayStart: (command) => fs.existsSync(command),
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
      await new Promise<void>(nextTurn);
      await new Promise<void>(nextTurn);
    },
    otherSignalListeners: (signal) =>
      process.listeners(signal).filter((one) => !(OURS in one)).length,
    raise: (signal) => void process.kill(process.pid, signal),
    isAscii,
    nextTurn,
  };
}

export type Read = () => Promise<ReadableStreamReadResult<Uint8Array>>;

/** A stream over a read function; calling that function directly saves 5 to 10 % of the time of small messages. */
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
