import assert from "node:assert/strict";
import { resolveOptions } from "../../src/options/resolve.ts";
import { optionWarnings } from "../../src/options/warnings.ts";
import type { AgentOptions } from "../../src/types/options.ts";
import { test } from "../_harness.ts";

function warnings(options: AgentOptions): readonly string[] {
  return optionWarnings(resolveOptions(options));
}

const canUseTool = () => ({ behavior: "allow" as const });

test("optionWarnings() is silent about options that work", () => {
  assert.deepEqual(warnings({}), []);
  assert.deepEqual(
    warnings({
      hooks: { PreToolUse: [] },
      permissions: { canUseTool, mode: "plan" },
      mcpServers: { a: { command: "x", connectTimeoutMs: 1 } },
    }),
    [],
  );
});

test("optionWarnings() names hooks that are never called", () => {
  const found = warnings({ hooks: { SessionStart: [], Setup: [], Stop: [] } });
  assert.equal(found.length, 2);
  assert.match(found[0] ?? "", /SessionStart/);
});

test("optionWarnings() names a callback that is never asked", () => {
  for (const mode of ["dontAsk", "bypassPermissions"] as const) {
    const permissions = { canUseTool, mode, allowBypass: true };
    assert.match(warnings({ permissions })[0] ?? "", new RegExp(mode));
    assert.deepEqual(
      warnings({ permissions: { mode, allowBypass: true } }),
      [],
    );
  }
});

test("optionWarnings() names a limit that the CLI does not know", () => {
  const docs = { command: "x", via: "cli", connectTimeoutMs: 1 } as const;
  assert.match(warnings({ mcpServers: { docs } })[0] ?? "", /mcpServers\.docs/);
});

test("optionWarnings() names tools that nobody knows", () => {
  assert.deepEqual(
    warnings({ deniedTools: "webfetch, Bash(rm:*), mcp__x, Web*" }),
    [
      'deniedTools names "webfetch", which is no known tool, the nearest one is "WebFetch"',
    ],
  );
  assert.deepEqual(
    warnings({
      allowedTools: ["Task", "Skill(pdf)", "Zzz(x)"],
      tools: ["Bahs"],
      permissions: { approve: ["Raed"] },
    }),
    [
      'allowedTools names "Zzz", which is no known tool',
      'permissions.approve names "Raed", which is no known tool, the nearest one is "Read"',
      'tools names "Bahs", which is no known tool, the nearest one is "Bash"',
    ],
  );
});
