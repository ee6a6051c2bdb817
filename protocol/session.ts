/** The session: commands, subagents, models, the account, and how a session is set up. */
import {
  byName,
  flag,
  known,
  list,
  literal,
  maybe,
  number,
  object,
  oneOf,
  part,
  ref,
  seen,
  shape,
  text,
  type Topic,
  topic,
  union,
} from "./words.ts";

export const SESSION: Topic = topic("session", "Shapes", {
  Effort: known(
    oneOf(
      ["low", "medium", "high", "xhigh", "max"],
      "Thinking effort of the model",
    ),
    { source: "Which option travels where" },
  ),
  SessionState: oneOf(
    ["idle", "running", "requires_action"],
    "Whether a session is running, waits for the host, or is idle",
  ),
  FastModeState: oneOf(
    ["off", "cooldown", "on"],
    "Whether the model answers in fast mode",
  ),
  FastModeDisabledReason: oneOf([
    "free",
    "preference",
    "extra_usage_disabled",
    "network_error",
    "unknown",
    "not_first_party",
    "disabled_by_env",
    "model_not_allowed",
    "sdk_opt_in_required",
    "pending",
  ], "Reason fast mode is off"),
  SlashCommand: shape("A command that a prompt may begin with", {
    name: text("Name without the slash"),
    description: text("Description of the command"),
    argumentHint: text("Hint for its arguments; empty if it has none"),
    aliases: maybe(list(text(), "Other names")),
    builtin: maybe(flag("Whether it is built into the CLI")),
  }, { source: "Shapes" }),
  AgentInfo: shape("A subagent that can be called", {
    name: text("Its name"),
    description: text("Occasions to call it"),
    model: maybe(text("The model it runs on; absent = that of the session")),
  }),
  AgentDefinition: shape("A subagent as the host defines it", {
    description: text("Occasions for the model to call it"),
    prompt: text("Its system prompt"),
    tools: maybe(list(text(), "Tools it may use; absent = all of the session")),
    disallowedTools: maybe(list(text(), "Tools it may not use")),
    model: maybe(
      text("Its model: a name or an alias; absent = that of the session"),
    ),
    mcpServers: maybe(
      list(
        union([text(), byName(ref("WireMcpServerConfig"))]),
        "Its MCP servers: names of servers of the session, or configurations in the wire's form; none in-process",
      ),
    ),
    skills: maybe(list(text(), "Skills it may use")),
    initialPrompt: maybe(
      text("Prompt that it starts with when it is the main agent"),
    ),
    maxTurns: maybe(number("Maximum API round trips of one call")),
    autoCompactWindow: maybe(
      number("Tokens at which its context is compacted"),
    ),
    background: maybe(
      flag(
        "Whether it runs in the background even if the model asks for its report at once",
      ),
    ),
    omitClaudeMd: maybe(
      flag("Whether the project's CLAUDE.md is omitted"),
    ),
    memory: maybe(
      oneOf(
        ["user", "project", "local"],
        "Scope of the memory it reads and writes",
      ),
    ),
    effort: maybe(
      union(
        [ref("Effort"), number()],
        "Thinking effort: a level, or a number",
      ),
    ),
    permissionMode: maybe(
      ref("PermissionMode", "The permission mode it runs in"),
    ),
    observer: maybe(text("Name of the agent that observes it")),
    observerMessage: maybe(text("Message to the observer")),
    criticalSystemReminder_EXPERIMENTAL: maybe(
      text("Reminder added to every turn; may change or be removed"),
    ),
  }, { given: true }),
  ModelInfo: shape("A model that can be chosen", {
    value: text("Value for `setModel()`"),
    displayName: text("Name to show"),
    description: text("Description, with purpose and price"),
    resolvedModel: maybe(text("The model that an alias stands for")),
    supportsEffort: maybe(flag("Whether `effort` changes anything")),
    supportedEffortLevels: maybe(list(ref("Effort"), "The efforts it knows")),
    supportsAdaptiveThinking: maybe(
      flag(
        "Whether it supports adaptive thinking: it decides how long to think",
      ),
    ),
    supportsFastMode: maybe(flag("Whether it has a fast mode")),
    supportsAutoMode: maybe(
      flag("Whether permission mode `auto` works with it"),
    ),
    supportsThinkingOff: seen(flag("Whether thinking can be switched off")),
  }),
  AccountInfo: shape("The account that is used", {
    email: maybe(text("E-mail address")),
    organization: maybe(text("Organization")),
    subscriptionType: maybe(text("Kind of subscription")),
    tokenSource: maybe(text("Source of the token")),
    apiKeySource: maybe(text("Source of the API key")),
    apiProvider: maybe(
      oneOf([
        "firstParty",
        "bedrock",
        "vertex",
        "foundry",
        "anthropicAws",
        "anthropicGoogleCloud",
        "mantle",
        "gateway",
      ], "Provider of the model"),
    ),
  }),
  PluginConfig: shape("A plugin to load", {
    type: literal("local", "Always a local directory"),
    path: text("The directory"),
    skipMcpDiscovery: maybe(
      flag("Whether its MCP servers are left out; default: false"),
    ),
  }, { given: true }),
  McpToolPolicy: shape("Rules for one tool of an MCP server", {
    name: text("Name of the tool on its server"),
    permission_policy: maybe(
      oneOf(
        ["always_allow", "always_ask", "always_deny"],
        "Whether its calls need a permission",
      ),
    ),
    org_max_permission: maybe(
      oneOf(
        ["allow", "ask", "blocked"],
        "Highest permission the organization allows",
      ),
    ),
  }),
  WireMcpServerConfig: union([
    part({
      type: maybe(literal("stdio", "A child process of the CLI")),
      command: text("The program"),
      args: maybe(
        list(
          text(),
          "Its arguments; always set them, the CLI reports an error without",
        ),
      ),
      env: maybe(byName(text(), "Its environment, merged over the CLI's")),
      timeout: maybe(number("Timeout of a call, in milliseconds")),
      alwaysLoad: maybe(
        flag("Whether its tools are always shown to the model"),
      ),
    }),
    part({
      type: oneOf(["http", "sse"], "A server that is reached by HTTP"),
      url: text("Its address"),
      headers: maybe(byName(text(), "Headers of every request")),
      tools: maybe(
        list(ref("McpToolPolicy"), "Rules for its tools"),
      ),
      timeout: maybe(number("Timeout of a call, in milliseconds")),
      alwaysLoad: maybe(
        flag("Whether its tools are always shown to the model"),
      ),
    }),
    part({
      type: literal("sdk", "A server that the host answers for"),
      name: text("Its name in `mcp_message` requests"),
      timeout: maybe(number("Timeout of a call, in milliseconds")),
      tools: maybe(
        list(ref("McpToolPolicy"), "Rules for its tools"),
      ),
    }),
  ], "An MCP server in the CLI's form"),
  ProxyMcpServerConfig: shape(
    "An MCP server of claude.ai, as `mcpStatus()` returns it",
    {
      type: literal("claudeai-proxy", "A server behind claude.ai"),
      url: text("Its address"),
      id: text("Its id"),
      timeout: maybe(number("Timeout of a call, in milliseconds")),
    },
  ),
  ManifestOutcome: oneOf([
    "parked",
    "already_connected",
    "protocol_version_mismatch",
    "malformed",
    "not_honoured",
  ], "Outcome of a tool list that was sent with `initialize`"),
  SessionInfo: shape(
    "Facts about the CLI at the start of a session.\n\nUnknown fields are kept and have the type `unknown`",
    {
      commands: list(
        ref("SlashCommand"),
        "Commands that a prompt may begin with",
      ),
      agents: list(ref("AgentInfo"), "Subagents that can be called"),
      models: list(ref("ModelInfo"), "Models that can be chosen"),
      account: ref("AccountInfo", "The account that is used"),
      output_style: text("The output style in use"),
      available_output_styles: list(text(), "The output styles there are"),
      claude_code_version: maybe(text("Version of the CLI")),
      fast_mode_state: maybe(ref("FastModeState", "Whether fast mode is on")),
      fast_mode_disabled_reason: maybe(
        ref("FastModeDisabledReason", "Reason fast mode is off"),
      ),
      hooks_applied: maybe(flag("Whether the hooks were accepted")),
      plugins_applied: maybe(flag("Whether the plugins were accepted")),
      mcp_servers_applied: maybe(flag("Whether the MCP servers were accepted")),
      hook_on_failure_supported: maybe(
        flag("Whether the CLI honours `onFailure` of a hook"),
      ),
      sdk_mcp_manifests_parked: maybe(
        byName(
          ref("ManifestOutcome"),
          "Outcome of each tool list that was sent along, by server",
        ),
      ),
      pid: seen(number("Process id of the CLI")),
      current_permission_mode: seen(
        ref("PermissionMode", "The permission mode"),
      ),
      session_state: seen(ref("SessionState", "State of the session")),
      sandbox_enabled: seen(flag("Whether commands run in a sandbox")),
      capabilities: seen(list(text(), "Names of this CLI's capabilities")),
      user_output_styles_dir: seen(
        text("Directory of the output styles that the user made"),
      ),
      hooks_when_unanswered_kept: seen(
        number(
          "Number of hooks with an accepted setting for a missing answer",
        ),
      ),
      other_hook_ask_outranks_host: seen(
        flag("Whether another hook's `ask` outranks the host"),
      ),
      feedback_mode: seen(
        shape("Mode of feedback", { kind: text("Kind of feedback") }),
      ),
      analytics_disabled: seen(flag("Whether analytics are off")),
      remote_control_auto_enable: seen(
        flag("Whether remote control switches itself on"),
      ),
      remote_control_auto_connect_default: seen(
        flag("Whether it connects automatically by default"),
      ),
      remote_control_available: seen(flag("Whether there is remote control")),
      remote_control_auto_on_by_default: seen(
        flag("Whether it is on by default"),
      ),
      ide_rc_auto_enable_gate: seen(
        flag("Whether an editor may switch it on"),
      ),
      current_model: seen(text("The model in use")),
      unavailable_models: seen(
        union(
          [object(), list(object())],
          "Models that cannot be chosen, in the format of the CLI",
        ),
      ),
      auth_conflict: seen(
        shape("Two credentials that contradict each other", {
          token_source: text("Source of the token"),
          api_key_source: text("Source of the API key"),
        }),
      ),
      settings_applied: seen(flag("Whether `settings` was accepted")),
      disallowed_tools_applied: seen(
        flag("Whether `disallowedTools` was accepted"),
      ),
      managed_settings_applied: seen(
        flag("Whether `managedSettings` was accepted"),
      ),
    },
    {
      source: "initialize",
      rest: "A field that this package does not know",
    },
  ),
});
