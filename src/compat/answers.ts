import { isObject } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import { plainJson } from "./flags.ts";
import type { HookEvent } from "./generated/official.ts";
import type { Options } from "./generated/options.ts";
import type { ControlContext, ControlHandler } from "../types/controls.ts";
import { NO_RESPONSE } from "../wire/served.ts";
import type { HookCallback, HookInput } from "./generated/types.ts";

/** Second argument of callbacks: the signal. */
export class Asked {
  /** One getter for all: an object literal with its own costs V8 four times as much. */
  static readonly #SIGNAL: PropertyDescriptor & ThisType<Asked> = {
    configurable: true,
    enumerable: true,
    get() {
      return this.#question.signal;
    },
  };
  /** Aborted when the answer is no longer needed; made when it is read. An own property, so that a spread copies it. */
  declare readonly signal: AbortSignal;
  readonly #question: { readonly signal: AbortSignal };

  constructor(question: { readonly signal: AbortSignal }) {
    this.#question = question;
    Object.defineProperty(this, "signal", Asked.#SIGNAL);
  }
}

/** Requests that other machines of the session answer. */
const FOR_OTHERS = [
  "remote_tool_call",
  "remote_plumbing_call",
  "remote_tools_probe",
  "remote_tools_reannounce",
];

/** Handlers of the CLI's requests; a promise of `undefined` leaves a question to other clients of the session. */
export function handlersOf(
  options: Options,
  hooks: ReadonlyMap<string, HookCallback>,
  servers: { answer(request: JsonObject): Promise<JsonObject> },
): ReadonlyMap<string, ControlHandler> {
  const { onElicitation, onUserDialog } = options;
  const handlers: Readonly<Record<string, ControlHandler>> = {
    can_use_tool: (request, asked) => askForTool(options, request, asked),
    hook_callback(request, asked) {
      const { callback_id: id, input, tool_use_id: toolUseId } = request;
      const callback = hooks.get(String(id));
      if (callback === undefined) {
        throw new Error(`No hook callback found for ID: ${String(id)}`);
      }
      const output = callback(
        // The CLI knows its own inputs.
        input as unknown as HookInput,
        toolUseId as string | undefined,
        new Asked(asked),
      );
      return Promise.resolve(output).then(answered);
    },
    async elicitation(request, { requestId, signal }) {
      if (onElicitation === undefined) return { action: "decline" };
      const question = {
        serverName: request.mcp_server_name,
        message: request.message,
        mode: request.mode,
        url: request.url,
        elicitationId: request.elicitation_id,
        requestedSchema: request.requested_schema,
        title: request.title,
        displayName: request.display_name,
        description: request.description,
      };
      const told = { signal, requestId };
      return leftOpen(await onElicitation(question as never, told));
    },
    async request_user_dialog(request, { requestId, signal }) {
      if (onUserDialog === undefined) return undefined;
      const dialog = {
        dialogKind: request.dialog_kind,
        payload: request.payload,
        toolUseID: request.tool_use_id,
      };
      const told = { signal, requestId };
      return leftOpen(await onUserDialog(dialog as never, told));
    },
    mcp_message: (request) => servers.answer(request),
  };
  const others = FOR_OTHERS.map((one) =>
    [one, () => Promise.resolve(undefined)] as const
  );
  return new Map([...Object.entries(handlers), ...others]);
}

/** A callback that forgot to return has answered: the CLI would wait for ever. */
function answered(answer: unknown): JsonObject {
  return answer === undefined ? NO_RESPONSE : answer as JsonObject;
}

function leftOpen(answer: unknown): JsonObject | undefined {
  return answer === null ? undefined : answered(answer);
}

/** The callbacks of hooks by id, and the field of `initialize` that names the ids. */
export function registerHooks(
  { hooks }: Options,
): {
  readonly callbacks: ReadonlyMap<string, HookCallback>;
  readonly fields: JsonObject;
} {
  const callbacks = new Map<string, HookCallback>();
  if (hooks === undefined) return { callbacks, fields: {} };
  const field: Record<string, unknown> = {};
  for (const [event, matchers] of Object.entries(hooks)) {
    if (!matchers?.length) continue;
    field[event as HookEvent] = matchers.map((one) => ({
      matcher: one.matcher,
      hookCallbackIds: one.hooks.map((callback) => {
        const id = `hook_${callbacks.size}`;
        callbacks.set(id, callback);
        return id;
      }),
      timeout: one.timeout,
      onFailure: one.onFailure,
    }));
  }
  return { callbacks, fields: { hooks: plainJson(field, "the hooks option") } };
}

/** Whether a hook blocks when it fails, which the CLI must confirm. */
export function hasBlockingHook({ hooks }: Options): boolean {
  return Object.values(hooks ?? {}).some((matchers) =>
    matchers &&
    matchers.some(({ onFailure }) =>
      onFailure !== undefined && onFailure !== null && onFailure !== "continue"
    )
  );
}

function askForTool(
  { canUseTool }: Options,
  request: JsonObject,
  asked: ControlContext,
): Promise<JsonObject | undefined> {
  if (canUseTool === undefined) {
    throw new Error("canUseTool callback is not provided.");
  }
  const { tool_name: name, input, tool_use_id: toolUseID } = request;
  const told = new ToolQuestion(request, asked);
  return Promise.resolve(
    canUseTool(String(name), input as never, told as never),
  ).then((decision) =>
    decision === null
      ? undefined
      : { ...decision as unknown as JsonObject, toolUseID }
  );
}

/** Third argument of a permission callback, under the official names. */
class ToolQuestion extends Asked {
  [key: string]: unknown;

  constructor(request: JsonObject, asked: ControlContext) {
    super(asked);
    this.suggestions = request.permission_suggestions;
    this.blockedPath = request.blocked_path;
    this.decisionReason = request.decision_reason;
    this.title = request.title;
    this.displayName = request.display_name;
    this.description = request.description;
    this.defaultToNo = request.default_to_no;
    this.suppressAlwaysAllowRule = request.suppress_always_allow_rule;
    this.toolUseID = request.tool_use_id;
    this.agentID = request.agent_id;
    this.requestId = asked.requestId;
    // A loop over names would cost as much as all of the above.
    const { decision_reason_type: type, decision_reason_code: code } = request;
    if (type !== undefined) this.decisionReasonType = type;
    if (code !== undefined) this.decisionReasonCode = code;
    const { server_policy_ask_only: asksOnly, plugin } = request;
    if (asksOnly !== undefined) this.serverPolicyAskOnly = asksOnly;
    if (plugin !== undefined) this.plugin = plugin;
    const { requires_user_interaction: needsUser } = request;
    if (needsUser !== undefined) this.requiresUserInteraction = needsUser;
    const { server_prompt: prompt, computer_folder: folder } = request;
    if (prompt !== undefined) this.serverPrompt = prompt;
    if (folder !== undefined) this.computerFolder = folder;
    const { mcp_server: server, matched_ask_rule: rule } = request;
    if (isObject(server)) {
      const { name, source } = server as JsonObject;
      this.mcpServer = { name, source };
    }
    if (isObject(rule)) {
      const { source, tool_name: toolName, rule_content } = rule as JsonObject;
      this.matchedAskRule = {
        source,
        toolName,
        ...rule_content !== undefined && { ruleContent: rule_content },
      };
    }
  }
}
