import type { Deadlines } from "../async/deadline.ts";
import { ProtocolError } from "../errors/protocol.ts";
import { excerpt } from "../errors/excerpt.ts";
import { show, typeOf } from "../errors/text.ts";
import type { ControlContext, ControlHandler } from "../types/control.ts";
import type { HookContext, HookEvent, HookMatcher } from "../types/hooks.ts";
import type { JsonObject } from "../types/json.ts";
import type { AgentOptions } from "../types/options.ts";
import { CallbackFailure, type Listeners, tellFailure } from "./failure.ts";
import { Call, type Guarding, runGuarded } from "./guard.ts";
import { toBlock, toHookAnswer } from "./hook_output.ts";
import { isObject } from "./shape.ts";

/** So much longer than we does the CLI wait, in seconds, so that our limit passes first. */
const SLACK_SECONDS = 5;

/** Why a tool call is refused in words, or `undefined`: it may go on. */
export type ToolGuard = (tool: string, input: JsonObject) => string | undefined;

/** What a {@link HookTable} is made from. */
export interface HookTableInit extends Listeners {
  /** The user's hooks. */
  readonly hooks: AgentOptions["hooks"];
  /** Ours: runs before every tool call, and keeps shut when it breaks. */
  readonly guard: ToolGuard | undefined;
  /** The limit of one call, in milliseconds, unless its matcher has one. */
  readonly hookMs: number;
  /** Limits. */
  readonly deadlines: Deadlines;
}

/** A callback under its id. */
interface Hook {
  readonly event: HookEvent;
  readonly callback: (input: JsonObject, context: HookContext) => unknown;
  readonly guarding: Guarding;
}

/** The hooks of a conversation: the ids under which the CLI calls them, and the calls. */
export class HookTable {
  /** The `hooks` field of `initialize`; `undefined` when there are none. */
  readonly initializeFields: JsonObject | undefined;
  readonly #init: HookTableInit;
  readonly #hooks = new Map<string, Hook>();

  constructor(init: HookTableInit) {
    this.#init = init;
    const { hooks = {}, guard } = init;
    const fields: Record<string, readonly JsonObject[]> = {};
    for (const [event, matchers = []] of Object.entries(hooks)) {
      // Events that came later pass as well; each callback gets what the CLI sends for its event.
      const registered = this.#register(
        event as HookEvent,
        matchers as unknown as readonly AnyMatcher[],
      );
      if (registered.length > 0) fields[event] = registered;
    }
    if (guard !== undefined) {
      const ours = this.#register("PreToolUse", [guardMatcher(guard)]);
      fields.PreToolUse = [...ours, ...fields.PreToolUse ?? []];
    }
    this.initializeFields = this.#hooks.size === 0 ? undefined : fields;
  }

  /** Answers `hook_callback`. */
  readonly handle: ControlHandler = (request, context) => {
    const { callback_id: id, input } = request;
    const hook = typeof id === "string" ? this.#hooks.get(id) : undefined;
    if (hook === undefined) {
      throw unknownHook(excerpt(request, this.#init.scrub).value, context);
    }
    const call = new Call(request, context);
    if (!isObject(input)) {
      return hook.guarding.refuse(
        new CallbackFailure(
          "shape",
          `was not called: its input must be an object, is ${typeOf(input)}`,
        ),
        call,
      );
    }
    return runGuarded(
      () => hook.callback(input, new HookCall(call)),
      call,
      hook.guarding,
    );
  };

  #register(
    event: HookEvent,
    matchers: readonly AnyMatcher[],
  ): readonly JsonObject[] {
    return matchers.filter(({ hooks }) => hooks.length > 0).map((matcher) => {
      const limitMs = matcher.timeoutMs ?? this.#init.hookMs;
      const blocks = isBlocking(event, matcher);
      const guarding = this.#guarding(event, limitMs, blocks);
      const ids = matcher.hooks.map((callback) => {
        const id = `hook_${this.#hooks.size}`;
        this.#hooks.set(id, { event, callback, guarding });
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

  #guarding(event: HookEvent, limitMs: number, blocks: boolean): Guarding {
    return {
      deadlines: this.#init.deadlines,
      limitMs,
      accept: (value) => toHookAnswer(event, value),
      refuse: (failure, { raw: request, requestId }) => {
        const input = isObject(request.input) ? request.input : {};
        const reason = tellFailure(failure, {
          what: `Hook for ${event}`,
          request,
          requestId,
          details: {
            event,
            hookId: request.callback_id,
            ...typeof input.tool_name === "string" && { tool: input.tool_name },
          },
        }, this.#init);
        return blocks ? toBlock(event, reason) : {};
      },
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

function guardMatcher(guard: ToolGuard): AnyMatcher {
  return {
    hooks: [({ tool_name: tool, tool_input: input }) => {
      if (typeof tool !== "string" || !isObject(input)) {
        throw new TypeError("The input names no tool call");
      }
      const reason = guard(tool, input);
      return reason === undefined ? {} : toBlock("PreToolUse", reason);
    }],
  };
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
