import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { fixture, needsShell } from "../_children.ts";
import { test } from "../_harness.ts";
import { withFake } from "./_compat.ts";

const PROGRAM = new URL("../fixtures/compat_loop.ts", import.meta.url);

test("a program that gave no callbacks goes on after its loop", async () => {
  await withFake("ok", async (options) => {
    const { command, args, env, cwd } = fixture(
      PROGRAM,
      JSON.stringify(options),
    );
    // Rejects for an exit code other than 0.
    const { stdout } = await promisify(execFile)(command, [...args], {
      env,
      cwd,
    });
    assert.equal(stdout, "result\nafter the loop\n");
  });
}, { skip: needsShell });
