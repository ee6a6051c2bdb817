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
