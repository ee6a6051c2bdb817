/** Control requests of the CLI, and the answers of the host. */
import {
  anything,
  type Control,
  controls,
  flag,
  known,
  list,
  literal,
  maybe,
  number,
  object,
  objectGiven,
  oneOf,
  part,
  ref,
  request,
  seen,
  seenRequest,
  shape,
  text,
  type Topic,
  topic,
  union,
} from "./words.ts";

/** Each request by its subtype. */
const REQUESTS = controls("cli-to-host", {
  can_use_tool: request(
    "Asks whether a tool may run",
    {
      tool_name: text("Name of the tool"),
      input: object("Input of the call"),
      tool_use_id: text("Id of the call"),
      permission_suggestions: maybe(
        list(
          ref("PermissionUpdate"),
          "Changes that would answer this question for good",
        ),
      ),
      blocked_path: maybe(text("The path that made the CLI ask")),
      decision_reason: maybe(text("Reason for the question")),
      decision_reason_type: maybe(
        oneOf([
          "rule",
          "mode",
          "subcommandResults",
          "permissionPromptTool",
          "hook",
          "asyncAgent",
          "sandboxOverride",
          "workingDir",
          "safetyCheck",
          "classifier",
          "other",
        ], "Kind of that reason"),
      ),
      mcp_server: maybe(ref("HookMcpServer", "The MCP server behind the tool")),
      title: maybe(text("Title to show")),
      display_name: maybe(text("The tool's name to show")),
      description: maybe(text("Description of the call")),
      agent_id: maybe(text("The subagent that wants the tool")),
      default_to_no: maybe(
        flag("Whether a dialog should preselect the denial"),
      ),
      suppress_always_allow_rule: maybe(
        flag("Whether a dialog should not offer a rule"),
      ),
      classifier_approvable: maybe(
        flag("Whether the permission classifier could allow the call"),
      ),
      requires_user_interaction: maybe(
        flag("Whether a person has to act: AskUserQuestion, ExitPlanMode"),
      ),
      matched_ask_rule: maybe(shape("The rule that asks", {
        source: text("Location of the rule"),
        tool_name: text("Name of the tool"),
        rule_content: maybe(text("Calls that the rule covers; default: all")),
      })),
      decision_reason_code: seen(text("Reason for the question, as a code")),
      decision_reason_rule_source: seen(text("Location of the rule")),
      decision_reason_hook_event: seen(text("The event of the hook that asks")),
      decision_reason_hook_source: seen(text("Location of that hook")),
      decision_reason_hook_plugin_id: seen(
        text("The plugin that brings that hook"),
      ),
      server_policy_ask_only: seen(
        flag(
          "Whether the MCP server's rules require a question before each call",
        ),
      ),
      rule_usually_offered: seen(
        flag("Whether such questions usually offer an allow rule"),
      ),
      plugin: seen(anything("The plugin behind the tool")),
      server_prompt: seen(anything("Question of the MCP server")),
      computer_folder: seen(
        shape("A folder on the computer of the user", {
          path: text("The folder"),
          computer_name: text("The computer"),
        }),
      ),
      provenance_prompt_line: seen(text("Origin of the call, in words")),
      tool_kind: seen(text("Kind of tool")),
    },
    "PermissionResult",
    {
      note: "[tool lists](permissions.md), then `permissions.canUseTool`",
    },
  ),
  hook_callback: request(
    "Calls a hook",
    {
      callback_id: text("Id of the hook, as the host registered it"),
      input: ref("AnyHookInput", "Input of the hook"),
      tool_use_id: maybe(text("Id of the tool call")),
      issued_at: seen(number("Time of the call, in milliseconds since 1970")),
      deadline_ms: seen(number("Timeout, in milliseconds")),
    },
    "HookCallbackReply",
    { note: "[hooks](hooks.md)" },
  ),
  mcp_message: request(
    "Carries one message of JSON-RPC between an MCP server of the host and the CLI; both sides send it",
    {
      server_name: text("Name of the server"),
      message: object("The message"),
    },
    "McpMessageReply",
    {
      source: "In-process MCP servers",
      ofBoth: true,
      note: "the [MCP servers](mcp_servers.md) connected by Sluice",
    },
  ),
  elicitation: request(
    "Passes a question of an MCP server to the user",
    {
      mcp_server_name: text("Name of the server"),
      message: text("The question"),
      mode: maybe(oneOf(["form", "url"], "A form to fill, or a page to open")),
      url: maybe(text("The page")),
      elicitation_id: maybe(text("Id of the question")),
      requested_schema: maybe(object("JSON Schema of the form")),
      property_order: maybe(list(text(), "Fields of the form in their order")),
      title: maybe(text("Title to show")),
      display_name: maybe(text("Name of the server to show")),
      description: maybe(text("Subject, as text")),
    },
    "McpElicitationReply",
    {
      name: "McpElicitationRequest",
      note: "`onElicitation`; declined without it",
    },
  ),
  request_user_dialog: request(
    "Asks the host to show a dialog",
    {
      dialog_kind: text(
        "Kind of dialog; only those listed in `supportedDialogKinds`",
      ),
      payload: object("Content of the dialog"),
      tool_use_id: maybe(text("The tool call behind it")),
    },
    "DialogReply",
    {
      name: "DialogRequest",
      note: "`onUserDialog`; cancelled without it",
    },
  ),
  ...Object.fromEntries(
    ("oauth_token_refresh host_auth_token_refresh remote_control_work_secret ui_copy ui_prompt_read ui_prompt_fill " +
      "ui_prompt_paint ui_prompt_suggest ui_read_selection remote_tool_call remote_plumbing_call remote_tools_probe " +
      "remote_tools_reannounce").split(" ").map((
        name,
      ) => [name, seenRequest("Internal; answer `unsupported_request`")]),
  ),
});

