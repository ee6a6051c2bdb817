import assert from "node:assert/strict";
import { notFound } from "../../src/cli/report.ts";
import type { DiscoveryAttempt } from "@sluice/agent";
import { test } from "../_harness.ts";

test("notFound() names every place, what is wrong first", () => {
  const text = notFound({
    executable: false,
    warnings: [],
    attempts: [
      { path: "/a/claude", source: "path", outcome: "missing" },
      {
        path: "/b/claude",
        source: "path",
        outcome: "not-executable",
        reason: 'permission denied: run chmod +x "/b/claude"',
      },
      { path: "/c/claude", source: "usual-place", outcome: "missing" },
    ],
  }).message;
  assert.equal(
    text,
    `Claude CLI not found: "/b/claude" cannot be executed (permission denied: run chmod +x "/b/claude"); install it (npm install -g @anthropic-ai/claude-code), or name it in option "cliPath" or CLAUDE_CLI_PATH; places without one:\n  "/a/claude"\n  "/c/claude"\n (stage: discovery)`,
  );
}, { ids: ["D-15"] });

test("notFound() blames the option or the variable that named the CLI", () => {
  const attempt: DiscoveryAttempt = {
    path: "/x",
    source: "option",
    outcome: "broken-link",
    reason: 'points to "/y"',
  };
  const rest = { executable: false, warnings: [] };
  assert.equal(
    notFound({ ...rest, attempts: [attempt] }).message,
    `Claude CLI not found: option "cliPath" does not lead to one, "/x" is a broken link (points to "/y") (stage: discovery)`,
  );
  assert.equal(
    notFound({
      ...rest,
      attempts: [{ path: "/x", source: "environment", outcome: "missing" }],
    }).message,
    `Claude CLI not found: CLAUDE_CLI_PATH does not lead to one, "/x" does not exist (stage: discovery)`,
  );
});

test("notFound() carries the whole trace", () => {
  const attempts: readonly DiscoveryAttempt[] = [
    { path: "/a/claude", source: "path", outcome: "missing" },
  ];
  const discovery = { executable: false, attempts, warnings: [] };
  const error = notFound(discovery, { processInfo: { host: "bun 1.4.4" } });
  assert.deepEqual(error.details, { tried: ["/a/claude"] });
  assert.equal(error.code, "cli_not_found");
  assert.equal(error.stage, "discovery");
  assert.equal(error.discovery, discovery);
  assert.match(error.message, /stage: discovery, host: bun 1\.4\.4/);
}, { ids: ["D-15", "E-05", "E-06"] });
