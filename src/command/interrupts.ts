import type { Program } from "../runtime/program.ts";
import { DONE, HUNG_UP, INTERRUPTED, TERMINATED } from "./exit_code.ts";

/**
 * Does what a command is for until somebody wants everything ended: a person at the terminal, the system, or whoever reads
 * stdout. A failure is no news then, and the exit code tells who it was.
 *
 * @param self The running program
 * @param work Its signal is aborted when everything is to end
 * @param onInterrupt Told of each SIGINT until everything is to end; false when it is. Absent, the first one ends everything
 */
export async function untilEnded(
  self: Program,
  work: (signal: AbortSignal) => Promise<number>,
  onInterrupt: () => boolean = () => false,
): Promise<number> {
  const ending = new AbortController();
  const { signal } = ending;
  let code: number | undefined;
  const end = (reason: number) => {
    code ??= reason;
    ending.abort(new Error("Ended from outside"));
  };
  const quit = () => end(DONE);
  const taken = [
    self.onSignal("SIGINT", () => {
      if (signal.aborted || !onInterrupt()) end(INTERRUPTED);
    }),
    self.onSignal("SIGTERM", () => end(TERMINATED)),
    self.onSignal("SIGHUP", () => end(HUNG_UP)),
  ];
  // A closed pipe is no error.
  if (self.unheard.aborted) quit();
  self.unheard.addEventListener("abort", quit, { once: true });
  try {
    return await work(signal);
  } catch (error) {
    if (code === undefined) throw error;
    return code;
  } finally {
    self.unheard.removeEventListener("abort", quit);
    for (const giveBack of taken) giveBack();
  }
}
