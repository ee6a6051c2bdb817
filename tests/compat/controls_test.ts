import assert from "node:assert/strict";
import process from "node:process";
import { inspect } from "node:util";
import { type Query, query } from "@sluice/agent/compat";
import type { JsonObject } from "@sluice/agent";
import { test } from "../_harness.ts";
import { messagesOf, openPrompts, upToResult, withFake } from "./_compat.ts";

/** Calls a method that the official class has and does not declare. */
function undeclared(
  run: Query,
  name: string,
  ...args: readonly unknown[]
): Promise<unknown> {
  return Reflect.get(run, name).apply(run, args);
}

/** Every control, with the request that it becomes. */
const CONTROLS: readonly (readonly [
  call: (run: Query) => Promise<unknown>,
  request: JsonObject,
])[] = [
  [(run) => run.interrupt(), { subtype: "interrupt" }],
  [(run) => run.setPermissionMode("plan"), {
    subtype: "set_permission_mode",
    mode: "plan",
  }],
  [(run) => run.setMcpPermissionModeOverride("srv", "auto"), {
    subtype: "set_mcp_permission_mode_override",
    serverName: "srv",
    mode: "auto",
  }],
  [(run) => run.setModel("opus"), { subtype: "set_model", model: "opus" }],
  [(run) => run.setModel(), { subtype: "set_model" }],
  [(run) => run.setMaxThinkingTokens(10, "omitted"), {
    subtype: "set_max_thinking_tokens",
    max_thinking_tokens: 10,
    thinking_display: "omitted",
  }],
  [(run) => run.applyFlagSettings({ model: null }), {
    subtype: "apply_flag_settings",
    settings: { model: null },
  }],
  [(run) => run.updateSettings("userSettings", { a: 1 }), {
    subtype: "update_settings",
    source: "userSettings",
    settings: { a: 1 },
  }],
  [(run) => run.reinitialize(), {
    subtype: "initialize",
    systemPrompt: [""],
  }],
  [(run) => run.mcpServerStatus(), { subtype: "mcp_status" }],
  [(run) => run.getContextUsage({ detail: "full" }), {
    subtype: "get_context_usage",
    detail: "full",
  }],
  [
    (run) =>
      run.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET({
        skipBehaviors: true,
      }),
    { subtype: "get_usage", skip_behaviors: true },
  ],
  [(run) => run.readFile("a.txt", { maxBytes: 5 }), {
    subtype: "read_file",
    path: "a.txt",
    max_bytes: 5,
  }],
  [(run) => run.reloadPlugins({ refuseIfBusy: true }), {
    subtype: "reload_plugins",
    refuse_if_busy: true,
  }],
  [(run) => run.reloadSkills(), { subtype: "reload_skills" }],
  [(run) => run.reloadOutputStyles(), { subtype: "reload_output_styles" }],
  [(run) => run.rewindFiles("u1", { dryRun: true }), {
    subtype: "rewind_files",
    user_message_id: "u1",
    dry_run: true,
  }],
  [(run) => run.seedReadState("a.txt", 7), {
    subtype: "seed_read_state",
    path: "a.txt",
    mtime: 7,
  }],
  [(run) => run.reconnectMcpServer("srv"), {
    subtype: "mcp_reconnect",
    serverName: "srv",
  }],
  [(run) => run.toggleMcpServer("srv", false), {
    subtype: "mcp_toggle",
    serverName: "srv",
    enabled: false,
  }],
  [(run) => run.readMcpResource("srv", "file:///a"), {
    subtype: "mcp_read_resource",
    serverName: "srv",
    uri: "file:///a",
  }],
  [(run) => run.setMcpServers({ a: { command: "x" } }), {
    subtype: "mcp_set_servers",
    servers: { a: { command: "x" } },
  }],
  [(run) => run.stopTask("t1"), { subtype: "stop_task", task_id: "t1" }],
  [(run) => run.backgroundTasks("u1"), {
    subtype: "background_tasks",
    tool_use_id: "u1",
  }],
  [(run) => undeclared(run, "enableRemoteControl", true, "mine"), {
    subtype: "remote_control",
    enabled: true,
    name: "mine",
  }],
  [(run) => undeclared(run, "getSettings"), { subtype: "get_settings" }],
  [(run) => undeclared(run, "cancelAsyncMessage", "u1"), {
    subtype: "cancel_async_message",
    message_uuid: "u1",
  }],
  [
    (run) => undeclared(run, "generateSessionTitle", "Tea", { persist: true }),
    {
      subtype: "generate_session_title",
      description: "Tea",
      persist: true,
    },
  ],
  [(run) => undeclared(run, "renameSession", "Tea", "s1"), {
    subtype: "rename_session",
    title: "Tea",
    source: "host",
    session_id: "s1",
  }],
  [(run) => undeclared(run, "mcpAuthenticate", "srv", "http://x"), {
    subtype: "mcp_authenticate",
    serverName: "srv",
    redirectUri: "http://x",
  }],
];

