/** Hooks: their inputs and outputs. */
import {
  anything,
  anythingGiven,
  type Fields,
  flag,
  known,
  list,
  literal,
  maybe,
  number,
  object,
  objectGiven,
  oneOf,
  openText,
  orNull,
  part,
  ref,
  shape,
  tag,
  text,
  type Topic,
  topic,
  union,
} from "./words.ts";

/** Fields of one side, beside those of other shapes. */
interface Side {
  readonly fields: Fields;
  readonly bases: readonly string[];
}

/** Further facts about an event. */
interface EventFacts {
  /** When the CLI calls a callback, if not always; verified with the CLI. */
  readonly called?: string;
  /** Whether `decision: "block"` stops it. Source: documentation of the CLI, Hooks reference. */
  readonly blocks?: true;
  /** The official SDK does not list it. */
  readonly official?: false;
}

/** Description of an event. */
interface HookEvent extends EventFacts {
  readonly about: string;
  readonly input: Side;
  readonly output: Side | undefined;
}

/** Each event in the order of the official SDK: its input, what belongs to it alone in the output, what else is known. */
const EVENTS: Readonly<Record<string, HookEvent>> = {
  PreToolUse: event(
    "Before a tool runs",
    input({ tool_use_id: text("Id of the call") }, "HookToolInput"),
    output({
      permissionDecision: maybe(
        oneOf(
          ["allow", "deny", "ask", "defer"],
          "Decision; `defer` ends the turn, and the call waits until the session is resumed",
        ),
      ),
      permissionDecisionReason: maybe(
        text(
          "Reason for the decision; the model reads the reason for a denial",
        ),
      ),
      updatedInput: maybe(objectGiven("Replaces the whole input of the tool")),
    }, ["AdditionalContext"]),
  ),
  PostToolUse: event(
    "After a tool succeeded",
    input({
      tool_response: anything("Output of the tool, in its own format"),
      tool_use_id: text("Id of the call"),
      duration_ms: maybe(number("Run time, in milliseconds")),
    }, "HookToolInput"),
    output({
      classifierContext: maybe(
        text("Text for the model that decides in the mode `auto`"),
      ),
      updatedToolOutput: maybe(
        anythingGiven("Replaces the result that the model reads"),
      ),
      updatedMCPToolOutput: maybe(
        anythingGiven(
          "For MCP tools: replaces the result that the model reads",
        ),
      ),
    }, ["AdditionalContext"]),
    { blocks: true },
  ),
  PostToolUseFailure: event(
    "After a tool failed",
    input({
      tool_use_id: text("Id of the call"),
      error: text("Text of the error"),
      is_interrupt: maybe(flag("Whether the call was interrupted")),
      duration_ms: maybe(number("Run time, in milliseconds")),
    }, "HookToolInput"),
    output({}, ["AdditionalContext"]),
    { blocks: true },
  ),
  PostToolBatch: event(
    "After all tools of one model message ran",
    input({
      tool_calls: list(
        part({
          tool_name: text("Name of the tool"),
          tool_input: object("Input of the call"),
          tool_use_id: text("Id of the call"),
          tool_response: maybe(
            anything("Output of the tool, in its own format"),
          ),
        }),
        "The calls of the message, with their outputs",
      ),
    }),
    output({}, ["AdditionalContext"]),
    { blocks: true },
  ),
  Notification: event(
    "When the CLI needs the attention of the user",
    input({
      message: text("Text of the notification"),
      title: maybe(text("Title of the notification")),
      notification_type: text("Kind of notification"),
    }),
    output({}, ["AdditionalContext"]),
  ),
  UserPromptSubmit: event(
    "Before a prompt is sent to the model",
    input({
      prompt: text("The prompt"),
      source: maybe(
        oneOf([
          "user",
          "sdk",
          "system",
          "loop_wakeup",
          "schedule_wakeup",
          "poll_event",
        ], "Origin of the prompt"),
      ),
      session_title: maybe(text("Title of the session")),
    }),
    output({
      sessionTitle: maybe(text("Title of the session")),
      suppressOriginalPrompt: maybe(
        flag(
          "Whether the CLI hides the text of a blocked prompt",
        ),
      ),
    }, ["AdditionalContext"]),
    { blocks: true },
  ),
  UserPromptExpansion: event(
    "When a slash command expands to a prompt",
    input({
      expansion_type: oneOf(["slash_command", "mcp_prompt"], "Kind of command"),
      command_name: text("Name of the command"),
      command_args: text("Arguments of the command"),
      command_source: maybe(text("Source of the command")),
      prompt: text("The expanded prompt"),
    }),
    output({
      suppressOriginalPrompt: maybe(
        flag(
          "Whether the CLI hides the text of a blocked prompt",
        ),
      ),
    }, ["AdditionalContext"]),
    { blocks: true },
  ),
  SessionStart: event(
    "When a session begins",
    input({
      source: oneOf(
        ["startup", "resume", "clear", "compact", "fork"],
        "Kind of start",
      ),
      model: maybe(text("The model")),
      session_title: maybe(text("Title of the session")),
      seconds_since_last_response: maybe(
        number("Time since the last answer, in seconds"),
      ),
      context_tokens: maybe(number("Number of tokens in the context")),
      prompt_cache_likely_expired: maybe(
        flag("Whether the prompt cache has probably expired"),
      ),
      estimated_cache_write_usd: maybe(
        number("Estimated cost of filling the prompt cache, in US dollars"),
      ),
    }),
    output({
      initialUserMessage: maybe(text("First prompt of the session")),
      sessionTitle: maybe(text("Title of the session")),
      reloadSkills: maybe(flag("Whether the CLI reloads skills")),
    }, ["AdditionalContext", "WatchOutput"]),
    { called: "after /clear and /compact only" },
  ),
  SessionEnd: event(
    "When a session ends",
    input({
      reason: oneOf(
        ["clear", "resume", "logout", "prompt_input_exit", "other"],
        "Reason for the end",
      ),
    }),
    undefined,
    { called: "at /clear only" },
  ),
  Stop: event(
    "When a turn is about to end",
    input({}, "HookStopInput"),
    output({}, ["AdditionalContext"]),
    { blocks: true },
  ),
  StopFailure: event(
    "When an API error ended a turn",
    input({
      error: ref("AssistantError", "Kind of error"),
      error_details: maybe(text("Text of the error")),
      last_assistant_message: maybe(text("The last text of the model")),
    }),
  ),
  SubagentStart: event(
    "When a subagent begins",
    input({
      agent_id: text("Id of the subagent"),
      agent_type: text("Kind of the subagent"),
    }),
    output({}, ["AdditionalContext"]),
  ),
  SubagentStop: event(
    "When a subagent is about to end",
    input({
      agent_id: text("Id of the subagent"),
      agent_type: text("Kind of the subagent"),
      agent_transcript_path: text("Transcript file of the subagent"),
    }, "HookStopInput"),
    output({}, ["AdditionalContext"]),
    { blocks: true },
  ),
  PreCompact: event(
    "Before the context is compacted",
    input({
      trigger: oneOf(
        ["manual", "auto"],
        "Whether the user or the CLI started the compaction",
      ),
      custom_instructions: orNull(
        text("Instructions of the user for the summary"),
      ),
    }),
    undefined,
    { blocks: true },
  ),
  PostCompact: event(
    "After the context was compacted",
    input({
      trigger: oneOf(
        ["manual", "auto"],
        "Whether the user or the CLI started the compaction",
      ),
      compact_summary: text("The summary that replaced the history"),
    }),
  ),
  PreModelSwitch: event(
    "Before the model is changed",
    input(
      { source: oneOf(["command", "picker", "sdk"], "Source of the request") },
      "HookModelSwitchInput",
    ),
    output({
      permissionDecision: maybe(
        oneOf(["allow", "deny", "ask"], "Whether the model may be changed"),
      ),
      permissionDecisionReason: maybe(text("Reason for the decision")),
    }),
  ),
  PostModelSwitch: event(
    "After the model was changed",
    input({
      source: oneOf(
        ["command", "picker", "sdk", "auto", "resume"],
        "Source of the request",
      ),
    }, "HookModelSwitchInput"),
    output({}, ["AdditionalContext"]),
  ),
  PermissionRequest: event(
    "When a tool call needs a permission prompt",
    input({
      permission_suggestions: maybe(
        list(
          ref("PermissionUpdate"),
          "Changes of permissions that would allow calls like this one",
        ),
      ),
    }, "HookToolInput"),
    output({
      decision: ref(
        "HookPermissionDecision",
        'Decision about the call: `{ behavior: "allow" }`, or `{ behavior: "deny", message }`',
      ),
    }),
  ),
  PermissionDenied: event(
    "After a tool was denied",
    input(
      {
        tool_use_id: text("Id of the call"),
        reason: text("Reason for the denial"),
      },
      "HookToolInput",
    ),
    output({
      retry: maybe(flag("Whether the model may try the call again")),
    }),
  ),
  Setup: event(
    "When a project is set up",
    input({ trigger: oneOf(["init", "maintenance"], "Trigger of the setup") }),
    output({}, ["AdditionalContext"]),
    { called: "never" },
  ),
  TeammateIdle: event(
    "When a teammate is idle",
    input({
      teammate_name: text("Name of the teammate"),
      team_name: text("Name of the team"),
    }),
    undefined,
    { called: "never" },
  ),
  TaskCreated: event(
    "When an entry of the to-do list is created",
    input({}, "HookTeamTaskInput"),
    undefined,
    { blocks: true },
  ),
  TaskCompleted: event(
    "When an entry of the to-do list is completed",
    input({}, "HookTeamTaskInput"),
    undefined,
    { blocks: true },
  ),
  Elicitation: event(
    "When an MCP server asks the user a question",
    input({
      mcp_server_name: text("Name of the server"),
      message: text("The question"),
      mode: maybe(
        oneOf(
          ["form", "url"],
          "Kind of question: a form to fill, or a page to open",
        ),
      ),
      url: maybe(text("Address of the page")),
      elicitation_id: maybe(text("Id of the question")),
      requested_schema: maybe(object("JSON Schema of the form")),
    }),
    output({}, ["ElicitationOutput"]),
  ),
  ElicitationResult: event(
    "When a question of an MCP server is answered",
    input({
      mcp_server_name: text("Name of the server"),
      elicitation_id: maybe(text("Id of the question")),
      mode: maybe(
        oneOf(
          ["form", "url"],
          "Kind of question: a form to fill, or a page to open",
        ),
      ),
      action: oneOf(["accept", "decline", "cancel"], "Answer of the user"),
      content: maybe(object("The completed form")),
    }),
    output({}, ["ElicitationOutput"]),
  ),
  ConfigChange: event(
    "When settings changed",
    input({
      source: oneOf([
        "user_settings",
        "project_settings",
        "local_settings",
        "policy_settings",
        "skills",
      ], "Kind of settings"),
      file_path: maybe(text("File of the settings")),
    }),
    undefined,
    { blocks: true },
  ),
  WorktreeCreate: event(
    "When a worktree is needed; the hook must create it",
    input({ name: text("Name of the worktree") }),
    output({ worktreePath: text("Path of the new worktree") }),
  ),
  WorktreeRemove: event(
    "When a worktree is removed",
    input({ worktree_path: text("Path of the worktree") }),
  ),
  InstructionsLoaded: event(
    "When an instruction file, such as `CLAUDE.md`, was loaded",
    input({
      file_path: text("Path of the instruction file"),
      memory_type: oneOf(
        ["User", "Project", "Local", "Managed"],
        "Kind of instructions",
      ),
      load_reason: oneOf([
        "session_start",
        "nested_traversal",
        "path_glob_match",
        "include",
        "compact",
      ], "Reason for the load"),
      globs: maybe(
        list(text(), "Patterns of the files to which the instructions apply"),
      ),
      trigger_file_path: maybe(text("File that matched one of `globs`")),
      parent_file_path: maybe(text("File that includes the instruction file")),
    }),
  ),
  CwdChanged: event(
    "When the working directory changed",
    input({
      old_cwd: text("The old directory"),
      new_cwd: text("The new directory"),
    }),
    output({}, ["WatchOutput"]),
    { called: "never" },
  ),
  FileChanged: event(
    "When a watched file changed",
    input({
      file_path: text("The file"),
      event: oneOf(["change", "add", "unlink"], "Kind of change"),
    }),
    output({}, ["WatchOutput"]),
  ),
  DirectoryAdded: event(
    "When a working directory was added",
    input({
      directory: text("The directory"),
      source: oneOf(
        ["slash_command", "register_repo_root"],
        "Source of the addition",
      ),
    }),
  ),
  MessageDisplay: event(
    "When the CLI shows a piece of text",
    input({
      turn_id: text("Id of the turn"),
      message_id: text("Id of the message"),
      index: number("Number of the piece, from 0"),
      final: flag("Whether this is the last piece of the message"),
      delta: text("Text of the piece"),
    }),
    output({
      displayContent: maybe(text("Text to show in place of the piece")),
    }),
  ),
  PreSkillShellCommand: event(
    "Before a shell line in a skill or slash command runs",
    input({
      tool_name: text("The shell tool: `Bash` or `PowerShell`"),
      tool_input: shape("Input of the shell tool", {
        command: text("The command, with arguments filled in"),
      }),
      tool_use_id: text(
        "Id of the command; the transcript has no tool call with this id",
      ),
      command_name: text("Name of the skill or slash command"),
      command_source: maybe(text("Source of the skill or slash command")),
      invoked_by: oneOf(
        ["user", "claude", "other"],
        "Who started the skill or slash command",
      ),
    }),
    output({
      permissionDecision: maybe(
        oneOf(
          ["allow", "deny", "ask", "defer"],
          "Decision; `deny`, `ask` and `defer` deny the command, and `allow` has no effect",
        ),
      ),
      permissionDecisionReason: maybe(text("Reason for the decision")),
      updatedInput: maybe(
        objectGiven("Any value denies the command"),
      ),
    }),
  ),
};

