import { asObject, cut, isObject, textOfError } from "../errors/text.ts";
import { settleWithin } from "../async/deadline.ts";
import { systemClock } from "../async/system_clock.ts";
import { ControlError, ProtocolError } from "../errors/protocol.ts";
import { hookSettings, optionsByHooks } from "../options/required_hooks.ts";
import type { SessionInfo } from "../protocol/session.ts";
import type { ControlOptions } from "../types/controls.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { checkApplied, initializeFields, refuse } from "./handshake.ts";
import type { Session } from "./running.ts";

/**
 * Timeout of an answer after `initialize`, in milliseconds; a CLI that knows the questions takes a hundredth of it, and
 * one that does not may never answer.
 */
const ANSWER_MS = 2_000;

/** Events whose hooks may change or allow a call after it was judged. */
const DECIDING: readonly JsonValue[] = ["PreToolUse", "PermissionRequest"];

/** Sends `initialize` once more; questions that are still open ride on its answer. */
export async function initializeAgain(
  session: Session,
  options: ControlOptions,
): Promise<SessionInfo> {
  const { engine: { incoming, requests }, servers } = session;
  const fields = await initializeFields(session, await servers.listed());
  // The CLI reads in order: what it still waits for after this was never answered there.
  incoming.forgetAnswered();
  const answer = requests.send("initialize", fields, options);
  const confirmed = confirmHooks(session);
  const info = await answer;
  try {
    checkApplied(fields, info);
    await confirmed?.();
  } catch (error) {
    // A CLI that calls no hooks must not continue; any other error comes of an end that has begun.
    if (error instanceof ProtocolError) {
      session.life.fail(error).catch(() => {});
    }
    throw error;
  }
  // The published shape of the reply is taken at its word.
  return info as unknown as SessionInfo;
}

/** The answer of the CLI to one question: a success, a refusal, or none in time. */
type Answer = {
  readonly reply?: JsonObject;
  readonly refusal?: unknown;
} | undefined;

/**
 * Asks the CLI whether it calls hooks, and applies the settings that keep them on; `undefined` when nothing is guarded.
 *
 * A CLI in bare mode says in its answer to `initialize` that it took the hooks, and calls none.
 *
 * @returns What the prompt waits for: resolves when the CLI may be asked something, rejects when hooks would not be called
 */
export function confirmHooks(
  session: Session,
): (() => Promise<void>) | undefined {
  const { settings, guarded: { variables }, life } = session;
  const { engine: { requests }, reporter: { log } } = session;
  const { options } = settings;
  const kept = optionsByHooks(options);
  if (kept.length === 0) return undefined;
  // In this order: the listing shows the state before the settings were applied.
  const listing = answerOf(requests.send("get_hooks_listing"));
  const taking = answerOf(
    requests.send("apply_flag_settings", {
      settings: hookSettings(options, variables),
    }),
  );
  const inTime = (answer: Promise<Answer>) =>
    Promise.race([
      settleWithin(answer, ANSWER_MS, systemClock),
      session.ended.promise,
    ]);
  return async () => {
    const [listed, taken] = await Promise.all([
      inTime(listing),
      inTime(taking),
    ]);
    checkListing(listed, kept);
    const isUnkept = taken?.reply === undefined;
    if (isUnkept) checkUnkept(listed, taken, kept);
    // A peer that accepts everything proves nothing about hooks.
    const saysNothing = listed?.reply !== undefined &&
      !Array.isArray(listed.reply.hooks);
    if (isUnkept || saysNothing) {
      log.warn(
        "CLI cannot tell whether it calls hooks: settings of the user may switch them off",
        { guarded: kept },
      );
    }
    if (listed === undefined) {
      // It may have been busy.
      listing.then((late) => checkListing(late, kept))
        .catch((error) => life.fail(error)).catch(() => {});
    } else if (listed.reply) tellForeignHooks(listed.reply, session);
  };
}

/** Refuses a CLI that says that it calls no hooks. */
function checkListing(answer: Answer, kept: readonly string[]): void {
  if (answer?.reply === undefined) return;
  const { bareMode, safeMode, policy } = answer.reply;
  for (
    const [name, mode] of [["bare", bareMode], ["safe", safeMode]] as const
  ) {
    if (mode === undefined || mode === null || mode === false) continue;
    const hint = asObject(mode).exitHint;
    const help = typeof hint === "string" ? `, ${cut(hint)}` : "";
    unguarded(`CLI is in ${name} mode, in which it calls no hook`, kept, help);
  }
  // "allDisabled" is about hooks of files: those of this program are called all the same. Source: tried on CLI 2.1.328.
  const isRuledOut = isObject(policy) &&
    (policy.disabledByPolicy === true || policy.managedOnly === true);
  if (isRuledOut) unguarded("CLI is under a policy against hooks", kept);
}

function unguarded(
  fact: string,
  kept: readonly string[],
  more: string = "",
): never {
  const guards = kept.join(" and ");
  refuse(
    "get_hooks_listing",
    `${fact} and ${guards} would guard nothing${more}`,
  );
}

/** A CLI that knows the request but does not apply the settings guards less than requested. */
function checkUnkept(
  listed: Answer,
  taken: Answer,
  kept: readonly string[],
): void {
  if (listed?.reply === undefined || taken === undefined) return;
  const { refusal } = taken;
  const fact = `CLI did not take the settings that keep ${kept.join(" and ")}`;
  const why = textOfError(refusal);
  refuse("apply_flag_settings", `${fact} in force: ${why}`, refusal);
}

/** Command hooks run beside ours and may replace the input that ours judged. */
function tellForeignHooks(
  { hooks }: JsonObject,
  { reporter: { log }, settings: { options } }: Session,
): void {
  if (!Array.isArray(hooks) || options.allowedTools === undefined) return;
  const count =
    hooks.filter((hook) =>
      isObject(hook) && DECIDING.includes(hook.event ?? null) &&
      hook.disabled !== true
    ).length;
  if (count === 0) return;
  log.warn(
    "Hooks of the settings may change or allow calls after allowedTools has judged them",
    { count },
  );
}

/** Only a refusal of the CLI is an answer. */
function answerOf(asked: Promise<JsonObject>): Promise<Answer> {
  return asked.then(
    (reply) => ({ reply }),
    // It was too late, or everything ended: that is reported elsewhere.
    (refusal) => refusal instanceof ControlError ? { refusal } : undefined,
  );
}
