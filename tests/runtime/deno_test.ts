import assert from "node:assert/strict";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { host } from "../../src/runtime/host.ts";
import { needsProc, needsShell, release, textOf } from "../_children.ts";
import { test } from "../_harness.ts";

const current = await host();
const skip = needsShell ?? needsProc;
const only = "deno";

/** Output of the fixture under the given permissions; its grandchild, if it had to leave one, is gone then. */
function runWith(
  ...flags: readonly string[]
): Promise<Record<string, unknown>> {
  return runCommand([], flags);
}

/** The same with a child of its own. */
function runCommand(
  command: readonly string[],
  flags: readonly string[],
): Promise<Record<string, unknown>> {
  const module = new URL("../fixtures/limited_host.ts", import.meta.url);
  return runModule(module, flags, command);
}

async function runModule(
  module: URL,
  flags: readonly string[],
  command: readonly string[] = [],
): Promise<Record<string, unknown>> {
  const child = await current.spawn({
    command: process.execPath,
    args: [
      "run",
      "--no-prompt",
      "--no-check",
      "--no-lock",
      // Ours leaves dynamic imports to later, and reading them then takes a permission.
      "--no-config",
      ...flags,
      fileURLToPath(module),
      ...command,
    ],
    cwd: process.cwd(),
    env: current.env(),
  });
  const [text, problems] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
  ]);
  await child.exited;
  await release(child);
  if (text === "") assert.fail(problems);
  const said = JSON.parse(text);
  if (typeof said.grandchild === "number") {
    current.killPid(said.grandchild, "SIGKILL");
  }
  return said;
}

test(
  "denoHost() starts, stops and names its own children with nothing but --allow-run=PROGRAM, --allow-env, --allow-read",
  async () => {
    const said = await runWith(
      "--allow-run=/bin/sh",
      "--allow-env",
      "--allow-read",
    );
    assert.match(String(said.said), /^\d+ \[kept\]\n$/);
    assert.deepEqual(said.exit, { code: null, signal: "SIGKILL" });
    assert.equal(said.killedByPid, false);
    assert.equal(said.mayStartShell, true);
    assert.equal(said.seesGrandchild, false);
    assert.deepEqual(said.warnings, [
      'Environment variable "LD_LIBRARY_PATH" was left out: Deno sets it only with an unlimited --allow-run',
    ]);
    assert.equal(said.env, "object");
    assert.equal(said.home, "string");
  },
  { skip, only, ids: ["P-15"] },
);

test(
  "denoHost() starts no watchdog that it may not start, and says so",
  async () => {
    const said = await runCommand(["/usr/bin/env", "sh"], [
      "--allow-run=/usr/bin/env",
      "--allow-env",
      "--allow-read",
    ]);
    assert.match(String(said.said), /^\d+ \[kept\]\n$/);
    assert.match(
      String((said.warnings as readonly string[])[1]),
      /^Watchdog could not be started/,
    );
    assert.equal((said.warnings as readonly string[]).length, 2);
    assert.equal(said.mayStartShell, false);
  },
  { skip, only },
);

test(
  "denoHost() reaches descendants with an unlimited --allow-run",
  async () => {
    const said = await runWith("--allow-run", "--allow-env", "--allow-read");
    assert.match(String(said.said), /^\d+ \[\/nowherekept\]\n$/);
    assert.equal(said.seesGrandchild, true);
    assert.equal(said.killedByPid, true);
    assert.deepEqual(said.warnings, []);
  },
  { skip, only },
);

test(
  "denoHost() counts an --allow-run with exceptions as limited",
  async () => {
    const said = await runWith("--allow-run", "--deny-run=foo", "--allow-env");
    assert.match(String(said.said), /^\d+ \[kept\]\n$/);
    assert.deepEqual(said.exit, { code: null, signal: "SIGKILL" });
  },
  { skip, only },
);

test("denoHost() says which permission is missing", async () => {
  const said = await runWith("--allow-read");
  assert.equal(said.failure, "not-allowed");
  assert.match(
    String(said.message),
    /^Program may not be started by this program: "\/bin\/sh" \(.*--allow-run/,
  );
  assert.equal(
    said.env,
    "Environment cannot be read: Deno needs --allow-env",
  );
  assert.equal(said.home, "undefined");
}, { skip, only });

test("query() and discoverCli() say which permission Deno lacks", async () => {
  const module = new URL("../fixtures/limited_query.ts", import.meta.url);
  const said = await runModule(module, ["--allow-read", "--allow-env"]);
  for (const text of [said.asked, said.found]) {
    assert.match(
      String(text),
      /permission to start it.*--allow-run="?\/bin\/sh/,
    );
    assert.doesNotMatch(String(text), /chmod/);
  }
}, { skip, only, ids: ["D-07"] });
