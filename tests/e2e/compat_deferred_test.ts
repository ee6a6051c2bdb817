import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Options, query } from "@sluice/agent/compat";
import { needsShell } from "../_children.ts";
import { openPrompts, upToResult } from "../compat/_compat.ts";
import { reasonWithoutCli } from "../_real_cli.ts";
import { realTest } from "./_real.ts";

const CALL = {
  name: "Bash",
  input: { command: "echo x >> marker" },
  id: "toolu_a",
};

/** Starts the CLI, which gets its input late: one that does not wait for it has judged the call by then. */
const LATE = '(sleep 1.5; cat) | "$0" "$@"';

/** Hooks that decide each call in this way. */
function deciding(
  permissionDecision: "allow" | "defer" | "deny",
): NonNullable<Options["hooks"]> {
  const hookSpecificOutput = {
    hookEventName: "PreToolUse",
    permissionDecision,
  } as const;
  const decide = () => Promise.resolve({ hookSpecificOutput });
  return { PreToolUse: [{ hooks: [decide] }] };
}

for (
  const { decision, allowedTools, runs } of [
    { decision: "deny", allowedTools: ["Bash"], runs: false },
    { decision: "allow", allowedTools: [], runs: true },
  ] as const
) {
  realTest(
    `./compat: hooks ${decision} a deferred call of a session that is resumed, though "initialize" is late`,
    [{ tools: [CALL] }, { text: "Done.", repeat: true }],
    async ({ cliPath, cwd, env }) => {
      const first = await upToResult(query({
        prompt: "Go.",
        options: {
          pathToClaudeCodeExecutable: cliPath,
          cwd,
          env,
          hooks: deciding("defer"),
        },
      }));
      const { session_id: resume, stop_reason } = first.at(-1) ?? {};
      assert.equal(stop_reason, "tool_deferred");
      const prompts = openPrompts();
      const run = query({
        prompt: prompts.stream,
        options: {
          pathToClaudeCodeExecutable: "/bin/sh",
          executableArgs: ["-c", LATE, cliPath],
          cwd,
          env,
          allowedTools: [...allowedTools],
          resume: String(resume),
          hooks: deciding(decision),
        },
      });
      const result = (await upToResult(run)).at(-1);
      assert.equal(result?.["result"], "Done.");
      assert.equal(existsSync(join(cwd, "marker")), runs);
      prompts.end();
      await run.return();
    },
    { skip: reasonWithoutCli ?? needsShell },
  );
}
