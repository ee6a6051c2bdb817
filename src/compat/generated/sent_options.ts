// Made from src/options/ by `npm run generate`; edit that.

/** Flags of the CLI in the order of the official SDK, each with the option whose value it has; without one it is made. */
export const FLAGS: readonly (readonly [flag: string, option?: string])[] = [
  ["max-thinking-tokens"],
  ["thinking"],
  ["thinking-display"],
  ["effort", "effort"],
  ["max-turns", "maxTurns"],
  ["max-budget-usd", "maxBudgetUsd"],
  ["task-budget"],
  ["model", "model"],
  ["agent", "agent"],
  ["betas"],
  ["json-schema"],
  ["debug", "debug"],
  ["debug-file", "debugFile"],
  ["permission-prompt-tool"],
  ["permission-prompts"],
  ["continue", "continue"],
  ["resume", "resume"],
  ["allowedTools"],
  ["disallowedTools"],
  ["tools"],
  ["mcp-config"],
  ["setting-sources"],
  ["strict-mcp-config", "strictMcpConfig"],
  ["permission-mode"],
  ["allow-dangerously-skip-permissions", "allowDangerouslySkipPermissions"],
  ["fallback-model", "fallbackModel"],
  ["include-hook-events", "includeHookEvents"],
  ["include-partial-messages", "includePartialMessages"],
  ["session-mirror"],
  ["project-config-root"],
  ["add-dir"],
  ["plugin-dir"],
  ["plugin-dir-no-mcp"],
  ["fork-session", "forkSession"],
  ["resume-session-at", "resumeSessionAt"],
  ["resume-drops-turn", "resumeDropsTurn"],
  ["session-id", "sessionId"],
  ["no-session-persistence"],
  ["managed-settings-in-initialize"],
  ["managed-settings"],
  ["initialize-fields"],
  ["settings"],
  ["d"],
  ["append-system-prompt"],
  ["system-prompt"],
  ["r"],
  ["c"],
  ["agents"],
  ["disallowed-tools"],
  ["dangerously-skip-permissions"],
  ["allowed-tools"],
  ["forward-subagent-text"],
  ["prompt-suggestions"],
];

/** Fields of `initialize`, each with the option whose value it has. */
export const FIELDS: readonly (readonly [field: string, option: string])[] = [
  ["planModeInstructions", "planModeInstructions"],
  ["title", "title"],
  ["forwardSubagentText", "forwardSubagentText"],
  ["promptSuggestions", "promptSuggestions"],
  ["agentProgressSummaries", "agentProgressSummaries"],
  ["perTaskStopAffordance", "perTaskStopAffordance"],
];

/** Variables of the CLI, by the option that sets them. */
export const VARIABLES: Readonly<
  Record<"enableFileCheckpointing" | "toolConfig", string>
> = {
  "enableFileCheckpointing": "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING",
  "toolConfig": "CLAUDE_CODE_QUESTION_PREVIEW_FORMAT",
};
