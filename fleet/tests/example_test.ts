import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { fakeCli } from "@sluice/agent/testing";
import { needsShell } from "../../tests/_children.ts";
import { reasonWithoutCli, withRealCli } from "../../tests/_real_cli.ts";
import { test } from "./_fleet.ts";

const EXAMPLE = fileURLToPath(
  new URL("../../examples/fleet/reviews.ts", import.meta.url),
);

test(
  "examples/fleet/reviews.ts: two workers review twenty repositories, a third program answers",
  async (rig) => {
    const fake = fakeCli({
      turns: [[{ tool: "Bash", input: { command: "git show" } }, {
        tool: "Bash",
        input: { command: "rm -rf ." },
      }, "Looks fine."]],
    });
    const cli = join(rig.folder, "claude");
    const words = fake.cliPath.map((word) => `'${word}'`).join(" ");
    await writeFile(cli, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
    const env = { NATS_URL: rig.url, CLAUDE_CLI_PATH: cli };
    const others = [
      await started("works", env, "worker"),
      await started("works", env, "worker"),
      await started("answers", env, "approve"),
    ];
    const submitting = start(env, "submit");
    let said = "";
    submitting.stdout?.setEncoding("utf8").on("data", (text) => said += text);
    const [code] = await once(submitting, "close");
    assert.equal(code, 0, said);
    assert.match(said, /^20 reviews by 2 workers$/m);
    assert.equal(said.match(/: Looks fine\./g)?.length, 20);
    const decided = fake.decisions.map((one) =>
      one.kind === "permission" ? one.decision?.behavior : one.kind
    );
    assert.equal(decided.filter((one) => one === "allow").length, 20);
    assert.equal(decided.filter((one) => one === "deny").length, 20);
    for (const child of others) {
      const closed = once(child, "close");
      process.kill(child.pid ?? 0, "SIGTERM");
      await closed;
    }
  },
  { skip: needsShell },
);

test(
  "The real CLI does a job whose tool is allowed from elsewhere",
  (rig) =>
    withRealCli([
      { tool: "Bash", input: { command: "touch made" } },
      "Made it.",
    ], async ({ options }) => {
      const fleet = await rig.fleet();
      const job = await fleet.submit("Make it", { approvals: true });
      await fleet.work({ options });
      const { approvals } = await rig.fleet();
      for (let isOpen = true; isOpen;) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        for (const { request } of await approvals.list()) {
          assert.equal(request.tool, "Bash");
          await approvals.answer(request.id, { behavior: "allow" });
          isOpen = false;
        }
      }
      const { result } = await job.result();
      assert.equal(result.subtype === "success" && result.result, "Made it.");
      const status = await job.status();
      assert.equal(status.sessionId, result.session_id);
      assert.ok(status.cost.totalUsd > 0);
    }),
  { skip: reasonWithoutCli },
);

function start(
  env: Readonly<Record<string, string>>,
  role: string,
): ChildProcess {
  const flags = "Deno" in globalThis
    ? ["run", "-A", "--no-check", "--quiet"]
    : [];
  return spawn(process.execPath, [...flags, EXAMPLE, role], {
    stdio: ["ignore", "pipe", "inherit"],
    cwd: process.cwd(),
    env: { ...process.env, ...env, NO_COLOR: "1" },
  });
}

async function started(
  word: string,
  env: Readonly<Record<string, string>>,
  role: string,
): Promise<ChildProcess> {
  const child = start(env, role);
  const [text] = await once(child.stdout!.setEncoding("utf8"), "data");
  assert.equal(String(text).trim(), word);
  child.stdout?.resume();
  return child;
}
