import type {
  AsyncHookOutput,
  HookEvent,
  HookInputs,
  HookOutputCommon,
  HookOutputs,
} from "../protocol/hooks.ts";

/**
 * Input of a hook, discriminated by `hook_event_name`.
 *
 * @typeParam E The event; all of them by default
 */
export type HookInput<E extends HookEvent = HookEvent> = HookInputs[E];

/** Context of a hook call. */
export interface HookContext {
  /** Aborted when the CLI cancels the call, the timeout passes or the conversation ends. */
  readonly signal: AbortSignal;
  /** Id of the tool call, or else of the event. */
  readonly toolUseId?: string;
}

/**
 * Function that handles an event and may change its outcome.
 *
 * Callbacks run concurrently with each other and with the messages. An error, a timeout or an invalid return value is
 * reported, and `onFailure` of the matcher decides.
 *
 * @typeParam E The event; all of them by default
 */
export type HookCallback<E extends HookEvent = HookEvent> = (
  input: HookInput<E>,
  context: HookContext,
) => HookOutput<E> | Promise<HookOutput<E>>;

/**
 * Callbacks for one event, with the pattern that selects them.
 *
 * @typeParam E The event; all of them by default, so that one matcher may serve several events
 */
export interface HookMatcher<E extends HookEvent = HookEvent> {
  /** Pattern of tool names such as `Bash|Edit`, or of the value that the event is matched by; absent = always. */
  readonly matcher?: string | undefined;
  /** The callbacks; all are called. A {@link HookCallback} of this event fits, and one of all events. */
  readonly hooks: readonly ((
    input: HookInput<E>,
    context: HookContext,
  ) => HookOutput | Promise<HookOutput>)[];
  /** Timeout of one call, in milliseconds; `timeouts.hookMs`, 30 000. */
  readonly timeoutMs?: number | undefined;
  /** Effect of a failing callback; `"block"` for PreToolUse and PreSkillShellCommand, `"continue"` for the rest. */
  readonly onFailure?: "continue" | "block" | undefined;
}

/** Marks an event without output fields of its own. */
export type NoSpecificOutput = Record<never, never>;

/** Fields of hook output beyond the common ones, by event. */
export type HookOutputFields = {
  readonly [E in HookEvent]: Omit<HookOutputs[E], "hookEventName">;
};

/** Fields of the output for one event, beyond the common ones. */
export type HookSpecificOutput<E extends HookEvent = HookEvent> =
  HookOutputs[E];

/** Output of a hook that handled its event. */
export interface SyncHookOutput<E extends HookEvent = HookEvent>
  extends HookOutputCommon {
  /** Fields of this event alone. */
  readonly hookSpecificOutput?: HookSpecificOutput<E> | undefined;
}

/**
 * Return value of a hook; `{}` and `undefined` change nothing.
 *
 * @typeParam E The event
 */
export type HookOutput<E extends HookEvent = HookEvent> =
  | SyncHookOutput<E>
  | AsyncHookOutput
  | undefined
  | void;
