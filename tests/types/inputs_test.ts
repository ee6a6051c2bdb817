import assert from "node:assert/strict";
import {
  type AgentOptions,
  type BuiltinToolName,
  type CanUseTool,
  Client,
  type CliSettings,
  type ContentBlock,
  type Controls,
  type HookCallback,
  type HookInput,
  isToolUse,
  type JsonInput,
} from "@sluice/agent";
import { createMcpServer, McpHub, tool } from "@sluice/agent/mcp";
import { fakeCli } from "@sluice/agent/testing";
import { KNOWN_TOOLS } from "@sluice/agent/tools";
import { test } from "../_harness.ts";
import { holds, type Same } from "./_same.ts";

interface Point {
  x: number;
  label?: string | undefined;
}

interface MySettings {
  model: string;
  permissions: { allow: string[] };
}

test("JsonInput takes interfaces, instances and literals, no list and no function", () => {
  const point: Point = { x: 1 };
  class Pair {
    a = 1;
  }
  const good: readonly JsonInput[] = [
    point,
    new Pair(),
    {},
    { x: 1, deep: { list: [1, "a", null] }, at: point },
  ];
  const bad: readonly JsonInput[] = [
    // @ts-expect-error: a list
    [1],
    // @ts-expect-error: a function
    () => 1,
    // @ts-expect-error: a class
    Pair,
    // @ts-expect-error: a text
    "text",
    // @ts-expect-error: nothing
    null,
    // @ts-expect-error: a function inside
    { deep: { list: [() => 1] } },
  ];
  assert.equal(good.length + bad.length, 10);
});

test("An interface is taken wherever JSON is asked for, and arrives", async () => {
  const point: Point = { x: 1, label: undefined };
  const decide: CanUseTool = () => ({ behavior: "allow", updatedInput: point });
  const hook: HookCallback<"PreToolUse"> = () => ({
    hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: point },
  });
  const after: HookCallback<"PostToolUse"> = () => ({
    hookSpecificOutput: {
      hookEventName: "PostToolUse",
      updatedToolOutput: point,
    },
  });
  const controls = (one: Controls) => [
    one.request("anything", point),
    one.callMcpTool("mcp__s__t", point),
    // @ts-expect-error: a list is no body
    one.request("anything", [point]),
  ];
  const options: AgentOptions = {
    onElicitation: () => ({ action: "accept", content: point }),
    onUserDialog: () => ({ behavior: "completed", result: point }),
  };
  assert.equal([decide, hook, after, controls, options].length, 5);
  const echo = tool({
    name: "echo",
    description: "",
    meta: point,
    input: { type: "object", properties: { x: { type: "number" } } },
    run: ({ x = 0 }): Point => ({ x }),
  });
  const instance = createMcpServer({ name: "s", tools: [echo] });
  await using hub = new McpHub({ s: { type: "sdk", instance } });
  await hub.connect();
  const { structuredContent } = await hub.call("s__echo", point, {
    meta: point,
  });
  assert.deepEqual(structuredContent, { x: 1 });
  const fake = fakeCli({ turns: "Hello.", controls: { anything: {} } });
  const client = new Client({ cliPath: fake.cliPath });
  await client.connect();
  await client.request("anything", point);
  await client.close();
  const sent = fake.received.map((line) => JSON.stringify(line.request));
  assert.ok(sent.includes('{"x":1,"subtype":"anything"}'), sent.join());
  await fake.close();
});

test("CliSettings knows the keys of the CLI's settings and lets others pass", () => {
  const mine: MySettings = { model: "opus", permissions: { allow: ["Read"] } };
  const good: readonly AgentOptions[] = [
    { settings: mine },
    { settings: "/a/settings.json" },
    {
      settings: {
        permissions: { deny: ["Bash(rm:*)"], neverHeardOf: true },
        env: { A: "1" },
        hooks: {
          Stop: [{
            hooks: [{ type: "command", command: "true", async: true }],
          }],
        },
        neverHeardOf: { deep: [1] },
      },
      sandbox: {
        enabled: true,
        network: { allowedDomains: ["*.example.com"] },
        filesystem: { denyRead: ["~/.ssh"], neverHeardOf: 1 },
      },
    },
  ];
  const bad: readonly AgentOptions[] = [
    // @ts-expect-error: a model is a text
    { settings: { model: 3 } },
    // @ts-expect-error: rules are a list
    { settings: { permissions: { allow: "Read" } } },
    // @ts-expect-error: there is no such event
    { settings: { hooks: { Sometimes: [] } } },
    // @ts-expect-error: on or off
    { sandbox: { enabled: "yes" } },
    // @ts-expect-error: a list
    { sandbox: { network: { allowedDomains: "example.com" } } },
  ];
  assert.equal(good.length + bad.length, 8);
  const change = (one: Controls) => [
    one.applySettings({ effortLevel: "max", model: null, other: 1 }),
    one.updateSettings("localSettings", { outputStyle: "Concise" }),
    // @ts-expect-error: no such level
    one.applySettings({ effortLevel: "most" }),
  ];
  assert.equal(change.length, 1);
  holds<Same<NonNullable<CliSettings["model"]>, string>>();
});

test("isToolUse() narrows blocks and hook inputs to the input of the tool", () => {
  const block: ContentBlock = {
    type: "tool_use",
    id: "t1",
    name: "Bash",
    input: { command: "ls" },
  };
  const told: HookInput<"PreToolUse"> = {
    hook_event_name: "PreToolUse",
    session_id: "s1",
    transcript_path: "/t",
    cwd: "/",
    tool_name: "Edit",
    tool_input: { file_path: "/a", old_string: "a", new_string: "b" },
    tool_use_id: "t1",
  };
  assert.ok(isToolUse(block, "Bash"));
  holds<Same<typeof block.input.command, string>>();
  assert.equal(block.input.command, "ls");
  assert.ok(isToolUse(told, "Edit"));
  holds<Same<typeof told.hook_event_name, "PreToolUse">>();
  assert.equal(told.tool_input.file_path.concat(told.tool_use_id), "/at1");
  const other: ContentBlock = { type: "text", text: "Bash" };
  assert.equal(isToolUse(other, "Bash"), false);
  assert.equal(isToolUse({ ...told }, "Bash"), false);
  // @ts-expect-error: there is no such tool
  isToolUse({ ...told }, "Bush");
});

test("BuiltinToolInputs names tools that the CLI has", () => {
  const names: Readonly<Record<BuiltinToolName, true>> = {
    Agent: true,
    AskUserQuestion: true,
    Bash: true,
    CronCreate: true,
    CronDelete: true,
    Edit: true,
    EnterWorktree: true,
    ExitPlanMode: true,
    ExitWorktree: true,
    Glob: true,
    Grep: true,
    ListMcpResourcesTool: true,
    Monitor: true,
    NotebookEdit: true,
    Read: true,
    ReadMcpResourceDirTool: true,
    ReadMcpResourceTool: true,
    ScheduleWakeup: true,
    TaskCreate: true,
    TaskGet: true,
    TaskStop: true,
    TaskUpdate: true,
    TodoWrite: true,
    WebFetch: true,
    WebSearch: true,
    Workflow: true,
    Write: true,
  };
  for (const name of Object.keys(names)) assert.ok(KNOWN_TOOLS.includes(name));
});
