/** Programs that run tests, and end with all that they started. */
import { ROOT } from "../project.ts";

/** Program to run. */
interface Supervised {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Working directory; the root unless given. */
  readonly cwd?: string;
  /** Milliseconds until the group is killed. */
  readonly limitMs: number;
}

/** Its outcome. */
interface SupervisedEnd {
  readonly code: number;
  readonly output: string;
  readonly isOverrun: boolean;
}

/** Running programs: a stop signal to this script ends all of them. */
const running = new Set<Deno.ChildProcess>();

const STOP_SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM", "SIGHUP"];

/** Runs a program in a process group of its own, so that nothing it started outlives it, and waits for its end; kills its group when time is up, or when this script gets a stop signal. */
export async function supervise(
  { command, args, env, cwd, limitMs }: Supervised,
): Promise<SupervisedEnd> {
  const child = new Deno.Command(command, {
    args: [...args],
    cwd: cwd ?? ROOT,
    clearEnv: true,
    env: { ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    detached: Deno.build.os !== "windows",
  }).spawn();
  let isOverrun = false;
  const timer = setTimeout(() => {
    isOverrun = true;
    killGroup(child);
  }, limitMs);
  running.add(child);
  for (const signal of STOP_SIGNALS) Deno.addSignalListener(signal, stop);

  const chunks: Uint8Array[] = [];
  const gather = async (stream: ReadableStream<Uint8Array>) => {
    for await (const chunk of stream) chunks.push(chunk);
  };
  const drained = Promise.all([gather(child.stdout), gather(child.stderr)]);
  const { code } = await child.status;
  // Its descendants would hold the pipes open.
  killGroup(child);
  await drained;
  clearTimeout(timer);
  running.delete(child);
  if (running.size === 0) {
    for (const signal of STOP_SIGNALS) Deno.removeSignalListener(signal, stop);
  }
  return {
    code,
    output: await new Blob(chunks as BlobPart[]).text(),
    isOverrun,
  };
}

function stop(): never {
  running.forEach(killGroup);
  Deno.exit(130);
}

function killGroup(child: Deno.ChildProcess): void {
  try {
    if (Deno.build.os === "windows") child.kill("SIGKILL");
    else Deno.kill(-child.pid, "SIGKILL");
  } catch {
    // Everybody has left already.
  }
}
