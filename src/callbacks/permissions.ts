import { isObject, show } from "../errors/text.ts";
import type { Deadlines } from "../async/deadline.ts";
import { ProtocolError } from "../errors/cli.ts";
import { excerpt } from "../errors/clean.ts";
import type { ToolGuard } from "../options/tool_guard.ts";
import type { JsonObject } from "../types/json.ts";
import type { CanUseTool, PermissionContext } from "../types/permissions.ts";
import type { PermissionUpdate } from "../protocol/permissions.ts";
import { type Listeners, tellFailure } from "./failure.ts";
import { denial, permissionAnswer, toolCall, writtenAnswer } from "./gate.ts";
import { Call, type Guarding, runGuarded } from "./guard.ts";
import type { Waiting } from "./hooks.ts";
import type { ControlContext, ControlHandler } from "../types/controls.ts";

/** How far the consumer of the messages is. */
export interface Progress {
  /** How far the messages have been read. */
  position(): number;
  /** Resolves when the consumer has all messages up to a position, or will not take them. */
  passed(position: number): Promise<void>;
}

/** Answers `can_use_tool`; without a callback everything that is asked is denied. */
export function permissionHandler(
  {
    canUseTool,
    guard,
    waiting,
    allowBypass,
    wantsInput = () => false,
    limitMs,
    deadlines,
    progress,
    ...listeners
  }:
    & Listeners
    & {
      readonly canUseTool: CanUseTool | undefined;
      /** Ours: what it refuses is never allowed, whatever the callback says. */
      readonly guard: ToolGuard | undefined;
      /** Ours as well: what it put off does not run before the session is resumed. */
      readonly waiting?: Pick<Waiting, "refusal"> | undefined;
      /** Whether the callback may switch all questions off. */
      readonly allowBypass: boolean;
      /** Whether an allowance has to say with which input, as older CLIs ask for; not unless given. */
      readonly wantsInput?: (() => boolean) | undefined;
      /** The limit of one call, in milliseconds. */
      readonly limitMs: number;
      readonly deadlines: Deadlines;
      readonly progress: Progress;
    },
): ControlHandler {
  if (canUseTool === undefined) return denyAll;
  const guarding: Guarding = {
    deadlines,
    limitMs,
    accept: (decision, { raw, about, refusal }) =>
      refusal === undefined
        ? writtenAnswer(
          permissionAnswer(decision, raw, about, guard, allowBypass),
        )
        : denial(refusal),
    tell: (failure, { raw: request, requestId }) => {
      const tool = request.tool_name;
      const what = `Permission callback for ${show(tool)}`;
      const details = { tool, toolUseId: request.tool_use_id };
      const call = { what, request, requestId, details };
      return tellFailure(failure, call, listeners);
    },
    refuse: denial,
  };
  return (request, context) => {
    const { tool_name, input, mcp_server } = request;
    const about = toolCall(tool_name, input, mcp_server);
    if (about === undefined) return denyMalformed(request, context, listeners);
    const why = waiting?.refusal(request.tool_use_id);
    if (why !== undefined) return denial(why);
    const question = new Question(request, context, progress);
    // Before the callback, which may change what it is given.
    const asked = wantsInput() ? structuredClone(about.input) : undefined;
    const answer = runGuarded(
      () => {
        // Before the callback, which may change what it is given.
        question.judge(about, guard);
        return question.refusal === undefined
          ? canUseTool(about.tool, about.input, question)
          : undefined;
      },
      question,
      guarding,
    );
    return asked === undefined ? answer : withInput(answer, asked);
  };
}

/** An allowance says with which input, unless the callback has said it. */
function withInput(
  answer: JsonObject | Promise<JsonObject>,
  asked: JsonObject,
): JsonObject | Promise<JsonObject> {
  if (answer instanceof Promise) {
    return answer.then((one) => withInput(one, asked));
  }
  // One that was written already has said it.
  return answer.behavior === "allow"
    ? { updatedInput: asked, ...answer }
    : answer;
}

/** What the callback is told beside the tool and its input; its signal is made when it is read. */
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

function denyAll(): JsonObject {
  return denial("No permission callback is set");
}

function denyMalformed(
  request: JsonObject,
  { requestId }: ControlContext,
  { report, metrics, scrub }: Listeners,
): JsonObject {
  const message = "Permission request names no tool or no input";
  metrics?.malformedMessage?.("can_use_tool");
  report(
    new ProtocolError({
      message,
      category: "protocol",
      subtype: "can_use_tool",
      requestId,
      requestData: excerpt(request, scrub).value,
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
