import { attempt } from "../async/deferred.ts";
import { isObject } from "../errors/text.ts";
import type { HookEvent } from "../protocol/hooks.ts";
import { HOOK_EVENTS as EVENTS } from "../protocol/values.ts";
import type { HookMatcher } from "../types/hooks.ts";
import {
  callback,
  type Check,
  duration,
  fitting,
  list,
  object,
  oneOf,
  string,
} from "./fields.ts";
import { refuse } from "./refuse.ts";

/**
 * Names of all events that a hook can be set for, in the order of the official SDK.
 *
 * `docs/hooks.md` documents when the CLI calls each of them.
 *
 * @example Watch all events
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
 * assert.ok("PreToolUse" in hooks);
 * ```
 */
export const HOOK_EVENTS: readonly HookEvent[] = EVENTS;

const ITEM = '{ matcher: "Bash", hooks: [callback] }';

/** The CLI never calls a hook whose matcher it cannot read; "*" stands for all names. */
function pattern(value: unknown, key: string): void {
  string(value, key);
  const isReadable = value === "*" ||
    attempt(() => new RegExp(String(value))) !== undefined;
  if (!isReadable) {
    refuse(key, value, 'a valid regular expression, such as "Bash|Edit"');
  }
}

const matcher = fitting(
  `an object such as ${ITEM}`,
  isObject,
  object<HookMatcher>({
    matcher: pattern,
    hooks: fitting(
      "a list such as [callback]",
      Array.isArray,
      list(callback),
    ),
    timeoutMs: duration,
    onFailure: oneOf("continue", "block"),
  }, ["hooks"]),
);

const matchers = fitting(
  `a list such as [${ITEM}]`,
  Array.isArray,
  list(matcher),
);

export const hooks: Check = fitting(
  `an object such as { PreToolUse: [${ITEM}] }`,
  // Programs for other packages put a matcher where the events belong.
  (value) => isObject(value) && !("hooks" in value),
  object(Object.fromEntries(EVENTS.map((event) => [event, matchers]))),
);
