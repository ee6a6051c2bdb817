import type { Meter } from "../observe/metrics.ts";
import type { Settings } from "../options/settings.ts";
import type { Outbox } from "../wire/outbox.ts";
import type { Timeouts } from "./timeouts.ts";
import type { Turns } from "./turns.ts";
import { stdinWait, work } from "./work.ts";

/** Closes stdin when nothing is to be said or asked any more. `docs/reliability.md` names the waits. */
export function closeStdinWhenOver(
  { settings, timeouts, meter, turns, outbox }: {
    readonly settings: Pick<Settings, "clock">;
    readonly timeouts: Timeouts;
    readonly meter: Meter;
    readonly turns: Turns;
    readonly outbox: Pick<Outbox, "end">;
  },
): void {
  const isOpenFor = (wait: string) =>
    !turns.state.isStdinClosed && stdinWait(turns.state) === wait;
  const closeStdin = () => {
    // From now on only work that continues delays a stall.
    meter.lastSignMs = meter.lastWorkMs = settings.clock.monotonic();
    turns.note({ kind: "stdinClosed" });
    void outbox.end();
  };
  turns.watch(() => {
    if (isOpenFor("nothing")) closeStdin();
  });
  turns.watch(timeouts.timeoutWhile({
    name: "tasks",
    isDue: () => isOpenFor("tasks"),
    onTimeout: closeStdin,
  }));
  turns.watch(timeouts.timeoutWhile({
    name: "followUp",
    isDue: () => work(turns.state) === "followUp",
    onTimeout: () => turns.note({ kind: "noFollowUp" }),
  }));
}
