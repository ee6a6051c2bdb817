import assert from "node:assert/strict";
import type { DiscoveryAttempt } from "@sluice/agent";
import { notFound } from "../../src/cli/report.ts";
import { test } from "../_harness.ts";

function errorFor(...attempts: readonly DiscoveryAttempt[]) {
  const discovery = { executable: false, warnings: [], attempts };
  return notFound(discovery, { processInfo: { host: "bun 1.4.4" } });
}

const END = " (stage: discovery, host: bun 1.4.4)";

test(
  "notFound() names every place, the broken ones first, and carries the whole trace",
  () => {
    const reason = 'permission denied: run chmod +x "/b/claude"';
    const attempts: readonly DiscoveryAttempt[] = [
      { path: "/a/claude", source: "path", outcome: "missing" },
      { path: "/b/claude", source: "path", outcome: "not-executable", reason },
      { path: "/c/claude", source: "usual-place", outcome: "missing" },
    ];
    const error = errorFor(...attempts);
    assert.equal(
      error.message,
      `Claude CLI not found: "/b/claude" cannot be executed (${reason}); install it (npm install -g @anthropic-ai/claude-code), or name it in option "cliPath" or CLAUDE_CLI_PATH; places without one:\n  "/a/claude"\n  "/c/claude"\n${END}`,
    );
    assert.deepEqual([error.code, error.stage], ["cli_not_found", "discovery"]);
    assert.deepEqual(error.details, {
      tried: ["/a/claude", "/b/claude", "/c/claude"],
    });
    assert.deepEqual(error.discovery.attempts, attempts);
  },
  { ids: ["D-15", "E-05", "E-06"] },
);

test("notFound() blames the option or the variable that named the CLI", () => {
  const reason = 'points to "/y"';
  assert.equal(
    errorFor({ path: "/x", source: "option", outcome: "broken-link", reason })
      .message,
    `Claude CLI not found: option "cliPath" does not lead to one, "/x" is a broken link (${reason})${END}`,
  );
  assert.equal(
    errorFor({ path: "/x", source: "environment", outcome: "missing" }).message,
    `Claude CLI not found: CLAUDE_CLI_PATH does not lead to one, "/x" does not exist${END}`,
  );
});
