// Made from protocol/ by `npm run generate`; edit that.
/** Former names of tools, each with the current one. */
export const LEGACY_TOOL_NAME_ALIASES: Readonly<Record<string, string>> = {
  "Task": "Agent",
  "KillShell": "TaskStop",
  "KillBash": "TaskStop",
  "ListPeers": "ListAgents",
  "Brief": "SendUserMessage",
  "ListMcpResources": "ListMcpResourcesTool",
  "ReadMcpResource": "ReadMcpResourceTool",
  "ReadMcpResourceDir": "ReadMcpResourceDirTool",
  "ProposeGoal": "SetGoal",
};

/** Events of hooks. */
export const HOOK_EVENTS = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "Notification",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "SessionStart",
  "SessionEnd",
  "Stop",
  "StopFailure",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "PostCompact",
  "PreModelSwitch",
  "PostModelSwitch",
  "PermissionRequest",
  "PermissionDenied",
  "Setup",
  "TeammateIdle",
  "TaskCreated",
  "TaskCompleted",
  "Elicitation",
  "ElicitationResult",
  "ConfigChange",
  "WorktreeCreate",
  "WorktreeRemove",
  "InstructionsLoaded",
  "CwdChanged",
  "FileChanged",
  "DirectoryAdded",
  "MessageDisplay",
  "PreSkillShellCommand",
] as const;

/** Reasons for the end of a session, for the hook `SessionEnd`. */
export const EXIT_REASONS = [
  "clear",
  "resume",
  "logout",
  "prompt_input_exit",
  "other",
] as const;

/** Beginnings of answers when an organisation has switched the service off. */
export const ORG_POLICY_LIMIT_PREFIXES = [
  "This service is disabled for your org",
] as const;

/** Beginnings of answers when a usage limit is reached. */
export const USAGE_LIMIT_ERROR_PREFIXES = [
  "You've hit your",
  "You've reached your",
  "You're out of usage credits",
  "Your org is out of usage · add funds to continue",
  "Your org is out of usage · contact your admin",
  "Your seat type doesn't include usage credits",
  "Your seat type doesn't include usage",
  "Your usage allocation has been disabled by your admin",
  "Your group's usage limit is set to $0",
  "Fable 5 requires usage credits",
  "You're out of extra usage",
  "Your seat type doesn't include extra usage",
] as const;

/** Beginnings of texts about a change in the payment for usage. */
export const USAGE_TRANSITION_PREFIXES = [
  "You're now using usage credits",
  "You're now using your usage allocation",
  "Now using your usage allocation",
  "Now using usage credits",
  "Now using credits",
  "You're now using extra usage",
  "Now using extra usage",
] as const;

/** Beginnings of warnings about a usage limit. */
export const USAGE_WARNING_PREFIXES = [
  "You've used",
  "You're close to",
] as const;
