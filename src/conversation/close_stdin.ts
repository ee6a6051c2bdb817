import type { Deadline, Deadlines } from "../async/deadline.ts";
import type { StdinWait, Turns } from "./turns.ts";

/** Longest wait for background tasks at the end; the CLI's own limit. Source: protocol reference, section Process. */
const BACKGROUND_MS = 600_000;
/** A task that ended starts a turn within 0.1 s, measured; some end without one. */
const FOLLOW_UP_MS = 5_000;

/** Closes stdin once it waits for nothing, or has waited long enough. */
export function closeStdinWhenOver(
  turns: Turns,
  deadlines: Deadlines,
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
    if (stdinWait === "tasks") wait = deadlines.add(BACKGROUND_MS, close);
    if (stdinWait === "follow-up") wait = deadlines.add(FOLLOW_UP_MS, close);
    if (stdinWait === "nothing") close();
  });
}
