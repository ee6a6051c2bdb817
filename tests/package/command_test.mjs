// The program `sluice` as npm installs it: the command in node_modules/.bin, and the entry ./command.
import { sluice } from "@sluice/agent/command";
import { fakeCli, scriptedModel } from "@sluice/agent/testing";
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
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

// Bun does not tell what it loads.
const skip = process.versions.bun !== undefined;
test("help loads neither the core nor what starts a CLI", { skip }, () => {
  const script = `
import { Session } from "node:inspector";
const session = new Session();
const urls = [];
session.connect();
session.on("Debugger.scriptParsed", ({ params }) => urls.push(params.url));
session.post("Debugger.enable");
const { sluice } = await import("@sluice/agent/command");
await sluice(["--help"]);
await new Promise((done) => process.stderr.write(JSON.stringify(urls), done));
`;
  const { stderr, stdout } = spawnSync(
    process.execPath,
    ["--input-type=module", "-e", script],
    { encoding: "utf8" },
  );
  assert.match(stdout, /^Usage: sluice/);
  const ours = JSON.parse(stderr).filter((url) => url.includes("/@sluice/"))
    .map((url) => url.slice(url.lastIndexOf("/") + 1));
  assert.ok(ours.some((name) => name.startsWith("main-")), ours.join());
  assert.deepEqual(ours.filter((name) => /^(core|open|node)-/.test(name)), []);
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

/** The real CLI, where the check has one. */
const { SLUICE_TEST_CLI: realCli } = process.env;

test("commands in README work from here, with the real CLI", {
  skip: realCli === undefined && "needs the CLI",
}, async () => {
  const text = readFileSync("node_modules/@sluice/agent/README.md", "utf8");
  const lines = text.match(/^npx sluice .*$/gm) ?? [];
  assert.ok(lines.length >= 2);
  const home = join(folder, "home");
  mkdirSync(home);
  const model = await scriptedModel([
    { text: "There are three.", repeat: true },
  ]);
  try {
    const said = [];
    for (const line of lines) {
      const child = spawn("/bin/sh", ["-c", line], {
        env: {
          PATH: process.env.PATH,
          HOME: home,
          CLAUDE_CLI_PATH: realCli,
          npm_config_offline: "true",
          ...model.env,
        },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let all = "";
      for (const pipe of [child.stdout, child.stderr]) {
        pipe.on("data", (bytes) => all += bytes);
      }
      const [code] = await once(child, "close");
      assert.equal(code, 0, `${line}\n${all}`);
      said.push(all);
    }
    assert.match(said[0], /Agents can run here/);
    for (const one of said.slice(1)) assert.match(one, /There are three\./);
  } finally {
    await model.close();
  }
});

test("the entry runs the program in this process", async () => {
  assert.equal(await sluice(["docter"]), 2);
});
