import { isObject } from "../errors/is_object.ts";
import { HOOK_EVENTS as EVENTS } from "../protocol/values.ts";
import type { HookEvent } from "../protocol/hooks.ts";
import type { HookMatcher } from "../types/hooks.ts";
import {
  bag,
  callback,
  type Check,
  checkKeys,
  duration,
  type Fields,
  list,
  object,
  oneOf,
  refuse,
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

/** The forms that errors show, from the inside out. */
const CALLBACKS = "[callback]";
const ITEM = `{ matcher: "Bash", hooks: ${CALLBACKS} }`;
const ITEMS = `[${ITEM}]`;
const WHOLE = `{ PreToolUse: ${ITEMS} }`;

const MATCHER: Fields<HookMatcher> = {
  matcher: words,
  hooks: shown(Array.isArray, `a list such as ${CALLBACKS}`, list(callback)),
  timeoutMs: duration,
  onFailure: oneOf("continue", "block"),
};

const matcher = shown(
  isObject,
  `an object such as ${ITEM}`,
  object<HookMatcher>(MATCHER, ["hooks"]),
);

const matchers = shown(
  Array.isArray,
  `a list such as ${ITEMS}`,
  list(matcher),
);

const EVENT_FIELDS: Fields<Record<HookEvent, unknown>> = Object.fromEntries(
  EVENTS.map((event) => [event, matchers]),
) as Fields<Record<HookEvent, unknown>>;

/** The callbacks by event. */
export function hooks(value: unknown, key: string): void {
  byEvent(value, key);
}

const byEvent = shown(
  // A matcher where the events belong is what programs for other packages have.
  (value) => isObject(value) && !("hooks" in value),
  `an object such as ${WHOLE}`,
  (value, key) => {
    bag(value, key);
    checkKeys(value, EVENT_FIELDS, `${key}.`);
  },
);

/** A check whose first refusal shows the form. */
function shown(
  fits: (value: unknown) => boolean,
  form: string,
  check: Check,
): Check {
  return (value, key) => {
    if (!fits(value)) refuse(key, value, form);
    check(value, key);
  };
}
