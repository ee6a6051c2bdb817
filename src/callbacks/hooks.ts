import { asObject, isObject, show, typeOf } from "../errors/text.ts";
import { ProtocolError } from "../errors/protocol.ts";
import { hookId, type HookPurpose } from "../observe/hook_ids.ts";
import type { HookContext, HookMatcher } from "../types/hooks.ts";
import type { HookEvent } from "../protocol/hooks.ts";
import type { JsonObject } from "../types/json.ts";
import { block, hookAnswer, toolCall } from "./decisions.ts";
import {
  type Answering,
  Call,
  type CallbackSpec,
  failureAnswer,
  runCallback,
  type Setting,
} from "./run_callback.ts";
import { CallbackFailure } from "./failure.ts";
import { hookOutput } from "./shapes.ts";

/** Events before a command or tool runs: a hook that fails denies it. */
const GUARDED: readonly HookEvent[] = ["PreToolUse", "PreSkillShellCommand"];

/** Extra seconds granted to the CLI so that our timeout fires first. */
const SLACK_SECONDS = 5;

/** A callback under its id. */
interface Hook {
  readonly event: HookEvent;
  readonly callback: (input: JsonObject, context: HookContext) => unknown;
  readonly spec: CallbackSpec;
  /** Whether a failure blocks the event. */
  readonly blocks: boolean;
  /** Whether it belongs to the approval desk, which is not called for refused calls. */
  readonly isOurs: boolean;
}

/**
 * Registers hooks under ids and answers calls of the CLI.
 *
 * @returns The `hooks` field of `initialize`, with the ids under which the CLI calls them; `undefined` when there are none
 */
export function putHooks(
  setting: Setting,
  { handlers, denials }: Answering,
): JsonObject | undefined {
  const { policy, desk } = setting;
  const { options, timeouts: { hookMs } } = setting.settings;
  const { hooks = {}, permissions: { allowBypass = false } = {} } = options;
  const known = new Map<string, Hook>();
  const fields: Record<string, readonly JsonObject[]> = {};
  for (const [event, matchers = []] of Object.entries(hooks)) {
    // Events of later versions pass as well.
    const registered = register(
      event as HookEvent,
      matchers as unknown as readonly AnyMatcher[],
    );
    if (registered.length > 0) fields[event] = registered;
  }
  if (desk !== undefined) {
    const { PreToolUse: matchers = [] } = hooks;
    const others = matchers.map(({ timeoutMs = hookMs }) => timeoutMs);
    // They wait for the other hooks, which the CLI calls first.
    const timeoutMs = Math.max(0, ...others) + desk.limitMs;
    const { approval, deferral } = desk.hooks;
    const ours = register(
      "PreToolUse",
      [{ hooks: [approval, deferral], timeoutMs }],
      ["approval", "deferral"],
    );
    fields.PreToolUse = [...fields.PreToolUse ?? [], ...ours];
  }
  if (policy !== undefined) {
    // An empty hook, so that the CLI asks: the policy is part of every answer about a call.
    const ours = register("PreToolUse", [{ hooks: [() => ({})] }], [
      "policy",
    ]);
    fields.PreToolUse = [...ours, ...fields.PreToolUse ?? []];
  }
  const hookOf = ({ callback_id: id }: JsonObject) =>
    typeof id === "string" ? known.get(id) : undefined;

  handlers.set("hook_callback", (request, context) => {
    const { input } = request;
    const hook = hookOf(request);
    if (hook === undefined) {
      throw new ProtocolError({
        message: `Hook is unknown: ${show(request.callback_id)}`,
        category: "protocol",
        subtype: "hook_callback",
        requestId: context.requestId,
        requestData: request,
      });
    }
    const call = new Call(request, context);
    if (!isObject(input)) {
      const fact = `was not called: its input must be an object, is ${
        typeOf(input)
      }`;
      return failureAnswer(new CallbackFailure("shape", fact), call, hook.spec);
    }
    // Before the callback, which may change what it is given.
    const { prompt_id, tool_use_id, tool_name: tool } = input;
    const isQuestion = hook.event === "PermissionRequest" &&
      desk !== undefined;
    const given = isQuestion ? structuredClone(input.tool_input) : undefined;
    const answer = runCallback(
      () => {
        judgeCall(hook.event, input, call);
        if (hook.isOurs && call.refusal !== undefined) return {};
        return hook.callback(input, new HookCall(call));
      },
      call,
      hook.spec,
    );
    if (isQuestion) {
      return runCallback(
        async () => await desk.permits(tool, given, await answer),
        call,
        { ...hook.spec, accept: (output) => output as JsonObject },
      );
    }
    const isOther = hook.event === "PreToolUse" && !hook.isOurs &&
      call.refusal === undefined;
    return isOther && desk !== undefined
      ? desk.beside({ prompt_id, tool_use_id }, answer)
      : answer;
  });
  // An unknown id has no denial.
  denials.set("hook_callback", (request, reason) => {
    const hook = hookOf(request);
    return hook && (hook.blocks ? block(hook.event, reason) : {});
  });
  return known.size === 0 ? undefined : fields;

  function register(
    event: HookEvent,
    matchers: readonly AnyMatcher[],
    purposes: readonly HookPurpose[] = [],
  ): readonly JsonObject[] {
    const shape = hookOutput(event);
    const rules = { event, shape, policy, allowBypass };
    return matchers.filter(({ hooks }) => hooks.length > 0).map((matcher) => {
      const limitMs = matcher.timeoutMs ?? hookMs;
      const onBreak = GUARDED.includes(event) ? "block" : "continue";
      const blocks = (matcher.onFailure ?? onBreak) === "block";
      const spec: CallbackSpec = {
        setting,
        limitMs,
        accept: (value, call) =>
          call.refusal === undefined
            ? hookAnswer(value, call, rules)
            : block(event, call.refusal),
        about: ({ callback_id: hookId, input }) => {
          const tool = asObject(input).tool_name;
          return {
            what: `Hook for ${event}`,
            details: { event, hookId, ...typeof tool === "string" && { tool } },
          };
        },
        // A refusal of the policy holds even if onFailure is "continue".
        refuse: (reason, { kind }, { refusal }) =>
          blocks || kind === "refused" || refusal !== undefined
            ? block(event, refusal ?? reason)
            : {},
      };
      const hookCallbackIds = matcher.hooks.map((callback, index) => {
        const purpose = purposes[index] ?? "hook";
        const isOurs = purpose === "approval" || purpose === "deferral";
        const id = hookId(purpose, known.size);
        known.set(id, { event, callback, spec, blocks, isOurs });
        return id;
      });
      return {
        ...matcher.matcher !== undefined && { matcher: matcher.matcher },
        hookCallbackIds,
        timeout: Math.ceil(limitMs / 1_000) + SLACK_SECONDS,
        ...blocks && { onFailure: "block" },
      };
    });
  }

  /** An event about a tool that is about to run is judged. */
  function judgeCall(event: HookEvent, input: JsonObject, call: Call): void {
    if (event !== "PreToolUse" && event !== "PermissionRequest") return;
    const about = toolCall(input, input.tool_input);
    if (about === undefined) {
      const fact = "was not called: its input names no tool call";
      throw new CallbackFailure("refused", fact);
    }
    call.judge(about, input, policy);
  }
}

/** A matcher of any event. */
interface AnyMatcher extends Omit<HookMatcher, "hooks"> {
  readonly hooks: readonly Hook["callback"][];
}

/** Second argument of a hook. */
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
