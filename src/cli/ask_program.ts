import { withTimeout } from "../async/deadline.ts";
import { safeLogger } from "../observe/log.ts";
import type { FullClock } from "../ports/clock.ts";
import type { Host } from "../ports/host.ts";
import type { ExitStatus, SpawnRequest } from "../ports/process.ts";
import { startChild } from "../process/child.ts";

/** More than any answer; what comes after it is not read. */
const LONGEST_BYTES = 4_096;

interface ProgramAnswer {
  readonly text: string;
  readonly exit: ExitStatus;
  readonly stderr: string;
}

/**
 * Runs a program without input, and reads what it prints; leaves no process behind.
 *
 * @param isWhole Whether a text is the whole answer: another process may hold the pipe open after it
 * @throws {SpawnError} If it cannot be started; else `late`, or the signal's reason
 */
export async function askProgram(
  host: Host,
  request: SpawnRequest,
  { clock, isWhole = () => false, late, ms, signal }: {
    readonly clock: FullClock;
    readonly ms: number;
    /** The error for a program that takes longer. */
    readonly late: Error;
    readonly signal?: AbortSignal | undefined;
    readonly isWhole?: (text: string) => boolean;
  },
): Promise<ProgramAnswer> {
  signal?.throwIfAborted();
  const stderr = {
    tailBytes: LONGEST_BYTES,
    linesPerSecond: Infinity,
    warnBytes: Infinity,
  };
  const child = await startChild(host, request, {
    stderr,
    forwardSignals: false,
    clock,
    log: safeLogger(),
  });
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  try {
    return await withTimeout(async () => {
      await child.stdin.end();
      let text = "";
      while (text.length < LONGEST_BYTES && !isWhole(text)) {
        const { done, value } = await reader.read();
        if (done) break;
        text += decoder.decode(value, { stream: true });
      }
      const exit = await child.exited;
      if (exit.code !== 0) await child.stderr.ended;
      return { text, exit, stderr: child.stderr.text().trim() };
    }, { clock, ms, signal, onTimeout: () => late });
  } finally {
    // It has nothing to save. A SIGTERM first would hide what it started from the SIGKILL.
    await child.stop({ reason: "finished", graceMs: Infinity, killMs: 0 });
    await reader.cancel().catch(() => {});
  }
}
