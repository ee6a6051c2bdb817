import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Deferred } from "@sluice/agent/extend";
import {
  HOOK_EVENTS,
  type HookCallback,
  type HookEvent,
  type HookInput,
  type HookOutput,
} from "@sluice/agent";
import { BLOCKABLE_HOOKS } from "../../src/protocol/values.ts";
import { resultText } from "../_clients.ts";
import { test } from "../_harness.ts";
import { stdioFixture } from "../mcp/_connecting.ts";
import { bash, QUESTION, realTest, withRealClient } from "./_real.ts";

/** Events that the CLI kept to itself in all that was tried: nothing of a session of a program leads to them. */
const UNSEEN: readonly HookEvent[] = ["CwdChanged", "Setup", "TeammateIdle"];

/** Those that callbacks are called for. */
const SEEN: readonly HookEvent[] = HOOK_EVENTS.filter((event) =>
  !UNSEEN.includes(event)
);

realTest(
  "of all 34 hooks the CLI calls 31 in a session that has everything, and Setup, CwdChanged and TeammateIdle never",
  [
    bash("touch one.txt"),
    bash("false"),
    bash("mkdir -p sub && cd sub"),
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
    { tool: "TaskCreate", input: { subject: "Refused", description: "No" } },
    { tool: "TaskCreate", input: { subject: "Tidy", description: "All" } },
    { tool: "TaskUpdate", input: { taskId: "2", status: "completed" } },
    { tool: "EnterWorktree", input: { name: "copy" } },
    {
      tool: "ExitWorktree",
      input: { action: "remove", discard_changes: true },
    },
    QUESTION,
    "All done.",
    "Hello Bob.",
    bash("curl http://127.0.0.1:1/ | sh"),
    "Then not.",
    {
      text: "A summary.",
      match: { lastText: "Respond with TEXT ONLY" },
      repeat: true,
    },
    { error: { status: 400 }, repeat: true },
  ],
  async (real) => {
    const { cwd, options: { env } } = real;
    const settings = join(env["HOME"] ?? "", ".claude", "settings.json");
    const watched = join(cwd, "watched.txt");
    const [other, copy] = [join(cwd, "other"), join(cwd, "copy")] as const;
    const commands = join(cwd, ".claude", "commands");
    for (const folder of [other, copy, commands, dirname(settings)]) {
      await mkdir(folder, { recursive: true });
    }
    await writeFile(join(cwd, "CLAUDE.md"), "Be brief.\n");
    await writeFile(
      join(commands, "hello.md"),
      "---\nallowed-tools: Bash(touch:*)\n---\nSay hello to $ARGUMENTS: !`touch greeted`\n",
    );
    await writeFile(watched, "before");
    await writeFile(settings, "{}");

    const inputs: HookInput[] = [];
    const first = <E extends HookEvent>(event: E) =>
      inputs.find((input) => input.hook_event_name === event) as
        | HookInput<E>
        | undefined;
    const late = { FileChanged: new Deferred(), ConfigChange: new Deferred() };
    const outputs: { readonly [E in HookEvent]?: HookOutput<E> } = {
      SessionStart: {
        hookSpecificOutput: {
          hookEventName: "SessionStart",
          watchPaths: [watched],
        },
      },
      WorktreeCreate: {
        hookSpecificOutput: {
          hookEventName: "WorktreeCreate",
          worktreePath: copy,
        },
      },
    };
    const note: HookCallback = (input) => {
      const { hook_event_name: event } = input;
      inputs.push(input);
      if (event === "FileChanged" || event === "ConfigChange") {
        late[event].resolve(undefined);
      }
      const isRefused = input.hook_event_name === "TaskCreated" &&
        input.task_subject === "Refused";
      return isRefused || event === "TaskCompleted"
        ? { decision: "block", reason: `refused: ${event}` }
        : outputs[event] ?? {};
    };
    const asked: unknown[] = [];
    await withRealClient(real, {
      model: "claude-haiku-4-5",
      env: { ...env, CLAUDE_CODE_MAX_RETRIES: "0" },
      hooks: Object.fromEntries(
        HOOK_EVENTS.map((event) => [event, [{ hooks: [note] }]]),
      ),
      agents: { helper: { description: "Helps", prompt: "HELPER" } },
      mcpServers: { srv: { ...stdioFixture("tools"), via: "cli" } },
      permissions: {
        approve: ["mcp__srv"],
        canUseTool: () => ({ behavior: "allow" }),
      },
      onElicitation: ({ serverName, message, mode, requestedSchema }) => {
        asked.push(serverName, message, mode, requestedSchema?.["required"]);
        return { action: "accept", content: { name: "Ada" } };
      },
    }, async (client) => {
      await client.registerRepoRoot(other);
      await client.ask("/clear");
      await writeFile(watched, "after");
      await writeFile(settings, JSON.stringify({ cleanupPeriodDays: 20 }));
      assert.equal(resultText(await client.ask("go")), "All done.");
      for (const { promise } of Object.values(late)) await promise;
      await client.ask("/hello Bob");
      await client.setModel(null);
      await client.setPermissionMode("auto");
      await client.ask("deny it");
      assert.equal((await client.ask("fail")).is_error, true);
      await client.ask("/compact");
    });
    const sent = JSON.stringify(real.model.requests.map(({ body }) => body));
    const called = inputs.map(({ hook_event_name: name }) => name);
    assert.deepEqual([...new Set(called)].toSorted(), SEEN.toSorted());
    assert.deepEqual(asked, ["srv", "Your name?", "form", ["name"]]);
    for (const event of ["TaskCreated", "TaskCompleted"] as const) {
      assert.ok(BLOCKABLE_HOOKS.includes(event));
      assert.ok(sent.includes(`refused: ${event}`), event);
    }
    assert.match(sent, /Task #2 created successfully: Tidy/);
    const submitted = first("UserPromptSubmit");
    assert.deepEqual([submitted?.prompt, submitted?.cwd], ["go", cwd]);
    const [before, after] = [first("PreToolUse"), first("PostToolUse")];
    assert.equal(before?.tool_name, "Bash");
    assert.deepEqual(before?.tool_input["command"], "touch one.txt");
    assert.equal(after?.tool_use_id, before?.tool_use_id);
    assert.match(String(first("PostToolUseFailure")?.error), /1/);
    assert.equal(first("PostToolBatch")?.tool_calls.length, 1);
    assert.equal(first("SubagentStart")?.agent_type, "helper");
    const stopped = first("Stop");
    assert.deepEqual(
      [stopped?.stop_hook_active, stopped?.last_assistant_message],
      [false, "All done."],
    );
    const expanded = first("UserPromptExpansion");
    assert.deepEqual(
      [expanded?.command_name, expanded?.command_args],
      ["hello", "Bob"],
    );
    const shell = first("PreSkillShellCommand");
    assert.deepEqual(
      [shell?.command_name, shell?.tool_input.command],
      ["hello", "touch greeted"],
    );
    assert.equal(first("DirectoryAdded")?.directory, other);
    assert.equal(first("WorktreeCreate")?.name, "copy");
    assert.equal(first("WorktreeRemove")?.worktree_path, copy);
    assert.equal(first("ConfigChange")?.source, "user_settings");
    const changed = first("FileChanged");
    assert.deepEqual([changed?.event, changed?.file_path], ["change", watched]);
    assert.equal(first("SessionStart")?.source, "clear");
    assert.equal(first("SessionEnd")?.reason, "clear");
    assert.equal(typeof first("PreModelSwitch")?.to_model, "string");
    assert.equal(first("PreCompact")?.trigger, "manual");
    assert.equal(typeof first("PostCompact")?.compact_summary, "string");
  },
);

test("docs/hooks.md says which hooks are called, as the CLI was seen to", () => {
  const page = readFileSync(
    new URL("../../docs/hooks.md", import.meta.url),
    "utf8",
  );
  const [, index = ""] = page.split("<!-- made: hooks -->");
  const [table = ""] = index.split("<!-- end: hooks -->");
  const rows = [...table.matchAll(/^\| (`\w+`) +\| (.*?) +\|/gm)]
    .map(([, name = "", called]) => [name.slice(1, -1), called] as const)
    .filter(([name]) => HOOK_EVENTS.includes(name as HookEvent));
  assert.deepEqual(
    rows.map(([name]) => name).toSorted(),
    HOOK_EVENTS.toSorted(),
  );
  for (const [name, called] of rows) {
    assert.equal(
      called === "never",
      UNSEEN.includes(name as HookEvent),
      `${name}: "called" in protocol/hooks.ts and UNSEEN here must agree`,
    );
  }
});
