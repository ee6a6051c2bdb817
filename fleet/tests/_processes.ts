import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { commandFor } from "../../src/runtime/rerun.ts";
import type { FleetOptions, WorkOptions } from "@sluice/fleet";

/** A worker that runs as a process of its own. */
export interface WorkerProcess {
  readonly pid: number;
  /** Kills it without a word. */
  kill(): Promise<void>;
  /** Tells it to end, and waits until it has. */
  end(): Promise<number | null>;
}

/** Starts a worker in the runtime that runs now, with its clock wrong by so much; resolves when it works. */
export async function startWorker(
  connect: FleetOptions,
  work: WorkOptions,
  clockMs = 0,
): Promise<WorkerProcess> {
  const url = new URL("./_worker.ts", import.meta.url);
  // It loads a package from npm, which Deno finds by the configuration and the lock file of the project.
  const [command = "", ...args] = commandFor(url).filter((word) =>
    word !== "--no-config" && word !== "--no-lock"
  );
  const child: ChildProcess = spawn(
    command,
    [...args, JSON.stringify({ connect, work, clockMs })],
    { stdio: ["ignore", "pipe", "inherit"], cwd: process.cwd() },
  );
  const exited = once(child, "exit");
  const { stdout } = child;
  if (stdout === null) throw new Error("Worker has no output");
  stdout.setEncoding("utf8");
  const [said] = await Promise.race([once(stdout, "data"), exited]);
  if (said !== "ready\n") throw new Error(`Worker did not begin: ${said}`);
  stdout.resume();
  return {
    pid: child.pid ?? 0,
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
    async end() {
      // By its id: Deno takes a signal that it sent for the way in which it ended.
      process.kill(child.pid ?? 0, "SIGTERM");
      const [code] = await exited;
      return code;
    },
  };
}
