import type { Program } from "../runtime/program.ts";
import { DONE, HUNG_UP, INTERRUPTED, TERMINATED } from "./exit_code.ts";

/** What a person at the terminal, or the system, wants ended. */
export interface Interrupts {
  /** Aborted when everything is to end. */
  readonly signal: AbortSignal;
  /** The exit code that tells who wanted it; `undefined` while nobody does. */
  exitCode(): number | undefined;
  /** Takes the listeners back. */
  stop(): void;
}

/**
 * Does what a command is for; when somebody wants that ended, its failure is no news, and the exit code tells who it was.
 *
 * @param onInterrupt See {@link interrupts}
 */
export async function untilEnded(
  self: Program,
  work: (stopped: Interrupts) => Promise<number>,
  onInterrupt?: () => boolean,
): Promise<number> {
  const stopped = interrupts(self, onInterrupt);
  try {
    return await work(stopped);
  } catch (error) {
    const code = stopped.exitCode();
    if (code === undefined) throw error;
    return code;
  } finally {
    stopped.stop();
  }
}

/**
 * Listens to the signals that end a program, and to the end of whoever reads stdout.
 *
 * @param self The running program
 * @param onInterrupt Told of each SIGINT until everything is to end; false when it is. Absent, the first one ends everything
 */
export function interrupts(
  self: Program,
  onInterrupt: () => boolean = () => false,
): Interrupts {
  const ending = new AbortController();
  let code: number | undefined;
  const end = (reason: number) => {
    code ??= reason;
    ending.abort(new Error("Ended from outside"));
  };
  const quit = () => end(DONE);
  const taken = [
    self.onSignal("SIGINT", () => {
      if (ending.signal.aborted || !onInterrupt()) end(INTERRUPTED);
    }),
    self.onSignal("SIGTERM", () => end(TERMINATED)),
    self.onSignal("SIGHUP", () => end(HUNG_UP)),
  ];
  // A closed pipe is no error.
  if (self.unheard.aborted) quit();
  self.unheard.addEventListener("abort", quit, { once: true });
  return {
    signal: ending.signal,
    exitCode: () => code,
    stop() {
      self.unheard.removeEventListener("abort", quit);
      for (const giveBack of taken) giveBack();
    },
  };
}