export const CONTROL_CLI: Topic = topic(
  "control_cli",
  "Control requests, CLI to host",
  {
    ...REQUESTS.shapes,
    PermissionResult: known(
      union([
        part({
          behavior: literal("allow", "The tool may run"),
          updatedInput: maybe(
            objectGiven("The input it runs with"),
          ),
          updatedPermissions: maybe(
            list(
              ref("PermissionUpdate"),
              "Rules and modes that hold from now on; at most 4096",
            ),
          ),
          toolUseID: maybe(text("Id of the call")),
          decisionClassification: maybe(
            ref("DecisionClassification", "Meaning of the decision"),
          ),
        }),
        part({
          behavior: literal("deny", "The tool may not run"),
          message: text("Reason; the model reads it as the tool's result"),
          interrupt: maybe(
            flag("Whether the turn ends as well; default: false"),
          ),
          toolUseID: maybe(text("Id of the call")),
          decisionClassification: maybe(
            ref("DecisionClassification", "Meaning of the decision"),
          ),
        }),
      ], "One of the objects below; the CLI takes anything else as a denial"),
      { source: "Permissions", given: true },
    ),
    DecisionClassification: oneOf([
      "user_temporary",
      "user_permanent",
      "user_reject",
    ], "Meaning of a person's decision"),
    McpMessageReply: shape(
      "The answer to a message of JSON-RPC; for a notification an empty object",
      {
        mcp_response: maybe(object("The reply")),
      },
      { source: "In-process MCP servers" },
    ),
    McpElicitationReply: shape(
      "Answer of the user to a question of an MCP server",
      {
        action: oneOf(["accept", "decline", "cancel"], "Action of the user"),
        content: maybe(objectGiven("Content of the form; only with `accept`")),
      },
      { given: true },
    ),
    DialogReply: union([
      part({
        behavior: literal("completed", "The user went through it"),
        result: anything("Outcome"),
      }),
      part({ behavior: literal("cancelled", "The user left it") }),
    ], "Outcome of a dialog"),
  },
);

/** The requests by subtype. */
export const CLI_CONTROLS: readonly Control[] = REQUESTS.index;
