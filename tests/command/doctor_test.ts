import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { needsShell } from "../_children.ts";
import { test } from "../_harness.ts";
import {
  baseEnvironment,
  commandLine,
  run,
  start,
  withStandIn,
} from "./_program.ts";

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

/** An address that counts tokens, as that of the model does. */
async function withModel(use: (url: string) => Promise<void>): Promise<void> {
  const server = createServer((_request, response) =>
    void response.end('{"input_tokens":8}')
  );
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
        },
        cwd: folder,
      });
      assert.equal(code, 1);
      const broken = findings(stdout).filter(({ status }) =>
        status === "error"
      );
      assert.deepEqual(broken.map(({ check }) => check).sort(), [
        "login",
        "mcp",
        "model",
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
        return findings(stdout).filter(({ status }) =>
          status !== "ok" && status !== "note"
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

/** Runs doctor on Deno with these permissions alone. */
async function permitted(
  flags: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Record<string, string> },
) {
  const [command = "", ...args] = commandLine("doctor", "--json");
  const rest = args.flatMap((one) => one === "-A" ? flags : [one]);
  assert.equal(rest.includes("-A"), false);
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
}

test(
  "sluice doctor on Deno names the permission that each thing needs, and proves nothing without it",
  async () => {
    await withModel((url) =>
      withStandIn({ initialize: ACCOUNT }, async ({ env, folder }) => {
        const place = {
          cwd: folder,
          env: {
            ...env,
            ANTHROPIC_BASE_URL: url,
            ANTHROPIC_API_KEY: "sk-secret",
          },
        };
        const all = ["read", "env", "run", "sys", "write", "net"];
        const without = (name: string) =>
          permitted(
            all.filter((one) => one !== name).map((one) => `--allow-${one}`),
            place,
          );
        const whole = await without("none");
        assert.equal(JSON.parse(whole.stdout).isProven, true, whole.stdout);
        const net = await without("net");
        const { isProven } = JSON.parse(net.stdout);
        assert.deepEqual([net.code, isProven], [0, false]);
        const [model] = of(net.stdout, "model");
        assert.equal(model?.status, "unproven");
        assert.match(model?.fix ?? "", /--allow-net/);
        const start = await without("run");
        assert.equal(start.code, 1);
        for (const { fix } of of(start.stdout, "cli")) {
          assert.match(fix ?? "", /^run Deno with --allow-run/);
        }
        const look = await without("read");
        assert.equal(look.code, 1);
        const unread = of(look.stdout, "configuration");
        assert.deepEqual(unread.map(({ status }) => status), ["unproven"]);
        for (const { fix } of [...unread, ...of(look.stdout, "cli")]) {
          assert.match(fix ?? "", /^run Deno with --allow-read/);
        }
        const blind = await without("env");
        assert.equal(blind.code, 1);
        assert.match(blind.stderr, /^error: .*--allow-env flag, or with -A\n$/);
      })
    );
  },
  { skip: "Deno" in globalThis ? needsShell : "permissions are Deno's" },
);

test(
  "sluice doctor names the fix of a CLI that may not be executed",
  async () => {
    await withStandIn(
      { initialize: ACCOUNT },
      async ({ env, folder, path }) => {
        await chmod(path, 0o644);
        const { stdout } = await run(["doctor", "--json"], {
          env,
          cwd: folder,
        });
        const [found] = of(stdout, "cli");
        assert.equal(found?.fix, `chmod +x "${path}"`);
      },
    );
  },
  { skip: needsShell },
);

test(
  "sluice doctor takes a login without a named source for one",
  async () => {
    const account = {
      apiProvider: "firstParty",
      subscriptionType: "Claude Max",
    };
    await withStandIn({ initialize: { account } }, async ({ env, folder }) => {
      const { code, stdout } = await run(["doctor", "--json"], {
        env,
        cwd: folder,
      });
      const [login] = of(stdout, "login");
      assert.equal(login?.text, "Logged in (Claude Max)");
      const [model] = of(stdout, "model");
      assert.deepEqual([code, model?.status], [0, "unproven"]);
      assert.equal(JSON.parse(stdout).isProven, false);
    });
  },
  { skip: needsShell },
);
