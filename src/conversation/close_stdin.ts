import type { Deadline, Deadlines } from "../async/deadline.ts";
import type { Settings } from "../options/resolve.ts";
import { limitOf } from "./endings.ts";
import type { StdinWait, Turns } from "./turns.ts";

/** Closes stdin once it waits for nothing, or has waited long enough. */
export function closeStdinWhenOver(
  { turns, deadlines, settings }: {
    readonly turns: Turns;
    readonly deadlines: Pick<Deadlines, "add">;
    readonly settings: Settings;
  },
  close: () => void,
): void {
  let waitsFor: StdinWait = "prompts";
  let wait: Deadline | undefined;
  turns.watch(() => {
    const { stdinWait } = turns;
    if (stdinWait === waitsFor) return;
    waitsFor = stdinWait;
    wait?.cancel();
    wait = undefined;
    if (stdinWait === "nothing") close();
    else if (stdinWait !== "prompts") {
      wait = deadlines.add(limitOf(stdinWait, settings), close);
    }
  });
}
