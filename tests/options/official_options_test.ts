import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { ConfigError } from "@sluice/agent";
import { checkOptions } from "@sluice/agent/extend";
import { test } from "../_harness.ts";

/** All options of the official SDK 0.3.330: those of the same name here, and what is said about the others. */
const OFFICIAL: Readonly<Record<string, RegExp | "same">> = {
  abortController: /"signal"/,
  additionalDirectories: "same",
  agent: "same",
  agentProgressSummaries: "same",
  agents: "same",
  allowDangerouslySkipPermissions: /"permissions\.allowBypass"/,
  allowedTools: "same",
  betas: "same",
  canUseTool: /"permissions\.canUseTool"/,
  continue: "same",
  cwd: "same",
  debug: "same",
  debugFile: "same",
  disallowedTools: /"deniedTools"/,
  effort: "same",
  enableFileCheckpointing: "same",
  env: "same",
  executable: /"cliPath"/,
  executableArgs: /"cliPath"/,
  extraArgs: "same",
  fallbackModel: "same",
  forkSession: "same",
  forwardSubagentText: "same",
  hooks: "same",
  includeHookEvents: "same",
  includePartialMessages: "same",
  loadTimeoutMs: /"transcripts\.loadTimeoutMs"/,
  managedSettings: "same",
  maxBudgetUsd: "same",
  maxThinkingTokens: /"thinking"/,
  maxTurns: "same",
  mcpServers: "same",
  mcpServersDelivery: /always travel in initialize/,
  model: "same",
  onElicitation: "same",
  onUserDialog: "same",
  outputFormat: /"outputSchema"/,
  pathToClaudeCodeExecutable: /"cliPath"/,
  perTaskStopAffordance: "same",
  permissionMode: /"permissions\.mode"/,
  permissionPromptToolName: /"permissions\.canUseTool"/,
  permissionPrompts: /"permissions\.prompts"/,
  persistSession: "same",
  planModeInstructions: "same",
  pluginDelivery: /always travel in initialize/,
  plugins: "same",
  projectConfigRoot: "same",
  promptSuggestions: "same",
  resume: "same",
  resumeDropsTurn: "same",
  resumeSessionAt: "same",
  sandbox: "same",
  sessionId: "same",
  sessionStore: /"transcripts\.store"/,
  sessionStoreFlush: /"transcripts\.flush"/,
  settingSources: "same",
  settings: "same",
  skills: "same",
  spawnClaudeCodeProcess: /"transport"/,
  stderr: /"onStderr"/,
  strictMcpConfig: "same",
  supportedDialogKinds: "same",
  systemPrompt: "same",
  taskBudget: "same",
  thinking: "same",
  title: "same",
  toolAliases: "same",
  toolConfig: "same",
  tools: "same",
  verbatimPrompts: "same",
};

const PORTING = new URL("../../docs/porting.md", import.meta.url);

/** What is said about a key that holds what no option takes. */
function refusalOf(name: string): string {
  try {
    checkOptions({ [name]: Symbol("odd") });
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message;
  }
  throw new Error(`Nothing was said about ${name}`);
}

test("every option of the official SDK exists here, or its refusal says what to use", () => {
  assert.equal(Object.keys(OFFICIAL).length, 70);
  for (const [name, expected] of Object.entries(OFFICIAL)) {
    const refusal = refusalOf(name);
    const isUnknown = refusal.startsWith("Unknown option");
    assert.equal(isUnknown, expected !== "same", refusal);
    if (expected !== "same") assert.match(refusal, expected);
  }
});

test("docs/porting.md says what becomes of every option of the official SDK that is another one here", () => {
  const page = readFileSync(PORTING, "utf8");
  for (const [name, expected] of Object.entries(OFFICIAL)) {
    if (expected === "same") continue;
    assert.match(page, new RegExp(`\`${name}[\`:]`));
  }
});
