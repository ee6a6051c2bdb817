import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { fixture, needsShell } from "../_children.ts";
import { test } from "../_harness.ts";
import { drained, withFake } from "./_compat.ts";

test("stderr gets all lines, also after a call that blocked the program for over a second", async () => {
  const lines = ["first", "second", "third"];
  const script = [[...lines.map((one) => ({ stderr: `${one}\n` })), "ok"]];
  await withFake(script, async (options) => {
    const got: string[] = [];
    await drained("Hi", {
      ...options,
      stderr(line) {
        got.push(line);
        if (got.length > 1) return;
        const end = performance.now() + 1_100;
        while (performance.now() < end);
      },
    });
    assert.deepEqual(got, lines.map((one) => `${one}\n`));
  });
});

test("stderr gets a line of a megabyte whole", async () => {
  const line = `${"x".repeat(1024 * 1024)}end\n`;
  await withFake([[{ stderr: line }, "ok"]], async (options) => {
    const got: string[] = [];
    const stderr = (one: string) => void got.push(one);
    await drained("Hi", { ...options, stderr });
    assert.ok(got.includes(line));
  });
});

test(
  "what the stderr callback throws is an uncaught exception, as in the official SDK",
  async () => {
    await withFake([[{ stderr: "boo\n" }, "ok"]], async (options) => {
      const { command, args, env, cwd } = fixture(
        new URL("../fixtures/compat_stderr_throws.ts", import.meta.url),
        JSON.stringify(options),
      );
      const run = promisify(execFile)(command, [...args], { env, cwd });
      await assert.rejects(run, /logger broke/);
    });
  },
  { skip: needsShell },
);
