/** Processes that a failed step leaves behind. */
import { host } from "../../src/runtime/host.ts";

/** Lists all that a process has started, by the processes that still run. */
export async function descendantsOf(pid: number): Promise<readonly number[]> {
  const entries = (await host()).processes();
  const found = [pid];
  // The list grows while it is walked.
  for (const parent of found) {
    for (const entry of entries) {
      if (entry.parent === parent) found.push(entry.pid);
    }
  }
  return found.slice(1);
}

/** Kills processes that may be over. */
export function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      Deno.kill(pid, "SIGKILL");
    } catch {
      // It is over.
    }
  }
}
