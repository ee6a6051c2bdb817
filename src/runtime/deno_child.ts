import type {
  ChildHandle,
  Helper,
  SpawnRequest,
  TextSink,
} from "../ports/process.ts";
import type { DenoChild, DenoGlobal } from "./globals.ts";

/** Variables that load code into a program; with a limited `--allow-run` Deno refuses to set them. */
const LOADER_VARIABLE = /^(LD|DYLD)_/i;

const encoder = new TextEncoder();

/** Starts a process with `Deno.Command`. */
export function startChild(
  { command, args, cwd, env, isDetached = false, isVerbatim = false }:
    SpawnRequest,
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
    detached: isDetached,
    windowsRawArguments: isVerbatim,
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

/** Starts a helper, if that may be done without a question to the user. */
export function startHelper(
  { command, args, cwd, env }: SpawnRequest,
  runtime: DenoGlobal,
): Helper {
  if (!mayRun(runtime, command)) {
    throw new Error(`Deno needs --allow-run=${command}`);
  }
  const child = new runtime.Command(command, {
    args,
    cwd,
    env,
    clearEnv: true,
    stdin: "piped",
    stdout: "null",
    stderr: "null",
    detached: true,
  }).spawn();
  child.unref();
  const sink = toSink(child);
  return {
    pid: child.pid,
    write: (text) => void sink.write(text).catch(() => {}),
    kill: () => void attempt(() => child.kill("SIGKILL")),
    exited: child.status.then(() => sink.end()),
  };
}

/** Whether a program may be started without a question to the user. */
export function mayRun({ permissions }: DenoGlobal, command: string): boolean {
  return permissions.querySync({ name: "run", command }).state === "granted";
}

/** False when the process is gone, or when Deno allows to kill none but children. */
export function attempt(kill: () => void): boolean {
  try {
    kill();
    return true;
  } catch {
    return false;
  }
}

/** Whether no process but children may be signalled without a question to the user. */
export function isRunLimited({ permissions }: DenoGlobal): boolean {
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
