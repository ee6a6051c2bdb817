/**
 * Parts for packages that are built on this one, such as stores, queues and `@sluice/fleet`: options that are checked in
 * the same words, secrets that are redacted, waits that leave nothing behind.
 *
 * ```ts
 * import { checkKeys, type Fields, integer, plainObject, text } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * interface QueueOptions {
 *   readonly name: string;
 *   readonly size?: number | undefined;
 * }
 * const FIELDS: Fields<QueueOptions> = { name: text, size: integer({ min: 1 }) };
 *
 * function checkQueue(options: unknown): void {
 *   plainObject(options, "options");
 *   checkKeys(options, FIELDS, "");
 * }
 * assert.throws(() => checkQueue({ name: "reviews", size: 0 }), /"size" must be a whole number, 1 or more: 0/);
 * ```
 *
 * @module
 */
export {
  approvalId,
  byAge,
  readAsked,
  readDecision,
} from "./approvals/store.ts";
export { backoffDelay, type BackoffOptions } from "./async/backoff.ts";
export { settleWithin } from "./async/deadline.ts";
export { Deferred } from "./async/deferred.ts";
export {
  aborted,
  type JoinedSignal,
  joinSignals,
  onAbort,
  unlessAborted,
} from "./async/on_abort.ts";
export { LONGEST_TIMER_MS, systemClock } from "./async/system_clock.ts";
export { NO_COST } from "./conversation/activity.ts";
export { checkPrompt } from "./conversation/user_line.ts";
export { Scrubber } from "./errors/scrubber.ts";
export { type SecretSources } from "./errors/secret_sources.ts";
export { isObject, REDACTED, textOfError } from "./errors/text.ts";
export { addCosts } from "./observe/cost.ts";
export { type Log, safeLogger } from "./observe/log.ts";
export { OPTION_NAMES } from "./options/option_names.ts";
export {
  callback,
  type Check,
  checkKeys,
  duration,
  type Fields,
  flag,
  integer,
  list,
  object,
  oneOf,
  string,
  stringWithoutNul,
  text,
} from "./options/fields.ts";
export {
  jsonValue,
  type PlainObject,
  plainObject,
} from "./options/plain_object.ts";
export { refuse } from "./options/refuse.ts";
export { refuseUnknownTools } from "./options/known_tools.ts";
export { checkOptions } from "./options/check.ts";
export { currentName } from "./options/tool_spec.ts";
export type { FullClock, Timer, WallClock } from "./ports/clock.ts";
export type { ProgramHost } from "./ports/host.ts";
export type { HostSignal } from "./ports/process.ts";
export { programHost } from "./runtime/host.ts";
