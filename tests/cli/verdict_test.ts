import assert from "node:assert/strict";
import {
  CliExitError,
  type ExitReport,
  SessionNotFoundError,
} from "@sluice/agent";
import { type Seen, verdict } from "../../src/cli/verdict.ts";
import { TESTED_VERSION } from "../_real_cli.ts";
import { test } from "../_harness.ts";

const ended: ExitReport = { code: 0, signal: null, stderrTail: "" };
const killed: ExitReport = { code: null, signal: "SIGKILL", stderrTail: "" };
const seen: Seen = {
  ready: true,
  results: 1,
  lastIsError: false,
  hasSpoken: false,
  hasMore: false,
  unanswered: [],
};

test("verdict() explains an end with a result, one without a question, and a stop of our own", () => {
  const failed = { ...seen, lastIsError: true };
  const nothing = { ...seen, ready: false, results: 0 };
  for (
    const [report, what] of [
      [ended, seen],
      [ended, failed],
      [{ ...ended, code: 1 }, failed],
      [ended, { ...seen, results: 0 }],
      ...[ended, killed, { ...ended, code: 143 }].map((one) =>
        [{ ...one, reason: "closed" }, nothing] as const
      ),
    ] as const
  ) assert.equal(verdict(report, what, () => ({})), undefined);
});

test("verdict() names stage, cause, pid, runtime, path and stderr", () => {
  const report = { ...ended, code: 3, stderrTail: "first\nconfig is broken\n" };
  const error = verdict(report, { ...seen, ready: false, results: 0 }, () => ({
    cliPath: "/opt/claude",
    command: ["/opt/claude", "--verbose"],
    environment: ["HOME", "PATH"],
    processInfo: { pid: 42, runtimeMs: 7, host: "node 20.20.0" },
  }));
  assert.equal(
    error?.message,
    `CLI exited before initialize was answered: exit code 3 (stage: exit, pid: 42, runtime: 7 ms, host: node 20.20.0, cli: "/opt/claude", stderr: "config is broken")`,
  );
  assert.equal(error.stage, "exit");
  assert.equal(error.code, "cli_exit");
  assert.equal(error.stderrTail, report.stderrTail);
  assert.deepEqual(error.command, ["/opt/claude", "--verbose"]);
  assert.deepEqual(error.environment, ["HOME", "PATH"]);
  assert.deepEqual(error.processInfo, {
    pid: 42,
    runtimeMs: 7,
    host: "node 20.20.0",
  });
}, { ids: ["E-05", "E-06", "P-01"] });

test("verdict() says which CLI knows the flag that it ended for, or that it may be another program", () => {
  const none = { ...seen, ready: false, results: 0 };
  const textFor = (
    report: Partial<ExitReport>,
    version?: string,
    cliPath: string | undefined = "/bin/x",
  ) =>
    verdict(
      { ...ended, ...report },
      { ...none, version },
      () => cliPath === "" ? {} : { cliPath },
    )?.message ?? "";
  const unknown = (flag: string, version?: string) =>
    textFor(
      { code: 1, stderrTail: `error: unknown option '${flag}'\n` },
      version,
    );
  assert.match(
    unknown("--project-config-root"),
    /--project-config-root needs CLI 2\.1\.300 or later, and "\/bin\/x" is older: update it/,
  );
  assert.doesNotMatch(unknown("--x"), /update/);
  assert.match(
    unknown("--x", "2.1.300"),
    /; "\/bin\/x" is 2\.1\.300, which does not know the flag --x: update it \(claude update\), or leave it out/,
  );
  assert.match(
    unknown("--x", TESTED_VERSION),
    /, which does not know the flag --x: leave it out/,
  );
  assert.match(
    textFor({}),
    /exit code 0; "\/bin\/x" ended without speaking the protocol: look whether it is the Claude Code CLI/,
  );
  assert.match(textFor({}, undefined, ""), /; this one ended without/);
  for (
    const text of [
      textFor({ code: 1 }),
      textFor(killed),
      textFor({}, "2.1.330"),
    ]
  ) assert.doesNotMatch(text, /protocol/);
});

test("verdict() of a session that does not exist names it, where the CLI says so in a line of its own", () => {
  const none = { ...seen, ready: false, results: 0, unanswered: ["x"] };
  const judge = (line: string, resume?: string, ready = false) =>
    verdict(
      { code: 1, signal: null, stderrTail: `warning\n${line}\r\n` },
      { ...none, ready, resume },
      () => ({ cliPath: "/bin/claude" }),
    );
  const line = "No conversation found with session ID: a-b";
  const error = judge(line, "a-b");
  assert.ok(error instanceof SessionNotFoundError);
  assert.equal(error.sessionId, "a-b");
  assert.equal(error.exitCode, 1);
  assert.equal(error.cliPath, "/bin/claude");
  assert.match(error.message, /Session not found: "a-b"; check the id/);
  for (
    const other of [
      judge(line),
      judge(line, "a"),
      judge(`${line}c`, "a-b"),
      judge(`He said: ${line}`, "a-b"),
      judge(line, "a-b", true),
    ]
  ) {
    assert.ok(other instanceof CliExitError);
    assert.equal(other.code, "cli_exit");
  }
});
