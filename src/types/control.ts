import type { HookInput } from "./hooks.ts";
import type { JsonObject } from "./json.ts";
import type { PermissionDecision, PermissionUpdate } from "./permissions.ts";

/**
 * What is asked for, by `subtype`.
 *
 * Source of all in this file: protocol reference, sections Envelopes and Control requests.
 */
export interface ControlFields extends JsonObject {
  /** What is asked for. */
  readonly subtype: string;
}

/** A request, either way. */
export interface ControlRequest {
  /** Discriminates. */
  readonly type: "control_request";
  /** Unique among the requests of its direction. */
  readonly request_id: string;
  /** What is asked for. */
  readonly request: ControlFields;
}

/** Questions of the CLI that are still open; they ride beside the reply to `initialize` and are to be served like new ones. */
export interface PendingRequests {
  /** Open `can_use_tool` requests. */
  readonly pending_permission_requests?: readonly ControlRequest[];
  /** Open `request_user_dialog` requests. */
  readonly pending_user_dialog_requests?: readonly ControlRequest[];
  /** Open `elicitation` requests. */
  readonly pending_elicitation_requests?: readonly ControlRequest[];
}

/** A request was done. */
export interface ControlSuccess extends PendingRequests {
  /** Discriminates. */
  readonly subtype: "success";
  /** The request that this answers. */
  readonly request_id: string;
  /** The answer; absent for a void one. */
  readonly response?: JsonObject;
}

/** A request was refused, or failed. */
export interface ControlFailure extends PendingRequests {
  /** Discriminates. */
  readonly subtype: "error";
  /** The request that this answers. */
  readonly request_id: string;
  /** Why, in words. */
  readonly error: string;
  /** Why, as a code such as `unsupported_request`; the set is open. */
  readonly error_code?: string;
  /** The model that is still in use, after a refused `set_model`. */
  readonly model?: string;
}

/** The answer to a request, either way. */
export interface ControlResponse {
  /** Discriminates. */
  readonly type: "control_response";
  /** The answer. */
  readonly response: ControlSuccess | ControlFailure;
}

/** A request is taken back: there is no answer to it any more. */
export interface ControlCancelRequest {
  /** Discriminates. */
  readonly type: "control_cancel_request";
  /** The request. */
  readonly request_id: string;
  /** The tool call it was about; wire only. */
  readonly tool_use_id?: string;
  /** A late allow would still be taken; wire only. */
  readonly takes_late_allow?: true;
}

/** A sign of life; without answer. */
export interface KeepAlive {
  /** Discriminates. */
  readonly type: "keep_alive";
}

/** A line of the control protocol. */
export type ControlLine =
  | ControlRequest
  | ControlResponse
  | ControlCancelRequest
  | KeepAlive;

/** What decided that a tool call has to be asked about. */
export type DecisionReasonType =
  | "rule"
  | "mode"
  | "subcommandResults"
  | "permissionPromptTool"
  | "hook"
  | "asyncAgent"
  | "sandboxOverride"
  | "workingDir"
  | "safetyCheck"
  | "classifier"
  | "other";

/** The CLI asks whether a tool may run. */
export interface CanUseToolRequest {
  /** Discriminates. */
  readonly subtype: "can_use_tool";
  /** Name of the tool. */
  readonly tool_name: string;
  /** What it is called with. */
  readonly input: JsonObject;
  /** Id of the call. */
  readonly tool_use_id: string;
  /** Changes that would answer this question for good. */
  readonly permission_suggestions?: readonly PermissionUpdate[];
  /** The path that made the CLI ask. */
  readonly blocked_path?: string;
  /** Why the CLI asks, in words. */
  readonly decision_reason?: string;
  /** What made it ask. */
  readonly decision_reason_type?: DecisionReasonType;
  /** The MCP server behind the tool. */
  readonly mcp_server?: {
    /** Its name. */
    readonly name: string;
    /** Where its configuration came from. */
    readonly source: string;
  };
  /** Title to show. */
  readonly title?: string;
  /** Name of the tool to show. */
  readonly display_name?: string;
  /** What the call does, in words. */
  readonly description?: string;
  /** The subagent that wants the tool. */
  readonly agent_id?: string;
  /** Whether no is the answer to suggest. */
  readonly default_to_no?: boolean;
  /** Whether "always allow" is not to be offered. */
  readonly suppress_always_allow_rule?: boolean;
  /** Whether the classifier could allow it. */
  readonly classifier_approvable?: boolean;
  /** Whether a person has to act: AskUserQuestion, ExitPlanMode. */
  readonly requires_user_interaction?: boolean;
  /** The `ask` rule that made it ask. */
  readonly matched_ask_rule?: {
    /** Where the rule is kept. */
    readonly source: string;
    /** Its tool. */
    readonly tool_name: string;
    /** What of the tool it covers. */
    readonly rule_content?: string;
  };
}

