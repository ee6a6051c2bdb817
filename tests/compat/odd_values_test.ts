import assert from "node:assert/strict";
import type { Options } from "@sluice/agent/compat";
import { test } from "../_harness.ts";
import { launchOf } from "./_process.ts";

/** Options with one odd value, and the arguments by which the CLI refuses it, or takes it as the official SDK has it. */
type Case = readonly [options: object, args: readonly string[]];

/** Runs a case: the arguments that the option adds. */
async function added(options: object): Promise<readonly string[]> {
  const { args: bare } = await launchOf({});
  const { args } = await launchOf(options as Options);
  return args.filter((one) => !bare.includes(one));
}

async function assertSent(cases: readonly Case[]): Promise<void> {
  for (const [options, args] of cases) {
    assert.deepEqual(await added(options), args, JSON.stringify(options));
  }
}

test("a path that is empty or no text reaches the CLI, which refuses it", async () => {
  await assertSent([
    [{ projectConfigRoot: "" }, ["--project-config-root="]],
    [{ projectConfigRoot: false }, ["--project-config-root=false"]],
    [{ projectConfigRoot: true }, ["--project-config-root=true"]],
    [{ projectConfigRoot: [] }, ["--project-config-root="]],
    [{ plugins: [{ type: "local", path: "" }] }, ["--plugin-dir="]],
    [{ plugins: [{ type: "local" }] }, ["--plugin-dir=undefined"]],
  ]);
});

test("a limit that is empty or no number reaches the CLI, which refuses it", async () => {
  await assertSent([
    [{ maxBudgetUsd: "" }, ["--max-budget-usd="]],
    [{ maxBudgetUsd: false }, ["--max-budget-usd=false"]],
    [{ taskBudget: {} }, ["--task-budget=undefined"]],
    [{ taskBudget: { total: undefined } }, ["--task-budget=undefined"]],
    [{ taskBudget: { total: "" } }, ["--task-budget="]],
    [{ taskBudget: 5 }, ["--task-budget=undefined"]],
    [{ taskBudget: 0 }, []],
    [{ maxThinkingTokens: "" }, ["--max-thinking-tokens="]],
    [{ maxThinkingTokens: false }, ["--max-thinking-tokens=false"]],
    [{ resumeDropsTurn: "" }, ["--resume-drops-turn="]],
    [{ resumeDropsTurn: false }, ["--resume-drops-turn=false"]],
    [{ resumeSessionAt: [] }, ["--resume-session-at="]],
  ]);
});

test("a false setting of thinking is none, and leaves its limit", async () => {
  const limit = { maxThinkingTokens: 5 };
  const adaptive = { type: "adaptive" };
  await assertSent([
    [{ ...limit, thinking: false }, ["--max-thinking-tokens=5"]],
    [{ ...limit, thinking: "" }, ["--max-thinking-tokens=5"]],
    [{ thinking: { ...adaptive, display: "" } }, ["--thinking=adaptive"]],
    [{ thinking: { ...adaptive, display: null } }, ["--thinking=adaptive"]],
  ]);
});

test("an odd value stands behind the name of its flag", async () => {
  await assertSent([
    [{ permissionMode: true }, ["--permission-mode=true"]],
    [{ permissionMode: [] }, ["--permission-mode="]],
    [{ permissionMode: 0 }, []],
    [{ permissionPrompts: true }, ["--permission-prompts=true"]],
    [{ permissionPrompts: [] }, ["--permission-prompts="]],
    [{ permissionPromptToolName: true }, ["--permission-prompt-tool=true"]],
    [{ permissionPromptToolName: [] }, ["--permission-prompt-tool="]],
    [{ model: [] }, ["--model="]],
    [{ maxTurns: true }, ["--max-turns=true"]],
    [{ allowedTools: [""] }, ["--allowedTools="]],
    [{ disallowedTools: [null] }, ["--disallowedTools="]],
    [{ settingSources: [] }, ["--setting-sources="]],
    [{ outputFormat: { type: "json_schema", schema: null } }, []],
  ]);
});
