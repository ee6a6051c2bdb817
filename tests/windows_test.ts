// Abilities of a system that this package needs, end to end: above all on Windows, where most other process tests cannot run.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client, query, textOf } from "@sluice/agent";
import { fakeCli } from "@sluice/agent/testing";
import {
  fixture,
  host,
  Lines,
  moduleCommand,
  release,
  textOf as textOfStream,
} from "./_children.ts";
import { takeLock } from "../src/session/lock.ts";
import { test } from "./_harness.ts";
import { callText, withConnecting } from "./mcp/_connecting.ts";

const current = await host();
const isWindows = process.platform === "win32";
const onlyWindows = isWindows ? undefined : "needs Windows";
/** Nothing lives longer than this after its end: the machine of a test is busy. */
const BOUND_MS = 10_000;

const HOSTILE = [
  "two words",
  "",
  'q"q',
  '" & echo injected & "',
  "%PATH%",
  "100%",
  "a&b|c>d<e^f",
  "!x!",
  "back\\",
  'back\\"',
  '{"a":"b c"}',
  "é😀",
];

async function withFolder(
  use: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "windows "));
  try {
    await use(folder);
  } finally {
    // A program that has just ended may still hold it there.
    await rm(folder, { recursive: true, force: true, maxRetries: 20 });
  }
}

/** A CLI in the middle of a tool that has a child, and what waits for the ids of both. */
async function withTool(
  use: (
    cliPath: readonly string[],
    tools: () => Promise<readonly number[]>,
  ) => Promise<void>,
): Promise<void> {
  const cli = fakeCli({
    turns: [[{ wait: 600_000 }]],
    onStdinEnd: "ignore",
    onSigterm: "ignore",
  });
  let pids: readonly number[] = [];
  await withFolder(async (folder) => {
    const file = join(folder, "tools.json");
    const tools = async () => {
      for (const end = Date.now() + BOUND_MS;;) {
        assert.ok(Date.now() < end, "no tool was started");
        const text = await readFile(file, "utf8").catch(() => undefined);
        if (text !== undefined) return pids = JSON.parse(text);
        await sleep(5);
      }
    };
    const command = JSON.stringify(cli.cliPath);
    try {
      const module = new URL("./fixtures/cli_with_tool.mjs", import.meta.url);
      await use([...moduleCommand(module), file, command], tools);
    } finally {
      for (const pid of pids) current.killPid(pid, "SIGKILL");
    }
  });
  await cli.close();
}

async function assertGone(pids: readonly number[]): Promise<void> {
  const end = Date.now() + BOUND_MS;
  for (const pid of pids) {
    while (current.isRunning(pid)) {
      assert.ok(Date.now() < end, `process ${pid} of ${pids} lives`);
      await sleep(5);
    }
  }
}

test("On every system a conversation asks, streams, answers a permission and ends", async () => {
  await using cli = fakeCli([
    [{ tool: "Bash", input: { command: "ls" }, result: "a b" }, "Two of them"],
  ]);
  const asked: string[] = [];
  const conversation = query("How many files?", {
    cliPath: cli.cliPath,
    permissions: {
      canUseTool: (name) => {
        asked.push(name);
        return { behavior: "allow" };
      },
    },
  });
  assert.equal(await conversation.text(), "Two of them");
  assert.deepEqual(asked, ["Bash"]);
});

test("On every system a client holds several turns and closes", async () => {
  await using cli = fakeCli(["one", "two"]);
  const client = new Client({ cliPath: cli.cliPath });
  await client.connect();
  assert.equal(textOf(await client.ask("1")), "one");
  assert.equal(textOf(await client.ask("2")), "two");
  await client.close();
  const [run] = await cli.until(([run]) => run?.exitCode !== undefined);
  assert.equal(run?.exitCode, 0);
});

test("On every system arguments reach the CLI as they are", async () => {
  await using cli = fakeCli("ok");
  const extraArgs = Object.fromEntries(
    HOSTILE.map((value, at) => [`x${at}`, value]),
  );
  await query("x", { cliPath: cli.cliPath, extraArgs }).text();
  const args = cli.runs[0]?.args ?? [];
  const got = HOSTILE.map((_, at) =>
    args.find((one) => one.startsWith(`--x${at}=`))?.slice(`--x${at}=`.length)
  );
  assert.deepEqual(got, HOSTILE);
});

test("On every system an abort ends the CLI and its tool with all that it started", async () => {
  await withTool(async (cliPath, tools) => {
    const abort = new AbortController();
    const conversation = query("Stay", {
      cliPath,
      signal: abort.signal,
      shutdown: { graceMs: 300, killMs: 600 },
    });
    const text = conversation.text().catch((error: unknown) => error);
    await conversation.ready;
    const pids = [conversation.pid ?? 0, ...await tools()];
    assert.deepEqual(pids.map(current.isRunning), [true, true, true]);
    abort.abort();
    assert.ok(await text instanceof Error);
    await conversation.close();
    await assertGone(pids);
  });
});

