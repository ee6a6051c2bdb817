import { safeLogger, systemClock } from "@sluice/agent/extend";
import assert from "node:assert/strict";
import { stdioTransport } from "../../src/mcp/stdio.ts";
import type { SpawnRequest } from "../../src/ports/process.ts";
import { SpawnError, startChild } from "../../src/process/child.ts";
import type { McpStdioConfig } from "@sluice/agent";
import { machine, Started } from "../cli/_machine.ts";
import { rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";

const NODE = "C:\\Program Files\\nodejs";
const FILES = {
  [`${NODE}\\node.exe`]: "MZ",
  // For other systems; Windows cannot start it.
  [`${NODE}\\npx`]: "#!/bin/sh",
  [`${NODE}\\npx.cmd`]: "@node npx-cli.js %*",
  "C:\\work\\npx.exe": "of another program",
  "C:\\work\\tool\\run.bat": "@echo %*",
  "D:\\50%\\x.cmd": "@echo %*",
};
const ENV = {
  Path: `"C:\\Windows";${NODE}`,
  SystemRoot: "D:\\WINNT",
  PATHEXT: ".COM;.EXE;.BAT;.CMD;.VBS;.JS",
};

/** The program that would have been started for a configuration. */
async function startOf(config: McpStdioConfig): Promise<SpawnRequest> {
  const error = await failureOf(config);
  const { cause } = error as { readonly cause?: unknown };
  if (cause instanceof Started) return cause.request;
  throw error;
}

async function failureOf(config: McpStdioConfig): Promise<unknown> {
  const host = await machine(FILES, ENV);
  const transport = stdioTransport("srv", config, host, {
    cwd: "C:\\work",
    guardProcess: false,
    clock: systemClock,
    log: safeLogger(),
  });
  return await rejectionOf(
    transport.start({
      message: () => {},
      end: () => {},
      lost: () => {},
      sessionLost: () => {},
      gap: () => {},
    }),
  );
}

test("A stdio server named npx is run by cmd.exe on Windows, by the path of both", async () => {
  const args = ["-y", "some-server@1.2.3", "C:\\a b\\"];
  for (const command of ["npx", "npx.cmd", `${NODE}\\npx`]) {
    const started = await startOf({ command, args });
    assert.equal(started.command, "D:\\WINNT\\System32\\cmd.exe");
    assert.equal(started.isVerbatim, true);
    const [line = "", ...more] = started.args;
    assert.deepEqual(more, []);
    assert.equal(
      line.toLowerCase(),
      `/d /e:on /v:off /s /c ""${NODE}\\npx.cmd" -y some-server@1.2.3 "C:\\a b\\\\""`
        .toLowerCase(),
    );
  }
});

test("A stdio server that is a program is started as one on Windows, with its arguments as they are", async () => {
  const args = ['a "b"', "%PATH%"];
  for (const command of ["node", "node.exe", `${NODE}/node`]) {
    const started = await startOf({ command, args });
    assert.equal(started.command, `${NODE}\\node.exe`);
    assert.deepEqual(started.args, args);
    assert.equal(started.isVerbatim, undefined);
  }
});

test("A stdio server is looked for in PATH and not in the working directory, a path from there on", async () => {
  const path = await startOf({ command: ".\\tool\\run", args: [] });
  assert.match(path.args[0] ?? "", /^.* ""C:\\work\\tool\\run\.bat""$/);
  const own = { PATH: "C:\\work" };
  const { command } = await startOf({ command: "npx", env: own });
  assert.equal(command, "C:\\work\\npx.exe");
  const missing = await startOf({ command: "uvx", args: ["x"] });
  assert.deepEqual([missing.command, missing.args], ["uvx", ["x"]]);
});

test("No argument of a command file leaves its quotes, and no variable is put in", async () => {
  for (
    const [arg, shown] of [
      ["", '""'],
      ["plain-1.2/x:y", "plain-1.2/x:y"],
      ["two words", '"two words"'],
      ["a&b", '"a&b"'],
      ['" & calc.exe & "', '""" & calc.exe & """'],
      ['back\\"', '"back\\\\"""'],
      ["end\\", '"end\\\\"'],
      ["%PATH%", '"%%cd:~,%PATH%%cd:~,%"'],
      ["a^b|c>d!e", '"a^b|c>d!e"'],
      ["é", '"é"'],
    ] as const
  ) {
    const { args } = await startOf({ command: "npx", args: [arg] });
    const [line = ""] = args;
    const [, said] = /npx\.cmd" (.*)"$/is.exec(line) ?? [];
    assert.equal(said, shown);
  }
  const { args } = await startOf({ command: "D:\\50%\\x.cmd" });
  assert.match(args[0] ?? "", /""D:\\50%%cd:~,%\\x\.cmd""$/);
});

test("A command file is refused what cmd.exe would cut off, with a word of what helps", async () => {
  for (
    const [arg, message] of [
      [
        "a\nb",
        /takes no argument with a line break in it: ".*npx\.cmd"; name/i,
      ],
      ["a\rb", /line break/],
      ["a\0b", /line break/],
      [
        "x".repeat(8_200),
        /too long for a command file: 8\d\d\d characters of 8191/,
      ],
    ] as const
  ) {
    const error = await failureOf({ command: "npx", args: [arg] });
    assert.ok(error instanceof SpawnError);
    assert.match(error.message, message);
  }
});

test("A path that leads nowhere is a missing program, also where the system's error does not say so", async () => {
  const host = await machine({});
  const folder = {
    kind: "directory",
    size: 0,
    modifiedMs: 0,
    isOpenToAll: false,
  } as const;
  const status = (path: string) =>
    Promise.resolve(path === "C:\\work" ? folder : undefined);
  const request = {
    command: "C:\\no\\such.exe",
    args: [],
    cwd: "C:\\work",
    env: {},
  };
  const error = await rejectionOf(
    startChild({ ...host, files: { ...host.files, status } }, request, {
      stderr: { tailBytes: 10, linesPerSecond: 1, warnBytes: 10 },
      forwardSignals: false,
      clock: systemClock,
      log: safeLogger(),
    }),
  );
  assert.ok(error instanceof SpawnError);
  assert.equal(error.failure, "missing");
  assert.equal(error.message, 'Program does not exist: "C:\\no\\such.exe"');
});
