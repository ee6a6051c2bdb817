import assert from "node:assert/strict";
import type { AgentOptions, PermissionContext } from "@sluice/agent";
import { test } from "../_harness.ts";
import { asking } from "./_asking.ts";

const BYPASS = {
  type: "setMode",
  mode: "bypassPermissions",
  destination: "session",
} as const;
const ALLOW = {
  behavior: "allow",
  updatedPermissions: [BYPASS],
} as const;

const HELD = { permission_suggestions: [BYPASS] };
const REQUEST = {
  subtype: "can_use_tool",
  tool_name: "Bash",
  input: {},
  tool_use_id: "t",
} as const;

/** Answers to the CLI of a permission callback and of a hook that want everything allowed. */
async function answers(
  permissions: AgentOptions["permissions"],
  permission_suggestions: readonly typeof BYPASS[] = [],
): Promise<readonly string[]> {
  const { ask, close } = await asking({
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
  const given = [
    await ask({ ...REQUEST, permission_suggestions }),
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
  await close();
  return given;
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

test("additions of a callback to its suggestions are not suggestions of the CLI", async () => {
  const plan = { type: "setMode", mode: "plan" };
  const ways: readonly ((context: PermissionContext) => void)[] = [
    ({ raw }) => (raw.permission_suggestions as unknown[]).push(BYPASS),
    ({ suggestions }) => (suggestions as unknown[]).push(BYPASS),
    ({ raw }) => Object.assign(raw, { permission_suggestions: [BYPASS] }),
    (context) => Object.assign(context, { raw: { ...REQUEST, ...HELD } }),
    ({ suggestions }) => Object.assign(suggestions?.[0] ?? {}, BYPASS),
  ];
  for (const isLater of [false, true]) {
    for (const [index, add] of ways.entries()) {
      const { ask, close } = await asking({
        permissions: {
          canUseTool: (_tool, _input, context) => {
            add(context);
            return isLater ? Promise.resolve(ALLOW) : ALLOW;
          },
        },
      });
      const answer = await ask(
        structuredClone({ ...REQUEST, permission_suggestions: [plan] }),
      );
      assert.match(
        JSON.stringify(answer),
        /"behavior":"deny".*needs permissions\.allowBypass/,
        `way ${index}`,
      );
      await close();
    }
  }
  const { ask, close } = await asking({
    hooks: {
      PermissionRequest: [{
        hooks: [(input) => {
          (input.permission_suggestions as unknown[]).push(BYPASS);
          return {
            hookSpecificOutput: {
              hookEventName: "PermissionRequest",
              decision: ALLOW,
            },
          };
        }],
      }],
    },
  });
  for (const permission_suggestions of [[], [plan]]) {
    const answer = await ask({
      subtype: "hook_callback",
      callback_id: "hook_0",
      input: {
        hook_event_name: "PermissionRequest",
        tool_name: "Bash",
        tool_input: {},
        permission_suggestions: [...permission_suggestions],
      },
    });
    assert.match(
      JSON.stringify(answer),
      /"behavior":"deny".*needs permissions\.allowBypass/,
    );
  }
  await close();
});
