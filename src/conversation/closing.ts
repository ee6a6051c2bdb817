import { settleWithin } from "../async/deadline.ts";
import { ClosedError } from "../errors/state.ts";
import { planOf } from "../ports/transport.ts";
import { limitOf } from "./endings.ts";
import type { Composed, Ground } from "./parts.ts";

/** Puts what needs no opening into the scope: input, timers, requests, pump and the way out, which close in that order. */
export function ownParts(parts: Composed): void {
  const { scope, live, pending, incoming, idle, input, outbox, ending } = parts;
  scope.own("outbox", () => {
    outbox.close(ending.error ?? new ClosedError("Conversation"));
  });
  scope.own("pump", () => live.pump?.drain());
  scope.own("requests", () => {
    pending.rejectAll((request) =>
      ending.reason === "closed"
        ? new ClosedError("Conversation")
        : parts.refusals.answer(request)
    );
    incoming.close(ending.error ?? new ClosedError("Conversation"));
  });
  scope.own("timers", () => idle.close());
  scope.own("input", async () => {
    input.close();
    await interruptTurn(parts);
  });
}

/** A turn that runs is interrupted first: nothing more is generated, and the CLI ends at once instead of at its end. */
async function interruptTurn(
  { ending, turns, live, outbox, settings }: Composed,
): Promise<void> {
  if (ending.reason !== "closed" || live.channel === undefined) return;
  if (!turns.isRunning) return;
  const line = JSON.stringify({
    type: "control_request",
    request_id: "close",
    request: { subtype: "interrupt" },
  });
  const sent = outbox.send(line + "\n").catch(() => {});
  await settleWithin(sent, limitOf("interrupt", settings), settings.clock);
}

/** Stops the process, also one that is still being opened; bounded, whatever a transport does. */
export async function stopProcess(
  { ending, settings, live }: Ground,
): Promise<void> {
  const plan = planOf(ending.reason ?? "closed", settings.shutdown);
  const stopped = live.opening?.then(
    (channel) => channel.stop(plan),
    // What did not open needs no stopping.
    () => {},
  );
  const ended = stopped?.then(() => live.ended);
  const limitMs = plan.killMs + limitOf("reap", settings);
  await (ended && settleWithin(ended, limitMs, settings.clock));
}
