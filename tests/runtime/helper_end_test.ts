import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fixture, needsShell } from "../_children.ts";
import { test } from "../_harness.ts";

test(
  "a program that waits for the end of a helper that it has ended lives as long as that takes",
  () => {
    const driver = new URL("../fixtures/helper_driver.ts", import.meta.url);
    const { command, args, env, cwd } = fixture(driver);
    const { status, stdout } = spawnSync(command, args, {
      env,
      cwd,
      encoding: "utf8",
    });
    assert.deepEqual({ status, stdout }, { status: 0, stdout: "gone\n" });
  },
  { skip: needsShell },
);
