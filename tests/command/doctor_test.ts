import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { chmod, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { checkLeftOver } from "../../src/command/machine_checks.ts";
import { leftOver } from "../../src/process/left_over.ts";
import { host } from "../../src/runtime/host.ts";
import {
  isGoneWithin,
  isRunning,
  needsProc,
  needsShell,
} from "../_children.ts";
import { test } from "../_harness.ts";
import { run, start, withStandIn } from "./_program.ts";

/** A finding as JSON tells it. */
interface Told {
  readonly check: string;
  readonly status: string;
  readonly text: string;
  readonly fix?: string;
}

const ACCOUNT = { account: { apiKeySource: "ANTHROPIC_API_KEY" } };

function findings(stdout: string): readonly Told[] {
  return JSON.parse(stdout).findings;
}

function of(stdout: string, check: string): readonly Told[] {
  return findings(stdout).filter((one) => one.check === check);
}

/** An address that answers, as that of the model does. */
async function withModel(use: (url: string) => Promise<void>): Promise<void> {
  const server = createServer((_request, response) => void response.end());
  await new Promise<void>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve())
  );
  try {
    const { port } = server.address() as AddressInfo;
    await use(`http://127.0.0.1:${port}`);
  } finally {
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  }
}

test(
  "sluice doctor says that all is well, with the CLI in use, its login and its servers",
  async () => {
    await withModel((url) =>
      withStandIn({
        initialize: ACCOUNT,
        controls: {
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
      }, async ({ env, folder, path }) => {
        const settings = {
          env: {
            ...env,
            ANTHROPIC_BASE_URL: url,
            ANTHROPIC_API_KEY: "sk-secret",
          },
          cwd: folder,
        };
        const [plain, json] = [
          await run(["doctor"], settings),
          await run(["doctor", "--json"], settings),
        ];
        assert.equal(plain.code, 0, plain.stdout + plain.stderr);
        assert.match(plain.stdout, /Agents can run here/);
        assert.match(plain.stdout, /API key from ANTHROPIC_API_KEY/);
        assert.match(
          plain.stdout,
          /"files" \(project\) is there.*1\.2\.3, 1 tools/,
        );
        assert.equal(json.code, 0);
        assert.equal(JSON.parse(json.stdout).isHealthy, true);
        const [cli] = of(json.stdout, "cli");
        assert.ok(cli?.status === "ok" && cli.text.includes(path));
        assert.doesNotMatch(
          plain.stdout + json.stdout,
          /sk-secret|correct-horse/,
        );
      })
    );
  },
  { skip: needsShell },
);

test(
  "sluice doctor tells each thing that is broken with what helps, and ends with 1",
  async () => {
    await withStandIn({
      initialize: { account: { tokenSource: "none" } },
      controls: {
        mcp_status: {
          mcpServers: [
            {
              name: "gone",
              status: "failed",
              error: "ENOENT",
              scope: "project",
            },
            { name: "locked", status: "needs-auth", scope: "user" },
          ],
        },
      },
    }, async ({ env, folder }) => {
      const { code, stdout } = await run(["doctor", "--json"], {
        env: {
          ...env,
          ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
          NODE_EXTRA_CA_CERTS: "/no/such/authority.pem",
        },
        cwd: folder,
      });
      assert.equal(code, 1);
      const broken = findings(stdout).filter(({ status }) =>
        status === "error"
      );
      assert.deepEqual(broken.map(({ check }) => check).sort(), [
        "certificates",
        "login",
        "mcp",
        "network",
      ]);
      for (const { fix } of broken) assert.ok(fix);
      const [, locked] = of(stdout, "mcp");
      assert.equal(locked?.status, "warning");
    });
  },
  { skip: needsShell },
);

test(
  "sluice doctor lists the places where nothing was found only to whom that helps",
  async () => {
    await withStandIn(
      { initialize: ACCOUNT },
      async ({ env: { CLAUDE_CONFIG_DIR = "" }, folder, path }) => {
        const place = { CLAUDE_CONFIG_DIR, HOME: folder };
        const bin = path.replace(/\/claude$/, "");
        const PATH = `${bin}:/usr/bin:/bin`;
        const settings = { env: { ...place, PATH }, cwd: folder };
        const found = await run(["doctor"], settings);
        assert.ok(found.stdout.includes(`${path} is `), found.stdout);
        assert.match(
          found.stdout,
          /· Nothing at \d+ other places: --json names them\n/,
        );
        const json = await run(["doctor", "--json"], settings);
        assert.match(json.stdout, /"missing":\["[^"]+","/);
        const none = await run(["doctor"], {
          env: { ...place, PATH: folder },
          cwd: folder,
        });
        assert.match(
          none.stdout,
          /· Nothing at \d+ places: --json names them\n/,
        );
      },
    );
  },
  { skip: needsShell },
);

test(
  "sluice doctor names a CLI that is missing, broken, too old, or says nothing",
  async () => {
    await withStandIn({
      version: "1.0.3",
      initialize: ACCOUNT,
    }, async ({ env, folder, path }) => {
      const doctor = async (cli: string) => {
        const { code, stdout } = await run(
          ["doctor", "--json", "--cli", cli],
          { env, cwd: folder },
        );
        assert.equal(code, 1, stdout);
        return findings(stdout).filter(({ check, status }) =>
          check !== "network" && status !== "ok" && status !== "note"
        );
      };
      const [old] = await doctor(path);
      assert.match(old?.text ?? "", /1\.0\.3/);
      assert.match(old?.fix ?? "", /claude update/);

      const [missing] = await doctor("/no/such/claude");
      assert.match(missing?.text ?? "", /No Claude Code CLI was found/);

      const broken = join(folder, "broken");
      await writeFile(broken, "#!/bin/sh\necho nonsense\n");
      await chmod(broken, 0o755);
      const [odd] = await doctor(broken);
      assert.match(odd?.text ?? "", /no Claude CLI: .*nonsense/);
    });
    await withStandIn({ start: [{ exit: 3 }] }, async ({ env, folder }) => {
      const { code, stdout } = await run(["doctor", "--json"], {
        env,
        cwd: folder,
      });
      assert.equal(code, 1);
      const [failed] = of(stdout, "initialize");
      assert.match(failed?.text ?? "", /exit code 3/);
      assert.ok(failed?.fix);
    });
  },
  { skip: needsShell },
);

test(
  "sluice doctor that is ended while it waits says by its exit code who ended it",
  async () => {
    await withStandIn(
      { start: [{ wait: "forever" }] },
      async ({ env, folder }) => {
        for (
          const [signal, expected] of [["SIGTERM", 143], [
            "SIGINT",
            130,
          ]] as const
        ) {
          const running = start(["doctor"], { env, cwd: folder });
          await running.said("\nCLI");
          process.kill(running.pid, signal);
          const { code, stderr } = await running.ended;
          assert.equal(code, expected, stderr);
        }
      },
    );
  },
  { skip: needsShell },
);

test(
  "sluice doctor finds what a program that is gone left running, and --fix ends it",
  async () => {
    const { below: pid, parent } = await startWithChild("sleep 300 & echo $!");
    await endOf(parent);
    await withStandIn({ initialize: ACCOUNT }, async ({ env, folder }) => {
      const { stdout } = await run(["doctor", "--json"], { env, cwd: folder });
      const [found] = of(stdout, "processes");
      assert.match(found?.text ?? "", new RegExp(`\\b${pid}\\b`));
    });
    const whole = await host();
    // What other tests leave behind is theirs.
    const alone = {
      ...whole,
      processes: (pids?: readonly number[]) =>
        whole.processes(pids).filter((one) => one.pid === pid),
    };
    const beneath = (comm: string) => ({
      ...alone,
      files: { ...whole.files, readText: () => Promise.resolve(`${comm}\n`) },
    });
    // In a container it may be the program that started it, and lives.
    const [doubtful] = await checkLeftOver(beneath("node"), true);
    assert.equal(doubtful?.status, "note");
    assert.equal(isRunning(pid), true);
    const [found] = await checkLeftOver(beneath("systemd"), false);
    assert.equal(found?.status, "warning");
    assert.match(found?.fix ?? "", /--fix/);
    const [ended] = await checkLeftOver(beneath("tini"), true);
    assert.equal(ended?.status, "ok");
    assert.equal(await isGoneWithin(10_000, pid), true);
    assert.deepEqual(await checkLeftOver(alone, true), []);
  },
  { skip: needsShell ?? needsProc },
);

test(
  "What a program that runs has started is not left over, nor what its tools started",
  async () => {
    const { below, parent } = await startWithChild(
      "sleep 300 & echo $!; read line",
    );
    try {
      const left = leftOver(await host()).map(({ pid }) => pid);
      assert.equal(left.includes(parent.pid ?? 0), false);
      assert.equal(left.includes(below), false);
    } finally {
      process.kill(below, "SIGKILL");
      await endOf(parent);
    }
  },
  { skip: needsShell ?? needsProc },
);

/** A shell that carries a family's mark, and what it started; it prints whose id that is. */
async function startWithChild(text: string) {
  const parent = spawn("/bin/sh", ["-c", text], {
    env: {
      PATH: "/usr/bin:/bin",
      SLUICE_FAMILY: `${crypto.randomUUID()}.1000.1.`,
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const below = await new Promise<number>((resolve) =>
    parent.stdout.once(
      "data",
      (bytes: Uint8Array) => resolve(Number(new TextDecoder().decode(bytes))),
    )
  );
  return { parent, below };
}

async function endOf(parent: ChildProcess): Promise<void> {
  const closed = new Promise((resolve) => parent.once("close", resolve));
  parent.stdin?.end();
  parent.stdout?.destroy();
  await closed;
}
