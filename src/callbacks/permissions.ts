import { isObject, show } from "../errors/text.ts";
import { ProtocolError } from "../errors/protocol.ts";
import type { JsonObject } from "../types/json.ts";
import type { PermissionContext } from "../types/permissions.ts";
import type { PermissionUpdate } from "../protocol/permissions.ts";
import { denial, permissionAnswer, toolCall } from "./decisions.ts";
import {
  Call,
  type CallbackSpec,
  type Progress,
  runCallback,
  type Setting,
} from "./run_callback.ts";
import type { ControlContext, ControlHandler } from "../types/controls.ts";

/** Reason of a denial without a callback, where calls may have been left to it. */
const NOT_SELECTED =
  "permissions.approvals does not decide this call, and no permission callback is set";

/** Answers `can_use_tool`: for a call that was approved in a store by this approval, for others by the callback. */
export function permissionHandler(setting: Setting): ControlHandler {
  const { policy, desk, settings: { timeouts } } = setting;
  const others = callbackHandler(setting);
  const spec: CallbackSpec = {
    setting,
    limitMs: timeouts.permissionMs,
    accept: (input, { refusal }) =>
      refusal === undefined
        ? { behavior: "allow", updatedInput: input as JsonObject }
        : denial(refusal),
    about: ({ tool_name: tool, tool_use_id: toolUseId }) => ({
      what: `Approval of ${show(tool)}`,
      details: { tool, toolUseId },
    }),
    refuse: denial,
  };
  return (request, context) => {
    const about = toolCall(request, request.input);
    const inputFor = about && desk?.approved(request.tool_use_id);
    if (about === undefined || inputFor === undefined) {
      return others(request, context);
    }
    const call = new Call(request, context);
    return runCallback(
      () => {
        call.judge(about, request, policy);
        return inputFor(about);
      },
      call,
      spec,
    );
  };
}

/** Denies without a callback. */
function callbackHandler(setting: Setting): ControlHandler {
  const { policy, desk, progress } = setting;
  const { options: { permissions = {} }, timeouts } = setting.settings;
  const { canUseTool, timeoutMs, allowBypass = false } = permissions;
  if (canUseTool === undefined) {
    return ({ tool_use_id: toolUseId }) =>
      denial(
        desk === undefined
          ? "No permission callback is set"
          : desk.refusal(toolUseId) ?? NOT_SELECTED,
      );
  }
  const spec: CallbackSpec = {
    setting,
    limitMs: timeoutMs ?? canUseTool.timeoutMs ?? timeouts.permissionMs,
    accept: (decision, call) =>
      call.refusal === undefined
        ? permissionAnswer(decision, call, policy, allowBypass)
        : denial(call.refusal),
    about: ({ tool_name: tool, tool_use_id: toolUseId }) => ({
      what: `Permission callback for ${show(tool)}`,
      details: { tool, toolUseId },
    }),
    refuse: denial,
  };
  return (request, context) => {
    const about = toolCall(request, request.input);
    if (about === undefined) return denyMalformed(request, context, setting);
    const why = desk?.refusal(request.tool_use_id);
    if (why !== undefined) return denial(why);
    const question = new Question(request, context, progress);
    return runCallback(
      () => {
        // Before the callback, which may change what it is given.
        question.judge(about, request, policy);
        return question.refusal === undefined
          ? canUseTool(about.tool, about.input, question)
          : undefined;
      },
      question,
      spec,
    );
  };
}

/** Third argument of the callback; its signal is made when it is read. */
class Question extends Call implements PermissionContext {
  declare readonly toolUseId?: string;
  declare readonly suggestions?: readonly PermissionUpdate[];
  declare readonly blockedPath?: string;
  declare readonly decisionReason?: string;
  declare readonly title?: string;
  declare readonly displayName?: string;
  declare readonly description?: string;
  declare readonly agentId?: string;
  declare readonly mcpServer?: PermissionContext["mcpServer"] & object;
  declare readonly requiresUserInteraction?: boolean;
  readonly #progress: Progress;
  readonly #position: number;
  #caughtUp: Promise<void> | undefined;

  constructor(
    request: JsonObject,
    context: ControlContext,
    progress: Progress,
  ) {
    super(request, context);
    this.#progress = progress;
    this.#position = progress.position();
    if (isText(request.tool_use_id)) this.toolUseId = request.tool_use_id;
    if (Array.isArray(request.permission_suggestions)) {
      this.suggestions = request.permission_suggestions;
    }
    if (isText(request.blocked_path)) this.blockedPath = request.blocked_path;
    if (isText(request.decision_reason)) {
      this.decisionReason = request.decision_reason;
    }
    if (isText(request.title)) this.title = request.title;
    if (isText(request.display_name)) this.displayName = request.display_name;
    if (isText(request.description)) this.description = request.description;
    if (isText(request.agent_id)) this.agentId = request.agent_id;
    const server = toServer(request.mcp_server);
    if (server !== undefined) this.mcpServer = server;
    if (typeof request.requires_user_interaction === "boolean") {
      this.requiresUserInteraction = request.requires_user_interaction;
    }
  }

  get caughtUp(): Promise<void> {
    return this.#caughtUp ??= this.#progress.passed(this.#position);
  }
}

function denyMalformed(
  request: JsonObject,
  { requestId }: ControlContext,
  { report, metrics }: Setting,
): JsonObject {
  const message = "Permission request names no tool or no input";
  metrics?.malformedMessage?.("can_use_tool");
  report(
    new ProtocolError({
      message,
      category: "protocol",
      subtype: "can_use_tool",
      requestId,
      requestData: request,
    }),
  );
  return denial(message);
}

function toServer(value: unknown): PermissionContext["mcpServer"] {
  if (!isObject(value) || !isText(value.name)) return undefined;
  return isText(value.source)
    ? { name: value.name, source: value.source }
    : { name: value.name };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
