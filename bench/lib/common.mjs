// deno-lint-ignore-file explicit-module-boundary-types no-console -- plain JavaScript, which prints
// Shared by all benchmarks: the runtime, the paths,
// the fastest way to start the fake CLI on each runtime, and readings of
// this process's own costs.
import process from "node:process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { spawn } from "node:child_process";
import { Readable } from "node:stream";

export const runtime = globalThis.Deno
  ? "deno"
  : globalThis.Bun
  ? "bun"
  : "node";
export const FAKE = process.env.FAKE ??
  fileURLToPath(new URL("../../.bench/fakecli", import.meta.url));

export const args = Object.fromEntries(
  process.argv.slice(2).filter((a) => a.startsWith("--")).map((a) => {
    const [k, v] = a.slice(2).split(/=(.*)/s);
    return [k, v ?? "true"];
  }),
);

/** BENCH_MODULES, or the nearest node_modules above `from` that holds `pkg`. */
export function modulesDir(pkg, from = process.cwd()) {
  if (process.env.BENCH_MODULES) return resolve(process.env.BENCH_MODULES);
  for (let d = resolve(from);; d = dirname(d)) {
    if (existsSync(join(d, "node_modules", pkg))) {
      return join(d, "node_modules");
    }
    if (d === dirname(d)) return undefined;
  }
}

/** Imports one file of an installed package by its path, the same in every runtime. */
export async function importFrom(pkg, file) {
  const dir = modulesDir(pkg);
  if (!dir) {
    throw new Error(
      `${pkg} not found: set BENCH_MODULES to the node_modules that holds it`,
    );
  }
  return await import(pathToFileURL(join(dir, pkg, file)).href);
}

/** An entry of this project's package, by the variable that names it for this runtime, or for all. */
export async function loadOwn(key) {
  const where = process.env[`${key}_${runtime.toUpperCase()}`] ??
    process.env[key];
  if (!where) {
    throw new Error(
      `set ${key} (or ${key}_${runtime.toUpperCase()}) to the built package's entry`,
    );
  }
  return await import(
    /^[a-z]{2,}:/.test(where) ? where : pathToFileURL(resolve(where)).href
  );
}

/** Peak resident set of this process in MB (Linux; NaN elsewhere). */
export function peakRss() {
  try {
    return Math.round(
      Number(
        /VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1],
      ) / 1024,
    );
  } catch {
    return NaN;
  }
}

/** User plus system time of this process in ms, in ticks of 10 ms (Linux; NaN elsewhere). */
export function cpuMs() {
  try {
    const f = readFileSync("/proc/self/stat", "utf8").split(") ")[1].split(" ");
    return (Number(f[11]) + Number(f[12])) * 10;
  } catch {
    return NaN;
  }
}

export function report(row) {
  console.log(
    JSON.stringify({ runtime, ...row, rss: peakRss(), cpu: cpuMs() }),
  );
}

/**
 * The fake CLI's stdout as an async iterable or a web stream of Uint8Array.
 *   cp      node:child_process, Readable async iteration
 *   cpweb   node:child_process through Readable.toWeb
 *   native  Bun.spawn / Deno.Command, default reader
 *   byob    the same with a BYOB reader, where the runtime has one
 */
export function openStdout(kind, argv = ["-p", "hi"]) {
  if (kind === "cp" || kind === "cpweb") {
    const child = spawn(FAKE, argv, { stdio: ["ignore", "pipe", "inherit"] });
    return kind === "cpweb"
      ? { stream: Readable.toWeb(child.stdout) }
      : { iterable: child.stdout, node: child.stdout };
  }
  let stream;
  if (runtime === "bun") {
    stream = Bun.spawn([FAKE, ...argv], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "inherit",
    }).stdout;
  } else if (runtime === "deno") {
    stream = new Deno.Command(FAKE, {
      args: argv,
      stdin: "null",
      stdout: "piped",
      stderr: "inherit",
    }).spawn().stdout;
  } else throw new Error(`no native source in ${runtime}`);
  return kind === "byob" ? { iterable: byob(stream, 65536) } : { stream };
}

export async function* readAll(stream) {
  const reader = stream.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    yield value;
  }
}

async function* byob(stream, size) {
  const reader = stream.getReader({ mode: "byob" });
  let spare = new ArrayBuffer(size);
  for (;;) {
    const { value, done } = await reader.read(new Uint8Array(spare));
    if (done) return;
    yield value;
    spare = value.buffer; // the consumer is done with it by now
  }
}
