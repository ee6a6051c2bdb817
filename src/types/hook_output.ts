import type {
  AsyncHookOutput,
  HookEvent,
  HookOutputCommon,
  HookOutputs,
} from "../protocol/hooks.ts";

/** An event whose hooks have nothing special to say. */
export type NoSpecificOutput = Record<never, never>;

/**
 * What hooks may say beyond the common fields, by event.
 *
 * Source: protocol reference, section Hooks.
 */
export type HookOutputFields = {
  readonly [E in HookEvent]: Omit<HookOutputs[E], "hookEventName">;
};

/** What a hook of an event may say beyond the common fields. */
export type HookSpecificOutput<E extends HookEvent = HookEvent> =
  HookOutputs[E];

/** What a hook says that looked at its event. */
export interface SyncHookOutput<E extends HookEvent = HookEvent>
  extends HookOutputCommon {
  /** What belongs to this event alone. */
  readonly hookSpecificOutput?: HookSpecificOutput<E> | undefined;
}

/**
 * What a hook returns; `{}` and nothing at all say nothing.
 *
 * @typeParam E The event
 */
export type HookOutput<E extends HookEvent = HookEvent> =
  | SyncHookOutput<E>
  | AsyncHookOutput
  | undefined
  | void;
