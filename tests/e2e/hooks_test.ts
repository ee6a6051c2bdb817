import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Deferred } from "../../src/async/deferred.ts";
import { HOOK_EVENTS } from "../../src/options/hook_fields.ts";
import { query } from "../../src/query.ts";
import type {
  HookCallback,
  HookEvent,
  HookInput,
} from "../../src/types/hooks.ts";
import type { AgentOptions } from "../../src/types/options.ts";
import { resultText } from "../_clients.ts";
import { collect } from "../_collect.ts";
import {
  ALLOW,
  bash,
  ofType,
  realTest,
  systemKinds,
  toolResults,
  withRealClient,
} from "./_real.ts";

/** Hooks of all events that note what they are called with, and decide nothing. */
function noting(): {
  readonly hooks: NonNullable<AgentOptions["hooks"]>;
  readonly events: () => readonly HookEvent[];
  of<E extends HookEvent>(event: E): readonly HookInput<E>[];
} {
  const inputs: HookInput[] = [];
  const note: HookCallback = (input) => {
    inputs.push(input);
    return {};
  };
  // Whoever listens to this one has to make a worktree.
  const events = HOOK_EVENTS.filter((event) => event !== "WorktreeCreate");
  return {
    hooks: Object.fromEntries(
      events.map((event) => [event, [{ hooks: [note] }]]),
    ),
    events: () => inputs.map(({ hook_event_name: name }) => name),
    of: <E extends HookEvent>(event: E) =>
      inputs.filter((input) =>
        input.hook_event_name === event
      ) as unknown as readonly HookInput<E>[],
  };
}

realTest(
  "hooks of prompt, tools, subagent, display and stop are called in a turn",
  [
    bash("touch one.txt"),
    bash("false"),
    {
      tool: "Agent",
      input: {
        description: "Help",
        prompt: "Help, please",
        subagent_type: "helper",
        run_in_background: false,
      },
    },
    { text: "Helped.", match: { system: "HELPER" } },
    "All done.",
  ],
  async ({ options, cwd }) => {
    const noted = noting();
    const result = await query("Go", {
      ...options,
      ...ALLOW,
      hooks: noted.hooks,
      agents: { helper: { description: "Helps", prompt: "HELPER" } },
    }).result();
    assert.equal(resultText(result), "All done.");
    const events = noted.events();
    for (
      const event of [
        "UserPromptSubmit",
        "PreToolUse",
        "PermissionRequest",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "SubagentStart",
        "SubagentStop",
        "MessageDisplay",
        "Stop",
      ] as const
    ) assert.ok(events.includes(event), `${event} was not called`);
    assert.equal(events[0], "UserPromptSubmit");
    const [submitted] = noted.of("UserPromptSubmit");
    assert.equal(submitted?.prompt, "Go");
    assert.equal(submitted?.cwd, cwd);
    assert.equal(submitted?.session_id, result.session_id);
    const [before] = noted.of("PreToolUse");
    const [after] = noted.of("PostToolUse");
    assert.equal(before?.tool_name, "Bash");
    assert.deepEqual(before?.tool_input["command"], "touch one.txt");
    assert.equal(after?.tool_use_id, before?.tool_use_id);
    assert.match(String(noted.of("PostToolUseFailure")[0]?.error), /1/);
    assert.equal(noted.of("PostToolBatch")[0]?.tool_calls.length, 1);
    assert.equal(noted.of("SubagentStart")[0]?.agent_type, "helper");
    const [stopped] = noted.of("Stop");
    assert.equal(stopped?.stop_hook_active, false);
    assert.equal(stopped?.last_assistant_message, "All done.");
  },
);

realTest(
  "hooks of model switch, compaction, clearing and a failed turn are called in a session",
  [
    "One.",
    { error: { status: 400 }, repeat: true },
  ],
  async (real) => {
    const { env } = real.options;
    const noted = noting();
    await withRealClient(real, {
      hooks: noted.hooks,
      env: { ...env, CLAUDE_CODE_MAX_RETRIES: "0" },
    }, async (client) => {
      await client.ask("one");
      await client.setModel("claude-haiku-4-5");
      await client.ask("/compact");
      await client.ask("/clear");
      const failed = await client.ask("two");
      assert.equal(failed.is_error, true);
    });
    const [switching] = noted.of("PreModelSwitch");
    assert.equal(switching?.to_model, "claude-haiku-4-5");
    assert.equal(noted.of("PostModelSwitch").length, 1);
    assert.equal(noted.of("PreCompact")[0]?.trigger, "manual");
    assert.equal(typeof noted.of("PostCompact")[0]?.compact_summary, "string");
    assert.deepEqual(noted.of("SessionStart").map(({ source }) => source), [
      "compact",
      "clear",
    ]);
    assert.deepEqual(noted.of("SessionEnd").map(({ reason }) => reason), [
      "clear",
    ]);
    assert.equal(noted.of("StopFailure").length, 1);
  },
);

