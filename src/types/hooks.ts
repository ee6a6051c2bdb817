import type {
  AsyncHookOutput,
  HookEvent,
  HookInputs,
  HookOutputCommon,
  HookOutputs,
} from "../protocol/hooks.ts";

/**
 * What a hook is told, told apart by `hook_event_name`.
 *
 * @typeParam E The event; all of them unless given
 */
export type HookInput<E extends HookEvent = HookEvent> = HookInputs[E];

/** What a hook is given beside its input. */
export interface HookContext {
  /** Aborted when the CLI takes the question back, the limit passes or the conversation ends. */
  readonly signal: AbortSignal;
  /** Id of the tool call, or of the event where there is none. */
  readonly toolUseId?: string;
}

/**
 * Looks at an event and says what becomes of it.
 *
 * Callbacks run at the same time as each other and as the messages. One that throws, is late or returns a wrong shape
 * is reported, and `onFailure` of its matcher decides.
 *
 * @typeParam E The event; all of them unless given
 */
export type HookCallback<E extends HookEvent = HookEvent> = (
  input: HookInput<E>,
  context: HookContext,
) => HookOutput<E> | Promise<HookOutput<E>>;

/**
 * Callbacks for one event, and what they are for.
 *
 * @typeParam E The event; all of them unless given, so that one matcher may serve several events
 */
export interface HookMatcher<E extends HookEvent = HookEvent> {
  /** A pattern of tool names such as `Bash|Edit`, or of what else the event goes by; absent = always. */
  readonly matcher?: string | undefined;
  /** The callbacks; all are called. A {@link HookCallback} of this event fits, and one of all events. */
  readonly hooks: readonly ((
    input: HookInput<E>,
    context: HookContext,
  ) => HookOutput | Promise<HookOutput>)[];
  /** Limit of one call, in milliseconds; `timeouts.hookMs`, 30 000. */
  readonly timeoutMs?: number | undefined;
  /** What a failing callback does; `"block"` for PreToolUse, `"continue"` for the rest. */
  readonly onFailure?: "continue" | "block" | undefined;
}

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
