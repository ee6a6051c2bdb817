import { TESTED_VERSION } from "../../options/versions.ts";
import type { JsonObject } from "../../types/json.ts";
import type { FakeAnswer } from "../fake_cli_script.ts";
import { openMessage } from "../wire_lines.ts";
import { type FakeContext, modelOf } from "./wire.ts";

const TOOLS = "Task Bash CronCreate CronDelete CronList Edit EnterWorktree " +
  "ExitWorktree ListAgents Monitor NotebookEdit Read ReportFindings " +
  "ScheduleWakeup SendMessage Skill TaskStop ToolSearch WebFetch WebSearch " +
  "Workflow Write";

const ASKING_TOOLS = ["AskUserQuestion", "EnterPlanMode", "ExitPlanMode"];

/** Names of slash commands. */
const COMMANDS = ["compact", "context", "init", "review"];

/** The line that begins a turn. */
export function initLine(
  context: FakeContext,
  prompts: readonly string[],
): JsonObject {
  return {
    type: "system",
    subtype: "init",
    cwd: context.cwd,
    tools: [...TOOLS.split(" "), ...(context.isAsking ? ASKING_TOOLS : [])],
    mcp_servers: context.servers.map((name) => ({
      name,
      status: "connected",
      source: "sdk",
    })),
    model: context.model,
    permissionMode: context.permissionMode,
    slash_commands: COMMANDS,
    apiKeySource: "ANTHROPIC_API_KEY",
    claude_code_version: TESTED_VERSION,
    output_style: "default",
    agents: ["claude", "Explore"],
    skills: [],
    plugins: [],
    capabilities: ["interrupt_receipt_v1", "msg_lifecycle_v1"],
    fast_mode_state: "off",
    fast_mode_disabled_reason: "sdk_opt_in_required",
    ...(prompts.length > 0 ? { user_message_uuids: prompts } : {}),
  };
}

/** An API message with one block, as it stands in an assistant line. */
export function assistantLine(
  model: string,
  id: string,
  block: JsonObject,
  prompts: readonly string[],
): JsonObject {
  return {
    type: "assistant",
    message: { ...openMessage(model, id), content: [block] },
    parent_tool_use_id: null,
    timestamp: new Date().toISOString(),
    request_id: `req_${id.slice(4)}`,
    ...promptLink(prompts),
  };
}

/** Names the prompts that a line answers. */
export function promptLink(prompts: readonly string[]): JsonObject {
  return prompts.length === 0
    ? {}
    : { user_message_uuid: prompts[0], user_message_uuids: prompts };
}

/** The fields of the answer to `initialize`. */
export function initializeReply(context: FakeContext): JsonObject {
  return {
    commands: COMMANDS.map((name) => ({
      name,
      description: `What /${name} does`,
      argumentHint: "",
      builtin: true,
    })),
    agents: [
      { name: "claude", description: "Catch-all for any task" },
      {
        name: "Explore",
        description: "Looks for things in a code base",
        model: "inherit",
      },
    ],
    output_style: "default",
    available_output_styles: ["default", "Proactive", "Concise"],
    models: [modelInfo("default"), modelInfo("opus")],
    account: {
      tokenSource: "none",
      apiKeySource: "ANTHROPIC_API_KEY",
      apiProvider: "firstParty",
    },
    pid: context.pid,
    claude_code_version: TESTED_VERSION,
    current_permission_mode: context.permissionMode,
    hook_on_failure_supported: true,
    hooks_when_unanswered_kept: 0,
    other_hook_ask_outranks_host: true,
    feedback_mode: { kind: "disabled" },
    analytics_disabled: true,
    fast_mode_state: "off",
    fast_mode_disabled_reason: "sdk_opt_in_required",
    session_state: "idle",
    capabilities: ["mcp_call_check_permissions_v1"],
  };
}

