import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { needsShell } from "../_children.ts";
import { test } from "../_harness.ts";
import { shellEnvironment, withStandIn } from "./_program.ts";

const PAGE = new URL("../../docs/command.md", import.meta.url);

test(
  "Shell commands in docs/command.md have the documented output",
  async () => {
    const page = await readFile(PAGE, "utf8");
    const blocks = [...page.matchAll(/```sh\n([^]*?)```/g)];
    assert.ok(blocks.length >= 5);
    await withStandIn({
      turns: "Some answer.",
      initialize: { account: { apiKeySource: "ANTHROPIC_API_KEY" } },
    }, async (standIn) => {
      const { folder } = standIn;
      const env = await shellEnvironment(standIn);
      for (const [, block = ""] of blocks) {
        // Whether the model answers is not for these to say.
        const isDoctor = block.includes("doctor");
        const { code, stderr } = await shell(block, folder, env);
        assert.ok(code === 0 || isDoctor, `${block}${stderr}`);
        if (isDoctor) assert.doesNotMatch(stderr, /error/);
      }
      const names = ["run.jsonl", "run.jsonl.html", "page.html", "other.html"];
      for (const name of names) assert.ok(await readFile(join(folder, name)));
    });
  },
  { skip: needsShell },
);

/** Runs lines in a shell that stops at the first that fails. */
function shell(
  text: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly stderr: string }> {
  const child = spawn("/bin/sh", ["-ec", text], {
    cwd,
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (bytes) => stderr += new TextDecoder().decode(bytes));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stderr }));
  });
}
