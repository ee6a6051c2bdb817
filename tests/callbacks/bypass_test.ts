import assert from "node:assert/strict";
import { ConfigError } from "../../src/errors/config.ts";
import { query } from "../../src/query.ts";
import type { AgentOptions } from "../../src/types/options.ts";
import { rejectionOf } from "../_collect.ts";
import { memoryCli } from "../conversation/_rig.ts";
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

test("setPermissionMode() does not bypass permissions without allowBypass", async () => {
  for (const allowBypass of [false, true]) {
    const { transport } = memoryCli({ set_permission_mode: {} });
    const conversation = query("x", {
      transport,
      permissions: { allowBypass },
    });
    await conversation.ready;
    const calls = [
      () => conversation.setPermissionMode("bypassPermissions"),
      () =>
        conversation.request("set_permission_mode", {
          mode: "bypassPermissions",
        }),
    ];
    for (const call of calls) {
      if (allowBypass) {
        await call();
        continue;
      }
      const error = await rejectionOf(call());
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, /permissions\.allowBypass/);
    }
    await conversation.setPermissionMode("plan");
    await conversation.close();
  }
});
