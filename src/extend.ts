/**
 * Building blocks for packages that extend this one, such as stores, queues and `@sluice/fleet`: option checks with
 * the same error texts, redaction of secrets, and waits that leave no timer or listener behind.
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
export { approvalId, readAsked, readDecision } from "./approvals/store.ts";
export { settleWithin } from "./async/deadline.ts";
export { Deferred } from "./async/deferred.ts";
export { joinSignals, unlessAborted } from "./async/on_abort.ts";
export { systemClock } from "./async/system_clock.ts";
export { checkPrompt } from "./conversation/user_line.ts";
export { redactorOf } from "./errors/scrubber.ts";
export { textOfError } from "./errors/text.ts";
export { addCosts } from "./observe/cost.ts";
export { safeLogger } from "./observe/log.ts";
export { activeTrace } from "./observe/trace_context.ts";
export { checkOptions } from "./options/check.ts";
export {
  type Check,
  checkKeys,
  type Fields,
  integer,
  list,
  object,
  oneOf,
  text,
} from "./options/fields.ts";
export { refuseUnknownTools } from "./options/known_tools.ts";
export { OPTION_NAMES } from "./options/option_names.ts";
export { jsonValue, plainObject } from "./options/plain_object.ts";
export { refuse } from "./options/refuse.ts";
export { currentName } from "./options/tool_spec.ts";
export type { ProgramHost } from "./ports/host.ts";
export { programHost } from "./runtime/host.ts";
