// The program `sluice` as npm installs it: the command in node_modules/.bin, and the entry ./command.
import { sluice } from "@sluice/agent/command";
import { fakeCli } from "@sluice/agent/testing";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";

const folder = mkdtempSync(join(tmpdir(), "sluice-packed-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Runs the command in an empty folder. */
function run(...args) {
  const path = join(process.cwd(), "node_modules/.bin/sluice");
  const { PATH } = process.env;
  return spawnSync(process.execPath, [path, ...args], {
    encoding: "utf8",
    cwd: folder,
    env: { PATH, HOME: folder },
    input: "",
  });
}

test("the installed command says its version and its help", () => {
  const version = run("--version");
  assert.deepEqual([version.status, version.stderr], [0, ""]);
  assert.match(version.stdout, /^sluice \d+\.\d+\.\d+/);
  const help = run("--help");
  assert.match(help.stdout, /^Usage: sluice/);
  assert.match(help.stdout, /Examples:/);
});

test("the installed command runs, records and inspects", async () => {
  const fake = fakeCli("Hello, Ada!");
  const cli = join(folder, "claude");
  const words = fake.cliPath.map((word) => `'${word}'`).join(" ");
  writeFileSync(cli, `#!/bin/sh\nexec ${words} "$@"\n`);
  chmodSync(cli, 0o755);
  const ran = run("record", "run.jsonl", "--", "--cli", cli, "Say hello");
  assert.deepEqual([ran.status, ran.stdout], [0, "Hello, Ada!\n"], ran.stderr);
  const page = run("inspect", "run.jsonl", "-o", "-");
  assert.equal(page.status, 0, page.stderr);
  assert.match(page.stdout, /<title>run\.jsonl - sluice<\/title>/);
  const doctor = run("doctor", "--json", "--cli", cli);
  assert.equal(
    JSON.parse(doctor.stdout).findings.some(({ check, status }) =>
      check === "initialize" && status === "ok"
    ),
    true,
  );
  await fake.close();
});

test("the entry runs the program in this process", async () => {
  assert.equal(await sluice(["completion", "tcsh"]), 2);
});