realTest(
  "hooks of directories, worktrees, settings and watched files are called",
  [
    { tool: "EnterWorktree", input: { name: "copy" } },
    {
      tool: "ExitWorktree",
      input: { action: "remove", discard_changes: true },
    },
    "Back again.",
  ],
  async (real) => {
    const { cwd, options: { env } } = real;
    const folders = [join(cwd, "other"), join(cwd, "copy")] as const;
    const watched = join(cwd, "watched.txt");
    const settings = join(env["HOME"] ?? "", ".claude", "settings.json");
    for (const folder of [...folders, dirname(settings)]) await mkdir(folder);
    await writeFile(watched, "before");
    await writeFile(settings, "{}");
    const changed = new Deferred<string>();
    const configured = new Deferred<string>();
    const called: string[] = [];
    await withRealClient(real, {
      ...ALLOW,
      hooks: {
        DirectoryAdded: [{
          hooks: [({ directory }) => {
            called.push(directory);
            return {};
          }],
        }],
        SessionStart: [{
          hooks: [() => ({
            hookSpecificOutput: {
              hookEventName: "SessionStart",
              watchPaths: [watched],
            },
          })],
        }],
        WorktreeCreate: [{
          hooks: [({ name }) => {
            called.push(name);
            return {
              hookSpecificOutput: {
                hookEventName: "WorktreeCreate",
                worktreePath: folders[1],
              },
            };
          }],
        }],
        WorktreeRemove: [{
          hooks: [({ worktree_path: path }) => {
            called.push(path);
            return {};
          }],
        }],
        ConfigChange: [{
          hooks: [({ source }) => {
            configured.resolve(source);
            return {};
          }],
        }],
        FileChanged: [{
          hooks: [({ file_path: path, event }) => {
            changed.resolve(`${event} ${path}`);
            return {};
          }],
        }],
      },
    }, async (client) => {
      await client.request("register_repo_root", { directory: folders[0] });
      await client.ask("/clear");
      await writeFile(watched, "after");
      await writeFile(settings, JSON.stringify({ cleanupPeriodDays: 20 }));
      assert.equal(resultText(await client.ask("go")), "Back again.");
      assert.equal(await changed.promise, `change ${watched}`);
      assert.equal(await configured.promise, "user_settings");
    });
    assert.deepEqual(called, [folders[0], "copy", folders[1]]);
  },
);

realTest("a hook of a custom command is called when it is expanded", [
  "Hello Bob.",
], async (real) => {
  const { cwd } = real;
  await mkdir(join(cwd, ".claude", "commands"), { recursive: true });
  await writeFile(
    join(cwd, ".claude", "commands", "hello.md"),
    "Say hello to $ARGUMENTS\n",
  );
  const noted = noting();
  await withRealClient(real, { hooks: noted.hooks }, async (client) => {
    assert.equal(resultText(await client.ask("/hello Bob")), "Hello Bob.");
  });
  const [expanded] = noted.of("UserPromptExpansion");
  assert.equal(expanded?.command_name, "hello");
  assert.equal(expanded?.command_args, "Bob");
  assert.match(real.model.requests[0]?.lastText ?? "", /Say hello to Bob/);
});

realTest(
  "a PreToolUse hook that denies keeps the tool shut, and nobody is asked",
  [
    bash("touch never.txt"),
    "Then not.",
  ],
  async ({ options, cwd }) => {
    let asked = 0;
    const { items } = await collect(query("Go", {
      ...options,
      hooks: {
        PreToolUse: [{
          matcher: "Bash",
          hooks: [() => ({
            hookSpecificOutput: {
              hookEventName: "PreToolUse",
              permissionDecision: "deny",
              permissionDecisionReason: "Not today",
            },
          })],
        }],
      },
      permissions: {
        canUseTool: () => {
          asked++;
          return { behavior: "allow" };
        },
      },
    }));
    const [denied] = toolResults(items);
    assert.equal(denied?.isError, true);
    assert.match(denied?.text ?? "", /Not today/);
    assert.equal(existsSync(join(cwd, "never.txt")), false);
    assert.equal(asked, 0);
  },
);

