import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { needsShell } from "../_children.ts";
import { test } from "../_harness.ts";
import {
  baseEnvironment,
  commandLine,
  type Ran,
  run,
  testStandIn,
  withStandIn,
} from "./_program.ts";

/** A finding as JSON has it. */
interface Told {
  readonly check: string;
  readonly status: string;
  readonly text: string;
  readonly fix?: string;
}

const ACCOUNT = { account: { apiKeySource: "ANTHROPIC_API_KEY" } };
/** The reply of a CLI whose model counted tokens. */
const get_context_usage = {
  categories: [{
    id: "messages",
    name: "Messages",
    tokens: 8,
    color: "x",
    kind: "used",
  }],
};

/** Findings of one check, or all that are not fine. */
function findings({ stdout }: Pick<Ran, "stdout">, check?: string) {
  const all: readonly Told[] = JSON.parse(stdout).findings;
  return all.filter((one) =>
    check === undefined
      ? one.status !== "ok" && one.status !== "note"
      : one.check === check
  );
}

testStandIn(
  "sluice doctor says that all is well, with the CLI in use, its login and its servers",
  {
    initialize: ACCOUNT,
    controls: {
      get_context_usage,
      mcp_status: {
        mcpServers: [{
          name: "files",
          status: "connected",
          scope: "project",
          serverInfo: { name: "files", version: "1.2.3" },
          tools: [{ name: "read" }],
          config: { command: "x", env: { TOKEN: "correct-horse" } },
        }],
      },
    },
  },
  async ({ env, folder, path }) => {
    const key = { ANTHROPIC_API_KEY: "sk-secret" };
    const settings = { env: { ...env, ...key }, cwd: folder };
    const plain = await run(["doctor"], settings);
    const json = await run(["doctor", "--json"], settings);
    assert.equal(plain.code, 0, plain.stdout + plain.stderr);
    assert.match(plain.stdout, /API key from ANTHROPIC_API_KEY/);
    assert.match(
      plain.stdout,
      /"files" \(project\) is there.*1\.2\.3, 1 tools/,
    );
    assert.match(plain.stdout, /counts tokens and took ANTHROPIC_API_KEY\n/);
    assert.match(plain.stdout, /Agents can run here/);
    assert.equal(json.code, 0);
    assert.equal(JSON.parse(json.stdout).isHealthy, true);
    const [cli] = findings(json, "cli");
    assert.ok(cli?.status === "ok" && cli.text.includes(path));
    assert.doesNotMatch(plain.stdout + json.stdout, /sk-secret|correct-horse/);
  },
);

testStandIn(
  "sluice doctor names each broken thing with a fix, and ends with 1",
  {
    initialize: { account: { tokenSource: "none" } },
    controls: {
      mcp_status: {
        mcpServers: [
          { name: "gone", status: "failed", error: "ENOENT", scope: "project" },
          { name: "locked", status: "needs-auth", scope: "user" },
        ],
      },
    },
  },
  async ({ sluice }) => {
    const ran = await sluice(["doctor", "--json"]);
    assert.equal(ran.code, 1);
    const broken = findings(ran).filter(({ status }) => status === "error");
    assert.deepEqual(broken.map(({ check }) => check).sort(), [
      "login",
      "mcp",
    ]);
    for (const { fix } of broken) assert.ok(fix);
    const [, locked] = findings(ran, "mcp");
    assert.equal(locked?.status, "warning");
  },
);

testStandIn(
  "sluice doctor counts the places without a CLI, and --json names them",
  { initialize: ACCOUNT },
  async ({ env: { CLAUDE_CONFIG_DIR = "" }, folder, path }) => {
    const doctor = (PATH: string, ...flags: string[]) =>
      run(["doctor", ...flags], {
        env: { CLAUDE_CONFIG_DIR, HOME: folder, PATH },
        cwd: folder,
      });
    const bin = `${path.replace(/\/claude$/, "")}:/usr/bin:/bin`;
    const { stdout } = await doctor(bin);
    assert.ok(stdout.includes(`${path} is `), stdout);
    assert.match(
      stdout,
      /· Nothing at \d+ other places: --json names them\n/,
    );
    assert.match((await doctor(bin, "--json")).stdout, /"missing":\["[^"]+","/);
    assert.match(
      (await doctor(folder)).stdout,
      /· Nothing at \d+ places: --json names them\n/,
    );
  },
);

testStandIn(
  "sluice doctor reads the files of an empty CLAUDE_CONFIG_DIR where the CLI does",
  { initialize: ACCOUNT },
  async ({ env, folder }) => {
    const home = join(folder, "../home");
    for (
      const path of [
        join(folder, "settings.json"),
        join(home, ".claude.json"),
        join(folder, "../.claude.json"),
      ]
    ) await writeFile(path, "no JSON");
    const ran = await run(["doctor", "--json"], {
      env: { ...env, HOME: home, CLAUDE_CONFIG_DIR: "" },
      cwd: folder,
    });
    const named = findings(ran, "configuration")
      .map(({ text = "" }) => text.split(":")[0]);
    assert.deepEqual(named, [
      await realpath(join(folder, "settings.json")),
      join(home, ".claude.json"),
    ]);
  },
);

