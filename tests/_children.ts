import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import type { ChildHandle, SpawnRequest } from "../src/ports/process.ts";
import { commandFor } from "../src/runtime/rerun.ts";

/** The runtime of the tests, to start programs and touch files the same way on each. */
export { host } from "../src/runtime/host.ts";
export type { ChildHandle };

/** Where a runtime finds its caches, and what no program of Windows starts without. */
const NEEDED = [
  "HOME",
  "DENO_DIR",
  "LOCALAPPDATA",
  "SystemRoot",
  "TEMP",
  "USERPROFILE",
];

/** Why tests that look into the process table are left out here. */
export const needsProc: string | undefined =
  processStatus(process.pid) === undefined ? "needs /proc" : undefined;

/** Why tests that start shell scripts are left out here. */
export const needsShell: string | undefined = process.platform === "win32"
  ? "needs a POSIX shell"
  : undefined;

/** A shell script to be started; further words are its `$1`, `$2`, ... */
export function script(
  text: string,
  ...args: readonly string[]
): SpawnRequest {
  return program("/bin/sh", "-c", text, "sh", ...args);
}

/** A program to be started with no more than PATH in its environment. */
export function program(
  command: string,
  ...args: readonly string[]
): SpawnRequest {
  const { PATH = "" } = process.env;
  return { command, args, cwd: process.cwd(), env: { PATH } };
}

/** How the runtime that runs now starts a module of the tests, which may take the package by its names. */
export function moduleCommand(module: URL): readonly string[] {
  const [command = "", run, ...more] = commandFor(module);
  if (run !== "run") {
    return [command, ...run === undefined ? [] : [run], ...more];
  }
  return [command, run, `--import-map=${ownNames()}`, ...more];
}

/** The entries of this package by their names, as an import map. */
function ownNames(): string {
  const root = new URL("../", import.meta.url);
  const { name, exports } = JSON.parse(
    readFileSync(new URL("deno.json", root), "utf8"),
  );
  const imports = Object.fromEntries(
    Object.entries<string>(exports).map(([entry, path]) => [
      name + entry.slice(1),
      new URL(path, root).href,
    ]),
  );
  return `data:application/json,${
    encodeURIComponent(JSON.stringify({ imports }))
  }`;
}

/** A module of the tests as a program for the runtime that runs now, started as the package starts its own: it asks no registry. */
export function fixture(
  module: URL,
  ...args: readonly string[]
): SpawnRequest {
  const [command = "", ...flags] = moduleCommand(module);
  const request = program(command, ...flags, ...args);
  const given = NEEDED.flatMap((name) => {
    const value = process.env[name];
    return value ? [[name, value]] : [];
  });
  return { ...request, env: { ...request.env, ...Object.fromEntries(given) } };
}

/** Deno's cache outlives an empty HOME, or everything is compiled anew. */
export function denoCache(): Readonly<Record<string, string>> {
  const { HOME = "", DENO_DIR = join(HOME, ".cache", "deno") } = process.env;
  return existsSync(DENO_DIR) ? { DENO_DIR } : {};
}

/** All of a stream as text. */
export async function textOf(
  stream: ReadableStream<Uint8Array>,
): Promise<string> {
  return await new Response(stream).text();
}

/** Reads a stream line by line. */
export class Lines {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = "";

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  /** The next line; `undefined` at the end. */
  async next(): Promise<string | undefined> {
    for (;;) {
      const at = this.#text.indexOf("\n");
      if (at !== -1) {
        const line = this.#text.slice(0, at);
        this.#text = this.#text.slice(at + 1);
        return line;
      }
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.#text += this.#decoder.decode(value, { stream: true });
    }
  }

  /** Reads no further. */
  async cancel(): Promise<void> {
    await this.#reader.cancel();
  }
}

/** Kills a process that may still run, waits for its end and closes its pipes. */
export async function release(child: ChildHandle): Promise<void> {
  child.kill("SIGKILL");
  await child.exited;
  await child.stdin.end();
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream.locked) await stream.cancel();
  }
}

/** Whether a process runs; a zombie does not, though it still accepts signals. */
export function isRunning(pid: number): boolean {
  const state = processStatus(pid)?.match(/^State:\s+(\S)/m)?.[1];
  return state !== undefined && state !== "Z" && state !== "X";
}

/** Waits until any process is gone; false when it still runs after `ms`. */
export async function isGoneWithin(ms: number, pid: number): Promise<boolean> {
  for (const end = Date.now() + ms; isRunning(pid);) {
    if (Date.now() > end) return false;
    await sleep(5);
  }
  return true;
}

/** Ids of this program's children, dead ones that were not reaped included. */
export function ownChildren(): readonly number[] {
  return readdirSync("/proc").map(Number).filter((pid) => {
    const status = pid > 0 ? processStatus(pid) : undefined;
    return status?.includes(`\nPPid:\t${process.pid}\n`);
  });
}

/** How many files, pipes and sockets this program holds open. */
export function openDescriptors(): number {
  return readdirSync("/proc/self/fd").length;
}

/** Waits until at most `count` are open: runtimes close a turn or two later. */
export async function closesDownTo(count: number): Promise<boolean> {
  for (const end = Date.now() + 10_000; openDescriptors() > count;) {
    if (Date.now() > end) return false;
    await sleep(5);
  }
  return true;
}

function processStatus(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return undefined;
  }
}
