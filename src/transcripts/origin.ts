import type { TranscriptEntry } from "./store.ts";

/** Kinds of authors whose lines are messages, though the CLI marks them as its own. Source: official SDK 0.3.330. */
const AUTHORS: ReadonlySet<unknown> = new Set([
  "channel",
  "observer",
  "observer-activity",
  "slack-ping",
  "voice-call",
  "peer",
]);

const TASK = "task-notification";

/** Whether the CLI wrote a line on its own, and not for another author such as a channel. */
export function isOwnLine({ isMeta, origin }: TranscriptEntry): boolean {
  return Boolean(isMeta) && !AUTHORS.has(Object(origin).kind);
}

/** The origin of a prompt that the CLI inserted; those of tasks may have none. */
export function queuedOrigin(attachment: unknown): unknown {
  const { origin: given, commandMode, runId } = Object(attachment);
  const isKnown = typeof Object(given).kind === "string";
  const ofTask = commandMode === TASK ? { kind: TASK } : undefined;
  const origin = isKnown ? given : ofTask;
  return origin?.kind === TASK && runId !== undefined
    ? { runId, ...origin }
    : origin;
}
