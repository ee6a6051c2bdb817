import { nearest } from "../errors/text.ts";
import { warnProcess } from "../runtime/host.ts";
import type { Options } from "./types_options.ts";

/** Keys of the official options, with the types that their values may have. */
const KINDS: Readonly<Record<keyof Options, readonly Kind[]>> = {
  abortController: ["object"],
  additionalDirectories: ["list"],
  projectConfigRoot: ["string"],
  agent: ["string"],
  agents: ["object"],
  allowedTools: ["list"],
  canUseTool: ["function"],
  continue: ["boolean"],
  cwd: ["string"],
  disallowedTools: ["list"],
  toolAliases: ["object"],
  tools: ["list", "object"],
  env: ["object"],
  executable: ["string"],
  executableArgs: ["list"],
  extraArgs: ["object"],
  fallbackModel: ["string"],
  enableFileCheckpointing: ["boolean"],
  toolConfig: ["object"],
  forkSession: ["boolean"],
  betas: ["list"],
  hooks: ["object"],
  onElicitation: ["function"],
  onUserDialog: ["function"],
  supportedDialogKinds: ["list"],
  perTaskStopAffordance: ["boolean"],
  persistSession: ["boolean"],
  sessionStore: ["object"],
  sessionStoreFlush: ["string"],
  loadTimeoutMs: ["number"],
  includeHookEvents: ["boolean"],
  includePartialMessages: ["boolean"],
  forwardSubagentText: ["boolean"],
  verbatimPrompts: ["boolean"],
  thinking: ["object"],
  effort: ["string"],
  maxThinkingTokens: ["number"],
  maxTurns: ["number"],
  maxBudgetUsd: ["number"],
  taskBudget: ["object"],
  mcpServers: ["object"],
  mcpServersDelivery: ["string"],
  model: ["string"],
  outputFormat: ["object"],
  pathToClaudeCodeExecutable: ["string"],
  permissionMode: ["string"],
  planModeInstructions: ["string"],
  allowDangerouslySkipPermissions: ["boolean"],
  permissionPromptToolName: ["string"],
  permissionPrompts: ["string"],
  plugins: ["list"],
  pluginDelivery: ["string"],
  promptSuggestions: ["boolean"],
  agentProgressSummaries: ["boolean"],
  resume: ["string"],
  sessionId: ["string"],
  resumeSessionAt: ["string"],
  resumeDropsTurn: ["string"],
  sandbox: ["object"],
  settings: ["string", "object"],
  managedSettings: ["object"],
  settingSources: ["list"],
  skills: ["list", "string"],
  debug: ["boolean"],
  debugFile: ["string"],
  stderr: ["function"],
  strictMcpConfig: ["boolean"],
  systemPrompt: ["string", "list", "object"],
  title: ["string"],
  spawnClaudeCodeProcess: ["function"],
};

type Kind = "string" | "number" | "boolean" | "function" | "object" | "list";

/** What was told already: a program that starts a thousand queries hears of a slip once. */
const told = new Set<string>();

/** Tells of something as a warning of the process, once for each text. */
export function warnOnce(text: string, code: string): void {
  if (told.has(text)) return;
  told.add(text);
  warnProcess(text, code);
}

/** Options as far as they can be used: what is unknown or of a wrong type is told of once, and one word is a list of one. */
export function acceptedOptions(options: Options): Options {
  const accepted: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(options)) {
    if (value === undefined || value === null) continue;
    accepted[key] = value;
    const kinds: readonly Kind[] | undefined = KINDS[key as keyof Options];
    if (kinds === undefined) {
      // Wrappers keep notes of their own in the options, as `__braintrust_skip_local_tool_hooks`.
      if (key.startsWith("_")) continue;
      const meant = nearest(key, Object.keys(KINDS));
      warnOnce(
        `Option "${key}" is unknown and has no effect${
          meant === undefined ? "" : `; did you mean "${meant}"?`
        }`,
        "SLUICE_UNKNOWN_OPTION",
      );
      continue;
    }
    const kind = kindOf(value);
    if (kinds.includes(kind)) continue;
    warnOnce(
      `Option "${key}" should be ${kinds.join(" or ")}, not ${kind}`,
      "SLUICE_OPTION_TYPE",
    );
    // What the CLI reads as a list of words.
    if (kind === "string" && kinds.includes("list")) accepted[key] = [value];
  }
  return accepted as Options;
}

/** Tells that `canUseTool` will not be asked for what runs without a question. */
export function warnOfShadow(options: Options): void {
  const { canUseTool, permissionMode, allowedTools = [] } = options;
  if (canUseTool === undefined) return;
  const code = "CLAUDE_SDK_CAN_USE_TOOL_SHADOWED";
  if (permissionMode === "bypassPermissions") {
    warnOnce(
      'canUseTool will not be invoked: permissionMode "bypassPermissions" allows every tool; a PreToolUse hook is asked always',
      code,
    );
    return;
  }
  const names = allowedTools.filter((one) =>
    typeof one === "string" && one !== "" && !one.includes("(")
  );
  if (names.length === 0) return;
  warnOnce(
    `canUseTool will not be invoked for: ${
      names.join(", ")
    }. allowedTools lets them run without a question; a PreToolUse hook is asked always`,
    code,
  );
}

function kindOf(value: unknown): Kind {
  if (Array.isArray(value)) return "list";
  const kind = typeof value;
  return kind === "string" || kind === "number" || kind === "boolean" ||
      kind === "function"
    ? kind
    : "object";
}
