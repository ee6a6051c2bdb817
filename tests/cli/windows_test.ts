import { safeLogger } from "@sluice/agent/extend";
import assert from "node:assert/strict";
import { CliError, CliNotFoundError } from "@sluice/agent";
import { firstCandidate } from "../../src/cli/search.ts";
import { cliTransport } from "../../src/cli/transport.ts";
import { safeMetrics } from "../../src/observe/metrics.ts";
import { resolveOptions } from "../../src/options/resolve.ts";
import type { Host } from "../../src/ports/host.ts";
import { test } from "../_harness.ts";
import { machine, Started } from "./_machine.ts";

const NPM = "C:\\Users\\me\\AppData\\Roaming\\npm";
const PACKAGE = "node_modules\\@anthropic-ai\\claude-code";
const SCRIPT = `${NPM}\\${PACKAGE}\\cli.js`;
const NODE = "C:\\nodejs\\node.exe";

const NPM_EXE = `@ECHO off\r
GOTO start\r
:find_dp0\r
SET dp0=%~dp0\r
EXIT /b\r
:start\r
SETLOCAL\r
CALL :find_dp0\r
"%dp0%\\${PACKAGE}\\bin\\claude.exe"   %*\r
`;
const NPM_SCRIPT = `IF EXIST "%dp0%\\node.exe" (\r
  SET "_prog=%dp0%\\node.exe"\r
) ELSE (\r
  SET "_prog=node"\r
)\r
endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\\${PACKAGE}\\cli.js" %*\r
`;
const PNPM = `@IF EXIST "%~dp0\\node.exe" (\r
  "%~dp0\\node.exe"  "%~dp0\\${PACKAGE}\\cli.js" %*\r
) ELSE (\r
  node  "%~dp0\\${PACKAGE}\\cli.js" %*\r
)\r
`;

test(
  "The program behind a command file of npm, pnpm or yarn is started, a script with Node",
  async () => {
    const exe = `${NPM}\\${PACKAGE}\\bin\\claude.exe`;
    const env = { APPDATA: "C:\\Users\\me\\AppData\\Roaming" };
    const inPath = { ...env, PATH: "C:\\nodejs" };
    const shims = (text: string, more: Record<string, string>) => ({
      [`${NPM}\\claude.cmd`]: text,
      [exe]: "MZ",
      [SCRIPT]: "js",
      ...more,
    });
    const beside = `${NPM}\\node.exe`;
    for (
      const [text, more, variables, command] of [
        [NPM_EXE, {}, env, exe],
        [NPM_SCRIPT, { [NODE]: "MZ" }, inPath, NODE],
        [NPM_SCRIPT, { [beside]: "MZ" }, env, beside],
        [PNPM, { [NODE]: "MZ" }, inPath, NODE],
      ] as const
    ) {
      const host = await machine(shims(text, more), variables);
      const { program } = await firstCandidate(host);
      const args = command === exe ? [] : [SCRIPT];
      const cliPath = command === exe ? exe : SCRIPT;
      assert.deepEqual(program, { cliPath, command, args });
    }
    const host = await machine(shims(NPM_SCRIPT, {}), env);
    const own = await firstCandidate({ ...host, name: "node" });
    assert.equal(own.program?.command, "C:\\deno.exe");
    const { discovery: { attempts } } = await firstCandidate(host);
    const failed = attempts.find(({ outcome }) => outcome === "failed");
    assert.match(failed?.reason ?? "", /there is no node\.exe in PATH/);
  },
  { ids: ["D-04", "D-06", "W-02", "W-03"] },
);

test(
  ".exe, .cmd and .bat in PATH are found; elsewhere a command file is a program",
  async () => {
    for (const ending of [".exe", ".CMD", ".bat"]) {
      const path = `D:\\a b\\claude${ending.toLowerCase()}`;
      const host = await machine({
        [path]: ending === ".exe" ? "MZ" : '"%~dp0\\bin\\real.exe" %*',
        "D:\\a b\\bin\\real.exe": "MZ",
      }, { Path: "C:\\Windows;D:/a b" });
      const { discovery, program } = await firstCandidate(host);
      const real = "D:\\a b\\bin\\real.exe";
      assert.equal(program?.command, ending === ".exe" ? path : real);
      assert.equal(discovery.attempts.at(-1)?.path, path);
    }
    const linux = { platform: "linux", cwd: () => "/" };
    const host = await machine({ "/x/claude.cmd": "MZ" }, {}, linux);
    const { program } = await firstCandidate(host, {
      cliPath: "/x/claude.cmd",
    });
    assert.equal(program?.command, "/x/claude.cmd");
  },
  { ids: ["D-06", "D-12", "W-02", "W-03"] },
);

test(
  "Arguments go to the program behind a command file, never to a shell",
  async () => {
    const host = await machine({
      "C:\\x y\\claude.cmd": '@"%~dp0\\claude.exe" %*',
      "C:\\x y\\claude.exe": "MZ",
    });
    const args = ["--title", '" & calc.exe & "', "%PATH%", "a\nb"];
    const started = await startOf(host, "C:/x y/claude.cmd", args);
    assert.equal(started.command, "C:\\x y\\claude.exe");
    assert.deepEqual(started.args, args);
    const other = await machine({ "C:\\x\\claude.cmd": "@volta run %~n0 %*" });
    const starting = startOf(other, "C:\\x\\claude.cmd", []);
    await assert.rejects(starting, (error) => {
      assert.ok(error instanceof CliNotFoundError);
      assert.match(error.message, /only a shell can start a command file/);
      return true;
    });
  },
  { ids: ["D-06", "D-12", "E-15", "E-19", "W-02", "W-03"] },
);

test(
  "A command line that is too long for Windows, with its escapes, is refused before the start",
  async () => {
    const host = await machine({ "C:\\claude.exe": "MZ" });
    for (const long of ["x".repeat(33_000), '"'.repeat(16_500)]) {
      const args = ["--append-system-prompt", long];
      await assert.rejects(startOf(host, "C:\\claude.exe", args), (error) => {
        assert.ok(error instanceof CliError && error.code === "cli_connect");
        assert.match(
          error.message,
          /too long for Windows: 330\d\d characters, at most 32767; the longest part is "--append-system-prompt"/,
        );
        return true;
      });
    }
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
