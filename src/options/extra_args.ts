import { bag, contradict, nameAlone, refuse } from "./fields.ts";

/** Flags that keep the conversation going and belong to this package. */
const OURS: ReadonlySet<string> = new Set([
  "await-initialize",
  "help",
  "init-only",
  "initialize-fields",
  "input-format",
  "output-format",
  "p",
  "permission-prompt-tool",
  "print",
  "sdk-url",
  "verbose",
  "version",
]);

/** Flags that an option stands for; given twice, the CLI would take one of the two. */
const OPTIONS: ReadonlyMap<string, string> = new Map([
  ["add-dir", "additionalDirectories"],
  ["agent", "agent"],
  ["agents", "agents"],
  ["allow-dangerously-skip-permissions", "permissions.allowBypass"],
  ["allowed-tools", "permissions.approve"],
  ["allowedTools", "permissions.approve"],
  ["append-system-prompt", "systemPrompt"],
  ["betas", "betas"],
  ["c", "continue"],
  ["continue", "continue"],
  ["d", "debug"],
  ["debug", "debug"],
  ["debug-file", "debugFile"],
  ["dangerously-skip-permissions", "permissions.mode"],
  ["disallowed-tools", "deniedTools"],
  ["disallowedTools", "deniedTools"],
  ["effort", "effort"],
  ["fallback-model", "fallbackModel"],
  ["fork-session", "forkSession"],
  ["forward-subagent-text", "forwardSubagentText"],
  ["include-hook-events", "includeHookEvents"],
  ["include-partial-messages", "includePartialMessages"],
  ["json-schema", "outputSchema"],
  ["managed-settings", "managedSettings"],
  ["managed-settings-in-initialize", "managedSettings"],
  ["max-budget-usd", "maxBudgetUsd"],
  ["max-thinking-tokens", "thinking"],
  ["max-turns", "maxTurns"],
  ["mcp-config", "mcpServers"],
  ["model", "model"],
  ["no-session-persistence", "persistSession"],
  ["permission-mode", "permissions.mode"],
  ["permission-prompts", "permissions.prompts"],
  ["plugin-dir", "plugins"],
  ["plugin-dir-no-mcp", "plugins"],
  ["project-config-root", "projectConfigRoot"],
  ["prompt-suggestions", "promptSuggestions"],
  ["r", "resume"],
  ["resume", "resume"],
  ["resume-drops-turn", "resumeDropsTurn"],
  ["resume-session-at", "resumeSessionAt"],
  ["session-id", "sessionId"],
  ["session-mirror", "transcripts"],
  ["setting-sources", "settingSources"],
  ["settings", "settings"],
  ["strict-mcp-config", "strictMcpConfig"],
  ["system-prompt", "systemPrompt"],
  ["task-budget", "taskBudget"],
  ["thinking", "thinking"],
  ["thinking-display", "thinking.display"],
  ["tools", "tools"],
]);

/** Further flags: those that nothing else sets. */
export function extraArgs(value: unknown, key: string): void {
  bag(value, key);
  for (const name of Object.keys(value)) {
    const set = value[name];
    if (set === undefined) continue;
    const at = `${key}.${nameAlone(name)}`;
    if (name.startsWith("-")) {
      const bare = nameAlone(name).replace(/^-+/, "");
      contradict(at, set, `must be written without dashes, as "${bare}"`);
    }
    if (!/^[A-Za-z][A-Za-z0-9-]*$/.test(name)) {
      contradict(at, set, "must be the name of a flag");
    }
    if (OURS.has(name)) {
      contradict(at, set, "must be left out, this package sets that flag");
    }
    const option = OPTIONS.get(name);
    if (option !== undefined) {
      contradict(at, set, `must be left out, use "${option}" instead`);
    }
    if (set !== null && typeof set !== "string") {
      refuse(at, set, "a string, or null for a flag without a value");
    }
    if (set?.includes("\0")) refuse(at, set, "without a null character");
  }
}