test("On every system close() in the middle of a tool ends the CLI and all that the tool started", async () => {
  await withTool(async (cliPath, tools) => {
    const conversation = query("Stay", {
      cliPath,
      shutdown: { graceMs: 300, killMs: 600 },
    });
    await conversation.ready;
    const pids = [conversation.pid ?? 0, ...await tools()];
    await conversation.close();
    await assertGone(pids);
  });
});

for (const how of ["exit", "throw", "reject", "is killed"]) {
  test(`On every system a host that ends leaves neither CLI nor tool: ${how}`, async () => {
    await withTool(async (cliPath, tools) => {
      const driver = await current.spawn(fixture(
        new URL("./fixtures/tool_driver.ts", import.meta.url),
        JSON.stringify({ cliPath, shutdown: { graceMs: 300, killMs: 600 } }),
        how,
      ));
      const lines = new Lines(driver.stdout);
      try {
        const pid = Number(await lines.next());
        if (!pid) assert.fail(await textOfStream(driver.stderr));
        const pids = [pid, ...await tools()];
        if (how === "is killed") driver.kill("SIGKILL");
        else await driver.stdin.write("end\n");
        await driver.exited;
        await assertGone(pids);
      } finally {
        await lines.cancel();
        await release(driver);
      }
    });
  });
}

test("On every system a lock of a process that is gone is taken over, and that of a living one is not", async () => {
  await withFolder(async (folder) => {
    const child = await current.spawn(
      fixture(new URL("./fixtures/waiting.ts", import.meta.url)),
    );
    const lines = new Lines(child.stdout);
    const path = join(folder, "a.lock");
    try {
      await lines.next();
      const lock = {
        pid: child.pid,
        machine: current.machine(),
        nonce: "1",
      };
      await writeFile(path, JSON.stringify(lock));
      await assert.rejects(takeLock(current, path), {
        name: "SessionLockedError",
      });
    } finally {
      await lines.cancel();
      await release(child);
    }
    await (await takeLock(current, path)).release();
  });
});

test("On Windows the CLI is found behind the command file of npm", async () => {
  await using cli = fakeCli("found");
  await withFolder(async (folder) => {
    const [program = "", ...flags] = cli.cliPath;
    await writeFile(
      join(folder, "cli.mjs"),
      `import { spawnSync } from "node:child_process";
const args = [...${JSON.stringify(flags)}, ...process.argv.slice(2)];
const options = { stdio: "inherit" };
process.exit(spawnSync(${JSON.stringify(program)}, args, options).status);\n`,
    );
    await writeFile(join(folder, "claude.cmd"), npmShim("cli.mjs"));
    const path = `${folder};${process.env["PATH"] ?? ""}`;
    const conversation = query("x", { cliPath: "claude", env: { PATH: path } });
    assert.equal(await conversation.text(), "found");
  });
}, { skip: onlyWindows });

test(
  "On Windows a command file gets its arguments as they are, and runs nothing else",
  async () => {
    await withFolder(async (folder) => {
      const module = "./fixtures/mcp/says_arguments.mjs";
      const server = fileURLToPath(new URL(module, import.meta.url));
      const file = join(folder, "server.cmd");
      await writeFile(file, `@node "${server}" %*\r\n`);
      await withConnecting(async (connecting) => {
        const connection = await connecting.open({
          command: file,
          args: HOSTILE,
        });
        const said = await callText(connection, "arguments");
        assert.deepEqual(JSON.parse(said), HOSTILE);
      });
    });
  },
  { skip: onlyWindows },
);

test("On Windows npx starts an MCP server", async () => {
  await withFolder(async (folder) => {
    const server = join(folder, "node_modules", "says");
    const bin = join(folder, "node_modules", ".bin");
    await mkdir(server, { recursive: true });
    await mkdir(bin);
    const real = new URL("./fixtures/mcp/says_arguments.mjs", import.meta.url);
    await writeFile(
      join(server, "main.mjs"),
      `import ${JSON.stringify(real)};`,
    );
    const manifest = { name: "says", version: "1.0.0", bin: "main.mjs" };
    await writeFile(join(server, "package.json"), JSON.stringify(manifest));
    await writeFile(join(folder, "package.json"), '{"name":"x"}');
    await writeFile(join(bin, "says.cmd"), npmShim("..\\says\\main.mjs"));
    await withConnecting(async (connecting) => {
      const connection = await connecting.open({
        command: "npx",
        args: ["--no-install", "--offline", "says", "two words", "a=b"],
        cwd: folder,
      });
      const said = await callText(connection, "arguments");
      assert.deepEqual(JSON.parse(said), ["two words", "a=b"]);
    });
  });
}, { skip: onlyWindows });

/** A command file as npm writes it. */
function npmShim(script: string): string {
  return [
    "@ECHO off",
    "GOTO start",
    ":find_dp0",
    "SET dp0=%~dp0",
    "EXIT /b",
    ":start",
    "SETLOCAL",
    "CALL :find_dp0",
    'IF EXIST "%dp0%\\node.exe" (',
    '  SET "_prog=%dp0%\\node.exe"',
    ") ELSE (",
    '  SET "_prog=node"',
    "  SET PATHEXT=%PATHEXT:;.JS;=;%",
    ")",
    "",
    `endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\\${script}" %*`,
    "",
  ].join("\r\n");
}
