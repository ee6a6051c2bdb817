import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Deferred } from "@sluice/agent/extend";
import {
  type AgentOptions,
  HOOK_EVENTS,
  type HookCallback,
  type HookEvent,
  type HookInput,
  query,
} from "@sluice/agent";
import { resultText } from "../_clients.ts";
import {
  ALLOW,
  bash,
  inTurns,
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
      assert.deepEqual(await client.registerRepoRoot(folders[0]), {
        directory: folders[0],
      });
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
  "hooks deny, allow, change and end what they are called for; guards that break stay shut, other hooks do not",
  [
    ...[bash("touch never.txt"), "Then not."],
    ...[bash("touch asked.txt"), "Done."],
    ...Array.from({ length: 5 }, () => bash("touch never.txt")),
    "Then not.",
    { tool: "Write", input: { file_path: "made.txt", content: "x" } },
    "Done.",
    ...["First stop.", "Second stop."],
    "Noted.",
    bash("echo hi"),
  ],
  async ({ options, cwd, model }) => {
    const isThere = (name: string) => existsSync(join(cwd, name));
    const broken = () => {
      throw new Error("out of order");
    };
    let asked = 0;
    let guard: HookCallback<"PreToolUse"> = () => ({});
    let after: HookCallback<"PostToolUse"> = () => ({});
    let stop: HookCallback<"Stop"> = () => ({});
    const all: AgentOptions = {
      ...options,
      permissions: {
        canUseTool: () => {
          asked++;
          return { behavior: "allow" };
        },
      },
      hooks: {
        PreToolUse: [
          {
            matcher: "Bash",
            timeoutMs: 50,
            hooks: [(input, context) => guard(input, context)],
          },
          { matcher: "Write", hooks: [broken], onFailure: "continue" },
        ],
        PostToolUse: [{ hooks: [(input, context) => after(input, context)] }],
        Stop: [{ hooks: [(input, context) => stop(input, context)] }],
        UserPromptSubmit: [{
          hooks: [({ prompt }) => {
            if (prompt === "secret") {
              return { decision: "block", reason: "Not this" };
            }
            return prompt !== "hello" ? {} : {
              hookSpecificOutput: {
                hookEventName: "UserPromptSubmit",
                additionalContext: "It is raining.",
              },
            };
          }],
        }],
      },
    };
    const errors = await inTurns(all, async (turn) => {
      guard = () => ({
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: "deny",
          permissionDecisionReason: "Not today",
        },
      });
      const [denied] = toolResults(await turn("Deny it"));
      assert.equal(denied?.isError, true);
      assert.match(denied?.text ?? "", /Not today/);
      assert.equal(isThere("never.txt"), false);

      guard = ({ tool_input: input }) => ({
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: "allow",
          updatedInput: { ...input, command: "touch given.txt" },
        },
      });
      await turn("Change it");
      assert.equal(isThere("given.txt"), true);
      assert.equal(isThere("asked.txt"), false);
      assert.equal(asked, 0);

      const guards: readonly HookCallback<"PreToolUse">[] = [
        broken,
        () => new Promise(() => {}),
        () => 7 as never,
        () => new Error("denied") as never,
        () => ({ behavior: "deny", message: "no" }) as never,
      ];
      let calls = 0;
      guard = (input, context) => guards[calls++]?.(input, context) ?? {};
      const shut = toolResults(await turn("Break"));
      assert.deepEqual(
        shut.map(({ isError }) => isError),
        guards.map(() => true),
      );
      assert.match(shut[0]?.text ?? "", /out of order/);
      assert.match(shut[1]?.text ?? "", /50 ms/);
      assert.equal(isThere("never.txt"), false);
      assert.equal(asked, 0);

      after = stop = broken;
      const [written, ...rest] = await turn("Break and go on")
        .then((items) => ofType(items, "result"));
      assert.equal(resultText(written), "Done.");
      assert.deepEqual(rest, []);
      assert.equal(isThere("made.txt"), true);

      const active: boolean[] = [];
      stop = ({ stop_hook_active: isActive }) => {
        active.push(isActive);
        return isActive ? {} : { decision: "block", reason: "Keep going" };
      };
      const [stopped] = ofType(await turn("Stop twice"), "result");
      assert.equal(resultText(stopped), "Second stop.");
      assert.deepEqual(active, [false, true]);
      assert.match(model.requests.at(-1)?.lastText ?? "", /Keep going/);
      stop = () => ({});

      const [noted] = ofType(await turn("hello"), "result");
      assert.equal(resultText(noted), "Noted.");
      const texts = JSON.stringify(model.requests.at(-1)?.body["messages"]);
      assert.match(texts, /It is raining\./);
      const before = model.requests.length;
      const blocked = await turn("secret");
      assert.ok(systemKinds(blocked).includes("informational"));
      assert.match(resultText(ofType(blocked, "result")[0]) ?? "", /Not this/);
      assert.equal(model.requests.length, before);

      guard = () => ({});
      after = () => ({ continue: false });
      const [ended] = ofType(await turn("End it"), "result");
      assert.equal(ended?.terminal_reason, "hook_stopped");
    });
    assert.deepEqual(errors.map(({ code }) => code), [
      "protocol_handler",
      "protocol_timeout",
      ...Array.from({ length: 6 }, () => "protocol_handler"),
    ]);
  },
  { ids: ["R-12", "T-02", "T-09"] },
);
