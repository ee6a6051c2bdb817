import type { Host } from "../ports/host.ts";
import type { ChildHandle, SpawnRequest, TextSink } from "../ports/process.ts";
import { deno, type DenoChild, type DenoGlobal } from "./globals.ts";
import { system } from "./system.ts";

/** Variables that load code into a program; with a limited `--allow-run` Deno refuses to set them. */
const LOADER_VARIABLE = /^(LD|DYLD)_/i;

const encoder = new TextEncoder();

/** Deno as a host. */
export function denoHost(): Host {
  if (deno === undefined) throw new Error("This adapter runs on Deno only");
  const runtime = deno;
  return {
    ...system,
    name: "deno",
    version: runtime.version.deno,
    tuning: { reusesBuffer: true, wideLineBytes: 512 },
    env: () => readEnvironment(runtime),
    spawn: (request) =>
      new Promise((resolve) => resolve(start(request, runtime))),
  };
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
    kill(signal) {
      try {
        child.kill(signal);
        return true;
      } catch {
        // A TypeError: it is gone.
        return false;
      }
    },
    warnings: refused.map((name) =>
      `Environment variable "${name}" was left out: Deno sets it only with an unlimited --allow-run`
    ),
  };
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