testStandIn(
  "sluice doctor names a CLI that is too old, missing, broken or may not be executed",
  { version: "1.0.3", initialize: ACCOUNT },
  async ({ folder, path, sluice }) => {
    const doctor = async (cli: string) => {
      const ran = await sluice(["doctor", "--json", "--cli", cli]);
      assert.equal(ran.code, 1, ran.stdout);
      const [{ text = "", fix = "" } = {}] = findings(ran);
      return `${text}; ${fix}`;
    };
    assert.match(await doctor(path), /1\.0\.3.*claude update/);
    assert.match(await doctor("/no/claude"), /No Claude Code CLI was found/);
    const broken = join(folder, "broken");
    await writeFile(broken, "#!/bin/sh\necho nonsense\n");
    await chmod(broken, 0o755);
    assert.match(await doctor(broken), /no Claude CLI: .*nonsense/);
    await chmod(broken, 0o644);
    assert.ok((await doctor(broken)).endsWith(`; chmod +x "${broken}"`));
  },
);

test(
  "sluice doctor names a CLI that ends at once, and a login without a named source",
  async () => {
    await withStandIn({ start: [{ exit: 3 }] }, async ({ sluice }) => {
      const ran = await sluice(["doctor", "--json"]);
      assert.equal(ran.code, 1);
      const [failed] = findings(ran, "initialize");
      assert.match(failed?.text ?? "", /exit code 3/);
      assert.ok(failed?.fix);
    });
    const account = {
      apiProvider: "firstParty",
      subscriptionType: "Claude Max",
    };
    await withStandIn({ initialize: { account } }, async ({ sluice }) => {
      const ran = await sluice(["doctor", "--json"]);
      const [login] = findings(ran, "login");
      assert.equal(login?.text, "Logged in (Claude Max)");
      const [model] = findings(ran, "model");
      assert.deepEqual([ran.code, model?.status], [0, "unproven"]);
      assert.equal(JSON.parse(ran.stdout).isProven, false);
    });
  },
  { skip: needsShell },
);

testStandIn(
  "sluice doctor that is ended while it waits says by its exit code who ended it",
  { start: [{ wait: "forever" }] },
  async ({ start }) => {
    for (const [signal, code] of [["SIGTERM", 143], ["SIGINT", 130]] as const) {
      const running = start(["doctor"]);
      await running.said("\nCLI");
      process.kill(running.pid, signal);
      const ran = await running.ended;
      assert.equal(ran.code, code, ran.stderr);
    }
  },
);

testStandIn(
  "sluice doctor on Deno names the permission that each thing needs",
  { initialize: ACCOUNT, controls: { get_context_usage } },
  async ({ env, folder: cwd }) => {
    const without = async (name: string) => {
      const flags = ["read", "env", "run", "sys", "write", "net"]
        .filter((one) => one !== name).map((one) => `--allow-${one}`);
      const [command = "", ...args] = commandLine("doctor", "--json");
      const rest = args.flatMap((one) => one === "-A" ? flags : [one]);
      const child = spawn(command, rest.toSpliced(1, 0, "--no-prompt"), {
        cwd,
        env: { ...baseEnvironment(), ...env },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let [stdout, stderr] = ["", ""];
      child.stdout.on("data", (bytes) => stdout += String(bytes));
      child.stderr.on("data", (bytes) => stderr += String(bytes));
      const [code] = await once(child, "close");
      return { code, stdout, stderr };
    };
    for (const name of ["none", "net", "write"]) {
      const { stdout } = await without(name);
      assert.equal(JSON.parse(stdout).isProven, true, stdout);
      const [missing] = findings({ stdout }, "permission");
      assert.equal(
        missing?.text.startsWith(`--allow-${name} `),
        missing && true,
      );
    }
    const start = await without("run");
    assert.equal(start.code, 1);
    for (const { fix } of findings(start, "cli")) {
      assert.match(fix ?? "", /^run Deno with --allow-run/);
    }
    const look = await without("read");
    assert.equal(look.code, 1);
    const unread = findings(look, "configuration");
    assert.deepEqual(unread.map(({ status }) => status), ["unproven"]);
    for (const { fix } of [...unread, ...findings(look, "cli")]) {
      assert.match(fix ?? "", /^run Deno with --allow-read/);
    }
    const blind = await without("env");
    assert.equal(blind.code, 1);
    assert.match(blind.stderr, /^error: .*--allow-env flag, or with -A\n$/);
  },
  { skip: "Deno" in globalThis ? needsShell : "permissions are Deno's" },
);
