import type {
  ChildHandle,
  Helper,
  SpawnRequest,
  TextSink,
} from "../ports/process.ts";
import type { DenoChild, DenoGlobal } from "./globals.ts";
import { attempt, helperOf } from "./machine.ts";
import { type ProcessTable, processTable } from "./process_table.ts";

/** Variables that load code into a program; with a limited `--allow-run` Deno refuses to set them. */
const LOADER_VARIABLE = /^(LD|DYLD)_/i;

const encoder = new TextEncoder();

const decoder = new TextDecoder();

export function startChild(
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
export function startHelper(
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

/** The processes of this machine through Deno. It never prompts for a permission: a shutdown is no time for questions. */
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
export function mayRun(
  { permissions }: DenoGlobal,
  command: string,
): boolean {
  return permissions.querySync({ name: "run", command }).state === "granted";
}

/** Whether no process but children may be signalled without a question to the user. */
function isRunLimited({ permissions }: DenoGlobal): boolean {
  const { state, partial } = permissions.querySync({ name: "run" });
  return state !== "granted" || partial === true;
}

function toSink({ stdin }: DenoChild): TextSink {
  const writer = stdin.getWriter();
  // The writer gets the same failure.
  writer.closed.catch(() => {});
  return {
    write: (text) => writer.write(encoder.encode(text)),
    // It is closed already when a write has failed.
    end: () => writer.close().catch(() => {}),
  };
}