function modelInfo(value: string): JsonObject {
  return {
    value,
    resolvedModel: modelOf(undefined),
    displayName: value === "default" ? "Default (recommended)" : "Opus",
    description: "Model of the fake CLI",
    supportsEffort: true,
    supportedEffortLevels: ["low", "medium", "high"],
    supportsAdaptiveThinking: true,
  };
}

/** What the fake CLI answers to a control request for which the script has no answer. */
export function usualAnswer(request: JsonObject): FakeAnswer {
  const { subtype } = request;
  const usual = typeof subtype === "string" ? USUAL[subtype] : undefined;
  if (usual === undefined) {
    return {
      error: `Unsupported control request subtype: ${subtype}`,
      error_code: "unsupported_request",
    };
  }
  return typeof usual === "function" ? usual(request) : usual;
}

const EMPTY_CONTEXT_USAGE: JsonObject = {
  categories: [],
  totalTokens: 100,
  maxTokens: 1_000_000,
  rawMaxTokens: 1_000_000,
  percentage: 0,
  gridRows: [],
  model: modelOf(undefined),
  memoryFiles: [],
  mcpTools: [],
  agents: [],
  isAutoCompactEnabled: true,
  apiUsage: null,
};

const USUAL: Readonly<
  Record<string, FakeAnswer | ((request: JsonObject) => FakeAnswer)>
> = {
  interrupt: { still_queued: [] },
  set_permission_mode: ({ mode }) => ({ mode: mode ?? "default" }),
  set_model: ({ model }) => ({ model: model ?? "default" }),
  set_max_thinking_tokens: "void",
  rename_session: "void",
  mcp_status: { mcpServers: [] },
  mcp_set_servers: ({ servers }) => ({
    added: Object.keys(servers ?? {}),
    removed: [],
    errors: {},
  }),
  mcp_reconnect: "void",
  mcp_toggle: "void",
  mcp_call: { content: [{ type: "text", text: "ok" }] },
  mcp_read_resource: ({ uri }) => ({ contents: [{ uri, text: "ok" }] }),
  mcp_message: "void",
  get_context_usage: EMPTY_CONTEXT_USAGE,
  get_session_cost: { text: "Total cost: $0.0008" },
  get_usage: {
    session: {
      total_cost_usd: 0,
      total_api_duration_ms: 0,
      total_duration_ms: 0,
      total_lines_added: 0,
      total_lines_removed: 0,
      model_usage: {},
    },
    subscription_type: null,
    rate_limits_available: false,
    rate_limits: null,
    behaviors: null,
  },
  list_models: { models: [] },
  get_binary_version: { version: TESTED_VERSION },
  file_suggestions: { suggestions: [] },
  read_file: ({ path }) => ({ contents: "", absPath: path }),
  seed_read_state: "void",
  rewind_files: { canRewind: true },
  cancel_async_message: ({ message_uuid }) => ({
    cancelled: false,
    message_uuid,
  }),
  apply_flag_settings: "void",
  get_settings: { effective: {}, sources: [] },
  update_settings: {},
  get_hooks_listing: {
    events: [],
    hooks: [],
    eventCatalog: [],
    policy: {
      disabledByPolicy: false,
      managedOnly: false,
      pluginOnly: false,
      allDisabled: false,
      policyHookCount: 0,
    },
  },
  list_permission_rules: {
    state: {
      rules: [],
      workspaceDirectories: [],
      originalCwd: "/",
      managedOnly: false,
    },
  },
  reload_plugins: {
    commands: [],
    agents: [],
    plugins: [],
    mcpServers: [],
    error_count: 0,
  },
  reload_skills: { skills: [] },
  reload_output_styles: { available_output_styles: ["default"] },
  register_repo_root: ({ directory }) => ({ directory }),
  stop_task: {},
  background_tasks: { backgrounded: false },
  get_task_output: { output: "", total_bytes: 0, truncated: false },
  set_has_subscribers: "void",
  end_session: "void",
};
