import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ChildHandle } from "../../src/ports/process.ts";
import { host, program, textOf } from "../_children.ts";
import { test } from "../_harness.ts";
import { callText, stdioFixture, withConnecting } from "./_connecting.ts";

const FOLDER = fileURLToPath(new URL("../fixtures/mcp/", import.meta.url));
const NAMES = readdirSync(FOLDER)
  .filter((name) => !name.startsWith("_"))
  .map((name) => name.replace(/\.mjs$/, ""));

/** Those that are made to stay when their input ends: whoever starts them has to kill them. */
const STAY = ["ignores_everything", "closes_stdout", "echoes"];

/** Starts one by itself, as a test that does not even speak to it. */
async function start(name: string): Promise<ChildHandle> {
  const { command, args } = stdioFixture(name);
  return await (await host()).spawn(program(command, ...args));
}

for (const name of NAMES) {
  test(`the fixture ${name} ends, silent, with its test`, async () => {
    const child = await start(name);
    const output = Promise.all([textOf(child.stdout), textOf(child.stderr)]);
    await child.stdin.end();
    if (STAY.includes(name)) child.kill("SIGKILL");
    await child.exited;
    // Both pipes are closed: no process is left that could write to them.
    await output;
    assert.ok(!(await host()).isRunning(child.pid));
  }, { ids: ["REG-16"] });
}

test("close() of a connection waits for its server's end", async () => {
  const { isRunning } = await host();
  let pid = 0;
  await withConnecting(async (connecting) => {
    const connection = await connecting.open(stdioFixture("tools"));
    pid = Number(await callText(connection, "pid"));
    assert.ok(isRunning(pid));
  });
  assert.ok(!isRunning(pid));
}, { ids: ["REG-16"] });
