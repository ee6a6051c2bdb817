// Made from protocol/ by `npm run generate`; edit that.
import type { JsonInput, JsonObject, JsonValue } from "../types/json.ts";
import type { HookMcpServer } from "./hook_inputs.ts";
import type { AnyHookInput } from "./hooks.ts";
import type { PermissionUpdate } from "./permissions.ts";

/** Asks whether a tool may run. */
export interface CanUseToolRequest {
  /** Discriminator. */
  readonly subtype: "can_use_tool";
  /** Name of the tool. */
  readonly tool_name: string;
  /** Input of the call. */
  readonly input: JsonObject;
  /** Id of the call. */
  readonly tool_use_id: string;
  /** Changes that would answer this question for good. */
  readonly permission_suggestions?: readonly PermissionUpdate[];
  /** The path that made the CLI ask. */
  readonly blocked_path?: string;
  /** Reason for the question. */
  readonly decision_reason?: string;
  /** Kind of that reason. */
  readonly decision_reason_type?:
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
  /** The MCP server behind the tool. */
  readonly mcp_server?: HookMcpServer;
  /** Title to show. */
  readonly title?: string;
  /** The tool's name to show. */
  readonly display_name?: string;
  /** Description of the call. */
  readonly description?: string;
  /** The subagent that wants the tool. */
  readonly agent_id?: string;
  /** Whether a dialog should preselect the denial. */
  readonly default_to_no?: boolean;
  /** Whether a dialog should not offer a rule. */
  readonly suppress_always_allow_rule?: boolean;
  /** Whether the permission classifier could allow the call. */
  readonly classifier_approvable?: boolean;
  /** Whether a person has to act: AskUserQuestion, ExitPlanMode. */
  readonly requires_user_interaction?: boolean;
  /** The rule that asks. */
  readonly matched_ask_rule?: {
    /** Location of the rule. */
    readonly source: string;
    /** Name of the tool. */
    readonly tool_name: string;
    /** Calls that the rule covers; default: all. */
    readonly rule_content?: string;
  };
  /** Reason for the question, as a code; wire only. */
  readonly decision_reason_code?: string;
  /** Location of the rule; wire only. */
  readonly decision_reason_rule_source?: string;
  /** The event of the hook that asks; wire only. */
  readonly decision_reason_hook_event?: string;
  /** Location of that hook; wire only. */
  readonly decision_reason_hook_source?: string;
  /** The plugin that brings that hook; wire only. */
  readonly decision_reason_hook_plugin_id?: string;
  /** Whether the MCP server's rules require a question before each call; wire only. */
  readonly server_policy_ask_only?: boolean;
  /** Whether such questions usually offer an allow rule; wire only. */
  readonly rule_usually_offered?: boolean;
  /** The plugin behind the tool; wire only. */
  readonly plugin?: JsonValue;
  /** Question of the MCP server; wire only. */
  readonly server_prompt?: JsonValue;
  /** A folder on the computer of the user; wire only. */
  readonly computer_folder?: {
    /** The folder. */
    readonly path: string;
    /** The computer. */
    readonly computer_name: string;
  };
  /** Origin of the call, in words; wire only. */
  readonly provenance_prompt_line?: string;
  /** Kind of tool; wire only. */
  readonly tool_kind?: string;
}

/** Calls a hook. */
export interface HookCallbackRequest {
  /** Discriminator. */
  readonly subtype: "hook_callback";
  /** Id of the hook, as the host registered it. */
  readonly callback_id: string;
  /** Input of the hook. */
  readonly input: AnyHookInput;
  /** Id of the tool call. */
  readonly tool_use_id?: string;
  /** Time of the call, in milliseconds since 1970; wire only. */
  readonly issued_at?: number;
  /** Timeout, in milliseconds; wire only. */
  readonly deadline_ms?: number;
}

/** Carries one message of JSON-RPC between an MCP server of the host and the CLI; both sides send it. */
export interface McpMessageRequest {
  /** Discriminator. */
  readonly subtype: "mcp_message";
  /** Name of the server. */
  readonly server_name: string;
  /** The message. */
  readonly message: JsonObject;
}

/** Passes a question of an MCP server to the user. */
export interface McpElicitationRequest {
  /** Discriminator. */
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
  /** Fields of the form in their order. */
  readonly property_order?: readonly string[];
  /** Title to show. */
  readonly title?: string;
  /** Name of the server to show. */
  readonly display_name?: string;
  /** Subject, as text. */
  readonly description?: string;
}

