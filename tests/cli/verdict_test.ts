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

test("verdict() gives every other end a reason in words", () => {
  const none = { ...seen, results: 0, unanswered: ["x"] };
  const cases: readonly (readonly [ExitReport, Seen, string])[] = [
    [ended, { ...none, ready: false }, "exited before initialize was answered"],
    [
      killed,
      { ...none, ready: false },
      "exited before initialize was answered",
    ],
    [ended, none, "exited without a result"],
    [{ ...ended, code: 3 }, none, "exited without a result"],
    [{ ...ended, code: 1 }, seen, "exited with a code that nothing explains"],
    [
      { ...ended, code: 2 },
      { ...seen, lastIsError: true },
      "exited with a code that nothing explains",
    ],
    [
      killed,
      seen,
      "was ended by a signal that was not sent by this conversation",
    ],
    [
      ended,
      { ...seen, unanswered: ["a", "b"] },
      "exited with 2 prompts without an answer",
    ],
    [
      { ...ended, code: null },
      none,
      "exited without a result",
    ],
  ];
  for (const [report, what, reason] of cases) {
    const error = verdict(report, what, () => ({}));
    assert.equal(error?.reason, reason);
    assert.equal(error.exitCode, report.code);
    assert.equal(error.signal, report.signal);
  }
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

test("verdict() says which CLI knows the flag that it ended for", () => {
  const stderrTail = "error: unknown option '--project-config-root'\n";
  const none = { ...seen, ready: false, results: 0 };
  const context = { cliPath: "/opt/claude" };
  const { message } = verdict(
    { ...ended, code: 1, stderrTail },
    none,
    () => context,
  ) ?? {};
  assert.match(
    message ?? "",
    /--project-config-root needs CLI 2\.1\.300 or later/,
  );
  assert.match(message ?? "", /"\/opt\/claude" is older: update it/);
  const other = {
    ...ended,
    code: 1,
    stderrTail: "error: unknown option '--x'",
  };
  assert.doesNotMatch(
    verdict(other, none, () => context)?.message ?? "",
    /update/,
  );
  const saying = (version: string) =>
    verdict(other, { ...none, version }, () => context)?.message ?? "";
  assert.match(
    saying("2.1.300"),
    /; "\/opt\/claude" is 2\.1\.300, which does not know the flag --x: update it \(claude update\), or leave it out/,
  );
  assert.match(
    saying(TESTED_VERSION),
    /, which does not know the flag --x: leave it out/,
  );
});

test("verdict() says of a program that ends in peace without the protocol that it may be another one", () => {
  const silent = { ...seen, ready: false, results: 0 };
  const where = { cliPath: "/bin/true" };
  const hint =
    /exit code 0; "\/bin\/true" ended without speaking the protocol: look whether it is the Claude Code CLI/;
  assert.match(verdict(ended, silent, () => where)?.message ?? "", hint);
  assert.match(
    verdict(ended, silent, () => ({}))?.message ?? "",
    /; this one ended without/,
  );
  for (
    const [report, told] of [
      [{ ...ended, code: 1 }, silent],
      [killed, silent],
      [ended, { ...silent, version: "2.1.330" }],
    ] as const
  ) {
    assert.doesNotMatch(
      verdict(report, told, () => where)?.message ?? "",
      /protocol/,
    );
  }
});

test("verdict() of a session that does not exist names it, where the CLI says so in a line of its own", () => {
  const none = { ...seen, ready: false, results: 0, unanswered: ["x"] };
  const judge = (line: string, wanted: Seen["wanted"], ready = false) =>
    verdict(
      { code: 1, signal: null, stderrTail: `warning\n${line}\r\n` },
      { ...none, ready, wanted: wanted ?? {} },
      () => ({ cliPath: "/bin/claude" }),
    );
  const line = "No conversation found with session ID: a-b";
  const error = judge(line, { resume: "a-b" });
  assert.ok(error instanceof SessionNotFoundError);
  assert.equal(error.sessionId, "a-b");
  assert.equal(error.exitCode, 1);
  assert.equal(error.cliPath, "/bin/claude");
  assert.match(error.message, /Session not found: "a-b"; check the id/);
  const newest = judge("No conversation found to continue", { continue: true });
  assert.ok(newest instanceof SessionNotFoundError);
  assert.equal(newest.sessionId, undefined);
  assert.match(newest.message, /"continue" found none/);
  for (
    const other of [
      judge(line, {}),
      judge(line, { resume: "a" }),
      judge(`${line}c`, { resume: "a-b" }),
      judge(`He said: ${line}`, { resume: "a-b" }),
      judge(line, { resume: "a-b" }, true),
      judge("No conversation found to continue", { resume: "a-b" }),
      judge("No conversation found to continue", { continue: false }),
    ]
  ) {
    assert.ok(other instanceof CliExitError);
    assert.equal(other.code, "cli_exit");
  }
});
