import { settleWithin } from "../async/deadline.ts";
import type { Stages } from "./running.ts";
import { isRunning } from "./work.ts";

/** Leaves a running turn: nothing more is generated, and the CLI ends at once instead of at its end. */
export async function leaveTurn(stages: Stages): Promise<void> {
  const { life, timeouts, turns, engine: { outbox } } = stages;
  if (await deferCalls(stages)) return;
  if (life.reason !== "closed" || !isRunning(turns.state)) return;
  const line = JSON.stringify({
    type: "control_request",
    request_id: "close",
    request: { subtype: "interrupt" },
  });
  const sent = outbox.send(line + "\n").catch(() => {});
  await timeouts.withTimeout("interrupt", sent);
}

/**
 * Calls that wait for an approval are deferred, and so the turn ends on its own: after a resume they are asked again.
 *
 * Its result is waited for: a CLI whose input ends before that forgets the call.
 */
async function deferCalls(
  { desk, settings: { clock }, timeouts, turns, activity }: Stages,
): Promise<boolean> {
  if (desk === undefined) return false;
  const untilMs = clock.monotonic() + timeouts.ms("putOff");
  const leftMs = () => Math.max(untilMs - clock.monotonic(), 1);
  const wasAny = await settleWithin(desk.leave(), leftMs(), clock);
  if (wasAny !== true) return false;
  const isOver = async () => {
    while (isRunning(turns.state)) await activity.next;
  };
  await settleWithin(isOver(), leftMs(), clock);
  return true;
}