/** Asks the host to show a dialog. */
export interface DialogRequest {
  /** Discriminator. */
  readonly subtype: "request_user_dialog";
  /** Kind of dialog; only those listed in `supportedDialogKinds`. */
  readonly dialog_kind: string;
  /** Content of the dialog. */
  readonly payload: JsonObject;
  /** The tool call behind it. */
  readonly tool_use_id?: string;
}

/** Internal; answer `unsupported_request`; wire only. */
export interface OauthTokenRefreshRequest {
  /** Discriminator. */
  readonly subtype: "oauth_token_refresh";
}

/** Internal; answer `unsupported_request`; wire only. */
export interface HostAuthTokenRefreshRequest {
  /** Discriminator. */
  readonly subtype: "host_auth_token_refresh";
}

/** Internal; answer `unsupported_request`; wire only. */
export interface RemoteControlWorkSecretRequest {
  /** Discriminator. */
  readonly subtype: "remote_control_work_secret";
}

/** Internal; answer `unsupported_request`; wire only. */
export interface UiCopyRequest {
  /** Discriminator. */
  readonly subtype: "ui_copy";
}

/** Internal; answer `unsupported_request`; wire only. */
export interface UiPromptReadRequest {
  /** Discriminator. */
  readonly subtype: "ui_prompt_read";
}

/** Internal; answer `unsupported_request`; wire only. */
export interface UiPromptFillRequest {
  /** Discriminator. */
  readonly subtype: "ui_prompt_fill";
}

/** Internal; answer `unsupported_request`; wire only. */
export interface UiPromptPaintRequest {
  /** Discriminator. */
  readonly subtype: "ui_prompt_paint";
}

/** Internal; answer `unsupported_request`; wire only. */
export interface UiPromptSuggestRequest {
  /** Discriminator. */
  readonly subtype: "ui_prompt_suggest";
}

/** Internal; answer `unsupported_request`; wire only. */
export interface UiReadSelectionRequest {
  /** Discriminator. */
  readonly subtype: "ui_read_selection";
}

/** Internal; answer `unsupported_request`; wire only. */
export interface RemoteToolCallRequest {
  /** Discriminator. */
  readonly subtype: "remote_tool_call";
}

/** Internal; answer `unsupported_request`; wire only. */
export interface RemotePlumbingCallRequest {
  /** Discriminator. */
  readonly subtype: "remote_plumbing_call";
}

/** Internal; answer `unsupported_request`; wire only. */
export interface RemoteToolsProbeRequest {
  /** Discriminator. */
  readonly subtype: "remote_tools_probe";
}

/** Internal; answer `unsupported_request`; wire only. */
export interface RemoteToolsReannounceRequest {
  /** Discriminator. */
  readonly subtype: "remote_tools_reannounce";
}

/** One of the objects below; the CLI takes anything else as a denial. */
export type PermissionResult = {
  /** The tool may run. */
  readonly behavior: "allow";
  /** The input it runs with. */
  readonly updatedInput?: JsonInput | undefined;
  /** Rules and modes that hold from now on; at most 4096. */
  readonly updatedPermissions?: readonly PermissionUpdate[] | undefined;
  /** Id of the call. */
  readonly toolUseID?: string | undefined;
  /** Meaning of the decision. */
  readonly decisionClassification?: DecisionClassification | undefined;
} | {
  /** The tool may not run. */
  readonly behavior: "deny";
  /** Reason; the model reads it as the tool's result. */
  readonly message: string;
  /** Whether the turn ends as well; default: false. */
  readonly interrupt?: boolean | undefined;
  /** Id of the call. */
  readonly toolUseID?: string | undefined;
  /** Meaning of the decision. */
  readonly decisionClassification?: DecisionClassification | undefined;
};

/** Meaning of a person's decision. */
export type DecisionClassification =
  | "user_temporary"
  | "user_permanent"
  | "user_reject";

/** The answer to a message of JSON-RPC; for a notification an empty object. */
export interface McpMessageReply {
  /** The reply. */
  readonly mcp_response?: JsonObject;
}

/** Answer of the user to a question of an MCP server. */
export interface McpElicitationReply {
  /** Action of the user. */
  readonly action: "accept" | "decline" | "cancel";
  /** Content of the form; only with `accept`. */
  readonly content?: JsonInput | undefined;
}

/** Outcome of a dialog. */
export type DialogReply = {
  /** The user went through it. */
  readonly behavior: "completed";
  /** Outcome. */
  readonly result: JsonValue;
} | {
  /** The user left it. */
  readonly behavior: "cancelled";
};