/** Inputs of hooks; every type here is public. */
export const HOOK_INPUTS: Topic = topic("hook_inputs", "Hooks", {
  HookInputBase: shape("Input of every hook", {
    session_id: text("Id of the session"),
    transcript_path: text("File of the session"),
    cwd: text("Working directory"),
    prompt_id: maybe(text("Id of the prompt that is being worked on")),
    permission_mode: maybe(openText("PermissionMode", "The permission mode")),
    agent_id: maybe(text("Id of the subagent in which the event occurred")),
    agent_type: maybe(text("Kind of that subagent")),
    effort: maybe(
      shape("Thinking effort of the model", { level: text("The level") }),
    ),
  }, { source: "Hooks" }),
  HookMcpServer: shape("The MCP server behind a tool", {
    name: text("Its name"),
    source: text("Origin of its configuration"),
  }),
  HookToolInput: shape("Input of hooks about one tool call", {
    tool_name: text("Name of the tool"),
    tool_input: object("Input of the call"),
    mcp_server: maybe(ref("HookMcpServer", "MCP server of the tool")),
  }, { extends: ["HookInputBase"] }),
  HookBackgroundTask: shape("Work in the background", {
    id: text("Id of the task"),
    type: text("Kind of task"),
    status: text("State"),
    description: text("Its action, in short"),
    command: maybe(text("The command it runs")),
    agent_type: maybe(text("Kind of the subagent")),
    server: maybe(text("The MCP server it runs on")),
    tool: maybe(text("The tool it runs")),
    name: maybe(text("Its name")),
  }),
  HookSessionCron: shape("A scheduled prompt of the session", {
    id: text("Its id"),
    schedule: text("Schedule"),
    recurring: flag("Whether it recurs"),
    prompt: text("The prompt"),
  }),
  HookStopInput: shape("Input of hooks about the end of a turn", {
    stop_hook_active: flag(
      "Whether a hook has already blocked the end of this turn or subagent",
    ),
    last_assistant_message: maybe(text("The last text of the model")),
    background_tasks: maybe(
      list(ref("HookBackgroundTask"), "Background tasks"),
    ),
    session_crons: maybe(
      list(ref("HookSessionCron"), "Scheduled prompts of the session"),
    ),
  }, { extends: ["HookInputBase"] }),
  HookModelSwitchInput: shape(
    "Input of hooks about a change of the model",
    {
      from_model: text("The old model"),
      to_model: text("The new model"),
      requested_model: orNull(
        text("The requested model; null = the default model"),
      ),
      context_tokens: number("Number of tokens in the context"),
      prompt_cache_warm: flag("Whether the prompt cache is still valid"),
      cache_ttl: oneOf(["5m", "1h"], "Lifetime of the prompt cache"),
      estimated_cache_write_usd: number(
        "Estimated cost of filling the prompt cache, in US dollars",
      ),
      pricing: oneOf(
        ["configured", "catalog", "default"],
        "Source of the prices",
      ),
    },
    { extends: ["HookInputBase"] },
  ),
  HookTeamTaskInput: shape("Input of hooks about a task of a team", {
    task_id: text("Id of the entry"),
    task_subject: text("Title of the entry"),
    task_description: maybe(text("Description of the entry")),
    teammate_name: maybe(text("Teammate who owns the entry")),
    team_name: maybe(text("Name of the team")),
  }, { extends: ["HookInputBase"] }),
  ...Object.fromEntries(
    Object.entries(EVENTS).map(([name, { about, input }]) => [
      `${name}HookInput`,
      shape(about, {
        hook_event_name: tag(name, "The event"),
        ...input.fields,
      }, { extends: input.bases }),
    ]),
  ),
});

