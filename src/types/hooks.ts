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
 * @typeParam E The event; all of them unless given
 */
export type HookInput<E extends HookEvent = HookEvent> = HookInputs[E];

/** Context of a hook call. */
export interface HookContext {
  /** Aborted when the CLI takes the question back, the limit passes or the conversation ends. */
  readonly signal: AbortSignal;
  /** Id of the tool call, or else of the event. */
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
  /** Effect of a failing callback; `"block"` for PreToolUse, `"continue"` for the rest. */
  readonly onFailure?: "continue" | "block" | undefined;
}

/** An event whose hooks have nothing special to say. */
export type NoSpecificOutput = Record<never, never>;

/**
 * Fields of hook output beyond the common ones, by event.
 *
 * Source: protocol reference, section Hooks.
 */
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
