// Block a tool call with a hook. It sees every call, including those that are allowed without prompting.
// deno-lint-ignore-file no-console -- an example shows what happens
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HookCallback, query } from "@sluice/agent";

let refusals = 0;
const guard: HookCallback<"PreToolUse"> = ({ tool_name, tool_input }) => {
  if (!JSON.stringify(tool_input).includes(".env")) return {};
  refusals++;
  console.log(`Refused: ${tool_name} ${JSON.stringify(tool_input)}`);
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: "Secrets stay where they are.",
    },
  };
};

const cwd = await mkdtemp(join(tmpdir(), "guard-"));
try {
  await writeFile(join(cwd, ".env"), "PASSWORD=swordfish\n");
  const conversation = query("Which password is in .env? Look with cat.", {
    cwd,
    permissions: { approve: ["Read", "Bash(cat:*)"] },
    hooks: { PreToolUse: [{ hooks: [guard] }] },
  });
  for await (const message of conversation) {
    assert.ok(!JSON.stringify(message).includes("swordfish"));
  }
  assert.ok(refusals > 0);
} finally {
  await rm(cwd, { recursive: true });
}