export const HOOKS: Topic = topic("hooks", "Hooks", {
  AdditionalContext: shape("Text for the model", {
    additionalContext: maybe(text("Text added to the context of the model")),
  }, { given: true }),
  HookPermissionDecision: known(
    union([
      part({
        behavior: literal("allow", "The tool may run"),
        updatedInput: maybe(objectGiven("The input it runs with")),
        updatedPermissions: maybe(
          list(
            ref("PermissionUpdate"),
            "Rules and modes that apply from now on",
          ),
        ),
      }),
      part({
        behavior: literal("deny", "The tool may not run"),
        message: maybe(text("Reason; the model reads it")),
        interrupt: maybe(flag("Whether the turn ends as well; default: false")),
      }),
    ], "Decision of a PermissionRequest hook"),
    { given: true },
  ),
  ElicitationOutput: shape("Answer of a hook in place of the user", {
    action: maybe(
      oneOf(
        ["accept", "decline", "cancel"],
        "Answer that the MCP server gets",
      ),
    ),
    content: maybe(objectGiven("The completed form that the MCP server gets")),
  }, { given: true }),
  WatchOutput: shape("Paths that a hook wants watched", {
    watchPaths: maybe(
      list(
        text(),
        "Absolute paths to watch; a change causes a FileChanged event",
      ),
    ),
  }, { given: true }),
  AsyncHookOutput: shape(
    "Output of a hook that handles its event later; the tool continues at once",
    {
      async: literal(true, "Always true"),
      asyncTimeout: maybe(number("Timeout, in milliseconds")),
    },
    { given: true },
  ),
  HookOutputCommon: shape("Output of a hook, for any event", {
    continue: maybe(flag("Whether the turn continues; default: true")),
    suppressOutput: maybe(
      flag("Whether the output stays out of the transcript; default: false"),
    ),
    stopReason: maybe(text("Reason for ending the turn; shown to the user")),
    decision: maybe(
      oneOf(
        ["approve", "block"],
        "`block` has an effect on certain events, see the docs of hooks",
      ),
    ),
    reason: maybe(text("Reason; the model reads it")),
    systemMessage: maybe(text("A warning for the user")),
    terminalSequence: maybe(text("Control characters for a terminal")),
  }, { given: true }),
  ...Object.fromEntries(
    Object.entries(EVENTS).map(([name, { about, output }]) => [
      `${name}HookOutput`,
      shape(about, {
        hookEventName: tag(
          name,
          "The event; must be that of the hook input",
        ),
        ...output?.fields,
      }, { extends: output?.bases ?? [], given: true }),
    ]),
  ),
  AnyHookInput: union(
    Object.keys(EVENTS).map((name) => ref(`${name}HookInput`)),
    "Input of a hook, distinguished by `hook_event_name`",
  ),
  HookInputs: shape(
    "Input of hooks, by event",
    Object.fromEntries(
      Object.entries(EVENTS).map((
        [name, { about }],
      ) => [name, ref(`${name}HookInput`, about)]),
    ),
  ),
  HookOutputs: shape(
    "Output fields of hooks, by event",
    Object.fromEntries(
      Object.entries(EVENTS).map((
        [name, { about }],
      ) => [name, ref(`${name}HookOutput`, about)]),
    ),
  ),
  HookEvent: oneOf(Object.keys(EVENTS), "Event of a hook"),
  HookAnswer: shape("Output of a hook that handled its event", {
    hookSpecificOutput: maybe(
      union(
        Object.entries(EVENTS).flatMap(([name, { output }]) =>
          output === undefined ? [] : [ref(`${name}HookOutput`)]
        ),
        "Fields of this event",
      ),
    ),
  }, { extends: ["HookOutputCommon"], given: true }),
  HookCallbackReply: union(
    [ref("HookAnswer"), ref("AsyncHookOutput")],
    "Output of a hook; `{}` has no effect",
  ),
});

/** Facts about an event for generators. */
export interface HookRow extends EventFacts {
  readonly event: string;
  /** Whether its hooks have an output of their own. */
  readonly hasOutput: boolean;
}

export const HOOK_EVENTS: readonly HookRow[] = Object.entries(EVENTS).map(
  ([event, { output, about: _about, input: _input, ...facts }]) => ({
    event,
    hasOutput: output !== undefined,
    ...facts,
  }),
);

function event(
  about: string,
  input: Side,
  output?: Side,
  facts: EventFacts = {},
): HookEvent {
  return { about, input, output, ...facts };
}

function input(fields: Fields, base = "HookInputBase"): Side {
  return { fields, bases: [base] };
}

function output(fields: Fields, bases: readonly string[] = []): Side {
  return { fields, bases };
}
