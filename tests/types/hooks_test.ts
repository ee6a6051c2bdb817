import assert from "node:assert/strict";
import type {
  AgentOptions,
  HookCallback,
  HookEvent,
  HookInput,
  HookInputs,
  HookMatcher,
  HookOutput,
  HookOutputFields,
} from "@sluice/agent";
import { test } from "../_harness.ts";
import { holds, type Same } from "./_same.ts";

const PRE_TOOL_USE: HookInput<"PreToolUse"> = {
  hook_event_name: "PreToolUse",
  session_id: "s1",
  transcript_path: "/home/user/s1.jsonl",
  cwd: "/home/user/project",
  tool_name: "Bash",
  tool_input: { command: "ls" },
  tool_use_id: "t1",
};

test("each event of hooks has an output, and names itself in its input", () => {
  holds<Same<keyof HookOutputFields, HookEvent>>();
  holds<
    Same<
      { readonly [E in HookEvent]: HookInputs[E]["hook_event_name"] },
      { readonly [E in HookEvent]: E }
    >
  >();
});

test("HookInput narrows by hook_event_name when the event is open", () => {
  function subject(input: HookInput): string {
    switch (input.hook_event_name) {
      case "PreToolUse":
      case "PostToolUse":
        return input.tool_name;
      case "Stop":
        return `${input.stop_hook_active}`;
      default:
        return input.hook_event_name;
    }
  }
  assert.equal(subject(PRE_TOOL_USE), "Bash");
});

test("HookOutput takes what its event knows when the event is given", () => {
  const deny: HookOutput<"PreToolUse"> = {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
    },
  };
  const later: HookOutput<"PreToolUse"> = { async: true, asyncTimeout: 5_000 };
  const nothing: HookOutput<"SessionEnd"> = {};
  const silent: HookCallback = () => {};
  assert.equal(silent.length, 0);
  const alien: HookOutput<"Stop"> = {
    // @ts-expect-error The output of another event.
    hookSpecificOutput: { hookEventName: "PreToolUse" },
  };
  const open: HookOutput<"WorktreeCreate"> = {
    // @ts-expect-error The path is required.
    hookSpecificOutput: { hookEventName: "WorktreeCreate" },
  };
  assert.deepEqual(
    [deny, later, nothing, alien, open].map((output) =>
      output !== undefined && "async" in output
    ),
    [false, true, false, false, false],
  );
});

test("AgentOptions.hooks takes callbacks of one event and of all when they are mixed", async () => {
  const names: string[] = [];
  const any: HookCallback = (input) => {
    names.push(input.hook_event_name);
    return {};
  };
  const one: HookCallback<"PreToolUse"> = (input) => {
    names.push(input.tool_name);
    return {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "ask",
      },
    };
  };
  const matcher: HookMatcher = { hooks: [any] };
  const hooks: AgentOptions["hooks"] = {
    PreToolUse: [
      matcher,
      {
        matcher: "Bash",
        timeoutMs: 1_000,
        onFailure: "block",
        hooks: [any, one, (input) => {
          names.push(input.tool_use_id);
          return Promise.resolve({ decision: "block" });
        }],
      },
    ],
    Stop: [matcher],
  };
  const table: Partial<Record<HookEvent, readonly HookMatcher[]>> = {
    Stop: [matcher],
  };
  const alsoHooks: AgentOptions["hooks"] = table;
  const context = { signal: new AbortController().signal };
  for (const { hooks: callbacks } of hooks?.PreToolUse ?? []) {
    for (const callback of callbacks) await callback(PRE_TOOL_USE, context);
  }
  assert.deepEqual(names, ["PreToolUse", "PreToolUse", "Bash", "t1"]);
  assert.equal(alsoHooks?.Stop?.length, 1);
});