test("each control becomes the request of the official SDK", async () => {
  const controls = Object.fromEntries(
    CONTROLS.map(([, { subtype }]) => [String(subtype), "void" as const])
      .filter(([subtype]) => subtype !== "initialize"),
  );
  await withFake({ controls }, async (options, fake) => {
    const prompts = openPrompts();
    const run = query({ prompt: prompts.stream, options });
    for (const [call] of CONTROLS) await call(run);
    prompts.end();
    await messagesOf(run);
    const [, ...requests] = fake.received
      .filter(({ type }) => type === "control_request")
      .map(({ request }) => request);
    assert.deepEqual(requests, CONTROLS.map(([, request]) => request));
  });
});

test("methods are those of a class: copies of its prototype's names and proxies work as the query does", async () => {
  await withFake("ok", async (options, fake) => {
    const env = { ...process.env, SECRET: "sesame" };
    const run = query({
      prompt: openPrompts().stream,
      options: { ...options, env },
    });
    const prototype = Object.getPrototypeOf(run);
    const names = Object.getOwnPropertyNames(prototype);
    for (const [call] of CONTROLS) {
      const [, name = ""] = /run, "(\w+)"|run\.(\w+)\(/.exec(`${call}`)
        ?.filter(Boolean) ?? [];
      assert.ok(names.includes(name), name);
      assert.equal(Object.hasOwn(run, name), false);
    }
    for (const name of ["next", "return", "throw", "close", "streamInput"]) {
      assert.ok(names.includes(name), name);
    }
    assert.deepEqual(Object.keys(prototype), []);
    // As the wrapper of LangSmith does it.
    const copy = { interrupt: prototype.interrupt.bind(run) };
    await copy.interrupt();
    await new Proxy(run, {}).setModel("opus");
    const asked = fake.received.map(({ request }) =>
      (request as JsonObject | undefined)?.["subtype"]
    );
    assert.deepEqual(asked, ["initialize", "interrupt", "set_model"]);
    assert.doesNotMatch(inspect(run, { depth: 9 }), /sesame/);
    await run.return();
  });
});

test("facts about the CLI need no further request", async () => {
  const initialize = {
    commands: [{ name: "go", description: "Goes", argumentHint: "" }],
    models: [{ value: "m", displayName: "M", description: "" }],
    agents: [{ name: "a", description: "A" }],
    account: { email: "ada@example.com" },
  };
  await withFake({ initialize }, async (options, fake) => {
    const prompts = openPrompts();
    const run = query({ prompt: prompts.stream, options });
    assert.deepEqual(await run.supportedCommands(), initialize.commands);
    assert.deepEqual(await run.supportedModels(), initialize.models);
    assert.deepEqual(await run.supportedAgents(), initialize.agents);
    assert.deepEqual(await run.accountInfo(), initialize.account);
    assert.equal(
      (await run.initializationResult()).account,
      (await run.initializationResult()).account,
    );
    prompts.end();
    await messagesOf(run);
    assert.equal(fake.received.length, 1);
  });
});

test("commands that the CLI told of later take the place of the first ones", async () => {
  const initialize = { commands: [{ name: "go", description: "Goes" }] };
  const commands = [{ name: "stay", description: "Stays" }];
  const message = { type: "system", subtype: "commands_changed", commands };
  await withFake(
    { initialize, turns: [[{ message }, "Hi"]] },
    async (given) => {
      const prompts = openPrompts();
      const run = query({ prompt: prompts.stream, options: given });
      assert.deepEqual(await run.supportedCommands(), initialize.commands);
      prompts.say("Hello");
      await upToResult(run);
      assert.deepEqual(await run.supportedCommands(), commands);
      const { commands: first } = await run.initializationResult();
      assert.deepEqual(first, initialize.commands);
      prompts.end();
      await messagesOf(run);
    },
  );
});

test("a refusal of the CLI is an error of its own words", async () => {
  const controls = { set_model: { error: "no such model", error_code: "bad" } };
  await withFake({ controls }, async (options) => {
    const prompts = openPrompts();
    const run = query({ prompt: prompts.stream, options });
    await assert.rejects(
      run.setModel("x"),
      (error: Error & { errorCode?: string }) =>
        error.message === "no such model" && error.errorCode === "bad",
    );
    assert.equal(
      await run.readFile("x").catch(() => "thrown") !== "thrown",
      true,
    );
    prompts.end();
    await messagesOf(run);
  });
});