/** Why a decision was made, for the CLI's own statistics. */
export type DecisionClassification =
  | "user_temporary"
  | "user_permanent"
  | "user_reject";

/**
 * The answer to {@link CanUseToolRequest}; anything else is a denial.
 *
 * Source: protocol reference, section Permissions.
 */
export type PermissionResult = PermissionDecision & {
  /** Id of the call. */
  readonly toolUseID?: string;
  /** What kind of decision it was. */
  readonly decisionClassification?: DecisionClassification;
};

/** The CLI calls a hook; the answer is the hook's output, at least `{}`. */
export interface HookCallbackRequest {
  /** Discriminates. */
  readonly subtype: "hook_callback";
  /** Id of the callback, as it was registered. */
  readonly callback_id: string;
  /** What the hook is told. */
  readonly input: HookInput;
  /** Id of the tool call, or of the event where there is none. */
  readonly tool_use_id?: string;
}

/** One JSON-RPC message between the CLI and an in-process MCP server. */
export interface McpMessageRequest {
  /** Discriminates. */
  readonly subtype: "mcp_message";
  /** Name of the server. */
  readonly server_name: string;
  /** The JSON-RPC message; ids restart at 0 for each server. */
  readonly message: JsonObject;
}

/** The answer to {@link McpMessageRequest}; `{}` for a notification. */
export interface McpMessageAnswer {
  /** The JSON-RPC reply. */
  readonly mcp_response?: JsonObject;
}

/** The CLI hands on a question of an MCP server; the answer is an `ElicitationResult`. */
export interface ElicitationControlRequest {
  /** Discriminates. */
  readonly subtype: "elicitation";
  /** Name of the server. */
  readonly mcp_server_name: string;
  /** The question. */
  readonly message: string;
  /** A form to fill, or a page to open. */
  readonly mode?: "form" | "url";
  /** The page. */
  readonly url?: string;
  /** Id of the question. */
  readonly elicitation_id?: string;
  /** JSON Schema of the form. */
  readonly requested_schema?: JsonObject;
  /** Order of the form's fields. */
  readonly property_order?: readonly string[];
  /** Title to show. */
  readonly title?: string;
  /** Name of the server to show. */
  readonly display_name?: string;
  /** What it is about. */
  readonly description?: string;
}

/** The CLI wants a dialog shown, of a kind that the host named in `supportedDialogKinds`; the answer is a `UserDialogResult`. */
export interface UserDialogControlRequest {
  /** Discriminates. */
  readonly subtype: "request_user_dialog";
  /** Which dialog. */
  readonly dialog_kind: string;
  /** What it shows. */
  readonly payload: JsonObject;
  /** The tool call behind it. */
  readonly tool_use_id?: string;
}

/** What the CLI asks of a host, by subtype. */
export interface CliRequests {
  /** Whether a tool may run. */
  readonly can_use_tool: CanUseToolRequest;
  /** What a hook says. */
  readonly hook_callback: HookCallbackRequest;
  /** What an in-process MCP server says. */
  readonly mcp_message: McpMessageRequest;
  /** What the user says to an MCP server. */
  readonly elicitation: ElicitationControlRequest;
  /** What the user says in a dialog. */
  readonly request_user_dialog: UserDialogControlRequest;
}

/** One request of the CLI, told apart by `subtype`. */
export type CliRequest = CliRequests[keyof CliRequests];

/** What a control handler is given beside its request. */
export interface ControlContext {
  /** Id of the request. */
  readonly requestId: string;
  /** Aborted when the CLI takes the request back, the limit passes or the conversation ends; no answer is sent after. */
  readonly signal: AbortSignal;
}

/**
 * Answers one kind of request of the CLI; may be called several times at once.
 *
 * The object becomes the `response` of a success; a throw becomes an error answer. A promise of `undefined` says that
 * the request was taken back in a way of its own (MCP's `notifications/cancelled`): nothing is answered.
 */
export type ControlHandler = (
  request: ControlFields,
  context: ControlContext,
) => JsonObject | Promise<JsonObject | undefined>;

/** What a request is answered with when its handler or its answer broke; `undefined` = an error answer will do. */
export type Denial = (
  request: ControlFields,
  reason: string,
) => JsonObject | undefined;
