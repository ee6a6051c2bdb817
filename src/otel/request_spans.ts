import { isObject } from "../errors/text.ts";
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
  readonly subtype: string;
  readonly tool: string | undefined;
}

/** A span for a request, before it begins. */
interface Described {
  readonly name: string;
  readonly attributes?: Attributes;
  readonly kind?: number;
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
    const { name, attributes = {}, kind, call, isLate, agent } = described;
    const caller = this.#tools.callOf(agent);
    const parent = call === undefined
      ? this.#tools.under(caller)
      : isLate
      ? this.#tools.find(call.id) ?? this.#tools.under(caller)
      : this.#tools.begin({ id: call.id, name: call.tool, caller });
    const { subtype } = request;
    const span = new Span(this.#setting.tracer(), {
      name,
      kind,
      parent,
      attributes: { ...attributes, [A.request]: subtype },
    });
    this.#open.set(id, { span, subtype, tool: call?.tool });
  }

  end(id: string, { outcome, response }: RequestAnswer): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#open.delete(id);
    const { span, subtype, tool } = open;
    const isPermission = subtype === "can_use_tool";
    const decision = isPermission && outcome === "success"
      ? String(response?.behavior)
      : outcome;
    if (isPermission) span.set({ [A.decision]: decision });
    const error = outcome === "success" ? failureIn(response) : outcome;
    if (error !== undefined) span.fail(error);
    const seconds = span.end();
    if (!isPermission) return;
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
        call: callOf(id, tool),
        agent,
      };
    }
    case "hook_callback": {
      const input = objectIn(request.input);
      const event = String(input.hook_event_name);
      return {
        name: `${SPAN.hook} ${event}`,
        attributes: { [A.hook]: event },
        call: callOf(input.tool_use_id, input.tool_name),
        isLate: event !== "PreToolUse",
        agent: input.agent_id,
      };
    }
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

/** Calls of tools alone: the CLI asks for lists all the time. */
function describeMcp(
  { message, server_name: server }: ControlFields,
): Described | undefined {
  const { method, params, id } = objectIn(message);
  if (method !== SPAN.mcp) return undefined;
  const { name, _meta } = objectIn(params);
  return {
    name: `${SPAN.mcp} ${name}`,
    kind: KIND.client,
    attributes: {
      [A.mcpMethod]: SPAN.mcp,
      [A.tool]: String(name),
      [A.mcpServer]: String(server),
      ...id !== undefined && { [A.rpcId]: String(id) },
    },
    call: callOf(objectIn(_meta)[TOOL_USE_ID], `mcp__${server}__${name}`),
  };
}

/** The error in the answer of an MCP server: of the protocol, or of the tool. */
function failureIn(response: JsonObject | undefined): string | undefined {
  const { result, error } = objectIn(response?.mcp_response);
  if (isObject(error)) return String(error.code);
  return objectIn(result).isError === true ? "tool_error" : undefined;
}

function callOf(id: unknown, tool: unknown): Described["call"] {
  return typeof id === "string" && typeof tool === "string"
    ? { id, tool }
    : undefined;
}

function objectIn(value: unknown): JsonObject {
  return isObject<unknown>(value) ? value as JsonObject : {};
}
