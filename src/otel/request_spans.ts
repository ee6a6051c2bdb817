import { asObject, isObject } from "../errors/text.ts";
import { purposeOf } from "../observe/hook_ids.ts";
import type { ControlFields } from "../types/controls.ts";
import type { JsonObject } from "../types/json.ts";
import type { RequestAnswer, TraceContext } from "../types/observer.ts";
import type { Attributes } from "./api.ts";
import { ATTRIBUTE as A, SPAN } from "./names.ts";
import type { Setting } from "./setting.ts";
import { KIND, Span } from "./spans.ts";
import type { ToolSpans } from "./tool_spans.ts";

interface Open {
  readonly span: Span;
  readonly decides: Decider | undefined;
  readonly tool: string | undefined;
}

/** Source of the decision about a tool call. */
type Decider = "callback" | "store";

/** A span for a request, before it begins. */
interface Described {
  readonly name: string;
  readonly attributes?: Attributes;
  readonly kind?: number;
  readonly decides?: Decider;
  /** The tool call that it is about. */
  readonly call?: { readonly id: string; readonly tool: string } | undefined;
  /** Whether that may be over. */
  readonly isLate?: boolean;
  readonly agent?: unknown;
}

/** In the `_meta` of an MCP call of the CLI. */
const TOOL_USE_ID = "claudecode/toolUseId";

/** Spans of requests that this program answers: permissions, hooks, questions, calls of its MCP servers. */
export class RequestSpans {
  readonly #setting: Setting;
  readonly #tools: ToolSpans;
  readonly #open = new Map<string, Open>();

  constructor(setting: Setting, tools: ToolSpans) {
    this.#setting = setting;
    this.#tools = tools;
  }

  begin(id: string, request: ControlFields): void {
    const described = describe(request);
    if (described === undefined) return;
    const { name, attributes = {}, kind, decides, call, isLate, agent } =
      described;
    const caller = this.#tools.callOf(agent);
    const parent = call === undefined
      ? this.#tools.under(caller)
      : isLate
      ? this.#tools.find(call.id) ?? this.#tools.under(caller)
      : this.#tools.begin({ id: call.id, name: call.tool, caller });
    const span = new Span(this.#setting.tracer(), {
      name,
      kind,
      parent,
      attributes: { ...attributes, [A.request]: request.subtype },
    });
    this.#open.set(id, { span, decides, tool: call?.tool });
  }

  end(id: string, { outcome, response }: RequestAnswer): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#open.delete(id);
    const { span, decides, tool } = open;
    const decision = decides === undefined
      ? undefined
      : outcome === "success"
      ? decisionIn(response, decides)
      : outcome;
    if (decision !== undefined) span.set({ [A.decision]: decision });
    const error = outcome === "success" ? failureIn(response) : outcome;
    if (error !== undefined) span.fail(error);
    const seconds = span.end();
    if (decision === undefined || decision === NOT_WAITED) return;
    const facts = { [A.decision]: decision, ...tool && { [A.tool]: tool } };
    this.#setting.record("permissionWait", seconds, facts);
  }

  trace(id: string): TraceContext | undefined {
    return this.#open.get(id)?.span.trace;
  }

  within(id: string, work: () => void): void {
    const open = this.#open.get(id);
    if (open === undefined) work();
    else open.span.within(work);
  }

  endAll(): void {
    for (const id of [...this.#open.keys()]) {
      this.end(id, { outcome: "cancelled" });
    }
  }
}

/** The span that a request gets; `undefined` for those that nothing is seen of. */
function describe(request: ControlFields): Described | undefined {
  const { subtype } = request;
  switch (subtype) {
    case "can_use_tool": {
      const { tool_name: tool, tool_use_id: id, agent_id: agent } = request;
      return {
        name: `${SPAN.permission} ${tool}`,
        decides: "callback",
        call: callOf(id, tool),
        agent,
      };
    }
    case "hook_callback":
      return describeHook(request);
    case "mcp_message":
      return describeMcp(request);
    case "elicitation":
      return { name: SPAN.elicitation };
    case "request_user_dialog":
      return { name: SPAN.dialog };
    default:
      return undefined;
  }
}

/** Hooks of the program, and that which waits for a decision in a store; the others of this package are means to an end. */
function describeHook(
  { callback_id, input: given }: ControlFields,
): Described | undefined {
  const purpose = purposeOf(callback_id);
  if (purpose === "policy" || purpose === "deferral") return undefined;
  const input = asObject(given);
  const event = String(input.hook_event_name);
  const isApproval = purpose === "approval";
  return {
    name: isApproval
      ? `${SPAN.approval} ${input.tool_name}`
      : `${SPAN.hook} ${event}`,
    ...isApproval ? { decides: "store" } : { attributes: { [A.hook]: event } },
    call: callOf(input.tool_use_id, input.tool_name),
    isLate: event !== "PreToolUse",
    agent: input.agent_id,
  };
}

/** Calls of tools alone: the CLI asks for lists all the time. */
function describeMcp(
  { message, server_name: server }: ControlFields,
): Described | undefined {
  const { method, params, id } = asObject(message);
  if (method !== SPAN.mcp) return undefined;
  const { name, _meta } = asObject(params);
  return {
    name: `${SPAN.mcp} ${name}`,
    kind: KIND.client,
    attributes: {
      [A.mcpMethod]: SPAN.mcp,
      [A.tool]: String(name),
      [A.mcpServer]: String(server),
      ...id !== undefined && { [A.rpcId]: String(id) },
    },
    call: callOf(asObject(_meta)[TOOL_USE_ID], `mcp__${server}__${name}`),
  };
}

/** Decision about a call that was not selected to wait. */
const NOT_WAITED = "none";

function decisionIn(
  response: JsonObject | undefined,
  decides: Decider,
): string {
  if (decides === "callback") return String(response?.behavior);
  const { permissionDecision } = asObject(response?.hookSpecificOutput);
  return typeof permissionDecision === "string"
    ? permissionDecision
    : NOT_WAITED;
}

/** The error in the answer of an MCP server: of the protocol, or of the tool. */
function failureIn(response: JsonObject | undefined): string | undefined {
  const { result, error } = asObject(response?.mcp_response);
  if (isObject(error)) return String(error.code);
  return asObject(result).isError === true ? "tool_error" : undefined;
}

function callOf(id: unknown, tool: unknown): Described["call"] {
  return typeof id === "string" && typeof tool === "string"
    ? { id, tool }
    : undefined;
}