realTest(
  "a PreToolUse hook that allows with another input has it run unasked",
  [
    bash("touch asked.txt"),
    "Done.",
  ],
  async ({ options, cwd }) => {
    await query("Go", {
      ...options,
      hooks: {
        PreToolUse: [{
          hooks: [({ tool_input: input }) => ({
            hookSpecificOutput: {
              hookEventName: "PreToolUse",
              permissionDecision: "allow",
              updatedInput: { ...input, command: "touch given.txt" },
            },
          })],
        }],
      },
    }).text();
    assert.equal(existsSync(join(cwd, "given.txt")), true);
    assert.equal(existsSync(join(cwd, "asked.txt")), false);
  },
);

realTest(
  "a guard that breaks stays shut, whether it throws, is late or answers nonsense",
  [
    bash("touch never.txt"),
    bash("touch never.txt"),
    bash("touch never.txt"),
    "Then not.",
  ],
  async ({ options, cwd }) => {
    const guards: readonly HookCallback<"PreToolUse">[] = [
      () => {
        throw new Error("out of order");
      },
      () => new Promise(() => {}),
      () => 7 as never,
    ];
    let calls = 0;
    const conversation = query("Go", {
      ...options,
      ...ALLOW,
      hooks: {
        PreToolUse: [{
          timeoutMs: 50,
          hooks: [(input, context) => {
            const guard = guards[calls++] as typeof guards[number];
            return guard(input, context);
          }],
        }],
      },
    });
    const { items } = await collect(conversation);
    const results = toolResults(items);
    assert.deepEqual(results.map(({ isError }) => isError), [true, true, true]);
    assert.match(results[0]?.text ?? "", /out of order/);
    assert.match(results[1]?.text ?? "", /50 ms/);
    assert.equal(existsSync(join(cwd, "never.txt")), false);
    const { items: errors } = await collect(conversation.errors);
    assert.deepEqual(errors.map(({ code }) => code), [
      "protocol_handler",
      "protocol_timeout",
      "protocol_handler",
    ]);
  },
  { ids: ["R-12", "T-02", "T-09"] },
);

realTest(
  "a guard with onFailure continue lets the tool run when it breaks, and other hooks do so anyway",
  [
    bash("touch made.txt"),
    "Done.",
  ],
  async ({ options, cwd }) => {
    const broken = () => {
      throw new Error("out of order");
    };
    const conversation = query("Go", {
      ...options,
      ...ALLOW,
      hooks: {
        PreToolUse: [{ hooks: [broken], onFailure: "continue" }],
        PostToolUse: [{ hooks: [broken] }],
        Stop: [{ hooks: [broken] }],
      },
    });
    const result = await conversation.result();
    assert.equal(resultText(result), "Done.");
    assert.equal(existsSync(join(cwd, "made.txt")), true);
    const { items: errors } = await collect(conversation.errors);
    assert.equal(errors.length, 3);
  },
  { ids: ["R-12"] },
);

realTest("a Stop hook that blocks makes the model go on once more", [
  "First stop.",
  "Second stop.",
], async ({ options, model }) => {
  const active: boolean[] = [];
  const text = await query("Go", {
    ...options,
    hooks: {
      Stop: [{
        hooks: [({ stop_hook_active: isActive }) => {
          active.push(isActive);
          return isActive ? {} : { decision: "block", reason: "Keep going" };
        }],
      }],
    },
  }).text();
  assert.equal(text, "Second stop.");
  assert.deepEqual(active, [false, true]);
  assert.match(model.requests[1]?.lastText ?? "", /Keep going/);
});

realTest(
  "a UserPromptSubmit hook adds to a prompt, or blocks it before the model hears of it",
  [
    "Noted.",
  ],
  async (real) => {
    await withRealClient(real, {
      hooks: {
        UserPromptSubmit: [{
          hooks: [
            ({ prompt }) =>
              prompt === "secret"
                ? { decision: "block", reason: "Not this" }
                : {
                  hookSpecificOutput: {
                    hookEventName: "UserPromptSubmit",
                    additionalContext: "It is raining.",
                  },
                },
          ],
        }],
      },
    }, async (client) => {
      assert.equal(resultText(await client.ask("hello")), "Noted.");
      const texts = JSON.stringify(real.model.requests[0]?.body["messages"]);
      assert.match(texts, /It is raining\./);
      await client.sendMessage("secret");
      const { items } = await collect(client.receiveResponse());
      assert.ok(systemKinds(items).includes("informational"));
      assert.match(resultText(ofType(items, "result")[0]) ?? "", /Not this/);
      assert.equal(real.model.requests.length, 1);
    });
  },
);

realTest("a PostToolUse hook ends the turn with continue false", [
  bash("echo hi"),
], async ({ options }) => {
  const result = await query("Go", {
    ...options,
    hooks: { PostToolUse: [{ hooks: [() => ({ continue: false })] }] },
  }).result();
  assert.equal(result.terminal_reason, "hook_stopped");
});
