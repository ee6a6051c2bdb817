import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { runtimeName } from "../src/runtime/detect.ts";
import { fakeCli } from "../src/testing/fake_cli.ts";
import { needsShell } from "./_children.ts";
import { test } from "./_harness.ts";

/** Where the entries lie that the examples import by name. */
const ENTRIES = {
  "@sluice/agent": new URL("../mod.ts", import.meta.url).href,
  "@sluice/agent/mcp": new URL("../src/mcp/mod.ts", import.meta.url).href,
  "@sluice/agent/testing":
    new URL("../src/testing/mod.ts", import.meta.url).href,
};

interface Example {
  readonly title: string;
  /** The runtime it is for; empty = all. */
  readonly runtime: string;
  readonly code: string;
}

for (const { title, runtime, code } of examples()) {
  if (runtime !== "" && runtime !== runtimeName()) continue;
  test(`README example runs: ${title}`, async () => {
    const folder = await mkdtemp(join(tmpdir(), "readme-"));
    const fake = fakeCli({ turns: { say: "An answer.", chunks: 3 } });
    try {
      const cli = join(folder, "claude");
      const command = fake.cliPath.map((part) => `'${part}'`).join(" ");
      await writeFile(cli, `#!/bin/sh\nexec ${command} "$@"\n`, {
        mode: 0o755,
      });
      const program = join(folder, "example.mjs");
      await writeFile(program, withEntries(code));
      const { status, stderr } = await run(program, cli);
      assert.equal(status, 0, stderr);
      assert.equal(stderr, "");
    } finally {
      await fake.close();
      await rm(folder, { recursive: true });
    }
  }, { skip: needsShell });
}

test("README has an example for each runtime", () => {
  const runtimes = new Set(examples().map(({ runtime }) => runtime));
  assert.deepEqual([...runtimes].sort(), ["", "bun", "deno", "node"]);
});

function examples(): readonly Example[] {
  const text = readFileSync(join(process.cwd(), "README.md"), "utf8");
  const blocks = text.matchAll(/^```ts ?(\w*)\n(.*?)^```$/gms);
  return [...blocks].map(([, runtime = "", code = ""], index) => ({
    title: `${index + 1}${runtime === "" ? "" : ` (${runtime})`}`,
    runtime,
    code,
  }));
}

function withEntries(code: string): string {
  return code.replaceAll(/"(?:jsr:)?(@sluice\/agent[^"]*)"/g, (_, name) => {
    const entry = ENTRIES[name as keyof typeof ENTRIES];
    assert.ok(entry, `README imports an entry that does not exist: ${name}`);
    return JSON.stringify(entry);
  });
}

interface Outcome {
  readonly status: number | null;
  readonly stderr: string;
}

function run(program: string, cli: string): Promise<Outcome> {
  const flags = runtimeName() === "deno"
    ? ["run", "-A", "--no-check", "--quiet", "--config", "deno.json"]
    : [];
  const child = spawn(process.execPath, [...flags, program], {
    env: { ...process.env, CLAUDE_CLI_PATH: cli, NO_COLOR: "1" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => stderr += text);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve({ status, stderr }));
  });
}
