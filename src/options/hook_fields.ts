import { HOOK_EVENTS as EVENTS } from "../protocol/values.ts";
import type { HookEvent } from "../protocol/hooks.ts";
import type { HookMatcher } from "../types/hooks.ts";
import {
  bag,
  callback,
  checkKeys,
  duration,
  type Fields,
  list,
  object,
  oneOf,
  words,
} from "./fields.ts";

/**
 * Names of all events that a hook can be set for, in the order of the protocol reference.
 *
 * Source: protocol reference, section Hooks. Callbacks for SessionStart run after `/clear` and `/compact` only, for
 * SessionEnd at `/clear` only, for Setup never.
 *
 * @example Watch everything
 * ```ts
 * import { HOOK_EVENTS } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const seen: string[] = [];
 * const watch = { hooks: [(input: { hook_event_name: string }) => {
 *   seen.push(input.hook_event_name);
 *   return {};
 * }] };
 * const hooks = Object.fromEntries(HOOK_EVENTS.map((event) => [event, [watch]]));
 * assert.equal(Object.keys(hooks).length, 33);
 * ```
 */
export const HOOK_EVENTS: readonly HookEvent[] = EVENTS;

const MATCHER: Fields<HookMatcher> = {
  matcher: words,
  hooks: list(callback),
  timeoutMs: duration,
  onFailure: oneOf("continue", "block"),
};

const matchers = list(object<HookMatcher>(MATCHER, ["hooks"]));

const EVENT_FIELDS: Fields<Record<HookEvent, unknown>> = Object.fromEntries(
  EVENTS.map((event) => [event, matchers]),
) as Fields<Record<HookEvent, unknown>>;

/** The callbacks by event. */
export function hooks(value: unknown, key: string): void {
  bag(value, key);
  checkKeys(value, EVENT_FIELDS, `${key}.`);
}
