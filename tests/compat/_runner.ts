import { spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { PlainPlace } from "./_side_by_side.ts";

/** Arguments of `_run.ts` about a program. */
export interface Errand extends PlainPlace {
  readonly name: string;
  /** The package, ours where it is empty. */
  readonly sdk: string;
  /** The line to print behind the program. */
  readonly over: string;
}

/** Printed lines, and the exit code; 0 for a process that keeps running. */
export interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

/** Runs programs one after the other in one process, for which a start costs as much as a program; after one that ended it, in a new one. */
export interface Runner {
  run(name: string, sdk: string, place: PlainPlace): Promise<Outcome>;
  /** Waits until the process ends by itself, as it does when no program has left anything open. */
  end(): Promise<Outcome>;
}

const OVER = "-- over --\n";
const LIMIT_MS = 90_000;

/** Starts a process with the first program. */
export function programRunner(): Runner {
  let running: Running | undefined;
  const finish = async (ask: (running: Running) => void) => {
    running ??= start();
    ask(running);
    const outcome = await running.next();
    if (!running.isRunning()) running = undefined;
    return outcome;
  };
  return {
    run: (name, sdk, place) =>
      finish((running) => running.ask({ name, sdk, ...place, over: OVER })),
    end: async () =>
      running === undefined
        ? { code: 0, output: "" }
        : await finish((running) => running.leave()),
  };
}

interface Running {
  ask(errand: Errand): void;
  leave(): void;
  isRunning(): boolean;
  /** How the next program ends, or the process with it. */
  next(): Promise<Outcome>;
}

function start(): Running {
  const program = fileURLToPath(new URL("./_run.ts", import.meta.url));
  // Programs import zod, which Deno knows by the project's configuration; it asks no registry.
  const flags = "Deno" in globalThis
    ? ["run", "-A", "--no-check", "--cached-only", program]
    : [program];
  const child = spawn(process.execPath, flags, {
    env: { ...process.env, NO_COLOR: "1" },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let output = "";
  let errors = "";
  let code: number | null | undefined;
  let look = () => {};
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    look();
  });
  child.stderr.setEncoding("utf8").on("data", (text) => errors += text);
  // One that is gone reads nothing; its end tells more.
  child.stdin.on("error", () => {});
  child.on("error", (error) => errors += error.message);
  child.on("close", (ended) => {
    code = ended;
    look();
  });
  return {
    ask: (errand) => void child.stdin.write(`${JSON.stringify(errand)}\n`),
    leave: () => void child.stdin.end(),
    isRunning: () => code === undefined,
    next: () =>
      new Promise((resolve) => {
        const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
        look = () => {
          const isOver = output.endsWith(OVER);
          if (!isOver && code === undefined) return;
          clearTimeout(timer);
          look = () => {};
          const said = isOver ? output.slice(0, -OVER.length) : output;
          output = "";
          const end = isOver ? 0 : code ?? null;
          resolve({ code: end, output: end === 0 ? said : said + errors });
        };
        look();
      }),
  };
}
