import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "../_harness.ts";
import { refusal } from "./_config_error.ts";

/** Options of the official SDK 0.3.332 that have the same name here. */
const SAME = `
  additionalDirectories agent agentProgressSummaries agents allowedTools
  betas continue cwd debug debugFile effort enableFileCheckpointing env
  extraArgs fallbackModel forkSession forwardSubagentText hooks
  includeHookEvents includePartialMessages managedSettings maxBudgetUsd
  maxTurns mcpServers model onElicitation onUserDialog perTaskStopAffordance
  persistSession planModeInstructions plugins projectConfigRoot
  promptSuggestions resume resumeDropsTurn resumeSessionAt sandbox sessionId
  settingSources settings skills strictMcpConfig supportedDialogKinds
  systemPrompt taskBudget thinking title toolAliases toolConfig tools
  verbatimPrompts
`.trim().split(/\s+/);

/** The others, and what is said about them. */
const OTHERS: Readonly<Record<string, RegExp>> = {
  abortController: /"signal"/,
  allowDangerouslySkipPermissions: /"permissions\.allowBypass"/,
  canUseTool: /"permissions\.canUseTool"/,
  disallowedTools: /"deniedTools"/,
  executable: /"cliPath"/,
  executableArgs: /"cliPath"/,
  loadTimeoutMs: /"transcripts\.loadTimeoutMs"/,
  maxThinkingTokens: /"thinking"/,
  mcpServersDelivery: /sends servers in the "initialize" request/,
  outputFormat: /"outputSchema"/,
  pathToClaudeCodeExecutable: /"cliPath"/,
  permissionMode: /"permissions\.mode"/,
  permissionPromptToolName: /"permissions\.canUseTool"/,
  permissionPrompts: /"permissions\.prompts"/,
  pluginDelivery: /sends plugins in the "initialize" request/,
  sessionStore: /"transcripts\.store"/,
  sessionStoreFlush: /"transcripts\.flush"/,
  spawnClaudeCodeProcess: /"transport"/,
  stderr: /"onStderr"/,
};

const PORTING = new URL("../../docs/porting.md", import.meta.url);

test("every option of the official SDK exists here, or its refusal says what to use", () => {
  assert.equal(SAME.length + Object.keys(OTHERS).length, 70);
  const page = readFileSync(PORTING, "utf8");
  for (const name of SAME) assert.equal(refusal({ [name]: 1n }).key, name);
  for (const [name, expected] of Object.entries(OTHERS)) {
    const { message } = refusal({ [name]: 1n });
    assert.match(message, /^Unknown option/);
    assert.match(message, expected);
    assert.match(page, new RegExp(`\`${name}[\`:]`), "docs/porting.md");
  }
});
