import assert from "node:assert/strict";
import type { AgentOptions } from "../../src/types/options.ts";
import { test } from "../_harness.ts";
import { rig } from "./_rig.ts";

const BYPASS = {
  type: "setMode",
  mode: "bypassPermissions",
  destination: "session",
} as const;
const ALLOW = {
  behavior: "allow",
  updatedPermissions: [BYPASS],
} as const;

/** What the CLI is answered by a permission callback and by a hook that want everything allowed. */
async function answers(
  permissions: AgentOptions["permissions"],
  permission_suggestions: readonly typeof BYPASS[] = [],
): Promise<readonly string[]> {
  const { ask } = rig({
    permissions: { ...permissions, canUseTool: () => ALLOW },
    hooks: {
      PermissionRequest: [{
        hooks: [() => ({
          hookSpecificOutput: {
            hookEventName: "PermissionRequest",
            decision: ALLOW,
          },
        })],
      }],
    },
  });
  return [
    await ask({
      subtype: "can_use_tool",
      tool_name: "Bash",
      input: {},
      tool_use_id: "t",
      permission_suggestions,
    }),
    await ask({
      subtype: "hook_callback",
      callback_id: "hook_0",
      input: {
        hook_event_name: "PermissionRequest",
        tool_name: "Bash",
        tool_input: {},
        permission_suggestions,
      },
    }),
  ].map((one) => JSON.stringify(one));
}

test("neither a permission callback nor a hook bypasses permissions without allowBypass, unless the CLI suggested it", async () => {
  for (const answer of await answers({})) {
    assert.match(answer, /"behavior":"deny".*needs permissions\.allowBypass/);
  }
  for (
    const answer of [
      ...await answers({ allowBypass: true }),
      ...await answers({}, [BYPASS]),
    ]
  ) assert.match(answer, /"behavior":"allow".*bypassPermissions/);
});
