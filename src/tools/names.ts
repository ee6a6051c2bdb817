/**
 * Names of 18 built-in tools, in a fixed order.
 *
 * Shell (3), file (3), search (2), planning (2), web (2), MCP (3), other (3). Several have other names in the current
 * CLI; `allowedTools` accepts both. `"Mcp"` stands for every tool of an MCP server. {@link KNOWN_TOOLS} lists the
 * names of the current CLI.
 *
 * @example One list for all
 * ```ts
 * import { BUILTIN_TOOLS } from "@sluice/agent/tools";
 * import assert from "node:assert/strict";
 *
 * assert.equal(BUILTIN_TOOLS.length, 18);
 * assert.equal(BUILTIN_TOOLS[0], "Bash");
 * ```
 */
export const BUILTIN_TOOLS = [
  "Bash",
  "BashOutput",
  "KillShell",
  "Read",
  "Write",
  "Edit",
  "Glob",
  "Grep",
  "Task",
  "ExitPlanMode",
  "WebFetch",
  "WebSearch",
  "ListMcpResources",
  "ReadMcpResource",
  "Mcp",
  "NotebookEdit",
  "TodoWrite",
  "SlashCommand",
] as const;

/** Name of one of the {@link BUILTIN_TOOLS}. */
export type BuiltinTool = typeof BUILTIN_TOOLS[number];

/** Names of built-in tools, each a type of its own. Source: published types of the CLI 2.1.330. */
export const PUBLISHED_TOOLS = [
  "Agent",
  "Artifact",
  "AskUserQuestion",
  "Bash",
  "ClaudeDesign",
  "CronCreate",
  "CronDelete",
  "CronList",
  "Edit",
  "EndConversation",
  "EnterPlanMode",
  "EnterWorktree",
  "ExitPlanMode",
  "ExitWorktree",
  "Glob",
  "Grep",
  "ListAgents",
  "ListMcpResourcesTool",
  "LSP",
  "Monitor",
  "NotebookEdit",
  "OfferChromeSetup",
  "PowerShell",
  "Projects",
  "propose_skills",
  "PushNotification",
  "Read",
  "ReadMcpResourceDirTool",
  "ReadMcpResourceTool",
  "ReadNotifications",
  "RemoteTrigger",
  "ReportFindings",
  "ScheduleWakeup",
  "SendFeedback",
  "SendMessage",
  "SendUserFile",
  "SendUserMessage",
  "SetGoal",
  "ShareOnboardingGuide",
  "ShowOnboardingRolePicker",
  "Skill",
  "SubagentHandback",
  "TaskCreate",
  "TaskGet",
  "TaskList",
  "TaskStop",
  "TaskUpdate",
  "TodoWrite",
  "ToolSearch",
  "WaitForMcpServers",
  "WebFetch",
  "WebSearch",
  "Workflow",
  "Write",
] as const;

/**
 * The names of built-in tools that the current CLI publishes, in alphabetical order.
 *
 * The list includes tools that a platform or a setting turns off, and lacks unpublished ones: the `tools` field of
 * the `system/init` message lists the tools of a session. Source: published types of the CLI 2.1.330.
 *
 * @example Newer tools
 * ```ts
 * import { KNOWN_TOOLS } from "@sluice/agent/tools";
 * import assert from "node:assert/strict";
 *
 * assert.ok(KNOWN_TOOLS.includes("Skill"));
 * assert.ok(KNOWN_TOOLS.includes("Agent")); // "Task" in the specification
 * ```
 */
export const KNOWN_TOOLS: readonly string[] = PUBLISHED_TOOLS;
