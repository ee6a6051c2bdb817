// Decide which tool calls may run: this agent may write a file, but not delete one.
// deno-lint-ignore-file no-console -- an example shows what happens
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { query } from "@sluice/agent";

const cwd = await mkdtemp(join(tmpdir(), "permission-"));
const prompt = "With Bash, write the word hello into note.txt. Then delete " +
  "that file with rm. If you may not, say so and stop.";
try {
  const conversation = query(prompt, {
    cwd,
    permissions: {
      canUseTool(tool, input) {
        const isDeletion = /\brm\b/.test(String(input.command));
        console.log(isDeletion ? "deny " : "allow", tool, input.command);
        return isDeletion
          ? { behavior: "deny", message: "Deleting needs a person." }
          : { behavior: "allow" };
      },
    },
  });
  const { permission_denials } = await conversation.result();
  assert.equal(permission_denials[0]?.tool_name, "Bash");
  const note = await readFile(join(cwd, "note.txt"), "utf8");
  assert.equal(note.trim(), "hello");
} finally {
  await rm(cwd, { recursive: true });
}
