import assert from "node:assert/strict";
import {
  createSdkMcpServer,
  type HookCallbackMatcher,
  type Options,
  query,
  tool,
} from "@sluice/agent/compat";
import type { JsonObject } from "@sluice/agent";
import { Deferred } from "@sluice/agent/extend";
import { test } from "../_harness.ts";
import { drained, withFake } from "./_compat.ts";
import { launchOf, playedCli } from "./_process.ts";

/** Options with one odd value, and the arguments by which the CLI refuses it, or takes it as the official SDK has it. */
type Case = readonly [options: object, args: readonly string[]];

/** Runs a case: the arguments that the option adds. */
async function added(options: object): Promise<readonly string[]> {
  const { args: bare } = await launchOf({});
  const { args } = await launchOf(options as Options);
  return args.filter((one) => !bare.includes(one));
}

async function assertSent(cases: readonly Case[]): Promise<void> {
  for (const [options, args] of cases) {
    assert.deepEqual(await added(options), args, JSON.stringify(options));
  }
}

test("a path that is empty or no text reaches the CLI, which refuses it", async () => {
  await assertSent([
    [{ projectConfigRoot: "" }, ["--project-config-root="]],
    [{ projectConfigRoot: false }, ["--project-config-root=false"]],
    [{ projectConfigRoot: true }, ["--project-config-root=true"]],
    [{ projectConfigRoot: [] }, ["--project-config-root="]],
    [{ plugins: [{ type: "local", path: "" }] }, ["--plugin-dir="]],
    [{ plugins: [{ type: "local" }] }, ["--plugin-dir=undefined"]],
  ]);
});

test("a limit that is empty or no number reaches the CLI, which refuses it", async () => {
  await assertSent([
    [{ maxBudgetUsd: "" }, ["--max-budget-usd="]],
    [{ maxBudgetUsd: false }, ["--max-budget-usd=false"]],
    [{ taskBudget: {} }, ["--task-budget=undefined"]],
    [{ taskBudget: { total: undefined } }, ["--task-budget=undefined"]],
    [{ taskBudget: { total: "" } }, ["--task-budget="]],
    [{ taskBudget: 5 }, ["--task-budget=undefined"]],
    [{ taskBudget: 0 }, []],
    [{ maxThinkingTokens: "" }, ["--max-thinking-tokens="]],
    [{ maxThinkingTokens: false }, ["--max-thinking-tokens=false"]],
    [{ resumeDropsTurn: "" }, ["--resume-drops-turn="]],
    [{ resumeDropsTurn: false }, ["--resume-drops-turn=false"]],
    [{ resumeSessionAt: [] }, ["--resume-session-at="]],
  ]);
});

test("a false setting of thinking is none, and leaves its limit", async () => {
  const limit = { maxThinkingTokens: 5 };
  const adaptive = { type: "adaptive" };
  await assertSent([
    [{ ...limit, thinking: false }, ["--max-thinking-tokens=5"]],
    [{ ...limit, thinking: "" }, ["--max-thinking-tokens=5"]],
    [{ thinking: { ...adaptive, display: "" } }, ["--thinking=adaptive"]],
    [{ thinking: { ...adaptive, display: null } }, ["--thinking=adaptive"]],
  ]);
});

test("an odd value stands behind the name of its flag", async () => {
  await assertSent([
    [{ permissionMode: true }, ["--permission-mode=true"]],
    [{ permissionMode: [] }, ["--permission-mode="]],
    [{ permissionMode: 0 }, []],
    [{ permissionPrompts: true }, ["--permission-prompts=true"]],
    [{ permissionPrompts: [] }, ["--permission-prompts="]],
    [{ permissionPromptToolName: true }, ["--permission-prompt-tool=true"]],
    [{ permissionPromptToolName: [] }, ["--permission-prompt-tool="]],
    [{ model: [] }, ["--model="]],
    [{ maxTurns: true }, ["--max-turns=true"]],
    [{ allowedTools: [""] }, ["--allowedTools="]],
    [{ disallowedTools: [null] }, ["--disallowedTools="]],
    [{ settingSources: [] }, ["--setting-sources="]],
    [{ outputFormat: { type: "json_schema", schema: null } }, []],
  ]);
});

