import assert from "node:assert/strict";
import { firstCandidate } from "../../src/cli/search.ts";
import { cliTransport } from "../../src/cli/transport.ts";
import { CliError, CliNotFoundError } from "@sluice/agent";
import { safeLogger } from "../../src/observe/log.ts";
import { safeMetrics } from "../../src/observe/metrics.ts";
import { resolveOptions } from "../../src/options/resolve.ts";
import type { Host } from "../../src/ports/host.ts";
import { test } from "../_harness.ts";
import { Started, windowsHost } from "./_windows.ts";

const NPM = "C:\\Users\\me\\AppData\\Roaming\\npm";
const SCRIPT = `${NPM}\\node_modules\\@anthropic-ai\\claude-code\\cli.js`;
const SHIM =
  `"%_prog%"  "%dp0%\\node_modules\\@anthropic-ai\\claude-code\\cli.js" %*\r\n`;

test("firstCandidate() finds .exe, .cmd and .bat in PATH", async () => {
  for (const ending of [".exe", ".cmd", ".bat"]) {
    const host = await windowsHost({
      [`D:\\a b\\claude${ending}`]: ending === ".exe"
        ? "MZ"
        : '"%~dp0\\bin\\real.exe" %*',
      "D:\\a b\\bin\\real.exe": "MZ",
    }, { Path: "C:\\Windows;D:/a b" });
    const { discovery, program } = await firstCandidate(host);
    assert.equal(discovery.source, "path");
    assert.equal(
      program?.command,
      ending === ".exe" ? "D:\\a b\\claude.exe" : "D:\\a b\\bin\\real.exe",
    );
    assert.equal(discovery.attempts.at(-1)?.path, `D:\\a b\\claude${ending}`);
  }
}, { ids: ["D-06", "D-12", "W-02", "W-03"] });

test(
  "firstCandidate() runs the script behind a command file with Node",
  async () => {
    const files = { [`${NPM}\\claude.cmd`]: SHIM, [SCRIPT]: "js" };
    const env = { APPDATA: "C:\\Users\\me\\AppData\\Roaming" };
    const beside = { ...files, [`${NPM}\\node.exe`]: "MZ" };
    const inPath = { ...files, "C:\\nodejs\\node.exe": "MZ" };
    const cases = [
      [await windowsHost(beside, env), `${NPM}\\node.exe`],
      [
        await windowsHost(inPath, { ...env, PATH: "C:\\nodejs" }),
        "C:\\nodejs\\node.exe",
      ],
      [{ ...await windowsHost(files, env), name: "node" }, "C:\\deno.exe"],
    ] as const;
    for (const [host, command] of cases) {
      const { program } = await firstCandidate(host);
      assert.deepEqual(program, { cliPath: SCRIPT, command, args: [SCRIPT] });
    }
    const { discovery } = await firstCandidate(await windowsHost(files, env));
    const failed = discovery.attempts.find(({ outcome }) =>
      outcome === "failed"
    );
    assert.match(failed?.reason ?? "", /there is no node\.exe in PATH/);
  },
  { ids: ["D-04", "D-06", "W-02"] },
);

test(
  "open() hands arguments to the program behind a command file, never to a shell",
  async () => {
    const host = await windowsHost({
      "C:\\x y\\claude.cmd": '@"%~dp0\\claude.exe" %*',
      "C:\\x y\\claude.exe": "MZ",
    });
    const args = ["--title", '" & calc.exe & "', "%PATH%", "a\nb"];
    const started = await startOf(host, "C:/x y/claude.cmd", args);
    assert.equal(started.command, "C:\\x y\\claude.exe");
    assert.deepEqual(started.args, args);
  },
  { ids: ["D-06", "D-12", "E-15", "E-19", "W-03"] },
);

test("open() refuses a command file that names no program", async () => {
  const host = await windowsHost({
    "C:\\x\\claude.cmd": "@volta run %~n0 %*",
  });
  await assert.rejects(
    startOf(host, "C:\\x\\claude.cmd", []),
    (error: unknown) => {
      assert.ok(error instanceof CliNotFoundError);
      assert.match(error.message, /only a shell can start a command file/);
      return true;
    },
  );
}, { ids: ["D-06", "W-02"] });

test(
  "open() says before the start that a command line is too long",
  async () => {
    const host = await windowsHost({ "C:\\claude.exe": "MZ" });
    const args = ["--append-system-prompt", "x".repeat(33_000)];
    await assert.rejects(
      startOf(host, "C:\\claude.exe", args),
      (error: unknown) => {
        assert.ok(error instanceof CliError);
        assert.equal(error.code, "cli_connect");
        assert.match(
          error.message,
          /too long for Windows: 330\d\d characters, at most 32767; the longest part is "--append-system-prompt"/,
        );
        return true;
      },
    );
  },
  { ids: ["E-19"] },
);

test(
  "open() counts for Windows what escaping adds to a command line",
  async () => {
    const host = await windowsHost({ "C:\\claude.exe": "MZ" });
    const args = ["--append-system-prompt", '"'.repeat(16_500)];
    await assert.rejects(
      startOf(host, "C:\\claude.exe", args),
      /too long for Windows: 330\d\d characters, at most 32767; the longest part is "--append-system-prompt"/,
    );
  },
  { ids: ["E-19"] },
);

async function startOf(
  host: Host,
  cliPath: string,
  args: readonly string[],
) {
  const transport = cliTransport({
    host,
    settings: resolveOptions({ cliPath }),
    log: safeLogger(),
    metrics: safeMetrics(),
  });
  try {
    const launch = { args, env: {}, cwd: "C:\\work" };
    await transport.open(launch, new AbortController().signal);
  } catch (error) {
    const { cause } = error as { readonly cause?: unknown };
    if (cause instanceof Started) return cause.request;
    throw error;
  }
  throw new Error("Something was started");
}
