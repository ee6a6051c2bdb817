import assert from "node:assert/strict";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type Options, query } from "@sluice/agent/compat";
import { test } from "../_harness.ts";

/** Messages and error of a query on a late CLI. */
async function outcomeOf(
  way: string,
  options: Options = {},
): Promise<{ readonly types: readonly string[]; readonly error: unknown }> {
  const path = new URL("./late_cli.mjs", import.meta.url);
  const run = query({
    prompt: "Hi",
    options: {
      pathToClaudeCodeExecutable: fileURLToPath(path),
      executable: "node",
      env: { ...process.env, LATE: way },
      ...options,
    },
  });
  const types: string[] = [];
  try {
    for await (const { type } of run) types.push(type);
    return { types, error: undefined };
  } catch (error) {
    return { types, error };
  }
}

test("a result that a process below the CLI writes after the CLI's exit is read", async () => {
  const { types, error } = await outcomeOf("below:0");
  assert.deepEqual(types, ["result"]);
  assert.equal(error, undefined);
});

test("such a result is read after a failed exit as well, which is still the error", async () => {
  const { types, error } = await outcomeOf("below:3");
  assert.deepEqual(types, ["result"]);
  assert.match(String(error), /exited with code 3/);
});

test("a descendant that writes for ever after the result does not keep the run from ending", async () => {
  const { types, error } = await outcomeOf("chatter");
  assert.deepEqual(types, ["result"]);
  assert.equal(error, undefined);
});

test("a result two seconds after an answer that could not be written is read", async () => {
  const { types, error } = await outcomeOf("deaf", {
    canUseTool: () => Promise.resolve({ behavior: "deny", message: "no" }),
  });
  assert.deepEqual(types, ["result"]);
  assert.equal(error, undefined);
});

test("a CLI that closes its output after its result is reported by its later exit", async () => {
  const { types, error } = await outcomeOf("mute");
  assert.deepEqual(types, ["result"]);
  assert.match(String(error), /exited with code 3/);
});