test("anything but a list is refused where a list belongs", async () => {
  const refused = (options: object) =>
    assert.throws(
      () => query({ prompt: "Hi", options: options as Options }),
      {
        name: "TypeError",
        message: `Option "${
          Object.keys(options)[0]
        }" has to be a list, not ${typeof Object.values(options)[0]}`,
      },
    );
  for (const key of ["allowedTools", "betas", "disallowedTools"]) {
    refused({ [key]: "Read" });
    // Such lists come from libraries; one that is left out would forbid nothing.
    refused({ [key]: { 0: "Bash", length: 1 } });
  }
  refused({ supportedDialogKinds: "Read" });
  for (const value of ["", "user", false, 0, {}]) {
    refused({ additionalDirectories: value });
    refused({ executableArgs: value });
    refused({ plugins: value });
    refused({ settingSources: value });
  }
  await assertSent([
    // As in the official SDK: programs write `isSafe && [...]`.
    [{ allowedTools: false, betas: false, disallowedTools: false }, []],
    [{ supportedDialogKinds: false, allowedTools: "" }, []],
    [{ tools: false }, ["--tools=default"]],
    // There it is all tools.
    [{ tools: "Read" }, ["--tools=Read"]],
  ]);
});

test("hooks that JSON cannot write start nothing", () => {
  const hooks = [() => Promise.resolve({})];
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  for (const odd of [{ timeout: 5n }, { matcher: circle }]) {
    const matcher = { hooks, ...odd } as unknown as HookCallbackMatcher;
    assert.throws(
      () => query({ prompt: "Hi", options: { hooks: { Stop: [matcher] } } }),
      /not started, because the hooks option/,
    );
  }
});

test("without initialize, which JSON cannot write, no prompt leaves", async () => {
  const quick = createSdkMcpServer({ name: "odd" });
  // The CLI runs by the time that its list of tools is given up.
  const never = {
    ...quick.instance,
    connect: () => new Promise<void>(() => {}),
  };
  for (const instance of [quick.instance, never]) {
    const cli = playedCli();
    const odd = { ...quick, instance, tools: [{ name: 5n }] as never[] };
    await assert.rejects(
      drained("Hi", { ...cli.options, mcpServers: { odd } }),
      /not started, because an option cannot be sent/,
    );
    assert.deepEqual(cli.received, []);
    assert.deepEqual(cli.signals, []);
  }
});

test("a query that is closed before its initialize sends no prompt", async () => {
  const started = new Deferred<void>();
  const cli = playedCli();
  const own = createSdkMcpServer({ name: "own" });
  const never = { ...own.instance, connect: () => new Promise<void>(() => {}) };
  const run = query({
    prompt: "Hi",
    options: {
      ...cli.options,
      mcpServers: { own: { ...own, instance: never } },
      spawnClaudeCodeProcess(launch) {
        started.resolve();
        return cli.options.spawnClaudeCodeProcess!(launch);
      },
    },
  });
  await started.promise;
  await run.return();
  assert.deepEqual(cli.received, []);
  assert.deepEqual(cli.signals, []);
});

test("a server whose description JSON cannot write is left to the CLI, with the hooks", async () => {
  const cli = playedCli();
  const instructions = 5n as unknown as string;
  const tools = [tool("look", "Looks", {}, () => Promise.reject(new Error()))];
  const odd = createSdkMcpServer({ name: "odd", instructions, tools });
  const hooks = { Stop: [{ hooks: [() => Promise.resolve({})] }] };
  const run = query({
    prompt: "Hi",
    options: { ...cli.options, hooks, mcpServers: { odd } },
  });
  const { request } = await cli.until(({ request }) => request !== undefined);
  const { sdkMcpServers, hooks: sent } = request as JsonObject;
  assert.deepEqual(sdkMcpServers, ["odd"]);
  assert.ok(sent);
  await run.return();
});

test("false matchers are none, and a false store is none", async () => {
  for (const value of ["", false, 0, null, undefined] as never[]) {
    await withFake("ok", async (options, fake) => {
      const hooks = { Stop: value };
      await drained("Hi", { ...options, sessionStore: value, hooks });
      assert.ok(!fake.runs[0]?.args.includes("--session-mirror"));
    });
  }
});

test("a false callback is none", async () => {
  const answers: unknown[] = [];
  const asked = [
    { subtype: "elicitation", mcp_server_name: "m", message: "Who?" },
    { subtype: "can_use_tool", tool_name: "Bash", input: {} },
  ];
  const cli = playedCli({
    onLine({ type, response }) {
      if (type === "user") {
        for (const [index, request] of asked.entries()) {
          const request_id = `r${index}`;
          cli.say({ type: "control_request", request_id, request });
        }
      }
      if (type !== "control_response") return;
      const { response: answer, error } = response as JsonObject;
      if (answers.push(answer ?? error) === asked.length) {
        cli.say({ type: "result", subtype: "success", result: "" });
      }
    },
  });
  const callbacks = {
    canUseTool: false,
    onElicitation: "",
    onUserDialog: 0,
    abortController: false,
  };
  await drained("Hi", { ...cli.options, ...callbacks } as unknown as Options);
  assert.deepEqual(answers, [
    { action: "decline" },
    "canUseTool callback is not provided.",
  ]);
});
