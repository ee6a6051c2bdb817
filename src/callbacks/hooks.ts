import { isObject, show, typeOf } from "../errors/text.ts";
import type { Deadlines } from "../async/deadline.ts";
import { ProtocolError } from "../errors/cli.ts";
import { excerpt } from "../errors/clean.ts";
import type { ToolGuard } from "../options/tool_guard.ts";
import type { HookContext, HookMatcher } from "../types/hooks.ts";
import type { HookEvent } from "../protocol/hooks.ts";
import type { JsonObject } from "../types/json.ts";
import type { AgentOptions } from "../types/options.ts";
import { hookOutput } from "./answer_shapes.ts";
import { CallbackFailure, type Listeners, tellFailure } from "./failure.ts";
import { block, decidesCalls, hookAnswer, toolCall } from "./gate.ts";
import { Call, type Guarding, refused, runGuarded } from "./guard.ts";
import type {
  ControlContext,
  ControlHandler,
  Denial,
} from "../types/controls.ts";

/** So much longer than we does the CLI wait, in seconds, so that our limit passes first. */
const SLACK_SECONDS = 5;

/** A callback under its id. */
interface Hook {
  readonly event: HookEvent;
  readonly callback: (input: JsonObject, context: HookContext) => unknown;
  readonly guarding: Guarding;
  /** Whether it keeps its event from going on when it breaks. */
  readonly blocks: boolean;
  /** Whether it is one of those that let calls wait: they are not called for what the guard refuses, and see what others say. */
  readonly isOurs: boolean;
}

/** Hooks of our own before every tool call that may wait for somebody's decision. */
export interface Waiting {
  /** They are called at once, and what they say is judged like the word of any hook. */
  readonly hooks: readonly ((
    input: JsonObject,
    context: HookContext,
  ) => Promise<JsonObject>)[];
  /** The limit of each, in milliseconds. */
  readonly limitMs: number;
  /** Takes the input of another hook, and gives its answer to be sent: what that says of a call is known to them, or comes too late. */
  beside(
    input: JsonObject,
    answer: JsonObject | Promise<JsonObject>,
  ): JsonObject | Promise<JsonObject>;
  /** Why a call that they put off may not run now. */
  refusal(toolUseId: unknown): string | undefined;
  /** The conversation ends: they put off what waits, and resolve with whether anything did. */
  leave(): Promise<boolean>;
}

interface HookTable {
  /** The `hooks` field of `initialize`, with the ids under which the CLI calls them; `undefined` when there are none. */
  readonly initializeFields: JsonObject | undefined;
  /** Answers `hook_callback`. */
  readonly handle: ControlHandler;
  /** The answer to a `hook_callback` whose own answer cannot be made or sent; `undefined` for an id of somebody else. */
  readonly deny: Denial;
}

