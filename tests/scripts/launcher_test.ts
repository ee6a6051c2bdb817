import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "../_harness.ts";

const hasNode = spawnSync("node", ["--version"]).status === 0;

test(
  "npx sluice on an old Node loads nothing and names the one that is needed, on a new one it runs",
  async () => {
    // Scripts are compiled for no other lane.
    const { launcher } = await import("../../scripts/package/launcher.ts");
    const folder = await mkdtemp(join(tmpdir(), "launcher-"));
    try {
      const file = join(folder, "sluice.mjs");
      await writeFile(file, launcher());
      await writeFile(
        join(folder, "command.js"),
        "export const sluice = () => (console.log('ran'), 7);",
      );
      await writeFile(join(folder, "package.json"), '{"type":"module"}');
      const on = (version: string) => {
        const pretended =
          `Object.defineProperty(process, "versions", { value: { node: "${version}" } });`;
        const preload = `data:text/javascript,${encodeURIComponent(pretended)}`;
        const { status, stderr, stdout } = spawnSync(
          "node",
          ["--import", preload, file],
          { encoding: "utf8" },
        );
        return { status, stderr, stdout };
      };
      for (const version of ["18.20.8", "20.18.3"]) {
        assert.deepEqual(on(version), {
          status: 1,
          stdout: "",
          stderr:
            `error: sluice needs Node 20.19 or later, and this is Node ${version}\n`,
        });
      }
      for (const version of ["20.19.0", "24.1.0"]) {
        assert.deepEqual(on(version), {
          status: 7,
          stdout: "ran\n",
          stderr: "",
        });
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  },
  { skip: hasNode ? undefined : "needs node", only: "deno" },
);
