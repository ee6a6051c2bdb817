import { plainObject } from "./plain_object.ts";
import { contradict, nameAlone, refuse } from "./refuse.ts";

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

/** Flags that options stand for, in the order in which they are written, each with its option. */
export const FLAGS = [
  ["model", "model"],
  ["fallback-model", "fallbackModel"],
  ["effort", "effort"],
  ["max-thinking-tokens", "thinking"],
  ["thinking", "thinking"],
  ["thinking-display", "thinking.display"],
  ["max-turns", "maxTurns"],
  ["max-budget-usd", "maxBudgetUsd"],
  ["task-budget", "taskBudget"],
  ["betas", "betas"],
  ["agent", "agent"],
  ["resume", "resume"],
  ["continue", "continue"],
  ["fork-session", "forkSession"],
  ["session-id", "sessionId"],
  ["resume-session-at", "resumeSessionAt"],
  ["resume-drops-turn", "resumeDropsTurn"],
  ["no-session-persistence", "persistSession"],
  ["session-mirror", "transcripts"],
  ["tools", "tools"],
  ["allowedTools", "permissions.approve"],
  ["disallowedTools", "deniedTools"],
  ["permission-mode", "permissions.mode"],
  ["allow-dangerously-skip-permissions", "permissions.allowBypass"],
  ["permission-prompt-tool", "permissions.canUseTool"],
  ["permission-prompts", "permissions.prompts"],
  ["include-partial-messages", "includePartialMessages"],
  ["include-hook-events", "includeHookEvents"],
  ["project-config-root", "projectConfigRoot"],
  ["add-dir", "additionalDirectories"],
  ["setting-sources", "settingSources"],
  ["settings", "settings"],
  ["strict-mcp-config", "strictMcpConfig"],
  ["mcp-config", "mcpServers"],
  ["await-initialize", "plugins"],
  ["initialize-fields", "settings"],
  ["managed-settings-in-initialize", "managedSettings"],
  ["debug", "debug"],
  ["debug-file", "debugFile"],
] as const;

export type FlagName = typeof FLAGS[number][0];

/** Flags that an option stands for; given twice, the CLI would take one of the two. */
const OPTIONS: ReadonlyMap<string, string> = new Map<string, string>([
  ...FLAGS,
  ["agents", "agents"],
  ["allowed-tools", "permissions.approve"],
  ["append-system-prompt", "systemPrompt"],
  ["c", "continue"],
  ["d", "debug"],
  ["dangerously-skip-permissions", "permissions.mode"],
  ["disallowed-tools", "deniedTools"],
  ["forward-subagent-text", "forwardSubagentText"],
  ["json-schema", "outputSchema"],
  ["managed-settings", "managedSettings"],
  ["plugin-dir", "plugins"],
  ["plugin-dir-no-mcp", "plugins"],
  ["prompt-suggestions", "promptSuggestions"],
  ["r", "resume"],
  ["system-prompt", "systemPrompt"],
]);

/** Further flags: those that nothing else sets. */
export function extraArgs(value: unknown, key: string): void {
  plainObject(value, key);
  for (const name of Object.keys(value)) {
    const set = value[name];
    if (set === undefined) continue;
    const at = `${key}.${nameAlone(name)}`;
    const option = OPTIONS.get(name);
    const why = name.startsWith("-")
      ? `must be written without dashes, as "${
        nameAlone(name).replace(/^-+/, "")
      }"`
      : !/^[A-Za-z][A-Za-z0-9-]*$/.test(name)
      ? "must be the name of a flag"
      : OURS.has(name)
      ? "must be left out, this package sets that flag"
      : option && `must be left out, use "${option}" instead`;
    if (why !== undefined) contradict(at, set, why);
    if (set !== null && typeof set !== "string") {
      refuse(at, set, "a string, or null for a flag without a value");
    }
    if (set?.includes("\0")) refuse(at, set, "without a null character");
  }
}