/** Gives hooks their ids, and answers when the CLI calls them. */
export function hookTable(
  {
    hooks = {},
    guard,
    waiting,
    asksAgain = () => true,
    allowBypass,
    hookMs,
    deadlines,
    ...listeners
  }:
    & Listeners
    & {
      readonly hooks: AgentOptions["hooks"];
      /** Ours: runs before every tool call, and keeps shut when it breaks. */
      readonly guard: ToolGuard | undefined;
      /** Decides calls that wait, if the options say so. */
      readonly waiting?: Waiting | undefined;
      /** Whether the CLI calls hooks again for a call that one of them put off; it does unless given. */
      readonly asksAgain?: (() => boolean) | undefined;
      /** Whether a hook may switch all questions off. */
      readonly allowBypass: boolean;
      /** The limit of one call, in milliseconds, unless its matcher has one. */
      readonly hookMs: number;
      readonly deadlines: Deadlines;
    },
): HookTable {
  const known = new Map<string, Hook>();
  const fields: Record<string, readonly JsonObject[]> = {};
  for (const [event, matchers = []] of Object.entries(hooks)) {
    // Events that came later pass as well; each callback gets what the CLI sends for its event.
    const registered = register(
      event as HookEvent,
      matchers as unknown as readonly AnyMatcher[],
    );
    if (registered.length > 0) fields[event] = registered;
  }
  if (waiting !== undefined) {
    const { PreToolUse: matchers = [] } = hooks;
    const others = matchers.map(({ timeoutMs = hookMs }) => timeoutMs);
    // They wait for the others as well, and come behind them: the CLI calls all at once, in this order.
    const timeoutMs = Math.max(0, ...others) + waiting.limitMs;
    const ours = register(
      "PreToolUse",
      [{ hooks: waiting.hooks, timeoutMs }],
      true,
    );
    fields.PreToolUse = [...fields.PreToolUse ?? [], ...ours];
  }
  if (guard !== undefined) {
    // It has nothing to say: what the guard says stands in the answer of every hook that decides calls.
    const ours = register("PreToolUse", [{ hooks: [() => ({})] }]);
    fields.PreToolUse = [...ours, ...fields.PreToolUse ?? []];
  }
  const hookOf = ({ callback_id: id }: JsonObject) =>
    typeof id === "string" ? known.get(id) : undefined;

  return {
    initializeFields: known.size === 0 ? undefined : fields,
    handle(request, context) {
      const { input } = request;
      const hook = hookOf(request);
      if (hook === undefined) {
        throw unknownHook(excerpt(request, listeners.scrub).value, context);
      }
      const call = new Call(request, context);
      if (!isObject(input)) {
        const fact = `was not called: its input must be an object, is ${
          typeOf(input)
        }`;
        return refused(new CallbackFailure("shape", fact), call, hook.guarding);
      }
      const answer = runGuarded(
        () => {
          // Before the callback, which may change what it is given.
          judgeCall(hook.event, input, call);
          if (hook.isOurs && call.refusal !== undefined) return {};
          return hook.callback(input, new HookCall(call));
        },
        call,
        hook.guarding,
      );
      const isOther = hook.event === "PreToolUse" && !hook.isOurs &&
        call.refusal === undefined;
      return isOther && waiting !== undefined
        ? waiting.beside(input, answer)
        : answer;
    },
    deny(request, reason) {
      const hook = hookOf(request);
      return hook && (hook.blocks ? block(hook.event, reason) : {});
    },
  };

  function register(
    event: HookEvent,
    matchers: readonly AnyMatcher[],
    isOurs = false,
  ): readonly JsonObject[] {
    return matchers.filter(({ hooks }) => hooks.length > 0).map((matcher) => {
      const limitMs = matcher.timeoutMs ?? hookMs;
      const blocks = isBlocking(event, matcher);
      const guarding = guardingOf(event, limitMs, blocks);
      const ids = matcher.hooks.map((callback) => {
        const id = `hook_${known.size}`;
        known.set(id, { event, callback, guarding, blocks, isOurs });
        return id;
      });
      return {
        ...matcher.matcher !== undefined && { matcher: matcher.matcher },
        hookCallbackIds: ids,
        timeout: Math.ceil(limitMs / 1_000) + SLACK_SECONDS,
        ...blocks && { onFailure: "block" },
      };
    });
  }

  function judgeCall(event: HookEvent, input: JsonObject, call: Call): void {
    if (!decidesCalls(event)) return;
    const { tool_name, tool_input, mcp_server } = input;
    const about = toolCall(tool_name, tool_input, mcp_server);
    if (about === undefined) {
      const fact = "was not called: its input names no tool call";
      throw new CallbackFailure("refused", fact);
    }
    call.judge(about, guard);
  }

  function guardingOf(
    event: HookEvent,
    limitMs: number,
    blocks: boolean,
  ): Guarding {
    const shape = hookOutput(event);
    return {
      deadlines,
      limitMs,
      accept: (value, { raw, about, refusal }) => {
        if (refusal !== undefined) return block(event, refusal);
        const { permission_suggestions: suggestions } = asObject(raw.input);
        const question = {
          event,
          shape,
          guard,
          asksAgain,
          allowBypass,
          about,
          suggestions,
        };
        return hookAnswer(value, question);
      },
      tell: (failure, { raw: request, requestId }) => {
        const { tool_name: tool } = asObject(request.input);
        return tellFailure(failure, {
          what: `Hook for ${event}`,
          request,
          requestId,
          details: {
            event,
            hookId: request.callback_id,
            ...typeof tool === "string" && { tool },
          },
        }, listeners);
      },
      // What may not run does not run by a hook that wanted it otherwise either.
      refuse: (reason, { kind }, { refusal }) =>
        blocks || kind === "refused" || refusal !== undefined
          ? block(event, refusal ?? reason)
          : {},
    };
  }
}

/** A matcher of any event: its callbacks take what the CLI sends for that event. */
interface AnyMatcher extends Omit<HookMatcher, "hooks"> {
  readonly hooks: readonly Hook["callback"][];
}

/** What a hook is given beside its input. */
class HookCall implements HookContext {
  declare readonly toolUseId?: string;
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
    const id = call.raw.tool_use_id;
    if (typeof id === "string") this.toolUseId = id;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }
}

function isBlocking(event: HookEvent, { onFailure }: AnyMatcher): boolean {
  // A guard that breaks stays shut.
  return (onFailure ?? (event === "PreToolUse" ? "block" : "continue")) ===
    "block";
}

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function unknownHook(
  request: JsonObject,
  { requestId }: ControlContext,
): ProtocolError {
  return new ProtocolError({
    message: `Hook is unknown: ${show(request.callback_id)}`,
    category: "protocol",
    subtype: "hook_callback",
    requestId,
    requestData: request,
  });
}
